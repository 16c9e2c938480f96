"""Chinese fonts for matplotlib on any machine: the system's, else the one zhplot ships."""

from __future__ import annotations

from collections.abc import MutableMapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from matplotlib import font_manager

# In order of preference; simplified Chinese faces first, since others draw some characters
# the Japanese or Taiwanese way.
SYSTEM_FAMILIES = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Heiti SC",
    "SimHei",
    "Droid Sans Fallback",
)

# SimHei and others lack U+2212, the minus sign: matplotlib takes it from the next family.
_FALLBACK = "DejaVu Sans"


def chinese_families() -> list[str]:
    """Return matplotlib font families that between them draw Chinese, Latin and the minus sign.

    The first call on a machine without a Chinese font registers zhplot's file with matplotlib's
    font manager; a later call finds it there.

    Raises:
        FileNotFoundError: There is no system font and zhplot is not installed.
    """
    known = {entry.name for entry in font_manager.fontManager.ttflist}
    for family in SYSTEM_FAMILIES:
        if family in known:
            return [family, _FALLBACK]
    return [_register(bundled_font()), _FALLBACK]


def use_chinese(rcparams: MutableMapping[str, Any]) -> None:
    """Set the font of matplotlib parameters, such as `matplotlib.rcParams`, for Chinese text."""
    rcparams["font.family"] = chinese_families()


def bundled_font() -> Path:
    """Return the Noto Sans SC file inside zhplot, without importing zhplot.

    Raises:
        FileNotFoundError: zhplot is not installed or ships no font.
    """
    spec = find_spec("zhplot")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted((Path(folder) / "fonts").glob("*.[to]tf")):
            return path
    raise FileNotFoundError(
        "No Chinese font was found: install one (Noto Sans CJK), or run `pip install zhplot`."
    )


def _register(path: Path) -> str:
    font_manager.fontManager.addfont(path)
    return font_manager.fontManager.ttflist[-1].name
