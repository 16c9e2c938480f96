"""A blob as all the texts that it holds: as it stands, unescaped, decoded, unpacked.

Seen through, one within another and up to a depth of four: escapes of JSON, Python and C, percent
and quoted-printable encoding, HTML entities and tags, base64 and hexadecimal runs (over several
lines too), data: URIs, gzip, zlib, bzip2, xz, zip members and their names, tar, the text chunks of
PNG, UTF-16 and GB 18030.

Not seen through: encryption, look-alike letters, text drawn as a picture, pixels (those of the
widget cells' stills, too; their text is read), code split by string concatenation (prose split that
way is found), other archives, and translation. An archive that is damaged, locked or too large to
unpack is reported instead.
"""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.release.archives import PNG, UNREAD, png_parts, unpacker
from autograder.release.escapes import encoded_runs, views

_DEPTH = 4
_MOST_BYTES = 32 * 1024 * 1024
_LONG_RUN = re.compile(r"[A-Za-z0-9+/]{256,}={0,2}")


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
        # Text -> how many layers below it were looked at.
        self.seen: dict[str, int] = {}
        self.closed: list[str] = []
        self._left = _MOST_BYTES

    def data(self, data: bytes, depth: int) -> None:
        if len(data) > _MOST_BYTES:
            self._close("too large to be read")
        elif data.startswith(PNG):
            for part in png_parts(data):
                self.data(part, depth)
        elif packed := unpacker(data):
            self._packed(data, packed, depth)
        elif data.startswith(UNREAD):
            self._close("an archive of a kind that is not read")
        else:
            # A zip archive may stand behind anything else, as its list stands at its end.
            zipped = b"PK\x05\x06" in data and zipfile.is_zipfile(io.BytesIO(data))
            if zipped:
                self._zip(data, depth)
            for text in _decoded(data):
                self.text(text, 0 if zipped else depth)

    def text(self, text: str, depth: int) -> None:
        # Pictures make most of a notebook: their base64 is taken out before what costs time.
        runs = _LONG_RUN.findall(text)
        short = _LONG_RUN.sub(" ", text) if runs else text
        if self.seen.get(short, -1) >= depth and not runs:
            return
        self.seen |= {one: 0 for one in runs if one not in self.seen}
        self.seen[short] = max(depth, self.seen.get(short, 0))
        if depth == 0:
            return
        for view in views(short):
            self.text(view, depth - 1)
        for data in encoded_runs(text):
            self.data(data, depth - 1)

    def _packed(self, data: bytes, packed: Any, depth: int) -> None:
        try:
            plain = packed.decompress(data, self._left)
        except (zlib.error, OSError, EOFError, lzma.LZMAError, ValueError):
            for text in _decoded(data):  # it only began like an archive
                self.text(text, 0)
            return
        if not packed.eof and len(plain) >= self._left:
            self._close("too large when unpacked")
            return
        self._spend(len(plain))
        if depth:
            self.data(plain, depth - 1)
            if packed.unused_data:  # a second archive, or anything, behind the first
                self.data(packed.unused_data, depth - 1)

    def _zip(self, data: bytes, depth: int) -> None:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                self.text(archive.comment.decode("utf-8", "replace"), depth)
                for member in archive.infolist():
                    self.text(member.filename, depth)
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
