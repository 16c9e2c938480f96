"""What one grader process makes of a submission: plan, run, score, graded notebook, page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import nbformat

from autograder.grading.batch.assignment import head, limits_held
from autograder.grading.batch.facts import facts_of
from autograder.grading.batch.parcel import unpacked
from autograder.grading.batch.undecided import undecided
from autograder.grading.integrity.cells import master_cells
from autograder.grading.integrity.plan import plan
from autograder.grading.master import read_master
from autograder.grading.records import Graded
from autograder.grading.reports.autograded import autograded_notebook, notebook_bytes
from autograder.grading.reports.export import grades_of
from autograder.grading.reports.feedback import FeedbackPages
from autograder.grading.run import Runner
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.scoring import score
from autograder.project import Limits

_nbformat: Any = nbformat  # half of it has no types


class Workbench:
    """Grades what messages ask for.

    Args:
        setup: As `setup.setup_message` gives it.
        box: An open sandbox.
    """

    def __init__(self, setup: dict[str, Any], box: Sandbox) -> None:
        self._master = read_master(_nbformat.from_dict(setup["master"]))
        self._cells = master_cells(self._master.notebook)
        limits = Limits(**setup["limits"])
        self._runner = Runner(box, self._master, limits)
        self._runner.warm()
        held = limits_held(limits, box.held)
        self.ready = {"sandbox": box.name, "limits": held}
        self._batch = head(self._master, Path(setup["out"]), sandbox=box.name, limits=held)
        self._pages = FeedbackPages(self._batch, self._master.notebook, Path(setup["assets"]))

    def close(self) -> None:
        """End what runs."""
        self._runner.close()

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Grade one submission; `fault` in the message asks for a grade without a run."""
        graded = self._graded(message)
        notebook = autograded_notebook(graded, self._master.notebook)
        entry = grades_of(self._batch, [graded.result]).submissions[0]
        facts = facts_of(self._master, graded.plan, graded.run, graded.result)
        return {
            "entry": msgspec.to_builtins(entry),
            "facts": msgspec.to_builtins(facts),
            "autograded": notebook_bytes(notebook),
            "feedback": self._pages.page(graded.result, notebook).encode(),
        }

    def _graded(self, message: dict[str, Any]) -> Graded:
        master = self._master
        submission = unpacked(message, master.lang)
        if message.get("fault"):
            result = undecided(master.questions, submission, lang=master.lang)
            return Graded(submission=submission, plan=None, run=None, result=result)
        read = run = None
        if submission.notebook is not None:
            read = plan(master.notebook, submission.notebook, master.lang, cells=self._cells)
            run = self._runner.run(read, seed=message["seed"])
        result = score(
            master.questions, submission, read, run, lang=master.lang, pass_total=master.pass_total
        )
        return Graded(submission=submission, plan=read, run=run, result=result)
