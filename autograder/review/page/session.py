"""One running review: the class, the log, and what passes between the log and the gradebook."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.errors import CourseError
from autograder.grading.gradebook.marks import Given, read_comments, read_marks, write_marks
from autograder.grading.reports.coursedir import CourseDir, folder_name, gradebook_url
from autograder.grading.reports.export import read_grades, write_grades_csv, write_grades_json
from autograder.grading.reports.outline import titles_of
from autograder.project import Project
from autograder.review.desk.answers import NotebookReader
from autograder.review.desk.desk import Desk
from autograder.review.desk.gradebook import coming_in, going_out, overtaken
from autograder.review.desk.opened import OpenClass, open_class
from autograder.review.desk.reviewed import reviewed_class
from autograder.review.log.events import Event, Handed, How, Mark
from autograder.review.log.logfile import now

_GRADEBOOK = "gradebook"
_LOOK_S = 30.0
"""How often formgrader's marks are looked for."""
_REPORT_S = 10.0
"""How often grades.json follows: writing a thousand entries is felt by whoever waits for a page."""


class Session:
    """What the page's addresses work on.

    Args:
        out: The output folder.
        project: Has the lesson.
        reviewer: Who reviews; "" when the page asks.
        names: Whether to show who wrote what.

    Raises:
        CourseError: The folder is none, or broken.
    """

    opened: OpenClass
    titles: dict[str, str]
    reader: NotebookReader
    _lesson: str
    _url: str
    _seen: tuple[int, int] | None
    _pending: dict[tuple[str, str], Mark]

    def __init__(self, out: Path, project: Project, *, reviewer: str = "", names: bool) -> None:
        self.out = out
        self.project = project
        self.reviewer = reviewer
        self.names = names
        self.trouble = ""
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._looked = 0.0
        self._reported = 0.0
        self._writing = False
        self._open()

    @property
    def desk(self) -> Desk:
        """What is read."""
        return self.opened.desk

    @property
    def waiting(self) -> int:
        """Marks that the gradebook has yet to get."""
        return len(self._pending)

    @property
    def damaged(self) -> int:
        """Lines of the log that nobody understands."""
        return self.opened.log.damaged

    def refresh(self) -> None:
        """See what another server has appended, and a class that was graded anew."""
        if not self._writing and self._stamp() != self._seen:
            self._open()
        before = self.opened.log.state.last
        self.opened.log.refresh()
        if self.opened.log.state.last != before:
            self._changed = True

    def append(self, proposal: Callable[[Desk], Sequence[Event]]) -> list[Event]:
        """Append what is decided to the log; the gradebook gets it a moment later.

        Raises:
            CourseError: It is refused; see `ReviewLog.append`.
        """
        self.refresh()
        events = self.opened.log.append(lambda _: proposal(self.desk))
        self._changed = True
        for event in events:
            if isinstance(event, Mark):
                self._pending[event.student, event.question] = event
        return events

    async def beat(self) -> None:
        """Look for formgrader's marks now and then; deliver what waits."""
        if time.monotonic() - self._looked > _LOOK_S:
            self._looked = time.monotonic()
            await self._look()
        due = time.monotonic() - self._reported > _REPORT_S
        await self.deliver(reports=due)

    async def deliver(self, *, reports: bool = True) -> None:
        """Give the gradebook what waits, note in the log that it has it, and renew grades.json.

        Args:
            reports: Whether to renew grades.json now.
        """
        self.opened.log.refresh()
        state = self.desk.state
        # The newest of each: another server may have gone on, and may have delivered it.
        newest = {key: state.mark(*key) or mark for key, mark in self._pending.items()}
        handed = {
            key: mark
            for key, mark in newest.items()
            if mark is self._pending[key] or not state.handed(mark)
        }
        self._pending = dict(handed)
        if handed:
            given = [
                Given(
                    folder=folder_name(mark.student),
                    grade_id=mark.question,
                    points=mark.score,
                    comment=mark.comment,
                )
                for mark in handed.values()
            ]
            try:
                before = await self._in_thread(lambda: write_marks(self._url, self._lesson, given))
            except CourseError as error:
                self.trouble = str(error)
                return
            self.trouble = ""
            found = self.opened.log.append(
                lambda state: overtaken(state, handed.values(), before, now())
            )
            met = [one for one in found if isinstance(one, Mark)]
            theirs = [one for one in met if one.how is How.FORMGRADER]
            self._note((*handed.values(), *theirs))
            for key, mark in handed.items():
                if self._pending.get(key) is mark:
                    del self._pending[key]
            self._pending |= {(one.student, one.question): one for one in met if one not in theirs}
        if self._changed and reports:
            self._changed = False
            self._reported = time.monotonic()
            await self._write_grades()

    async def _look(self) -> None:
        report = self.opened.report
        self.opened.log.refresh()
        known = self.desk.state.last

        def read() -> tuple[Any, Any]:
            return read_marks(self._url, self._lesson), read_comments(self._url, self._lesson)

        held, comments = await self._in_thread(read)
        found = self.opened.log.append(
            lambda state: list(
                coming_in(self.desk.answers, state, held, comments, now(), known=known)
            )
        )
        marks = tuple(one for one in found if isinstance(one, Mark))
        if marks:
            self._note(marks)
            self._changed = True
        if report is self.opened.report:
            fresh = replace(report, marks=held, comments=comments)
            self.opened = replace(self.opened, report=fresh)
            for mark, _ in going_out(self.desk.answers, self.desk.state, held):
                self._pending.setdefault((mark.student, mark.question), mark)

    async def _write_grades(self) -> None:
        report = self.opened.report.with_reviewed(reviewed_class(self.desk))
        grades = report.grades

        def write() -> None:
            # Two servers that each renewed what the other wrote would never end.
            if read_grades(self.out / "grades.json") == grades:
                return
            write_grades_csv(self.out / "grades.csv", grades)
            write_grades_json(self.out / "grades.json", grades)

        if self._stamp() != self._seen:
            return  # the class was graded anew: that comes first
        self._writing = True
        try:
            await self._in_thread(write)
            self._seen = self._stamp()
        finally:
            self._writing = False

    def _note(self, marks: tuple[Mark, ...]) -> None:
        line = Handed(at=now(), by=_GRADEBOOK, marks=tuple(mark.seq for mark in marks))
        self.opened.log.append(lambda _: [line])

    def _open(self) -> None:
        seen = self._stamp()
        self.opened = open_class(self.out, self.project, begin=True)
        self._seen = seen  # only now: what could not be opened is tried again
        report = self.opened.report
        self._lesson = report.grades.lesson
        self._url = gradebook_url(self.out, self.project.db_url)
        self.titles = titles_of(report.master.notebook)
        self.reader = NotebookReader(CourseDir(root=self.out, lesson=self._lesson), report.master)
        self._pending = {}
        self._changed = True
        self._looked = 0.0
        self._warm()

    def _warm(self) -> None:
        """Do now what would keep the first reviewer waiting: compile the rubric, group answers."""
        for question in self.desk.questions:
            for student in self.desk.order(question).students[:1]:
                answer = self.desk.answers.answer(student, question)
                if answer is not None:
                    self.desk.suggestion(answer)

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = (self.out / "grades.json").stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
