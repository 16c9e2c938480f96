"""Seconds with a unit that every language shares: µs, ms, s."""

from __future__ import annotations

_STEPS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def time_text(value_s: float) -> str:
    """Return seconds with three digits: 0.00121 -> "1.21 ms"."""
    if value_s == 0:
        return "0 s"
    step, unit = next((one for one in _STEPS if value_s >= one[0] * 0.9995), _STEPS[-1])
    return f"{float(f'{value_s / step:.3g}'):,g} {unit}"
