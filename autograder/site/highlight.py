"""Code in colour: pygments' token classes, whose colours the style sheet gives."""

from __future__ import annotations

import re
from html import escape

from pygments import highlight as _highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_BLANK = re.compile(r'<span class="n">(_{4,})</span>')


def code_block(source: str, language: str, *, filename: str | None = None) -> str:
    """A block of code; blanks to fill in are marked.

    Args:
        source: The code.
        language: As pygments or Markdown call it; unknown or empty for none.
        filename: What stands above it.
    """
    head = f'<p class="filename"><code>{escape(filename)}</code></p>' if filename else ""
    return f'{head}<pre class="code scroll"><code>{coloured(source, language)}</code></pre>'


def coloured(source: str, language: str) -> str:
    """The code as HTML spans, without the box around it."""
    text = source.rstrip("\n")
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(text, quote=False)
    spans: str = _highlight(text, lexer, HtmlFormatter(nowrap=True))
    return _BLANK.sub(r'<mark class="blank">\1</mark>', spans.rstrip("\n"))
