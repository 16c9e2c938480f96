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
_SOFT_BREAK = re.compile(r"=\r?\n")
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]{0,2000}>")
# Possessive, so that a text of plus signs costs no more than another.
_BASE64 = re.compile(
    r"(?:[A-Za-z0-9+/_-]{20,}+={0,2}+(?:\\n|[\s\"',#>+*\\]){1,16}+)*[A-Za-z0-9+/_-]{16,}+={0,2}"
)
_NOT_BASE64 = re.compile(r"\\n|[^A-Za-z0-9+/_-]")
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
