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
# The same line as people write it: other stars, colons, words, a hint in brackets behind it.
ANSWER_LIKE = re.compile(
    r"^[\s*_>#✍️✏️📝-]*(?:(?:你|我)的(?:答案|回答|解答|作答)|作答区|答题区|"
    r"(?:your|my) (?:answer|response))"
    r"[\s*_:：.。…-]*(?:[（(][^（）()]{0,60}[)）])?[\s*_:：.。…-]*$",
    re.IGNORECASE,
)
INCLUDE = re.compile(r"(?<!\{)\{\{<\s*(include|embed)\b")
_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
# Whichever begins first holds what follows.
_CODE_OR_COMMENT = re.compile(r"(?P<code>(`+)(?!`).+?(?<!`)\2(?!`))|<!--(?P<comment>.*?)-->")


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
    return "<!--" in _CODE_OR_COMMENT.sub("", line)


def without_comments(line: str) -> str:
    """A line without the HTML comments that begin and end in it; code spans stay as they are."""
    if "<!--" not in line:
        return line
    # Two spaces left at the end would break the line.
    return _CODE_OR_COMMENT.sub(lambda found: found["code"] or "", line).rstrip()


def inline_comments(line: str) -> list[str]:
    """The texts of the HTML comments that `without_comments` takes out."""
    found = _CODE_OR_COMMENT.finditer(line)
    return [one["comment"] for one in found if one["comment"] is not None]


def closes_fence(line: str, mark: str) -> bool:
    """Whether a line ends the fence that was opened with `mark`."""
    text = bare(line).strip(" \t")
    return len(text) >= len(mark) and set(text) == {mark[0]}
