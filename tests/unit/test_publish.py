"""`course publish`: what the branch holds, and what is left alone."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.checking import lesson_check
from autograder.checking.lesson_check import Checked
from autograder.checking.report import Finding, Report, Severity
from autograder.commands import publisher
from autograder.errors import CourseError, MissingOnMachine, UsageError
from autograder.release.gitstore import GitError, GitStore
from autograder.release.publish import publish
from autograder.release.secrets import Edition

OF_THE_COURSE = {
    "LICENSE",
    "autograder/__init__.py",
    "constraints.txt",
    "lessons/__init__.py",
    "lessons/tiny/__init__.py",
    "lessons/tiny/tiny.ipynb",
    "lessons/tiny/tiny.qmd",
    "pyproject.toml",
}
THE_LEARNERS_OWN = {".gitattributes", ".gitignore", "Makefile", "README.md", "selfcheck.py"}


def _files(course: Any, branch: str) -> set[str]:
    return set(course.git("ls-tree", "-r", "--name-only", branch).splitlines())


def _no_gate(_: object) -> list[str]:
    return []


def test_the_branch_holds_what_may_leave_and_nothing_else(small_course: Any) -> None:
    assert _files(small_course, "student") == OF_THE_COURSE | THE_LEARNERS_OWN


def test_the_learners_files_know_the_course(small_course: Any) -> None:
    assert small_course.git("show", "student:README.md").startswith("# 小课程\n")
    makefile = small_course.git("show", "student:Makefile")
    assert "LESSON ?= tiny\n" in makefile
    assert "$(READY): pyproject.toml" in makefile
    assert "\t@touch $@" in makefile
    for name in THE_LEARNERS_OWN:
        assert "@{" not in small_course.git("show", f"student:{name}")


def test_the_history_is_an_orphan_that_names_its_source_by_id_only(small_course: Any) -> None:
    main = small_course.git("rev-parse", "main")
    assert small_course.git("rev-list", "--count", "student") == "1"
    message = small_course.git("show", "-s", "--format=%B", "student")
    assert message == f"Publish the student edition\n\nSource-Commit: {main}"


def test_a_second_publish_without_change_makes_no_commit(small_course: Any) -> None:
    before = small_course.git("rev-parse", "student")
    small_course.write("solutions/tiny/rubric.toml", 'lesson = "tiny"\n')
    small_course.commit("A change that learners do not get")
    done = small_course.publish()
    assert (done.commit, done.made) == (before, False)
    assert small_course.git("rev-parse", "student") == before


def test_a_change_is_appended(small_course: Any) -> None:
    before = small_course.git("rev-parse", "student")
    small_course.write("lessons/tiny/more.py", "MORE = 1\n")
    small_course.commit()
    done = small_course.publish()
    assert done.made
    assert small_course.git("rev-parse", "student^") == before
    assert small_course.git("rev-parse", "student") == done.commit


def test_work_tree_index_and_current_branch_are_left_alone(small_course: Any) -> None:
    small_course.write("lessons/tiny/more.py", "MORE = 1\n")
    small_course.commit()
    small_course.write("README.md", "staged")
    small_course.git("add", "README.md")
    small_course.write("README.md", "changed again")
    small_course.write("scratch.txt", "untracked")
    status = small_course.git("status", "--porcelain")
    head = (small_course.root / ".git" / "HEAD").read_text()
    main = small_course.git("rev-parse", "main")
    index = (small_course.root / ".git" / "index").read_bytes()
    assert small_course.publish().made
    assert (small_course.root / ".git" / "index").read_bytes() == index
    assert small_course.git("status", "--porcelain") == status
    assert small_course.git("diff", "--cached", "--name-only") == "README.md"
    assert (small_course.root / ".git" / "HEAD").read_text() == head
    assert small_course.git("rev-parse", "main") == main


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("path", ["solutions/tiny/tiny.qmd", "lessons/tiny/tiny.qmd", "LICENSE"])
def test_a_change_that_is_not_committed_stands_against_it(
    small_course: Any, path: str, staged: bool
) -> None:
    small_course.write(path, "changed")
    if staged:
        small_course.git("add", path)
    with pytest.raises(CourseError, match=f"{path}: changed since the last commit"):
        small_course.publish()


def test_a_deleted_file_stands_against_it(small_course: Any) -> None:
    (small_course.root / "LICENSE").unlink()
    with pytest.raises(CourseError, match="LICENSE: changed"):
        small_course.publish()


def test_files_that_git_does_not_know_are_named(small_course: Any) -> None:
    small_course.write("lessons/tiny/new.py", "NEW = 1\n")
    done = small_course.publish()
    assert done.untracked == ("lessons/tiny/new.py",)
    assert "lessons/tiny/new.py" not in _files(small_course, "student")


def test_a_gate_that_finds_something_stands_against_it(small_course: Any) -> None:
    with pytest.raises(CourseError, match=r"lessons/tiny/tiny\.ipynb: stale"):
        publish(
            small_course.store,
            small_course.project,
            Edition.STUDENT,
            lambda _: ["lessons/tiny/tiny.ipynb: stale. Build it."],
        )


def test_stale_editions_are_named(small_course: Any) -> None:
    # The notebooks of this course were written by hand, not built.
    found = publisher.stale_files(small_course.project, "tiny")
    assert "lessons/tiny/tiny.ipynb: stale. Run `course build tiny`, commit." in found


def test_errors_of_a_check_stand_against_it_and_warnings_do_not(
    small_course: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Finding(path="a.qmd", line=3, what="Wrong.", mend="Mend it.")
    odd = replace(wrong, severity=Severity.WARNING)
    checked = Checked(report=Report(findings=(wrong, odd)))
    monkeypatch.setattr(lesson_check, "check_lesson", lambda *_: checked)
    assert publisher.failing_check(small_course.project) == ["a.qmd:3: Wrong. Mend it."]


def test_where_not_everything_can_be_checked_stale_files_still_count(
    small_course: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checked = Checked(report=Report(findings=()), missing=MissingOnMachine("No sandbox."))
    monkeypatch.setattr(lesson_check, "check_lesson", lambda *_: checked)
    monkeypatch.setattr(publisher, "stale_files", lambda *_: ["b: stale"])
    assert publisher.failing_check(small_course.project) == ["b: stale"]
    assert "warning: tiny: not checked as a whole: No sandbox." in capsys.readouterr().err


def test_git_without_an_identity_gets_one(
    small_course: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    small_course.write("lessons/tiny/more.py", "MORE = 1\n")
    small_course.commit()
    small_course.publish()
    who = small_course.git("show", "-s", "--format=%an <%ae> %cn", "student")
    assert who == "Course <course@localhost.invalid> Course"


def test_publishing_the_same_source_gives_the_same_commit(small_course: Any) -> None:
    before = small_course.git("rev-parse", "student")
    small_course.git("branch", "--delete", "--force", "student")
    done = small_course.publish()
    assert done.commit == before


def test_a_branch_that_is_checked_out_is_left_alone(small_course: Any) -> None:
    small_course.git("checkout", "--quiet", "student")
    with pytest.raises(UsageError, match="checked out"):
        small_course.publish()


def test_a_branch_that_somebody_else_moved_is_left_alone(small_course: Any) -> None:
    tip = small_course.git("rev-parse", "student")
    main = small_course.git("rev-parse", "main")
    with pytest.raises(GitError):
        small_course.store.move_branch("student", tip, main)


def test_without_a_repository_or_a_commit_it_says_so(tmp_path: Path, small_course: Any) -> None:
    with pytest.raises(UsageError, match="not in a git repository"):
        GitStore(tmp_path)
    empty = tmp_path / "empty"
    subprocess.run(["git", "init", "--quiet", str(empty)], check=True)
    with pytest.raises(UsageError, match="no commit here yet"):
        publish(GitStore(empty), small_course.project, Edition.STUDENT, _no_gate)


def test_a_missing_template_is_named(small_course: Any) -> None:
    small_course.git("rm", "--quiet", "assets/student/Makefile")
    small_course.commit()
    with pytest.raises(CourseError, match="assets/student/Makefile: not in git"):
        small_course.publish()


def test_a_link_among_the_lessons_is_refused(small_course: Any) -> None:
    (small_course.root / "lessons" / "tiny" / "link.py").symlink_to("/etc/hostname")
    small_course.commit()
    with pytest.raises(CourseError, match=r"lessons/tiny/link\.py: a link"):
        small_course.publish()


def test_the_answer_edition_adds_the_answer_notebooks(small_course: Any) -> None:
    done = small_course.publish(Edition.ANSWER)
    assert done.report.findings == []
    added = _files(small_course, "answer") - _files(small_course, "student")
    assert added == {"answers/tiny/tiny.ipynb"}
    assert small_course.git("rev-list", "--count", "answer") == "1"


def test_the_answer_edition_keeps_the_rubric_and_the_samples_back(small_course: Any) -> None:
    small_course.write("lessons/tiny/help.py", "# 火苗先变黄后变短再熄灭\n")
    small_course.commit()
    (finding,) = small_course.publish(Edition.ANSWER).report.findings
    assert "solutions/tiny/rubric.toml:10" in finding.what


def test_a_course_in_a_subfolder_of_a_repository(small_course: Any, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    inner = outer / "courses" / "one"
    inner.parent.mkdir(parents=True)
    (small_course.root / ".git").rename(tmp_path / "unused.git")
    small_course.root.rename(inner)
    moved = type(small_course)(root=inner)
    moved.git("init", "--quiet", "--initial-branch=main", str(outer))
    moved.commit("Begin")
    assert moved.publish().made
    assert _files(type(small_course)(root=outer), "student") == OF_THE_COURSE | THE_LEARNERS_OWN
    assert moved.audit().findings == []
    moved.plant({"lessons/a.py": "# 灯焰在坑道深处逐渐变暗，说明氧气已经不足".encode()})
    assert len(moved.audit().findings) == 1
