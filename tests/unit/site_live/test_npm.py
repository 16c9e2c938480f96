"""npm that is broken in every way that was thought of: told in a sentence, and soon."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from autograder.errors import MissingOnMachine
from autograder.site.live import pyodide
from autograder.site.live.npm import packed


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only tool on PATH, to be written by a test."""
    tool = tmp_path / "bin" / "npm"
    tool.parent.mkdir()
    monkeypatch.setenv("PATH", str(tool.parent))
    return tool


def write(tool: Path, text: str) -> None:
    tool.write_text(text, encoding="utf-8")
    tool.chmod(0o755)


def alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("where", ["", " & wait", " & exit 0"])
def test_an_npm_that_hangs_is_ended_with_all_that_it_started(
    npm: Path, tmp_path: Path, where: str
) -> None:
    note = tmp_path / "pid"
    write(npm, f"#!/bin/sh\n/bin/sh -c 'echo $$ > {note}; exec /bin/sleep 100'{where}\n")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    began = time.monotonic()
    with pytest.raises(MissingOnMachine, match=r"longer than 1 s|failed: exit 0"):
        packed("x@1", scratch, patience_s=1)
    assert time.monotonic() - began < 30
    if note.exists():  # it may be ended before it could say who it is
        left = int(note.read_text())
        until = time.monotonic() + 10
        while alive(left) and time.monotonic() < until:
            time.sleep(0.05)
        assert not alive(left)


def test_an_npm_that_asks_gets_no_answer_and_no_terminal(npm: Path, tmp_path: Path) -> None:
    write(npm, "#!/bin/sh\nread answer || { echo nobody there; exit 4; }\n")
    with pytest.raises(MissingOnMachine, match="failed: nobody there"):
        packed("x@1", tmp_path)


@pytest.mark.parametrize("text", ["\0\0not a program", "#!/nowhere/node\n"])
def test_an_npm_that_is_no_program(npm: Path, tmp_path: Path, text: str) -> None:
    write(npm, text)
    with pytest.raises(MissingOnMachine, match=r"cannot be run: .* Install Node\.js"):
        packed("x@1", tmp_path)


def test_what_npm_says_need_not_be_text(npm: Path, tmp_path: Path) -> None:
    write(npm, "#!/bin/sh\nprintf '\\377\\376 bad'; exit 1\n")
    with pytest.raises(MissingOnMachine, match=r"failed: .* bad"):
        packed("x@1", tmp_path)


def test_another_package_is_not_kept(npm: Path, tmp_path: Path) -> None:
    write(npm, "#!/bin/sh\necho other > pyodide.tgz\n")
    cache = tmp_path / "cache"
    with pytest.raises(MissingOnMachine, match="npm brought another package"):
        pyodide.load_pyodide(cache)
    assert list(cache.iterdir()) == []


def test_npm_is_asked_once_a_process(npm: Path, tmp_path: Path) -> None:
    write(npm, f"#!/bin/sh\necho asked >> {tmp_path}/asked\nexit 1\n")
    for _ in range(3):
        with pytest.raises(MissingOnMachine):
            pyodide.load_pyodide(tmp_path / "cache")
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_a_cache_that_cannot_be_written_is_told(npm: Path, tmp_path: Path) -> None:
    write(npm, "#!/bin/sh\nexit 1\n")
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingOnMachine, match="Make the folder writable"):
        pyodide.load_pyodide(tmp_path / "file" / "cache")
