"""Markdown -> the HTML of a page: markdown-it with the page's formulas, code, links, headings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from autograder.site.dialect import CAPTION, CAPTION_END
from autograder.site.formula import display_formula, inline_formula
from autograder.site.highlight import code_block
from autograder.site.rawhtml import tamed
from autograder.source.attributes import parse_heading

_NOT_IN_ID = re.compile(r"[^\w-]+")
_TAGS = re.compile(r"<[^>]*>")
_CITATION = re.compile(r"^\[\d+\]$")
# Chinese marks carry their own space.
_WIDE_END = re.compile(r"[。，、；：？！）」』》]$")
_UNIT = re.compile(
    r"(?<=\d) (?=(?:[kKMGTP]?i?[Bb]|[kMGT]?T|µ?s|ms|ns|min|h|W|%)"
    r"(?:/(?:s|参数))?(?![A-Za-z0-9]))"
)
_LESSON = re.compile(r"^\.\./([\w-]+)/(?:(?:index|\1)\.(?:html|ipynb|qmd))?(#.*)?$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Heading:
    """A heading of the page: its level, its id, its text without markup."""

    level: int
    identifier: str
    text: str


@dataclass(kw_only=True, slots=True)
class Markup:
    """Renders one page; afterwards `headings` lists what its table of contents shows.

    Args:
        lesson_link: Slug of another lesson -> where its page is, or None when it has none here.
        taken: Ids that the page uses already.
    """

    lesson_link: Callable[[str], str | None]
    taken: set[str] = field(default_factory=set)
    headings: list[Heading] = field(default_factory=list)

    def render(self, markdown: str) -> str:
        """The whole text of a page as HTML.

        Raises:
            FormulaError: A formula cannot be read.
        """
        html: str = self._reader(footnote_plugin).render(markdown)
        return html

    def line(self, markdown: str) -> str:
        """One line of it, such as a caption.

        Raises:
            FormulaError: A formula cannot be read.
        """
        html: str = self._reader().renderInline(markdown)
        return html

    def _reader(self, *plugins: Callable[..., None]) -> MarkdownIt:
        reader = MarkdownIt("commonmark", {"html": True})
        reader.enable(["table", "strikethrough"])
        reader.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
        for plugin in (deflist_plugin, *plugins):
            reader.use(plugin)
        reader.core.ruler.before("inline", "page_blocks", self._blocks)
        reader.core.ruler.push("page_headings", self._headings)
        reader.core.ruler.push("page_links", self._links)
        reader.core.ruler.push("page_type", _set_type)
        reader.core.ruler.push("page_headers", _name_headers)
        for name, rule in _RULES.items():
            reader.add_render_rule(name, rule)
        return reader

    def _blocks(self, state: StateCore) -> None:
        """Before the text within blocks is read: attributes of headings, marks of captions."""
        for token, inner in zip(state.tokens, state.tokens[1:], strict=False):
            if token.type == "heading_open":
                heading = parse_heading(f"# {inner.content}")
                if heading is not None:
                    inner.content = heading.text
                    token.meta["identifier"] = heading.attributes.identifier
            elif token.type == "paragraph_open" and inner.content.startswith(CAPTION):
                label, _, inner.content = inner.content[1:].partition(CAPTION_END)
                token.attrSet("class", "caption")
                if label:
                    token.attrSet("id", label)
                    self.taken.add(label)

    def _headings(self, state: StateCore) -> None:
        for at, token in enumerate(state.tokens):
            if token.type != "heading_open" or token.level:
                continue
            text = plain(state.tokens[at + 1].children or ())
            level = max(int(token.tag[1]), 2)  # the page's own title is the h1
            token.tag = state.tokens[at + 2].tag = f"h{level}"
            identifier = self._free(token.meta.get("identifier") or _identifier(text))
            token.attrSet("id", identifier)
            self.headings.append(Heading(level=level, identifier=identifier, text=text))

    def _free(self, wish: str) -> str:
        name, count = wish, 1
        while name in self.taken:
            name, count = f"{wish}-{count}", count + 1
        self.taken.add(name)
        return name

    def _links(self, state: StateCore) -> None:
        for token in state.tokens:
            inside = token.children or []
            for at, child in enumerate(inside):
                if child.type == "link_open":
                    self._link(child, inside[at + 1 :])
                    _name_kind(child, inside[at + 1])

    def _link(self, token: Token, rest: Sequence[Token]) -> None:
        other = _LESSON.match(unquote(str(token.attrGet("href") or "")))
        if other is None:
            return
        target = self.lesson_link(other[1])
        if target is not None:
            token.attrSet("href", target + (other[2] or ""))
            return
        closing = next(one for one in rest if one.type == "link_close" and one.level == token.level)
        token.tag = closing.tag = "span"
        token.attrs = {"class": "not-here"}


def _name_kind(token: Token, text: Token) -> None:
    """Addresses written out may break anywhere; `[1]` is a citation."""
    if token.markup == "autolink":
        token.attrSet("class", "address")
    elif _CITATION.match(text.content):
        token.attrSet("class", "citation")


def _name_headers(state: StateCore) -> None:
    """A column headed by a formula alone has a name that every screen reader says."""
    for token, inner in zip(state.tokens, state.tokens[1:], strict=False):
        parts = inner.children or []
        if token.type == "th_open" and [one.type for one in parts] == ["math_inline"]:
            said = _TAGS.sub(" ", inline_formula(parts[0].content))
            name = escape(" ".join(unescape(said).split()))
            opened = f'<span class="unseen">{name}</span><span aria-hidden="true">'
            inner.children = [_raw(opened), *parts, _raw("</span>")]


def _raw(html: str) -> Token:
    return Token(type="html_inline", tag="", nesting=0, content=html)


def _set_type(state: StateCore) -> None:
    """What a typesetter does: no line breaks before a unit, no space after a full stop's own."""
    for token in state.tokens:
        before = ""
        for child in token.children or []:
            if child.type == "text":
                text = _UNIT.sub("\u00a0", child.content)
                child.content = text[1:] if _WIDE_END.search(before) and text[:1] == " " else text
            before = child.content or before


def plain(tokens: Sequence[Token]) -> str:
    """The text of inline tokens without markup."""
    return "".join(
        one.content if one.type in {"text", "code_inline", "math_inline"} else " "
        for one in tokens
        if one.content or one.type in {"softbreak", "hardbreak"}
    ).strip()


def _identifier(text: str) -> str:
    """What pandoc would call a heading; Chinese stays."""
    lowered = unicodedata.normalize("NFC", text).lower()
    name = _NOT_IN_ID.sub("", re.sub(r"\s+", "-", lowered)).strip("-_")
    return name or "section"


def _math(_renderer: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return inline_formula(tokens[at].content)


def _math_block(_renderer: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return display_formula(tokens[at].content) + "\n"


def _fence(_renderer: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    token = tokens[at]
    language = re.match(r"[A-Za-z0-9_+#-]*", token.info.strip())
    return code_block(token.content, language[0] if language else "") + "\n"


def _html(_renderer: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return tamed(tokens[at].content)


def _image(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    alt = escape(renderer.renderInlineAsText(token.children, options, env))
    source = escape(str(token.attrGet("src") or ""))
    return f'<img src="{source}" alt="{alt}" loading="lazy" decoding="async">'


def _footnote_number(_: RendererHTML, tokens: Sequence[Token], at: int, *_more: Any) -> str:
    """The number of the note alone; the second reference to it says the same one."""
    return f"[{tokens[at].meta['id'] + 1}]"


def _always(text: str) -> Callable[..., str]:
    return lambda *_: text


_RULES: Mapping[str, Callable[..., str]] = {
    "math_inline": _math,
    "math_inline_double": _math,
    "math_block": _math_block,
    "math_block_label": _math_block,
    "fence": _fence,
    "code_block": _fence,
    "html_inline": _html,
    "html_block": _html,
    "table_open": _always('<div class="table scroll"><table>\n'),
    "table_close": _always("</table></div>\n"),
    "image": _image,
    "footnote_caption": _footnote_number,
    "footnote_block_open": _always('<section class="footnotes" role="doc-endnotes"><ol>\n'),
    "footnote_block_close": _always("</ol></section>\n"),
}
