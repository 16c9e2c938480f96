"""Pictures that a page names and that are not beside it: said in words, and told to the author."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import unescape
from urllib.parse import unquote

_IMAGE = re.compile(r'<img src="([^"]*)" alt="([^"]*)"[^>]*>')
# On another host, within the page, from the site's root: not for this look.
_ELSEWHERE = re.compile(r"^(?:[A-Za-z][A-Za-z0-9+.-]*:|/|#|$)")


def without_missing(html: str, files: Collection[str], missing: str) -> tuple[str, list[str]]:
    """A text in which each picture that is not there is its alternative text, and their names.

    Args:
        html: The text of a page; its images begin with `src` and `alt`.
        files: What is beside the page.
        missing: What follows the alternative text.
    """
    names: list[str] = []

    def shown(found: re.Match[str]) -> str:
        name = unescape(found[1])
        path = unquote(name.partition("#")[0].partition("?")[0]).removeprefix("./")
        if _ELSEWHERE.match(name) or path in files:
            return found[0]
        names.append(name)
        return f'<span class="missing">{found[2]}{missing}</span>'

    return _IMAGE.sub(shown, html), list(dict.fromkeys(names))
