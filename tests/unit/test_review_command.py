"""`course suggest`: JSON lines in and out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.commands.reviewer import suggest_answers
from autograder.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]

GOOD = {"id": "a", "question": "Q2", "answer": "不行，新节点读不到那块盘。"}


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def run(tmp_path: Path, *lines: str | bytes) -> tuple[int, list[dict[str, Any]]]:
    source, out = tmp_path / "answers.jsonl", tmp_path / "suggestions.jsonl"
    raw = [one if isinstance(one, bytes) else one.encode() for one in lines]
    source.write_bytes(b"\n".join(raw) + b"\n")
    code = suggest_answers("lesson03", source, out)
    return code, [json.loads(one) for one in out.read_text(encoding="utf-8").splitlines()]


def test_a_line_out_for_a_line_in(tmp_path: Path) -> None:
    code, (line,) = run(tmp_path, json.dumps(GOOD, ensure_ascii=False))
    assert code == 0
    assert list(line) == ["id", "question", "score", "confidence", "links", "flags", "vetoes"]
    assert (line["id"], line["question"], line["score"]) == ("a", "Q2", 1)
    assert 0 < line["confidence"] <= 1
    links = {link["id"]: link for link in line["links"]}
    assert list(links) == ["domain", "reschedule", "remote", "commit"]
    assert links["domain"] == {"id": "domain", "present": False, "evidence": []}
    ((start, end),) = links["reschedule"]["evidence"]
    assert GOOD["answer"][start:end] == "新节点读不到"


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("{", "This is no JSON"),
        ("[1]", "This is no object"),
        ('{"id": "x", "question": "Q1"}', 'There is no "answer". Add it.'),
        ('{"id": "x", "question": "Q1", "answer": 3}', '"answer" is 3'),
        ('{"id": "x", "question": "Q9", "answer": ""}', "There is no question 'Q9'"),
        (b'{"id": "x", "question": "Q1", "answer": "\xff"}', "This is no UTF-8"),
        ("[" * 100_000, "This is no JSON"),
    ],
)
def test_a_bad_line_spoils_no_other(
    bad: str | bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = run(tmp_path, json.dumps(GOOD), "", bad, json.dumps(GOOD | {"id": "b"}))
    assert code == 1
    assert [line["score"] for line in lines] == [1, None, 1]
    assert lines[1]["flags"] == ["bad-input"]
    assert f"answers.jsonl:3: {words}" in capsys.readouterr().err


def test_a_question_in_small_letters_a_byte_order_mark_and_a_lone_surrogate(tmp_path: Path) -> None:
    given = json.dumps(GOOD | {"question": "q2", "id": "\ud800"})
    code, (line,) = run(tmp_path, b"\xef\xbb\xbf" + given.encode())
    assert (code, line["question"], line["id"], line["score"]) == (0, "q2", "\ud800", 1)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no such file"):
        suggest_answers("lesson03", tmp_path / "none.jsonl", tmp_path / "out.jsonl")
    (tmp_path / "a.jsonl").write_text("")
    with pytest.raises(UsageError, match="There is no folder"):
        suggest_answers("lesson03", tmp_path / "a.jsonl", tmp_path / "no" / "out.jsonl")


def test_the_verb(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps(GOOD) + "\n", encoding="utf-8")
    words = ["suggest", "--lesson", "lesson03", "--in", str(source), "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "autograder.cli", *words], capture_output=True, cwd=ROOT, check=False
    )
    if not out.exists():  # `-m autograder.cli` has no main guard: the entry point is what counts
        done = subprocess.run(
            [Path(sys.executable).parent / "course", *words],
            capture_output=True,
            cwd=ROOT,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_text(encoding="utf-8"))["score"] == 1
