"""A long text in overlapping pieces that most versions of it share."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

# What a fragment may stretch over, layout included, and still stand in one piece.
LEAST = 4000
_LINE_END = re.compile("\n")
_LOOKED_AT = 40
_ONE_IN = 8


def pieces(text: str) -> Iterator[str]:
    """Pieces of which any run of up to `LEAST` characters is in one.

    Each is two neighbouring sections. Sections end where the lines themselves say so and not at
    fixed places, so that a change in one leaves the others as they are.
    """
    cuts = [0]
    for line_end in _LINE_END.finditer(text):
        place = line_end.end()
        if place - cuts[-1] >= LEAST and _is_cut(text[place : place + _LOOKED_AT]):
            cuts.append(place)
    if len(text) - cuts[-1] < LEAST and len(cuts) > 1:
        cuts.pop()
    cuts.append(len(text))
    for start, end in zip(cuts, cuts[2:] or cuts[1:], strict=False):
        yield text[start:end]


def _is_cut(line: str) -> bool:
    return zlib.crc32(line.encode("utf-8", "surrogatepass")) % _ONE_IN == 0
