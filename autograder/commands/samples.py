"""The bundled sample class: recipes that turn a released notebook into hand-ins."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.errors import CourseError

BLANK = "______"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """One learner of the sample class; the fields are the keys of samples.toml."""

    student: str
    about: str
    contained: bool = False
    fill: Mapping[str, Sequence[str]] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    replace: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    source: Mapping[str, str] = field(default_factory=dict)
    insert: Sequence[Mapping[str, str]] = ()
    copy: Sequence[str] = ()
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    raw: str | None = None


def read_samples(path: Path) -> tuple[Sample, ...]:
    """The class described in a samples.toml.

    Raises:
        CourseError: The file is not there or not of that form.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return tuple(Sample(**entry) for entry in table["samples"])
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise CourseError(f"{path}: not a sample class: {error}. Mend the file.") from error


def write_samples(
    samples: Sequence[Sample], released: Mapping[str, Any], lesson: str, folder: Path
) -> None:
    """Write each sample's notebook as `folder/STUDENT/LESSON/LESSON.ipynb`."""
    for sample in samples:
        file = folder / sample.student / lesson / f"{lesson}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        text = sample.raw
        if text is None:
            text = json.dumps(handed_in(sample, released), ensure_ascii=False, indent=1)
        file.write_text(text, encoding="utf-8")


def handed_in(sample: Sample, released: Mapping[str, Any]) -> dict[str, Any]:
    """The released notebook as this learner would hand it in."""
    notebook = copy.deepcopy(dict(released))
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    for name in sample.copy:
        cells[name] = {**copy.deepcopy(cells[name]), "id": f"{name}-copy"}
        _insert(notebook, after=name, cell=cells[name])
    for name, pairs in sample.replace.items():
        cells[name]["source"] = _replaced(sample, name, cells[name]["source"], pairs)
    for name, fills in sample.fill.items():
        for text in fills:
            cells[name]["source"] = cells[name]["source"].replace(BLANK, text, 1)
    for name, text in sample.answers.items():
        cells[name]["source"] += f"\n\n{text}"
    for name, text in sample.source.items():
        cells[name]["source"] = text
    for name, changed in sample.metadata.items():
        cells[name]["metadata"]["nbgrader"].update(changed)
    for number, entry in enumerate(sample.insert):
        cell = _code_cell(f"own-{number}", entry["source"].strip())
        _insert(notebook, cell=cell, before=entry.get("before"), after=entry.get("after"))
    return notebook


def _replaced(sample: Sample, name: str, source: str, pairs: Sequence[Sequence[str]]) -> str:
    for old, new in pairs:
        if old not in source:
            raise CourseError(f"sample {sample.student}: {name} does not hold {old!r}.")
        source = source.replace(old, new)
    return source


def _code_cell(name: str, source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {},
        "outputs": [],
        "source": source,
    }


def _position(notebook: Mapping[str, Any], name: str) -> int:
    return next(i for i, cell in enumerate(notebook["cells"]) if cell["id"] == name)


def _insert(
    notebook: Mapping[str, Any],
    *,
    cell: dict[str, Any],
    before: str | None = None,
    after: str | None = None,
) -> None:
    place = _position(notebook, before) if before else _position(notebook, after or "") + 1
    notebook["cells"].insert(place, cell)
