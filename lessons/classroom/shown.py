"""Values as a learner reads them in a sentence: short, on one line, and safe to build."""

from __future__ import annotations

_LONGEST = 60


def shown(value: object) -> str:
    """Return a value as Python writes it, numbers with 12 digits, cut short when long."""
    if isinstance(value, type):
        return value.__name__
    if type(value) is float:
        return _float(value)
    if type(value) is tuple:
        items = ", ".join(shown(item) for item in value)
        return f"({items},)" if len(value) == 1 else f"({items})"
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a learner's own class may fail in any way
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _float(value: float) -> str:
    """Return the shorter of `3333333333.33` and `1e10`."""
    plain = f"{value:.12g}"
    digits, _, exponent = f"{value:.11e}".partition("e")
    if not exponent:  # nan, inf
        return plain
    power = f"{digits.rstrip('0').rstrip('.')}e{int(exponent)}"
    return power if len(power) < len(plain) else plain
