"""The page's own scripts, styles and templates, from the course's assets folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_WORKER = '/* worker.js, put here by the build */ ""'


class Assets:
    """What lies in assets/site/live of a course.

    Args:
        root: The course's root.
    """

    def __init__(self, root: Path) -> None:
        self._folder = root / "assets" / "site" / "live"
        self._environment = Environment(
            loader=FileSystemLoader(self._folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def text(self, name: str) -> str:
        """Return a file."""
        return (self._folder / name).read_text(encoding="utf-8")

    def script(self, *names: str) -> bytes:
        """Return scripts as one, in a scope of their own; a classic script loads from disk, too."""
        joined = "\n".join(self.text(name) for name in names)
        joined = joined.replace(_WORKER, json.dumps(self.text("worker.js")))
        return f'(() => {{\n"use strict";\n{joined}}})();\n'.encode()

    def render(self, name: str, **values: Any) -> str:
        """Return a template, filled in."""
        return self._environment.get_template(name).render(**values)


def json_in_html(value: object) -> str:
    """Return JSON for a script element: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text.replace("<", "\\u003c")
