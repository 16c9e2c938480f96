"""Bytes, seconds and bandwidths as a person reads them, in SI units."""

from __future__ import annotations

_STEPS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_NO_DECIMALS_FROM = 99.95
_MILLISECONDS_BELOW = 0.1
_MICROSECONDS_BELOW = 1e-4
_ALMOST_ALL = 99.9
_TIMES = ((86_400.0, "天"), (3600.0, "小时"), (60.0, "分钟"), (1.0, "秒"))


def bytes_text(value: float) -> str:
    """Return bytes with an SI prefix and three digits: 5681900000000.0 -> "5.68 TB"."""
    for step, prefix in _STEPS:
        if value >= 0.9995 * step:
            return f"{_digits(value / step)} {prefix}B"
    return f"{_digits(value)} B"


def bandwidth_text(value_Bps: float) -> str:  # noqa: N803 - B/s
    """Return a bandwidth with an SI prefix: 3.3333e9 -> "3.33 GB/s"."""
    return f"{bytes_text(value_Bps)}/s"


def seconds_text(value_s: float) -> str:
    """Return a duration in the largest unit that keeps it above two: 600.0 -> "10 分钟".

    Between one and two of a unit the smaller unit reads better: 90 s is "90 秒".
    """
    for step, unit in _TIMES:
        if value_s >= 2 * step or value_s == step:
            return f"{_digits(value_s / step)} {unit}"
    if 0 < value_s < _MICROSECONDS_BELOW:
        return f"{_digits(value_s * 1e6)} 微秒"
    if 0 < value_s < _MILLISECONDS_BELOW:
        return f"{_digits(value_s * 1e3)} 毫秒"
    return f"{_digits(value_s)} 秒"


def factor_text(value: float) -> str:
    """Return a factor with three digits at most: 3.0 -> "3"."""
    return _digits(value)


def percent_text(share: float) -> str:
    """Return a share with up to three digits: 0.1363 -> "13.6 %"; 100 % only where it is all."""
    percent = share * 100
    if _ALMOST_ALL < percent < 100:  # noqa: PLR2004 - per cent
        return "超过 99.9 %"
    digits = 3 if percent >= 10 else 2  # noqa: PLR2004 - where the third begins to count
    return f"{percent:.{digits}g} %" if percent < 1000 else f"{percent:,.0f} %"  # noqa: PLR2004


def _digits(value: float) -> str:
    if value >= _NO_DECIMALS_FROM:
        return f"{value:,.0f}"
    return f"{value:.3g}"
