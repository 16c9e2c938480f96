"""The README's picture, drawn from the lesson's own figure.

`python -m lessons.lesson03.picture assets/dump-time.png`
"""

from __future__ import annotations

import sys
from pathlib import Path

from lessons.lesson03.figures import dump_time_figure
from lessons.lesson03.plan import Plan


def write_picture(path: Path) -> None:
    """Write the worked example's dump time against the interval as a PNG file."""
    # Without the version of matplotlib, the same figure gives the same bytes.
    dump_time_figure(Plan()).savefig(path, format="png", metadata={"Software": None})


if __name__ == "__main__":
    write_picture(Path(sys.argv[1]))
