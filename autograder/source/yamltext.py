"""Cutting entries out of YAML text while all else stays to the letter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import yaml

# They end a line for YAML and not for us.
_FOREIGN_BREAKS = ("\r", "\x85", "\u2028", "\u2029")


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One `name: value` of a table: its lines from `first` up to `last`, that one left out."""

    name: str
    first: int
    last: int


def entries(lines: Sequence[str]) -> list[Entry] | None:
    """The entries of a valid YAML table in block form; None when it is in another form."""
    node = yaml.compose("\n".join(lines), Loader=yaml.SafeLoader)
    if node is None:
        return []
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        return None
    if any(mark in line for line in lines for mark in _FOREIGN_BREAKS):
        return None
    starts = [key.start_mark.line for key, _ in node.value]
    ends = [*starts[1:], len(lines)]
    if len(set(starts)) != len(starts):
        return None
    return [
        Entry(name=str(key.value), first=first, last=last)
        for (key, _), first, last in zip(node.value, starts, ends, strict=True)
    ]


def kept(lines: Sequence[str], keep: Callable[[str], bool]) -> list[str]:
    """The lines of the entries that `keep` accepts, comments taken out.

    Args:
        lines: A valid YAML table, without line ends.
        keep: Says by an entry's name whether it stays.
    """
    found = entries(lines)
    if found is None:
        return _rewritten(lines, keep)
    comments = dict(_comments(lines))
    result = []
    for entry in found:
        if not keep(entry.name):
            continue
        for number in range(entry.first, entry.last):
            line = lines[number]
            if number in comments:
                line = line[: comments[number]].rstrip()
                if not line:
                    continue
            result.append(line)
    # An alias may have lost its anchor.
    return result if _same(result, lines, keep) else _rewritten(lines, keep)


def _same(result: Sequence[str], lines: Sequence[str], keep: Callable[[str], bool]) -> bool:
    try:
        # NaN is not itself, so the texts are compared.
        return repr(yaml.safe_load("\n".join(result)) or {}) == repr(_table(lines, keep))
    except yaml.YAMLError:
        return False


def _table(lines: Sequence[str], keep: Callable[[str], bool]) -> dict[object, object]:
    data = yaml.safe_load("\n".join(lines)) or {}
    return {key: value for key, value in data.items() if keep(str(key))}


def _rewritten(lines: Sequence[str], keep: Callable[[str], bool]) -> list[str]:
    """The table in block form, its comments lost."""
    table = _table(lines, keep)
    if not table:
        return []
    return str(yaml.safe_dump(table, allow_unicode=True, sort_keys=False)).rstrip("\n").split("\n")


def _comments(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Line and column of every comment: what lies between tokens and is not white space."""
    text = "\n".join(lines)
    at = 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        start = token.start_mark.index
        yield from _comments_between(text, at, min(start, len(text)))
        at = max(at, token.end_mark.index)
    yield from _comments_between(text, at, len(text))


def _comments_between(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    line = text.count("\n", 0, start)
    column = start - (text.rfind("\n", 0, start) + 1)
    for part in text[start:end].split("\n"):
        mark = part.find("#")
        if mark >= 0:
            yield line, column + mark
        line, column = line + 1, 0
