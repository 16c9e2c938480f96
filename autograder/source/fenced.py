"""What a complete fence is: a Python cell, a diagram, or text to show as it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.model import Block, Cell, Diagram, Prose, Role
from autograder.source.faults import Faults, did_you_mean
from autograder.source.lines import CELL
from autograder.source.options import split_options

_LANGUAGES = frozenset({"python", "mermaid"})
_SHOWN = frozenset({"bash", "sh", "r", "julia", "dot", "ojs", "sql", "js", "css", "html", "rust"})
_ROLE_LINE = re.compile(r"^\s*#\|\s*course_role\s*:")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fence:
    """A fence as found: `body` holds the lines between, without line ends."""

    text: str
    line: int
    body: Sequence[str]
    indent: str
    mark: str
    info: str


def fenced_block(fence: Fence, faults: Faults) -> Block:
    """Decide what a fence is."""
    cell = CELL.match(fence.info) if fence.mark[0] == "`" else None
    language = cell[1] if cell else ""
    if language == "python":
        return _cell(fence, faults)
    if language == "mermaid":
        return _diagram(fence, faults)
    if language and not language.startswith("="):
        _other_language(fence, language, faults)
    elif "{{" not in fence.info and fence.body and _ROLE_LINE.match(fence.body[0]):
        faults.add(
            fence.line,
            "This fence has a `course_role` but is not a cell, so learners would see it as it is.",
            "Open it with ```{python}.",
        )
    return Prose(text=fence.text, line=fence.line, verbatim=True)


def _other_language(fence: Fence, language: str, faults: Faults) -> None:
    """Quarto runs other languages too; a slip in `python` would show what it shall hide."""
    role = any(_ROLE_LINE.match(line) for line in fence.body)
    if language.lower() in _SHOWN and not role:
        faults.warn(
            fence.line,
            f"A notebook shows this {language!r} cell as text and does not run it.",
            f"Write ```{language} without braces if the page need not run it either.",
        )
        return
    faults.add(
        fence.line,
        f"A lesson's cells are Python or mermaid, not {language!r}.",
        did_you_mean(language.lower(), _LANGUAGES),
    )


def _unindented(fence: Fence) -> list[str]:
    """The body without the fence's own indentation, as pandoc takes it off."""
    width = len(fence.indent.expandtabs(4))
    return [_cut(line, width) for line in fence.body] if width else list(fence.body)


def _cut(line: str, width: int) -> str:
    taken = 0
    while taken < width and line[:1] in {" ", "\t"}:
        taken += 4 if line[0] == "\t" else 1
        line = line[1:]
    return line


def _cell(fence: Fence, faults: Faults) -> Cell:
    body = _unindented(fence)
    options = split_options(body, "#|", fence.line + 1, faults)
    code = body[options.lines :]
    skipped = next((n for n, line in enumerate(code) if line.strip()), len(code))
    return Cell(
        text=fence.text,
        line=fence.line,
        role=Role.CODE,
        source="\n".join(code[skipped:]).rstrip(),
        source_line=fence.line + 1 + options.lines + skipped,
        options=options.values,
        indent=fence.indent,
    )


def _diagram(fence: Fence, faults: Faults) -> Diagram:
    body = _unindented(fence)
    options = split_options(body, "%%|", fence.line + 1, faults)
    texts = {key: str(value) for key, value in options.values.items() if value is not None}
    return Diagram(
        text=fence.text,
        line=fence.line,
        source="\n".join(body[options.lines :]).strip("\n"),
        indent=fence.indent,
        label=texts.get("label"),
        caption=texts.get("fig-cap"),
        alt=texts.get("fig-alt"),
    )
