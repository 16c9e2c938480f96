"""The names of a zip's members, whatever packed it.

Rule: a name marked as UTF-8 is UTF-8; else the Unicode path that Info-ZIP writes beside a name
counts; else the bytes of all remaining names are UTF-8 when every one is valid (7-Zip, macOS), else
GB18030, of which GBK is a part, when every one is valid (Chinese Windows); else code page 437, as
the format says.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence

_UTF8_FLAG = 0x800
_UNICODE_PATH = 0x7075


def member_names(infos: Sequence[zipfile.ZipInfo]) -> list[str]:
    """The members' names, in their order."""
    raws = {
        place: info.orig_filename.encode("cp437")
        for place, info in enumerate(infos)
        if not info.flag_bits & _UTF8_FLAG
    }
    own = {place: _unicode_path(infos[place], raw) for place, raw in raws.items()}
    guessed = _decoded({place: raw for place, raw in raws.items() if own[place] is None})
    return [
        (own.get(place) or guessed.get(place) or info.orig_filename).partition("\0")[0]
        for place, info in enumerate(infos)
    ]


def _decoded(raws: Mapping[int, bytes]) -> dict[int, str]:
    for encoding in ("utf-8", "gb18030"):
        try:
            return {place: raw.decode(encoding) for place, raw in raws.items()}
        except UnicodeDecodeError:
            continue
    return {place: raw.decode("cp437") for place, raw in raws.items()}


def _unicode_path(info: zipfile.ZipInfo, raw: bytes) -> str | None:
    """Info-ZIP's field 0x7075: version, CRC of the plain name, the name in UTF-8."""
    extra = info.extra
    while len(extra) >= 4:  # noqa: PLR2004  # a field's head: its number and length
        number, length = struct.unpack_from("<HH", extra)
        body, extra = extra[4 : 4 + length], extra[4 + length :]
        if number == _UNICODE_PATH and body[:1] == b"\x01" and len(body) > 5:  # noqa: PLR2004
            if struct.unpack_from("<I", body, 1)[0] != zlib.crc32(raw):
                continue  # the plain name was changed by a tool that does not know the field
            try:
                return body[5:].decode("utf-8")
            except UnicodeDecodeError:
                continue
    return None
