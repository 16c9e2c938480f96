"""Pictures are looked at here, not shown: a coarse one costs a tenth."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import pytest


@pytest.fixture(autouse=True)
def coarse_pictures() -> Iterator[None]:
    """Save figures with few pixels."""
    with mpl.rc_context({"savefig.dpi": 20}):
        yield
