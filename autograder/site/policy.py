"""What a page may load: the Content-Security-Policy in its head, and the look at what it names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser

# Diagrams and formulas style themselves in place; nothing else is inline.
_OWN: Mapping[str, Sequence[str]] = {
    "default-src": ("'none'",),
    "script-src": ("'self'",),
    "style-src": ("'self'", "'unsafe-inline'"),
    "img-src": ("'self'", "data:"),
    "font-src": ("'self'", "data:"),
    "connect-src": ("'self'",),
    "base-uri": ("'none'",),
    "form-action": ("'none'",),
}
_LOADS = {"src", "srcset", "poster", "data", "background"}
_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "manifest"}
_FOREIGN = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_IN_STYLE = re.compile(r"(?:url\(\s*[\"']?|@import\s+[\"'])\s*([^\"')\s]+)", re.IGNORECASE)


def policy(extra: Mapping[str, Sequence[str]]) -> str:
    """The policy of a page.

    Args:
        extra: Directive -> sources that the live parts need too.
    """
    found = {name: list(sources) for name, sources in _OWN.items()}
    for name, sources in extra.items():
        known = found.setdefault(name, [])
        known += [one for one in sources if one not in known]
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in found.items())


def foreign_requests(name: str, data: bytes) -> list[str]:
    """Addresses on other hosts that a page or a style sheet would load; a mere link is none."""
    if name.endswith(".css"):
        return _styled(data.decode("utf-8"))
    if not name.endswith(".html"):
        return []
    reader = _Reader()
    reader.feed(data.decode("utf-8"))
    reader.close()
    return reader.found


def _styled(text: str) -> list[str]:
    return [one for one in _IN_STYLE.findall(text) if _FOREIGN.match(one)]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._style = tag == "style"
        loads = [values[name] for name in _LOADS if name in values]
        loads += [one.strip() for one in values.get("srcset", "").split(",")]
        if tag == "link" and _LINKS & set(values.get("rel", "").lower().split()):
            loads.append(values.get("href", ""))
        if tag in {"image", "use", "feimage"}:
            loads += [values.get("href", ""), values.get("xlink:href", "")]
        self.found += [one for one in loads if _FOREIGN.match(one)]
        self.found += _styled(values.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        self._style = self._style and tag != "style"

    def handle_data(self, data: str) -> None:
        if self._style:
            self.found += _styled(data)
