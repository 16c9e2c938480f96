"""What one source line can be: the patterns of Quarto's and pandoc's block syntax."""

from __future__ import annotations

import re

FENCE = re.compile(r"^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*?)[ \t]*$")
# Quarto's own rule for an executable cell; the braces of `{{python}}` do not match it.
CELL = re.compile(r"^\{([=A-Za-z]+)( *[ ,].*)?\}$")
DIV = re.compile(r"^[ \t]*:{3,}")
DIV_CLOSE = re.compile(r"^[ \t]*:{3,}[ \t]*$")
DIV_OPEN = re.compile(r"^[ \t]*:{3,}[ \t]*(?:\{(.*)\}|([^\s{}:]+))[ \t]*:*[ \t]*$")
ANSWER_LINES = ("**你的答案：**", "**Your answer:**")
ANSWER_LIKE = re.compile(
    r"^[\s*_>#:：-]*(你的答案|你的回答|your answer)[\s*_:：.。-]*$", re.IGNORECASE
)
INCLUDE = re.compile(r"(?<!\{)\{\{<\s*(include|embed)\b")
_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_INLINE_COMMENT = re.compile(r"<!--(.*?)-->")


def split_lines(text: str) -> list[str]:
    """Lines with their ends; only LF ends a line, as in Quarto, and U+2028 and the like do not."""
    lines = text.split("\n")
    kept = [line + "\n" for line in lines[:-1]]
    return [*kept, lines[-1]] if lines[-1] else kept


def bare(line: str) -> str:
    """A line without its end."""
    return line.removesuffix("\n").removesuffix("\r")


def without_code_spans(line: str) -> str:
    """A line with its code spans taken out."""
    return _CODE_SPAN.sub("", line)


def opens_comment(line: str) -> bool:
    """Whether an HTML comment begins in this line and does not end in it."""
    return "<!--" in _INLINE_COMMENT.sub("", without_code_spans(line))


def inline_comment(line: str) -> str | None:
    """The text of the first non-empty HTML comment within a line, or None."""
    for match in _INLINE_COMMENT.finditer(without_code_spans(line)):
        if match[1].strip():
            return match[1].strip()
    return None


def closes_fence(line: str, mark: str) -> bool:
    """Whether a line ends the fence that was opened with `mark`."""
    text = bare(line).strip(" \t")
    return len(text) >= len(mark) and set(text) == {mark[0]}
