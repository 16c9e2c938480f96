"""The graded notebook that formgrader opens, with nothing in it that could run there.

nbgrader shows it to instructors in their own Jupyter origin. Its `sanitize_html` covers outputs but
not its own template's Markdown, raw cells or `javascript:` links (nbconvert 7), and one missing
attachment is an error page; so what learners wrote is made harmless here, in the copy. What they
handed in stays as it was under `submitted/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import nbformat

from autograder.grading.intake.repair import node
from autograder.grading.records import CellRun, Graded, Outcome, Verdict
from autograder.grading.reports.display import plain_text, raster, safe_outputs

_nbformat: Any = nbformat  # half of it has no types

_WORD_JOINER = "\u2060"
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_LINK_START = re.compile(r"\](?=\()(?!\(https?://)")
# No bracket in the alt text: else "![![![..." would take quadratic time.
_IMAGE = re.compile(r"!\[[^\[\]\n<>&]*\]\(attachment:([\w.-]+)\)")
_DEFINITION_START = re.compile(r"\](?=:)(?!:\s*https?://)")
_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def autograded_notebook(graded: Graded, master: Any) -> Any:
    """The learner's notebook in the master's shape, with what running and testing it gave.

    Args:
        graded: The submission. Without a plan the result is a placeholder: the master's cells with
            nothing filled in, and on top why.
        master: The source notebook.

    Returns:
        A valid nbformat 4.5 notebook; its metadata are the master's own, not copies.
    """
    plan = graded.plan
    cells = _placeholder(graded, master) if plan is None else plan.notebook.cells
    builder = _Builder(graded, master)
    keys = ("kernelspec", "language_info", "course")
    return node(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {key: master.metadata[key] for key in keys if key in master.metadata},
            "cells": [builder.cell(cell) for cell in cells],
        }
    )


def notebook_text(notebook: Any) -> str:
    """The notebook's file as text."""
    return notebook_bytes(notebook).decode()


def notebook_bytes(notebook: Any) -> bytes:
    """The notebook's file, as nbformat writes it: the same notebook always gives the same bytes.

    nbformat's own writer copies the notebook and indents in Python: 3 ms, this 0.3 ms.
    """
    filed = {**notebook, "cells": [_filed(cell) for cell in notebook["cells"]]}
    encoded = msgspec.json.encode(filed, order="sorted")
    return msgspec.json.format(encoded, indent=1) + b"\n"


def _filed(cell: Mapping[str, Any]) -> dict[str, Any]:
    """A cell with its texts as lists of lines."""
    filed = {**cell, "source": cell["source"].splitlines(keepends=True)}
    if "attachments" in cell:
        filed["attachments"] = {name: _lines(data) for name, data in cell["attachments"].items()}
    if "outputs" in cell:
        filed["outputs"] = [_filed_output(output) for output in cell["outputs"]]
    return filed


def _filed_output(output: Mapping[str, Any]) -> dict[str, Any]:
    if output["output_type"] == "stream":
        return {**output, "text": output["text"].splitlines(keepends=True)}
    return {**output, "data": _lines(output["data"])} if "data" in output else {**output}


def _lines(bundle: Mapping[str, Any]) -> dict[str, Any]:
    return {
        mime: data.splitlines(keepends=True) if mime.startswith("text/") else data
        for mime, data in bundle.items()
    }


class _Builder:
    """Builds each cell anew, from known keys only."""

    def __init__(self, graded: Graded, master: Any) -> None:
        self._graded = graded
        self._authored = {(cell.cell_type, cell.source): cell for cell in master.cells}
        self._graded_ids = {
            cell.metadata.nbgrader.grade_id for cell in master.cells if "nbgrader" in cell.metadata
        }
        self._ids: set[str] = set()

    def cell(self, cell: Any) -> dict[str, Any]:
        """The cell as it goes into the graded notebook."""
        common = {"id": self._fresh_id(cell.get("id")), "metadata": self._metadata(cell)}
        if cell.cell_type == "code":
            return self._code(cell) | common
        authored = self._authored.get((cell.cell_type, cell.source))
        if authored is not None:
            source, images = authored.source, authored.get("attachments")
        else:
            images = _images(cell.get("attachments"))
            source = plain_text(cell.source)
            if cell.cell_type != "markdown":  # formgrader's page would take a raw cell as it is
                source = _fenced(source)
            source = harmless_markdown(source, images)
        attachments = {"attachments": images} if images else {}
        return {"cell_type": "markdown", "source": source} | common | attachments

    def _code(self, cell: Any) -> dict[str, Any]:
        ran = self._run_of(cell)
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade") and not marks.get("solution"):
            outputs = _verdict_outputs(*self._verdict(marks["grade_id"]))
            count = None
        else:
            outputs = safe_outputs(ran.outputs) if ran else []
            count = ran.execution_count if ran else None
        return {
            "cell_type": "code",
            "source": plain_text(cell.source),
            "outputs": outputs,
            "execution_count": count,
        }

    def _run_of(self, cell: Any) -> CellRun | None:
        if self._graded.run is None:
            return None
        ran = self._graded.run.cells
        return ran.get(cell.get("id", "")) or ran.get(
            cell.metadata.get("nbgrader", {}).get("grade_id", "")
        )

    def _verdict(self, grade_id: str) -> tuple[Verdict | None, str | None]:
        run = self._graded.run
        return (
            run.verdicts.get(grade_id) if run else None,
            self._graded.result.reasons.get(grade_id) or self._graded.result.reason,
        )

    def _metadata(self, cell: Any) -> dict[str, Any]:
        if cell.metadata.get("nbgrader", {}).get("grade_id") not in self._graded_ids:
            return {}
        kept = ("nbgrader", "course", "deletable", "editable")
        return {key: cell.metadata[key] for key in kept if key in cell.metadata}

    def _fresh_id(self, wanted: Any) -> str:
        base = wanted if isinstance(wanted, str) and _CELL_ID.fullmatch(wanted) else "cell"
        fresh, count = base, 1
        while fresh in self._ids:
            count += 1
            fresh = f"{base[:56]}-{count}"
        self._ids.add(fresh)
        return fresh


def harmless_markdown(source: str, images: Iterable[str] = ()) -> str:
    """Markdown that holds no tag and no link but to the web, whatever renders it.

    An invisible word joiner after a `<` that could open a tag, or between the brackets of a link
    that does not lead to http(s), leaves both as text to any parser and looks the same to a reader,
    in prose as in code. Links to `images` of the cell stay.
    """
    kept = set(images)
    pieces, end = [], 0
    for match in _IMAGE.finditer(source):
        if match[1] in kept:
            pieces += [_broken(source[end : match.start()]), match[0]]
            end = match.end()
    return "".join([*pieces, _broken(source[end:])])


def as_typed(source: str) -> str:
    """Markdown as it was before `harmless_markdown`: for a reader that makes it harmless itself."""
    for mark in ("<", "]"):
        source = source.replace(mark + _WORD_JOINER, mark)
    return source


def _broken(text: str) -> str:
    text = _TAG_START.sub("<" + _WORD_JOINER, text)
    text = _LINK_START.sub("]" + _WORD_JOINER, text)
    return _DEFINITION_START.sub("]" + _WORD_JOINER, text)


def _images(attachments: Any) -> dict[str, dict[str, str]]:
    """The attachments that are pictures without scripts."""
    found = {}
    for name, bundle in (attachments or {}).items():
        picture = raster(bundle) if isinstance(bundle, Mapping) else None
        if picture is not None and re.fullmatch(r"[\w.-]+", name):
            found[name] = {picture[0]: picture[1]}
    return found


def _fenced(source: str) -> str:
    longest = max((len(ticks) for ticks in re.findall("`+", source)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{source}\n{fence}"


def _placeholder(graded: Graded, master: Any) -> list[Any]:
    reason = graded.result.reason or graded.result.status.value
    why = {"cell_type": "markdown", "id": "why", "metadata": {}, "source": reason}
    return [_nbformat.from_dict(why), *(_unfilled(cell) for cell in master.cells)]


def _unfilled(cell: Any) -> Any:
    stub = cell.metadata.get("course", {}).get("stub")
    return cell if stub is None else _nbformat.from_dict({**cell, "source": stub})


def _verdict_outputs(verdict: Verdict | None, reason: str | None) -> list[dict[str, Any]]:
    """What a tests cell shows the instructor."""
    if verdict is None:
        return [_error("not-run", reason or "", [reason or ""])]
    if verdict.outcome is Outcome.PASSED:
        if verdict.score is None:
            return []
        data = {"text/plain": f"{verdict.score:g}"}
        return [
            {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": None}
        ]
    lines = [line for line in (verdict.sentence, verdict.detail) if line]
    return [
        _error(verdict.outcome.value, verdict.sentence or reason or "", lines or [reason or ""])
    ]


def _error(name: str, value: str, lines: list[str]) -> dict[str, Any]:
    return {
        "output_type": "error",
        "ename": name,
        "evalue": plain_text(value),
        "traceback": [plain_text(line) for line in lines],
    }
