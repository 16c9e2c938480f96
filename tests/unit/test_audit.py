"""The audit's judgement: whose secrets count when, and what is no secret."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from autograder.errors import CourseError, UsageError
from autograder.model import Audience, Cell, Prose, Role
from autograder.release.answerside import AnswerSide, answer_sides, secrets_of
from autograder.release.audit import audit
from autograder.release.gitstore import GitStore
from autograder.release.secrets import Edition, Form, Seeker
from autograder.release.unfolding import unfold
from autograder.source import parse

ROOT = Path(__file__).resolve().parents[2]
PROSE = "灯焰在坑道深处逐渐变暗，说明氧气已经不足"


@pytest.mark.parametrize(
    "text",
    [
        "mean = total / count\n",  # the fill's expression, in another statement
        "# total / count is taken below\n",
        "half_result = total / counted\n",
        "result = total / count_of_all\n",
        "total = sum(values)\n",  # the stub's own line
        "def average(values):\n    return result\n",
        "# 求平均数，只替换空格\n",
        "# 灯焰变暗\n",  # too short to tell from chance
        "assert average([2, 4]) == 3\n",  # the visible check
    ],
)
def test_what_is_no_secret(small_course: Any, text: str) -> None:
    small_course.plant({"lessons/a.py": text.encode()})
    assert small_course.audit().findings == []


def test_text_that_became_public_is_no_secret_any_more(small_course: Any) -> None:
    source = (small_course.root / "solutions/tiny/tiny.qmd").read_text(encoding="utf-8")
    small_course.plant({"lessons/a.py": f"# {PROSE}".encode()})
    old = small_course.git("rev-parse", "student")
    small_course.write(
        "solutions/tiny/tiny.qmd", source.replace("## 练习", f"## 练习\n\n{PROSE}。")
    )
    small_course.commit()
    small_course.plant({"lessons/b.py": f"B = 1  # {PROSE}".encode()})
    # Only the commit that was built while it was a secret gave it away.
    assert [finding.commit for finding in small_course.audit().findings] == [old]


def test_a_secret_of_today_counts_in_the_whole_history(small_course: Any) -> None:
    line = "煤层中的甲烷比空气轻所以聚在巷道顶部"
    commit = small_course.plant({"lessons/a.py": f"# {line}".encode()})
    assert small_course.audit().findings == []
    small_course.write("solutions/tiny/rubric.toml", f'[[questions]]\nconclusion = "{line}"\n')
    (finding,) = small_course.audit().findings
    assert (finding.commit, finding.place) == (commit, "lessons/a.py")


def test_a_secret_of_then_counts_though_it_is_gone_today(small_course: Any) -> None:
    small_course.plant({"lessons/a.py": f"# {PROSE}".encode()})
    source = (small_course.root / "solutions/tiny/tiny.qmd").read_text(encoding="utf-8")
    small_course.write("solutions/tiny/tiny.qmd", source.replace(PROSE, "换了一个答案"))
    small_course.commit()
    assert len(small_course.audit().findings) == 1


def test_an_answer_copied_into_another_lesson_is_found(small_course: Any) -> None:
    other = f"---\ntitle: 另一课\n---\n\n上一课说过：{PROSE}。\n"
    small_course.write("solutions/other/other.qmd", other)
    small_course.commit()
    small_course.plant({"lessons/other/other.qmd": other.encode()})
    assert [f.place for f in small_course.audit().findings] == ["lessons/other/other.qmd"]


def test_a_source_that_cannot_be_read_today_is_noted(small_course: Any) -> None:
    good = (small_course.root / "solutions/tiny/tiny.qmd").read_text(encoding="utf-8")
    small_course.write("solutions/tiny/tiny.qmd", "```{python}\n#| course_role: exercize\n")
    small_course.commit()
    small_course.plant({"lessons/a.py": b"A = 1\n"})
    small_course.write("solutions/tiny/tiny.qmd", good)
    small_course.commit()
    report = small_course.audit()
    assert report.findings == []
    (note,) = report.notes
    assert "cannot be read today (solutions/tiny/tiny.qmd:" in note


def test_a_broken_source_of_today_stops_the_audit(small_course: Any) -> None:
    small_course.write("solutions/tiny/rubric.toml", "= 1")
    with pytest.raises(CourseError, match="not valid TOML"):
        small_course.audit()


def test_an_unknown_source_commit_is_noted(small_course: Any) -> None:
    store: GitStore = small_course.store
    tip = small_course.git("rev-parse", "student")
    commit = store.write_commit(
        small_course.git("rev-parse", "student^{tree}"),
        tip,
        f"x\n\nSource-Commit: {'1' * 40}\n",
        store.person(tip),
    )
    report = audit(store, small_course.project, commit)
    assert report.findings == []
    assert report.notes == ["The source commit 1111111111 is not here; compared with today's only."]


def test_a_copy_without_sources_says_that_it_has_nothing_to_compare(
    small_course: Any, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    small_course.git("clone", "--quiet", "--branch=student", str(small_course.root), str(clone))
    with pytest.raises(UsageError, match="no lesson's source here"):
        type(small_course)(root=clone).audit()


def test_counts(small_course: Any) -> None:
    report = small_course.audit()
    files = len(small_course.git("ls-tree", "-r", "student").splitlines())
    empty = 2  # autograder, lessons and tiny share one empty __init__.py
    assert report.commits == 1
    assert report.blobs == files - empty + 1  # the commit itself is read too
    assert report.summary.endswith(": 0 findings")


def _lesson03() -> AnswerSide:
    folder = ROOT / "solutions" / "lesson03"
    (side,) = answer_sides(
        {f"solutions/lesson03/{file.name}": file.read_bytes() for file in folder.iterdir()}
    )
    return side


def _released_files() -> list[Path]:
    tops = [ROOT / name for name in ("lessons", "autograder", "assets")]
    return [
        file
        for top in tops
        for file in sorted(top.rglob("*"))
        if file.is_file() and file.suffix != ".pyc" and ".ipynb_checkpoints" not in file.parts
    ]


def test_lesson03_leaves_no_evidence_in_what_is_released() -> None:
    secrets = secrets_of(_lesson03())
    where = {secret.key: f"{secret.path}:{secret.line}" for secret in secrets}
    seeker = Seeker(secrets)
    for file in _released_files():
        for text in unfold(file.read_bytes()).texts:
            found = {where[key] for key in seeker.find(text)}
            assert not found, f"{file.relative_to(ROOT)} holds {sorted(found)}"


def test_every_answer_of_lesson03_is_known() -> None:
    side = _lesson03()
    seeker = Seeker(secrets_of(side))
    lesson = parse(side.files["lesson03.qmd"], slug="lesson03", path="x", lang="zh")
    for block in lesson.blocks:
        if isinstance(block, Prose) and block.audience is Audience.ANSWER:
            for line in block.text.splitlines():
                if len(line) > 60:
                    assert seeker.find(line), line
        elif isinstance(block, Cell) and block.role is Role.SOLUTION:
            assert seeker.find(block.source)
    assert seeker.find("    required_average = (physical_bytes/interval_s)  # B/s")
    assert not seeker.find("`physical_bytes / interval_s`")
    assert seeker.find("_expect((7, 2, 3, 4), 10.5, 5.25)")


@pytest.mark.slow
def test_the_answer_edition_of_lesson03_may_show_references_but_not_the_rubric() -> None:
    side = _lesson03()
    student, answer = secrets_of(side), secrets_of(side, Edition.ANSWER)
    assert {one.key for one in answer} < {one.key for one in student}
    sentence = "把间隔从 1800 s 缩到 600 s，平均少丢 600 s 的训练"
    assert Seeker(student).find(sentence)
    assert not Seeker(answer).find(sentence)
    assert Seeker(answer).find("进程挂了还能读，机器没了不行")
    rubric = tomllib.loads((ROOT / "solutions/lesson03/rubric.toml").read_text(encoding="utf-8"))
    long = [way for ways in rubric["concepts"].values() for way in ways if len(way) > 40]
    seeker = Seeker(answer)
    # A pattern made of words of two or three letters only has no fragment long enough to be a
    # secret: of hundreds, a handful.
    assert len(long) > 200
    assert sum(1 for way in long if not seeker.find(way)) <= len(long) // 50


def test_code_and_prose_are_both_among_the_secrets() -> None:
    forms = {secret.form for secret in secrets_of(_lesson03())}
    assert forms == {Form.PROSE, Form.CODE}


@pytest.mark.slow
def test_two_hundred_versions_of_lesson03_take_seconds(small_course: Any) -> None:
    source = (ROOT / "solutions/lesson03/lesson03.qmd").read_text(encoding="utf-8")
    book = (ROOT / "lessons/lesson03/lesson03.ipynb").read_text(encoding="utf-8")
    small_course.write("solutions/lesson03/lesson03.qmd", source)
    for number in range(200):
        small_course.write("solutions/lesson03/lesson03.qmd", source + f"\n第 {number} 版\n")
        small_course.commit()
        text = book.replace('"nbformat": 4', f'"version": {number}, "nbformat": 4')
        small_course.plant({"lessons/lesson03/lesson03.ipynb": text.encode()})
    began = time.monotonic()
    report = small_course.audit()
    assert time.monotonic() - began < 60
    assert (report.findings, report.commits) == ([], 201)
