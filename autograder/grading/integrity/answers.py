"""The text of a free-text answer, wherever in the notebook the learner wrote it.

Rules: text in the answer's own cell without the stub's lines; in copies of it too (a person reads
them all); in the learner's own Markdown cells right below it, up to the next cell of the master's;
and below the prompt in the prompt's own cell. Pictures come along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.grading.integrity.cells import MasterCell, SentCell, normal
from autograder.grading.integrity.matching import Matching


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What a learner answered.

    Attributes:
        text: Without the stub's lines, stripped; "" when there is nothing.
        source: For the answer's cell in the graded notebook; exactly the stub when untouched, so
            that nbgrader's checksum says so too.
        attachments: Pictures: name -> type -> base64.
        used: Indices of the submission's cells that it was read from.
    """

    text: str
    source: str
    attachments: Mapping[str, Any]
    used: frozenset[int]


def written(
    answer: MasterCell,
    prompt: MasterCell | None,
    sent: Sequence[SentCell],
    matching: Matching,
) -> Written:
    """Gather a learner's answer.

    Args:
        answer: The master's answer cell.
        prompt: The prose cell right above it in the master.
        sent: Cells of the submission.
        matching: Which is which.
    """
    own = [matching.homes[answer.index]] if answer.index in matching.homes else []
    own += [index for index, of in matching.copies.items() if of == answer.index]
    cells = [sent[index] for index in sorted(own)]
    cells += [cell for index in sorted(own) for cell in _below(index, sent, matching)]
    texts: list[str] = []
    pictures: dict[str, Any] = {}
    if prompt is not None and prompt.index in matching.homes:
        above = sent[matching.homes[prompt.index]]
        added = typed_below(prompt, above)
        if added:
            texts.append(without_stub(added, answer.shown))
            pictures |= {
                name: bundle
                for name, bundle in above.attachments.items()
                if f"attachment:{name}" in added
            }
    for cell in cells:
        text = without_stub(cell.source, answer.shown)
        for name, bundle in cell.attachments.items():
            fresh = name
            while fresh in pictures and pictures[fresh] != bundle:
                fresh = f"{cell.index}-{fresh}"
            if fresh != name:
                text = text.replace(f"attachment:{name}", f"attachment:{fresh}")
            pictures[fresh] = bundle
        texts.append(text)
    text = "\n\n".join(dict.fromkeys(text for text in texts if text))
    whole = answer.shown if not text else f"{answer.shown.rstrip()}\n\n{text}"
    return Written(
        text=text,
        source=cells[0].source if text and len(texts) == 1 and len(cells) == 1 else whole,
        attachments=pictures,
        used=frozenset(cell.index for cell in cells),
    )


def typed_below(prompt: MasterCell, cell: SentCell) -> str:
    """Return what a learner added below a prompt in the prompt's own cell."""
    shown, source = normal(prompt.shown), normal(cell.source)
    return source[len(shown) :].strip() if shown and source.startswith(shown + "\n") else ""


def _below(index: int, sent: Sequence[SentCell], matching: Matching) -> list[SentCell]:
    found = []
    for cell in sent[index + 1 :]:
        masters = cell.index in matching.taken or normal(cell.source) in matching.texts
        if masters or cell.kind == "code":
            break
        found.append(cell)
    return found


def without_stub(source: str, shown: str) -> str:
    """Take each line of the stub out once; an answer may also stand on the stub's own line."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for stub in (line.strip() for line in shown.split("\n") if line.strip()):
        for number, line in enumerate(lines):
            if line.strip().startswith(stub):
                lines[number] = line.strip().removeprefix(stub)
                break
    return "\n".join(lines).strip()
