"""The learner's page: one HTML file that opens from disk and runs nothing.

A learner sees points, reasons, their own code, outputs and words, as the graded notebook holds
them: what a page needs is all in the output folder. Tests, what examining showed the instructor and
the outputs of tests cells never get in: nothing here reads them.
"""

from __future__ import annotations

import base64
import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from autograder.errors import CourseError
from autograder.grading.integrity.answers import without_stub
from autograder.grading.records import Batch, Question, Result, Status
from autograder.grading.reports.autograded import as_typed
from autograder.grading.reports.decided import (
    ShownLink,
    criteria_lines,
    shown_links,
    veto_lines,
)
from autograder.grading.reports.display import as_shown, plain_text, raster, safe_outputs
from autograder.grading.reports.learner_text import highlighted, rendered
from autograder.grading.reports.outline import titles_of
from autograder.grading.reviewed import ChainNote, Reviewed


@dataclass(frozen=True, kw_only=True, slots=True)
class _Item:
    grade_id: str
    label: str
    points: str
    state: str
    reason: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Section:
    """One exercise or question: what it gave and what the learner wrote there."""

    title: str
    items: list[_Item]
    code: Markup | None
    outputs: list[dict[str, Any]]
    answer: Markup | None
    comment: str | None
    found: list[ShownLink]
    missing: list[ShownLink]
    by_machine: bool


class FeedbackPages:
    """Makes the pages of one lesson's learners.

    Args:
        batch: The lesson and its questions.
        master: The source notebook, for the titles of its questions.
        assets: The project's `assets` folder.
        names: What the rubric calls criteria and vetoes: id -> line.

    Raises:
        CourseError: A file of the page's design is absent or broken.
    """

    def __init__(
        self, batch: Batch, master: Any, assets: Path, names: Mapping[str, str] | None = None
    ) -> None:
        folder = assets / "feedback"
        self._names = names or {}
        self._batch = batch
        self._titles = titles_of(master)
        self._stubs = {
            name: cell.metadata.get("course", {}).get("stub", "")
            for name, cell in _solutions(master).items()
        }
        try:
            words = tomllib.loads((folder / "words.toml").read_text(encoding="utf-8"))
            self._style = (folder / "feedback.css").read_text(encoding="utf-8")
            template = (folder / "feedback.html.j2").read_text(encoding="utf-8")
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise CourseError(
                f"{folder}: the feedback page's design cannot be read ({error}). "
                "Restore assets/feedback from the repository."
            ) from error
        self._words = words["zh" if batch.lang.lower().startswith("zh") else "en"]
        environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
        self._template = environment.from_string(template)

    def page(
        self,
        result: Result,
        notebook: Any,
        comments: Mapping[str, str] | None = None,
        reviewed: Reviewed | None = None,
    ) -> str:
        """One learner's page: the same grade always gives the same text.

        Args:
            result: The grade; its scores may already hold a person's points.
            notebook: The graded notebook (`autograded`); None leaves the learner's work out.
            comments: What a person wrote: grade_id of the answer -> comment.
            reviewed: What people decided in the review.
        """
        decided = reviewed or Reviewed()
        without = notebook is None or result.status in (Status.UNREADABLE, Status.MISSING)
        work = {} if without else _solutions(notebook)
        digest = hashlib.sha256(self._style.encode()).digest()
        return (
            self._template.render(
                lang=self._batch.lang,
                words=self._words,
                style=Markup(self._style),  # noqa: S704  (ours, not a learner's)
                style_hash=f"sha256-{base64.b64encode(digest).decode()}",
                title=self._batch.title,
                student=plain_text(result.student),
                submitted=_moment(result.submitted_at),
                status=self._words["statuses"][result.status.value],
                total=None if result.total is None else _points(result.total),
                max_score=_points(self._batch.max_score),
                sandboxed=self._batch.sandbox != "none",
                verdict={True: "passed", False: "failed", None: "undecided"}[result.passed],
                so_far=self._so_far(result),
                reason=None if result.reason is None else plain_text(result.reason),
                criteria=criteria_lines(result, self._names),
                vetoes=veto_lines(decided, self._names),
                sections=list(self._sections(result, work, comments or {}, decided.chains)),
            )
            + "\n"
        )

    def _so_far(self, result: Result) -> str | None:
        if result.total is not None:
            return None
        known = {name: score for name, score in result.scores.items() if score is not None}
        points = sum(q.points for q in self._batch.questions if q.grade_id in known)
        text: str = self._words["graded_so_far"]
        return text.format(points=_points(points), score=_points(sum(known.values())))

    def _sections(
        self,
        result: Result,
        work: Mapping[str, Any],
        comments: Mapping[str, str],
        chains: Mapping[str, ChainNote],
    ) -> Iterator[_Section]:
        groups: dict[str, list[Question]] = {}
        for question in self._batch.questions:
            groups.setdefault(question.exercise or question.grade_id, []).append(question)
        for key, questions in groups.items():
            cell = work.get(key)
            code = cell if cell is not None and cell.cell_type == "code" else None
            links = shown_links(chains.get(key))
            yield _Section(
                title=self._titles.get(key, key),
                items=[self._item(question, result) for question in questions],
                code=None if code is None else _code(code),
                outputs=[] if code is None else list(map(as_shown, safe_outputs(code.outputs))),
                answer=None
                if cell is None or cell is code
                else _answer(cell, self._stubs.get(key, "")),
                comment=plain_text(comments[key]) if comments.get(key) else None,
                found=[link for link in links if link.present],
                missing=[link for link in links if not link.present],
                by_machine=key in chains and not chains[key].by_person,
            )

    def _item(self, question: Question, result: Result) -> _Item:
        score = result.scores.get(question.grade_id)
        reason = result.reasons.get(question.grade_id)
        if reason == result.reason:  # said once, at the top
            reason = None
        most = _points(question.points)
        if score is None:
            points = f"{self._words['pending_score']} · {self._words['manual_points']}"
        else:
            points = self._words["points"]
        return _Item(
            grade_id=question.grade_id,
            label=self._words["categories"].get(question.category or "", ""),
            points=points.format(score="" if score is None else _points(score), max=most),
            state=_state(score, question.points),
            reason=None if reason is None else plain_text(reason),
        )


def _state(score: float | None, most: float) -> str:
    if score is None:
        return "wait"
    if score >= most:
        return "full"
    return "part" if score > 0 else "none"


def _points(number: float) -> str:
    return f"{round(number, 4):g}"


def _moment(text: str | None) -> str | None:
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return f"{moment:%Y-%m-%d %H:%M}" + (f" {moment.tzname()}" if moment.tzinfo else "")


def _solutions(notebook: Any) -> dict[str, Any]:
    """The cells that a learner fills: grade_id -> cell."""
    found = {}
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution"):
            found[marks["grade_id"]] = cell
    return found


def _code(cell: Any) -> Markup | None:
    return highlighted(cell.source) if cell.source.strip() else None


def _answer(cell: Any, stub: str) -> Markup:
    text = without_stub(as_typed(cell.source), stub)
    return rendered(text, _pictures(cell)) if text else Markup("")


def _pictures(cell: Any) -> dict[str, str]:
    """The pictures a learner pasted into an answer: name -> data URL."""
    found = {}
    for name, bundle in cell.get("attachments", {}).items():
        picture = raster(bundle) if isinstance(bundle, Mapping) else None
        if picture is not None:
            found[name] = f"data:{picture[0]};base64,{picture[1]}"
    return found
