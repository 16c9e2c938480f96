"""Notices that say "this is the answer edition": true of the source, false of what learners get."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.model import Audience, Block, DivClose, DivOpen, Prose
from autograder.source.attributes import heading_of
from autograder.source.faults import Faults

_NAMES = r"(?:(?:参考)?答案版|教师版|讲师版)"
_NAMES_EN = r"(?:answers?|instructor(?:'s|s)?|teacher(?:'s|s)?)[ -](?:edition|version)"
# "The answer edition comes out on Friday" is meant for learners.
_NOTICE = re.compile(
    r"^\W*(?:"
    rf"(?:(?:本|此|这)[^，。：:,\s]{{0,6}}?(?:是|为|属于)?\s*(?:本课的?)?)?{_NAMES}"
    r"(?:说明|须知|提示|声明)?(?=$|[\s*_]*(?:$|[：:（(，,。.！!；;—]|不|仅|请|含|包含))"
    rf"|(?:this\s(?:\w+\s){{0,2}}?is\s(?:the\s|an\s)?)?{_NAMES_EN}(?=$|[\s*_]*(?:$|[:(,.!;—])))",
    re.IGNORECASE,
)
_TITLE_SUFFIX = re.compile(
    rf"\s*(?:[（(\[【]\s*(?:含|附)?(?:{_NAMES}|参考答案|答案|{_NAMES_EN}|with answers)\s*[）)\]】]"
    rf"|[-–—·|:：]\s*(?:{_NAMES}|{_NAMES_EN}))\s*$",
    re.IGNORECASE,
)

_LABEL = re.compile(
    r"(?:\A\s*|(?<=\n\n)|(?<=\n\r\n))[ \t>]*[*_]{0,2}"
    r"(?:参考答案|标准答案|参考解答|(?:reference|model) (?:answer|solution)s?)"
    r"[*_]{0,2}[ \t]*[:：]?[ \t]*[*_]{0,2}\s*$",
    re.IGNORECASE,
)


def is_notice(text: str) -> bool:
    """Whether a line of text says that it belongs to the answer edition."""
    return _NOTICE.match(text) is not None


def without_suffix(title: str) -> str:
    """A lesson's title without `（答案版）` at its end."""
    return _TITLE_SUFFIX.sub("", title) or title


def hide_notices(blocks: Sequence[Block], faults: Faults) -> list[Block]:
    """Mark the notices as answer-only; paragraphs become blocks of their own for it."""
    result: list[Block] = []
    hidden_until = -1
    for index, block in enumerate(blocks):
        if index <= hidden_until:
            result.append(replace(block, audience=Audience.ANSWER))
        elif block.audience is Audience.ANSWER:
            result.append(block)
        elif isinstance(block, DivOpen) and _titled(block, blocks[index + 1 :]):
            hidden_until = _close(blocks, index)
            _warn(block.line, faults)
            result.append(replace(block, audience=Audience.ANSWER))
        elif isinstance(block, Prose) and not block.verbatim:
            result += _split(block, faults)
        else:
            result.append(block)
    return result


def hide_labels(blocks: Sequence[Block]) -> list[Block]:
    """Mark a line such as `**参考答案**` right above an answer block as part of it."""
    result: list[Block] = []
    for index, block in enumerate(blocks):
        below = blocks[index + 1] if index + 1 < len(blocks) else None
        labels = isinstance(below, DivOpen) and below.audience is Audience.ANSWER
        plain = isinstance(block, Prose) and not block.verbatim
        if labels and plain and block.audience is Audience.PUBLIC:
            result += _without_label(block)
        else:
            result.append(block)
    return result


def _without_label(block: Block) -> list[Block]:
    found = _LABEL.search(block.text)
    if found is None:
        return [block]
    text = block.text[: found.start()]
    label = Prose(
        text=block.text[found.start() :],
        line=block.line + text.count("\n"),
        audience=Audience.ANSWER,
    )
    return [replace(block, text=text), label] if text else [label]


def _warn(line: int, faults: Faults) -> None:
    faults.warn(
        line,
        "This notice is about the answer edition, so no student edition has it.",
        'Say so outright with `::: {.content-visible when-profile="answer"}`.',
    )


def _titled(div: DivOpen, inside: Sequence[Block]) -> bool:
    if not any(name.startswith("callout-") for name in div.classes):
        return False
    title = div.attributes.get("title")
    if title is not None:
        return is_notice(title)
    first = next((block for block in inside if block.text.strip()), None)
    if not isinstance(first, Prose) or first.verbatim:
        return False
    heading = heading_of(first.text)
    return is_notice(heading.text if heading else first.text.strip().partition("\n")[0].strip())


def _close(blocks: Sequence[Block], opened: int) -> int:
    depth = 0
    for index in range(opened, len(blocks)):
        depth += isinstance(blocks[index], DivOpen)
        depth -= isinstance(blocks[index], DivClose)
        if not depth:
            return index
    return len(blocks) - 1


def _split(block: Prose, faults: Faults) -> list[Prose]:
    heading = heading_of(block.text)
    if heading is not None and is_notice(heading.text):
        _warn(block.line, faults)
        return [replace(block, audience=Audience.ANSWER)]
    parts: list[Prose] = []
    line, hidden = block.line, False
    for paragraph in re.split(r"(?<=\n)(?=[ \t]*\r?\n)", block.text):
        body = paragraph.lstrip("\r\n \t")
        notice = is_notice(body.partition("\n")[0].strip()) if body else hidden
        if notice and body:
            _warn(line + paragraph[: len(paragraph) - len(body)].count("\n"), faults)
        audience = Audience.ANSWER if notice else Audience.PUBLIC
        if parts and parts[-1].audience is audience:
            parts[-1] = replace(parts[-1], text=parts[-1].text + paragraph)
        else:
            parts.append(Prose(text=paragraph, line=line, audience=audience))
        line += paragraph.count("\n")
        hidden = notice
    return parts
