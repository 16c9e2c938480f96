"""`course publish --push` and the verbs, with remotes that are folders."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from autograder.cli import course as command
from autograder.commands import publisher
from autograder.errors import CourseError, UsageError


def _git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=T", "-c", "user.email=t@t.invalid"]
    return subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    folder = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    return folder


def _push(remote: Path | str, *, edition: str = "student", force: bool = False) -> int:
    return publisher.publish_edition(edition, str(remote), force, gate=lambda _: [])


@pytest.fixture(autouse=True)
def here(small_course: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(small_course.root)
    return small_course


def _branches(remote: Path) -> list[str]:
    return _git(remote, "for-each-ref", "--format=%(refname:short)").splitlines()


def test_both_branches_and_nothing_else_are_pushed(here: Any, remote: Path) -> None:
    here.git("tag", "--annotate", "--message", "x", "v1", "main")
    here.git("config", "push.followTags", "true")
    assert _push(remote) == 0
    assert _push(remote, edition="answer") == 0
    assert _push(remote) == 0
    assert _branches(remote) == ["answer", "student"]
    assert _git(remote, "rev-parse", "student") == here.git("rev-parse", "student")


def test_a_remote_with_the_main_branch_is_refused_unless_forced(here: Any, remote: Path) -> None:
    here.git("push", "--quiet", str(remote), "main")
    with pytest.raises(CourseError, match=r"holds the branch 'main'.*repository of its own"):
        _push(remote)
    assert _branches(remote) == ["main"]
    assert _push(remote, force=True) == 0
    assert _branches(remote) == ["main", "student"]


def test_the_current_branch_counts_as_main_whatever_its_name(here: Any, remote: Path) -> None:
    here.git("checkout", "--quiet", "-b", "work")
    here.git("push", "--quiet", str(remote), "work")
    with pytest.raises(CourseError, match="holds the branch 'work'"):
        _push(remote)


@pytest.mark.parametrize("folder", ["solutions", "courses/one/solutions"])
@pytest.mark.parametrize("ref", ["refs/heads/old", "refs/tags/v1"])
def test_a_remote_with_solutions_that_we_never_saw_is_refused(
    remote: Path, tmp_path: Path, folder: str, ref: str
) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    (other / folder).mkdir(parents=True)
    (other / folder / "a.txt").write_text("a")
    _git(other, "add", ".")
    _git(other, "commit", "--quiet", "--message", "x")
    _git(other, "push", "--quiet", str(remote), f"HEAD:{ref}")
    with pytest.raises(CourseError, match=f"{ref} there has a solutions/ folder"):
        _push(remote)


def test_an_unrelated_branch_without_solutions_is_no_obstacle(remote: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    _git(other, "commit", "--quiet", "--allow-empty", "--message", "x")
    _git(other, "push", "--quiet", str(remote), "HEAD:refs/heads/gh-pages")
    assert _push(remote) == 0


def test_a_remote_branch_that_went_elsewhere_is_not_overwritten(here: Any, remote: Path) -> None:
    _push(remote)
    stranger = here.plant({"lessons/a.py": b"A = 1\n"})
    here.git("push", "--quiet", str(remote), "student")
    here.git("branch", "--force", "student", "student^")
    here.write("lessons/tiny/more.py", "MORE = 1\n")
    here.commit()
    with pytest.raises(CourseError, match="may only grow"):
        _push(remote, force=True)
    assert _git(remote, "rev-parse", "student") == stranger


@pytest.mark.parametrize("remote", ["nowhere", "--upload-pack=touch x"])
def test_a_remote_that_is_none_is_named(remote: str) -> None:
    with pytest.raises(UsageError):
        _push(remote)


def test_nothing_is_pushed_when_the_audit_finds_something(
    here: Any, remote: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here.write("lessons/tiny/help.py", "# 灯焰在坑道深处逐渐变暗，说明氧气已经不足\n")
    here.commit()
    assert _push(remote) == 1
    said = capsys.readouterr()
    assert "lessons/tiny/help.py" in said.out
    assert "not published; the branch is as it was" in said.err
    assert _branches(remote) == []


def test_the_audit_verb_counts_and_exits(here: Any) -> None:
    run = CliRunner().invoke(command, ["audit"])
    assert run.exit_code == 0
    assert "student (student edition):\n1 commit, " in run.output
    assert "blobs compared with" in run.output
    here.plant({"lessons/a.py": b"result = total / count\n"})
    run = CliRunner().invoke(command, ["audit", "--branch", "student"])
    assert run.exit_code == 1
    line = next(row for row in run.output.splitlines() if "lessons/a.py" in row)
    assert "solutions/tiny/tiny.qmd:44" in line
    assert "the answer is known and has to change" in line


def test_the_audit_verb_needs_a_branch(here: Any) -> None:
    with pytest.raises(UsageError, match="no such branch"):
        publisher.audit_branches("nowhere")
    here.git("branch", "--delete", "--force", "student")
    with pytest.raises(UsageError, match="course publish"):
        publisher.audit_branches(None)
