"""The "training" of a small job: each step changes every array by a known amount.

So what any step's state must be can be worked out anew, byte for byte, and compared with what was
saved, recovered, and trained on from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOMENTS = 1024


def state_of(rank: int, step: int, *, seed: int, state_bytes: int) -> dict[str, NDArray[Any]]:
    """Return a rank's state after a step: weights that each step adds to, and the step itself.

    Args:
        rank: Which rank.
        step: After which step.
        seed: Of the first weights.
        state_bytes: About how many bytes.
    """
    count = max(1, state_bytes // 12)
    first = np.random.default_rng([seed, rank]).integers(0, 1 << 30, count, dtype=np.int64)
    return {
        "weights": first + np.int64(step) * (rank + 1),
        # Whole numbers far below 2^24: float32 adds them without an error.
        "moments": (first % _MOMENTS + step).astype(np.float32),
        "step": np.array(step),
    }


def after_step(state: Mapping[str, NDArray[Any]], rank: int) -> dict[str, NDArray[Any]]:
    """Return a rank's state one step later, worked out from the state alone.

    Args:
        state: Before; it stays as it is.
        rank: Which rank.
    """
    return {
        "weights": state["weights"] + np.int64(rank + 1),
        "moments": state["moments"] + np.float32(1),
        "step": state["step"] + np.array(1),
    }
