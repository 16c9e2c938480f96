"""BokehJS, from the files that bokeh's wheel carries."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from autograder.errors import MissingOnMachine

_SCRIPTS = ("bokeh.min.js", "bokeh-api.min.js")
_LACKING = "bokeh is not installed, and the live plot is drawn by it. Run `pip install bokeh`."


def bokeh_script() -> bytes:
    """Return BokehJS and its plotting interface as one script; nothing of bokeh is imported.

    Raises:
        MissingOnMachine: bokeh is not installed, or without its scripts.
    """
    spec = find_spec("bokeh")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise MissingOnMachine(_LACKING)
    folder = Path(folders[0]) / "server" / "static" / "js"
    try:
        return b"\n".join((folder / name).read_bytes() for name in _SCRIPTS)
    except OSError:
        raise MissingOnMachine(_LACKING) from None
