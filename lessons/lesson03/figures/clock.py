"""Ticks of a time axis that begins at 0: round steps in the unit a person would use."""

from __future__ import annotations

from math import floor

_STEPS_S = (
    *(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0),
    *(60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0),
    *(86_400.0, 172_800.0, 432_000.0, 864_000.0, 1_728_000.0, 4_320_000.0, 8_640_000.0),
)
_UNITS = ((86_400.0, "天"), (3600.0, "小时"), (60.0, "分钟"), (1.0, "秒"), (1e-3, "毫秒"))


def clock_ticks(end_s: float, most: int = 8) -> dict[float, str]:
    """Return ticks from 0 up to `end_s`, at most `most` of them after 0, all in one unit."""
    step = next((step for step in _STEPS_S if end_s / step <= most), end_s / most)
    size, unit = next(((size, unit) for size, unit in _UNITS if step >= size), _UNITS[-1])
    times = [number * step for number in range(floor(end_s / step + 1e-9) + 1)]
    return {at: f"{at / size:.4g} {unit}" if at else "0" for at in times}
