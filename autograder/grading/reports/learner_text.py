"""What learners wrote, as HTML that runs nothing: answers in Markdown, and code in colour."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.grading.reports.display import plain_text, shortened

_LIMIT = 60_000
"""Characters of one answer or cell that are shown."""

_TAGS = {
    *("a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li"),
    *("ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_PASTED = "attachment:"
# Many learners fill a blank alike, and colouring it takes 2 ms.
_KNOWN_TEXTS = 512
_KNOWN_CHARS = 4_000


def rendered(text: str, pictures: Mapping[str, str]) -> Markup:
    """An answer's Markdown as HTML.

    HTML in it is shown as text, as it was typed: `T < T_dump` and `<br>` both stay readable, and
    no tag of a learner's ever becomes one.

    Args:
        text: Markdown.
        pictures: Pictures pasted into the cell: name -> data URL. Any other picture is left out.
    """
    html = _markdown().render(shortened(plain_text(text), _LIMIT))

    def attribute(tag: str, name: str, value: str) -> str | None:
        if tag == "img" and name == "src":
            return pictures.get(value.removeprefix(_PASTED))
        return None if value.startswith(_PASTED) else value

    return Markup(  # noqa: S704  (sanitised here)
        nh3.clean(
            html,
            tags=_TAGS,
            attributes={"a": {"href", "title"}, "img": {"src", "alt"}, "ol": {"start"}},
            attribute_filter=attribute,
            url_schemes={"http", "https", "mailto", _PASTED.removesuffix(":")},
            link_rel="noopener noreferrer nofollow",
        )
    )


def highlighted(source: str) -> Markup:
    """Python in colour, each line in a `<span class="line">`; anything else stays plain."""
    text = shortened(plain_text(source), _LIMIT)
    return (_known_highlighted if len(text) <= _KNOWN_CHARS else _highlighted)(text)


def _highlighted(text: str) -> Markup:
    html = highlight(text, *_colours())
    lines = html.removesuffix("\n").split("\n")
    return Markup("".join(f'<span class="line">{line}</span>' for line in lines))  # noqa: S704  (pygments escapes)


# Made once: that takes longer than an answer.
@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@cache
def _colours() -> tuple[PythonLexer, HtmlFormatter]:
    return PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)


_known_highlighted = lru_cache(maxsize=_KNOWN_TEXTS)(_highlighted)
