"""Files of seeded bytes that no disk can compress or deduplicate away, safely on it."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

_CHUNK = 1 << 20


def write_filled(path: Path, size: int, seed: int, show: Callable[[float], None]) -> None:
    """Write `size` bytes and fsync them; `show` is told the share that is written."""
    rng = random.Random(seed)  # noqa: S311 - filler, no secret
    with path.open("wb") as file:
        left = size
        while left:
            count = min(left, _CHUNK)
            file.write(rng.randbytes(count))
            left -= count
            show(1 - left / size)
        file.flush()
        os.fsync(file.fileno())
