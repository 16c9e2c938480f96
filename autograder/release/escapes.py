"""One layer of escaping or encoding less: what a text says once it is read by a program."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from functools import lru_cache

from autograder.release.archives import PNG, unpacker

_MISALIGNED_UP_TO = 1 << 16
_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|U([0-9a-fA-F]{8})|([nrtfvb\"'/\\]))")
_ESCAPED = re.compile(r"\\[\"'uUx0-3/]|%[0-9a-fA-F]{2}|=[0-9A-F]{2}|=\r?\n|&[#a-zA-Z]")
_BYTE_RUN = re.compile(r"(?:\\x[0-9a-fA-F]{2}|\\[0-3][0-7]{2}|%[0-9a-fA-F]{2}|=[0-9A-F]{2})+")
_ONE_BYTE = re.compile(r"(?:\\x|%|=)([0-9a-fA-F]{2})|\\([0-7]{3})")
_SOFT_BREAK = re.compile(r"=\r?\n[ \t]*(?:[#>*]+[ \t]*)?")
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]{0,2000}>")
# One run, or lines of it, the last of which may be short. Possessive, so that a text of plus signs
# costs no more than another.
_BASE64 = re.compile(
    r"(?=[A-Za-z0-9+/_-]{16})"
    r"(?:[A-Za-z0-9+/_-]{20,}+={0,2}+(?:\\n|[\s\"',#>*\\]|(?<=\s)\+(?=\s)){1,16}+)*+"
    r"(?:[A-Za-z0-9+/_-]{2,}+)?"
)
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/_-]{2,}")
_MOST_ALONE = 64
_SHORTEST_RUN = 16
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){12,}")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "f": "\n", "v": "\n", "b": " "}


def views(text: str) -> Iterator[str]:
    """The text without one layer of escaping, and that without its tags.

    Nothing when there is no layer; written line ends alone are none, as `normal` knows them.
    """
    plain = text
    if _ESCAPED.search(text):
        plain = _ESCAPE.sub(_unescaped, _BYTE_RUN.sub(_run_text, plain))
        plain = _BYTE_RUN.sub(_run_text, _SOFT_BREAK.sub("", plain))
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


def encoded_runs(text: str) -> Iterator[bytes]:
    """What base64 and hexadecimal runs decode to, as far as it means anything."""
    for match in _BASE64.finditer(text):
        yield from _from_base64(match[0])
    for match in _HEX.finditer(text):
        if _is_meant(data := bytes.fromhex(match[0])):
            yield data


@lru_cache(maxsize=1 << 14)  # versions of a file share most of their runs
def _from_base64(written: str) -> tuple[bytes, ...]:
    found = (data for run in _runs(written) for data in _decoded(run) if _is_meant(data))
    return tuple(dict.fromkeys(found))


def _runs(written: str) -> Iterator[str]:
    """The lines as one run; as the first or last may be a mere word, also without these; each."""
    lines = _BASE64_LINE.findall(written.replace("\\n", "\n"))
    for some in (lines, lines[1:], lines[:-1], lines[1:-1]):
        yield "".join(some)
    if len(lines) <= _MOST_ALONE:
        yield from lines


def _decoded(run: str) -> Iterator[bytes]:
    """A run from each of its first four characters: a word right before it shifts it."""
    if len(run) < _SHORTEST_RUN:
        return
    plain = run.replace("-", "+").replace("_", "/")
    for start in range(4 if len(plain) < _MISALIGNED_UP_TO else 1):
        part = plain[start:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        try:
            yield base64.b64decode(part + "=" * (-len(part) % 4))
        except binascii.Error:
            continue


def _is_meant(data: bytes) -> bool:
    """Whether decoded bytes are a text, a picture or an archive, and not chance."""
    if data.startswith((PNG, b"PK\x03\x04")) or unpacker(data):
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
