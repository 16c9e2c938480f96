"""A blob as all the texts that it holds: as it stands, unescaped, decoded, unpacked.

Seen through, one within another and up to a depth of four: escapes of JSON, Python and C, percent
and quoted-printable encoding, HTML entities and tags, base64 and hexadecimal runs (over several
lines too), data: URIs, gzip, zlib, bzip2, xz, zip members and their names, tar, the text chunks of
PNG, UTF-16 and GB 18030.

Not seen through: encryption, look-alike letters, text drawn as a picture, pixels, code split by
string concatenation (prose split that way is found), other archives, and translation. An archive
that is damaged, locked or too large to unpack is reported instead.
"""

from __future__ import annotations

import base64
import binascii
import bz2
import html
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

_DEPTH = 4
_MOST_BYTES = 32 * 1024 * 1024
_PNG = b"\x89PNG\r\n\x1a\n"
_PICTURE_CHUNKS = {b"IHDR", b"PLTE", b"IDAT", b"IEND"}
_MISALIGNED_UP_TO = 1 << 16

_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|U([0-9a-fA-F]{8})|([nrtfvb\"'/\\]))")
_BYTE_RUN = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\[0-3][0-7]{2}|%[0-9a-fA-F]{2}|=[0-9A-F]{2})+")
_ONE_BYTE = re.compile(r"(?:\\x|%|=)([0-9a-fA-F]{2})|\\([0-7]{3})")
_SOFT_BREAK = re.compile(r"=\r?\n")
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]{0,2000}>")
_BASE64 = re.compile(
    r"(?:[A-Za-z0-9+/_-]{20,}={0,2}(?:\\n|[\s\"',#>+*\\]){1,16})*[A-Za-z0-9+/_-]{16,}={0,2}"
)
_LONG_RUN = re.compile(r"[A-Za-z0-9+/]{256,}={0,2}")
_NOT_BASE64 = re.compile(r"\\n|[^A-Za-z0-9+/_-]")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){12,}")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "f": "\n", "v": "\n", "b": " "}
_UNPACKERS = {
    b"\x1f\x8b": lambda: zlib.decompressobj(31),
    b"\x78\x01": zlib.decompressobj,
    b"\x78\x5e": zlib.decompressobj,
    b"\x78\x9c": zlib.decompressobj,
    b"\x78\xda": zlib.decompressobj,
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
}


@dataclass(kw_only=True, slots=True)
class Unfolded:
    """What a blob holds.

    Attributes:
        texts: Each text once.
        closed: Why a part of it could not be looked into, one phrase each.
    """

    texts: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)


def unfold(data: bytes) -> Unfolded:
    """All texts of a blob."""
    unfolding = _Unfolding()
    unfolding.data(data, _DEPTH)
    return Unfolded(texts=list(unfolding.seen), closed=unfolding.closed)


class _Unfolding:
    def __init__(self) -> None:
        self.seen: dict[str, None] = {}
        self.closed: list[str] = []
        self._left = _MOST_BYTES

    def data(self, data: bytes, depth: int) -> None:
        if len(data) > _MOST_BYTES:
            self._close("too large to be read")
        elif data.startswith(_PNG):
            for part in _png_parts(data):
                self.data(part, depth)
        elif data.startswith(b"PK\x03\x04"):
            self._zip(data, depth)
        elif unpacker := _unpacker(data):
            self._packed(data, unpacker, depth)
        else:
            for text in _decoded(data):
                self.text(text, depth)

    def text(self, text: str, depth: int) -> None:
        # Pictures make most of a notebook: their base64 is taken out before what costs time.
        runs = _LONG_RUN.findall(text)
        short = _LONG_RUN.sub(" ", text) if runs else text
        if short in self.seen and not runs:
            return
        self.seen |= dict.fromkeys([short, *runs])
        if depth == 0:
            return
        for view in _views(short):
            self.text(view, depth - 1)
        for data in _encoded_runs(text):
            self.data(data, depth - 1)

    def _packed(self, data: bytes, unpacker: object, depth: int) -> None:
        try:
            # The three decompressors share this method, typeshed gives them no common base.
            plain = unpacker.decompress(data, self._left)  # type: ignore[attr-defined]
        except (zlib.error, OSError, EOFError, lzma.LZMAError, ValueError):
            for text in _decoded(data):
                self.text(text, 0)
            return
        if getattr(unpacker, "unconsumed_tail", b"") or not getattr(unpacker, "needs_input", True):
            self._close("too large when unpacked")
            return
        self._spend(len(plain))
        if depth:
            self.data(plain, depth - 1)

    def _zip(self, data: bytes, depth: int) -> None:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                self.text(archive.comment.decode("utf-8", "replace"), depth)
                for member in archive.infolist():
                    self.text(member.filename, 0)
                    if member.flag_bits & 1 or member.file_size > self._left:
                        self._close("an archive member is locked or too large")
                    elif depth:
                        self._spend(member.file_size)
                        self.data(archive.read(member), depth - 1)
        except (zipfile.BadZipFile, NotImplementedError, OSError, zlib.error, ValueError, EOFError):
            self._close("a damaged archive")

    def _spend(self, count: int) -> None:
        self._left = max(self._left - count, 0)

    def _close(self, why: str) -> None:
        if why not in self.closed:
            self.closed.append(why)


def _unpacker(data: bytes) -> object | None:
    for magic, make in _UNPACKERS.items():
        if data.startswith(magic):
            return make()
    return None


def _png_parts(data: bytes) -> Iterator[bytes]:
    """The bodies of the chunks that are no picture, unpacked, and what stands after the end."""
    place = len(_PNG)
    while place + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        place += 12 + length
        if kind in _PICTURE_CHUNKS:
            continue
        yield body
        for start in _packed_starts(body):
            yield body[start:]
    yield data[place:]


def _packed_starts(body: bytes) -> Iterator[int]:
    """Where a compressed text may begin: after the keyword of a zTXt, iTXt or iCCP chunk."""
    for place in range(min(len(body), 400)):
        if body[place : place + 1] == b"\x78" and body[place : place + 2] in _UNPACKERS:
            yield place


def _decoded(data: bytes) -> Iterator[str]:
    """The bytes in each encoding that they may be in."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield data.decode("utf-16", "replace")
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        yield data.decode("utf-8", "replace")
        yield data.decode("gb18030", "replace")
    else:
        yield text
    if data.count(0) > len(data) // 8:
        yield data.decode("utf-16-le", "replace")
        yield data.decode("utf-16-be", "replace")


def _views(text: str) -> Iterator[str]:
    """The text without one layer of escaping, and that without its tags."""
    plain = text
    if "\\" in plain:
        plain = _ESCAPE.sub(_unescaped, _BYTE_RUN.sub(_run_text, plain))
    if "%" in plain or "=" in plain:
        plain = _BYTE_RUN.sub(_run_text, _SOFT_BREAK.sub("", plain))
    if "&" in plain:
        plain = html.unescape(plain)
    yield plain
    if "<" in plain:
        yield _TAG.sub("", plain)


def _unescaped(match: re.Match[str]) -> str:
    number = match[1] or match[2]
    if number is None:
        return _PLAIN.get(match[3], match[3])
    value = int(number, 16)
    return chr(value) if value < 0x110000 else match[0]  # noqa: PLR2004  # the last code point


def _run_text(match: re.Match[str]) -> str:
    found = bytes(
        int(one[1], 16) if one[1] else int(one[2], 8) & 255 for one in _ONE_BYTE.finditer(match[0])
    )
    try:
        return found.decode("utf-8")
    except UnicodeDecodeError:
        return match[0]


def _encoded_runs(text: str) -> Iterator[bytes]:
    """What base64 and hexadecimal runs decode to, as far as it means anything."""
    for match in _BASE64.finditer(text):
        yield from _from_base64(match[0])
    for match in _HEX.finditer(text):
        if _is_meant(data := bytes.fromhex(match[0])):
            yield data


@lru_cache(maxsize=1 << 14)  # versions of a file share most of their runs
def _from_base64(written: str) -> tuple[bytes, ...]:
    run = _NOT_BASE64.sub("", written).replace("-", "+").replace("_", "/")
    found = []
    # A word right before the run shifts it: the other alignments are tried on short runs.
    for start in range(4 if len(run) < _MISALIGNED_UP_TO else 1):
        part = run[start:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        try:
            data = base64.b64decode(part + "=" * (-len(part) % 4))
        except binascii.Error:
            continue
        if _is_meant(data):
            found.append(data)
    return tuple(found)


def _is_meant(data: bytes) -> bool:
    """Whether decoded bytes are a text, a picture or an archive, and not chance."""
    if data.startswith((_PNG, b"PK\x03\x04")) or _unpacker(data):
        return True
    sample = data[:4096]
    if sample[1:2] == b"\0" or sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    for cut in range(4):  # the sample may end within a character
        try:
            text = sample[: len(sample) - cut].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return sum(c.isprintable() or c.isspace() for c in text) > 0.9 * len(text)
    return False
