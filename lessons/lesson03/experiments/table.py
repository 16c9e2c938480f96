"""A record as a table: p50, p99 and max of every series, and what has to be said about it."""

from __future__ import annotations

from collections.abc import Iterator

from lessons.lesson03.experiments.labels import at_text, fact_said, how_said, what_said
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import Said
from lessons.lesson03.experiments.series import P99_NEEDS, Series
from lessons.lesson03.experiments.units import time_text

_HEAD = (
    Said(zh="量的是", en="what"),
    Said(zh="条件", en="how"),
    Said(zh="规模", en="at"),
    Said(zh="次数", en="n"),
)
_FULL_WIDTH = {": ": "：", "; ": "；", ", ": "，", ". ": "。"}
_FEW = Said(
    zh="* 不到 100 次：p99 就是最大值，p1 就是最小值。速率的坏处在小的一头，所以给 p1 和最小值。",
    en="* Fewer than 100 measurements: the p99 is the maximum, the p1 the minimum. The bad end of "
    "a rate is the low one, so it has p1 and minimum.",
)


def rows(record: Record) -> Iterator[tuple[str, ...]]:
    """Yield the table's rows, the heading first; every cell is text."""
    rated = any(one.unit == "1/s" for one in record.series)
    tails = ("p99 / p1", "max / min") if rated else ("p99", "max")
    yield (*map(str, _HEAD), "p50", *tails)
    for one in record.series:
        few = "*" if len(one.values) < P99_NEEDS else ""
        yield (
            str(what_said(one)),
            str(how_said(one.how)),
            at_text(record, one),
            str(len(one.values)),
            value_text(one, one.p50),
            value_text(one, one.tail) + few,
            value_text(one, one.worst),
        )


def markdown(record: Record) -> str:
    """Return the record as Markdown: origin, table, facts, notes."""
    found = list(rows(record))
    lines = [str(record.origin), ""]
    if len(found) > 1:
        lines += [_line(found[0]), _line(["---"] * len(found[0])), *map(_line, found[1:]), ""]
        if any(cell.endswith("*") for row in found for cell in row):
            lines += [str(_FEW).replace("*", "\\*"), ""]
    lines += [*_facts(record), *(f"- {note}" for note in record.notes)]
    return "\n".join(lines)


def plain(record: Record) -> str:
    """Return the record as text for a console; a Chinese character takes two columns."""
    found = list(rows(record))
    widths = [max(map(_width, column)) for column in zip(*found, strict=True)]
    lines = [str(record.origin), ""]
    if len(found) > 1:
        for row in found:
            cells = (cell + " " * (w - _width(cell)) for cell, w in zip(row, widths, strict=True))
            lines.append("  ".join(cells).rstrip())
        if any(cell.endswith("*") for row in found for cell in row):
            lines.append(str(_FEW))
    lines += ["", *_facts(record), *(f"- {note}" for note in record.notes)]
    return "\n".join(lines)


def sentence(record: Record) -> str:
    """Return what a figure of the record shows, in words: its first thing, at both ends."""
    what = record.series[0].what
    parts = []
    for how in record.conditions(what):
        ends = record.of(what, how)
        for one in dict.fromkeys((ends[0], ends[-1])):
            parts.append(
                f"{how_said(how)}, {at_text(record, one)}: p50 {value_text(one, one.p50)}, "
                f"p99 {value_text(one, one.p99)}, max {value_text(one, one.most)}"
            )
    said = Said(zh="实测的分布", en="Measured distributions")
    text = f"{said}: {record.origin}. {what_said(record.series[0])}: {'; '.join(parts)}."
    if str(said) == said.en:
        return text
    for narrow, wide in _FULL_WIDTH.items():
        text = text.replace(narrow, wide)
    return text.removesuffix(".") + "。"


def value_text(series: Series, value: float) -> str:
    """Return a value with its unit, three digits."""
    if series.unit == "s":
        return time_text(value)
    if series.unit == "1":
        return f"{value:,.0f}"
    return f"{value:,.0f}/s" if value >= 100 else f"{value:.3g}/s"  # noqa: PLR2004 - three digits


def _facts(record: Record) -> list[str]:
    if not record.facts:
        return []
    names = list(record.facts[0])
    lines = [_line([str(fact_said(name)) for name in names]), _line(["---"] * len(names))]
    for fact in record.facts:
        lines.append(_line([str(fact_said(str(fact.get(name, "")))) for name in names]))
    return [*lines, ""]


def _line(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _width(text: str) -> int:
    return sum(1 + (ord(character) > 0x2E7F) for character in text)  # noqa: PLR2004 - CJK from here
