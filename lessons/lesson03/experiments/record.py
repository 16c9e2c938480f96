"""A record: everything one run of an experiment measured, and under which conditions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lessons.lesson03.experiments.said import ExperimentError, Said
from lessons.lesson03.experiments.series import Series

FORMAT = 1
_DIGITS = 5


@dataclass(frozen=True, kw_only=True)
class Record:
    """What one run measured.

    Attributes:
        experiment: Name of the experiment.
        taken_at: When it began, ISO 8601 with its offset.
        machine: System, processor, cores, memory, load when it began.
        file_system: Type, what that means, and limits that hold there.
        settings: Sizes, repeats, seed and whatever else was chosen.
        series: The measurements.
        facts: Rows of what happened, where that is no number of seconds.
        notes: What the platform lacks, what was cut down, what was simulated.
        shipped: Whether it came with the lesson, not from this machine.
    """

    experiment: str
    taken_at: str
    machine: dict[str, Any]
    file_system: dict[str, Any]
    settings: dict[str, Any]
    series: tuple[Series, ...]
    facts: tuple[dict[str, Any], ...] = ()
    notes: tuple[Said, ...] = ()
    shipped: bool = field(default=False, compare=False)

    def of(self, what: str, how: str | None = None) -> list[Series]:
        """Return the series of one thing, under one condition if given, by rising `at`."""
        found = [s for s in self.series if s.what == what and how in {None, s.how}]
        return sorted(found, key=lambda one: one.at)

    def conditions(self, what: str) -> list[str]:
        """Return the conditions under which a thing was measured, in the order they began."""
        return list(dict.fromkeys(one.how for one in self.series if one.what == what))

    @property
    def origin(self) -> Said:
        """Where and when, in one line below a figure."""
        where = self.file_system.get("type", "?")
        cores, load = self.machine.get("cores", "?"), self.machine.get("load_1min", "?")
        day = self.taken_at[:10]
        processor = self.machine.get("processor", "?")
        return Said(
            zh=("随课附带的记录" if self.shipped else "这台机器")
            + f"：{processor}，{cores} 核，{where}，{day}，开始时负载 {load}",
            en=("recorded, ships with the lesson" if self.shipped else "this machine")
            + f": {processor}, {cores} cores, {where}, {day}, load {load} at the start",
        )

    def to_json(self) -> str:
        """Return the record as a JSON document; seconds keep five digits."""
        content = asdict(self) | {"format": FORMAT}
        del content["shipped"]
        for one in content["series"]:
            one["values"] = [float(f"{value:.{_DIGITS}g}") for value in one["values"]]
        return json.dumps(content, ensure_ascii=False, indent=None, sort_keys=True) + "\n"

    def _repr_markdown_(self) -> str:
        from lessons.lesson03.experiments.table import markdown  # noqa: PLC0415 - in a notebook

        return markdown(self)


def read_record(path: Path, *, shipped: bool = False) -> Record:
    """Return the record in a file.

    Raises:
        ExperimentError: The file holds no record.
    """
    try:
        return record_from(path.read_text(encoding="utf-8"), shipped=shipped)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ExperimentError(
            Said(
                zh=f"{path}：不是一份实验记录（{error}）。请重新跑一次实验。",
                en=f"{path}: not a record of an experiment ({error}). Run the experiment again.",
            )
        ) from error


def record_from(text: str, *, shipped: bool = False) -> Record:
    """Return the record in a JSON document.

    Raises:
        ValueError: It is no JSON, or of another format.
        TypeError: A field is missing or unknown.
    """
    content = json.loads(text)
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise ValueError(f"format is not {FORMAT}")
    content["series"] = tuple(
        Series(**(one | {"values": tuple(one["values"])})) for one in content["series"]
    )
    content["facts"] = tuple(content.get("facts", ()))
    content["notes"] = tuple(Said(**one) for one in content.get("notes", ()))
    return Record(**content, shipped=shipped)
