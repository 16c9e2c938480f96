"""How packed bytes begin, and how they are unpacked."""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Iterator
from typing import Any

PNG = b"\x89PNG\r\n\x1a\n"
# 7z, RAR, Zstandard.
UNREAD = (b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a", b"\x28\xb5\x2f\xfd")
_PICTURE_CHUNKS = {b"IHDR", b"PLTE", b"IDAT", b"IEND"}
_UNPACKERS = {
    b"\x1f\x8b": lambda: zlib.decompressobj(31),
    b"\x78\x01": zlib.decompressobj,
    b"\x78\x5e": zlib.decompressobj,
    b"\x78\x9c": zlib.decompressobj,
    b"\x78\xda": zlib.decompressobj,
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
}


def unpacker(data: bytes) -> Any:
    """A fresh decompressor of zlib, bz2 or lzma, which share no type; None for other data."""
    for magic, make in _UNPACKERS.items():
        if data.startswith(magic):
            return make()
    return None


def png_parts(data: bytes) -> Iterator[bytes]:
    """The bodies of the chunks that are no picture, unpacked, and what stands after the end."""
    place = len(PNG)
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
