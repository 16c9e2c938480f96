"""Image files cut down to the image: no notes, thumbnails, positions, nor what follows the end."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

IMAGE_TYPES = frozenset({".png", ".svg", ".jpg", ".jpeg", ".webp"})

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_CHUNKS = {
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB",
    b"bKGD", b"pHYs", b"acTL", b"fcTL", b"fdAT",
}  # fmt: skip
_WEBP_CHUNKS = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"}
_WEBP_NOTES = 0x08 | 0x04  # the flags for EXIF and XMP
# APP0 JFIF, APP2 colour profile, APP14 Adobe colours; the other APPn and comments are notes.
_JPEG_NOTES = {0xE1, *range(0xE3, 0xEE), 0xEF, 0xFE}
_START_OF_SCAN, _END_OF_IMAGE = 0xDA, b"\xff\xd9"
_SVG_NOTES = re.compile(r"<!--.*?-->|<metadata\b.*?</metadata\s*>|<metadata\b[^>]*/>", re.S | re.I)
_SVG_ACTIVE = re.compile(r"<script\b|<foreignObject\b|\son\w+\s*=|javascript:|<!ENTITY", re.I)


def public_image(data: bytes, suffix: str) -> bytes:
    """The image in a file of a known type, without what is no part of it.

    Raises:
        ValueError: The content is not of that type; the message continues a sentence.
    """
    try:
        if suffix == ".png":
            return _png(data)
        if suffix in {".jpg", ".jpeg"}:
            return _jpeg(data)
        return _webp(data) if suffix == ".webp" else _svg(data)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"is no complete {suffix[1:]} file") from error


def _png(data: bytes) -> bytes:
    if not data.startswith(_PNG):
        raise ValueError("is no PNG file")
    kept, at = [_PNG], len(_PNG)
    while True:
        (length,) = struct.unpack_from(">I", data, at)
        kind, end = data[at + 4 : at + 8], at + 12 + length
        if end > len(data):
            raise ValueError("is no complete PNG file")
        if kind in _PNG_CHUNKS:
            kept.append(data[at:end])
        if kind == b"IEND":
            return b"".join(kept)
        at = end


def _jpeg(data: bytes) -> bytes:
    if not data.startswith(b"\xff\xd8\xff"):
        raise ValueError("is no JPEG file")
    kept, at = [data[:2]], 2
    while data[at + 1] != _START_OF_SCAN:
        if data[at] != 0xFF:  # noqa: PLR2004  # begins every marker
            raise ValueError("is no complete JPEG file")
        end = at + 2 + struct.unpack_from(">H", data, at + 2)[0]
        if data[at + 1] not in _JPEG_NOTES:
            kept.append(data[at:end])
        at = end
    end = data.find(_END_OF_IMAGE, at)
    if end < 0:
        raise ValueError("is no complete JPEG file")
    return b"".join([*kept, data[at : end + 2]])


def _webp(data: bytes) -> bytes:
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        raise ValueError("is no WebP file")
    body = b"".join(_webp_chunks(data))
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def _webp_chunks(data: bytes) -> Iterator[bytes]:
    at, last = 12, 8 + struct.unpack_from("<I", data, 4)[0]
    while at < last:
        kind, (length,) = data[at : at + 4], struct.unpack_from("<I", data, at + 4)
        end = at + 8 + length + length % 2
        if end > len(data):
            raise ValueError("is no complete WebP file")
        chunk = data[at:end]
        if kind == b"VP8X":
            chunk = chunk[:8] + bytes([chunk[8] & ~_WEBP_NOTES & 0xFF]) + chunk[9:]
        if kind in _WEBP_CHUNKS:
            yield chunk
        at = end


def _svg(data: bytes) -> bytes:
    text = data.decode("utf-8-sig")
    if "<svg" not in text:
        raise ValueError("is no SVG file")
    if _SVG_ACTIVE.search(text):
        raise ValueError("holds a script or foreign content")
    return _SVG_NOTES.sub("", text[: text.rfind("</svg>") + 6]).encode()
