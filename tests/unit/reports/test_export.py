from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.errors import CourseError
from autograder.grading.records import Batch, Flag, Graded, Status
from autograder.grading.reports.export import (
    grades_csv,
    grades_of,
    read_grades,
    write_grades_csv,
    write_grades_json,
)

EXPECTED = """\
{
 "lesson": "lesson99",
 "max_score": 4.5,
 "sandbox": "bubblewrap",
 "limits": {
  "cell_s": 10.0,
  "processes": 64
 },
 "submissions": [
  {
   "student": "s001",
   "status": "graded",
   "reason": null,
   "scores": {
    "normal": 2.0,
    "edge": 0.0,
    "q1": null
   },
   "reasons": {
    "edge": "double 返回的值不对。"
   },
   "flags": [
    "edited-outside-blank"
   ],
   "criteria": {
    "checks_passed": true,
    "causal_chains": null
   },
   "proposed_vetoes": [],
   "vetoes": [],
   "total": null,
   "passed": null,
   "submitted_at": "2026-11-29T10:00:00+08:00",
   "late_s": null,
   "late": null
  }
 ]
}
"""


def test_the_format_is_the_documented_one(
    batch: Batch, make_graded: Callable[..., Graded], tmp_path: Path
) -> None:
    path = tmp_path / "grades.json"
    write_grades_json(path, grades_of(batch, [make_graded().result]))
    assert path.read_text(encoding="utf-8") == EXPECTED


def test_it_reads_back_whole(
    batch: Batch, make_graded: Callable[..., Graded], unreadable: Graded, tmp_path: Path
) -> None:
    results = [make_graded("s001").result, unreadable.result]
    path = tmp_path / "grades.json"
    write_grades_json(path, grades_of(batch, results))
    assert [entry.result() for entry in read_grades(path).submissions] == results


def test_order_of_grading_does_not_show(batch: Batch, make_graded: Callable[..., Graded]) -> None:
    results = [make_graded(name).result for name in ("b", "a", "李四")]
    shuffled = dataclasses.replace(results[0], scores={"q1": None, "edge": 0, "normal": 2})
    assert grades_of(batch, results) == grades_of(batch, [results[2], shuffled, results[1]])


def test_flags_follow_the_documented_list(batch: Batch, make_graded: Callable[..., Graded]) -> None:
    flags = (Flag.READS_INPUT, Flag.GUARD_REMOVED, Flag.TIMEOUT)
    result = dataclasses.replace(make_graded().result, flags=flags)
    (entry,) = grades_of(batch, [result]).submissions
    assert entry.flags == [Flag.GUARD_REMOVED, Flag.TIMEOUT, Flag.READS_INPUT]


def test_a_name_that_is_not_text_is_spelt_out(
    batch: Batch, make_graded: Callable[..., Graded], tmp_path: Path
) -> None:
    path = tmp_path / "grades.json"
    write_grades_json(path, grades_of(batch, [make_graded("\udcb0x").result]))
    assert json.loads(path.read_bytes())["submissions"][0]["student"] == "\\udcb0x"


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[1]", b"\xff", EXPECTED.replace("2.0", '"2"').encode(),
     EXPECTED.replace('"graded"', '"perfect"').encode()],
)  # fmt: skip
def test_what_is_not_ours_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "grades.json"
    path.write_bytes(content)
    with pytest.raises(CourseError, match=r"grades\.json"):
        read_grades(path)


def test_no_file_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="course grade"):
        read_grades(tmp_path / "grades.json")


def test_rows_for_a_spreadsheet(
    batch: Batch, make_graded: Callable[..., Graded], unreadable: Graded
) -> None:
    full = dataclasses.replace(
        make_graded("s002").result,
        scores={"normal": 2.0, "edge": 0.5, "q1": 1.5},
        reasons={},
        flags=(),
        total=4.0,
        passed=True,
    )
    text = grades_csv(grades_of(batch, [make_graded("s001").result, full, unreadable.result]))
    assert text.splitlines() == [
        "student,status,normal,edge,q1,total,max_score,passed,checks_passed,causal_chains,vetoes,"
        "accepted_in_bulk,flags,reason,submitted_at,late_s,late,sandbox",
        "s001,graded,2.0,0.0,,,4.5,,true,,,,edited-outside-blank,edge: double 返回的值不对。,"
        "2026-11-29T10:00:00+08:00,,,bubblewrap",
        "s002,graded,2.0,0.5,1.5,4.0,4.5,true,true,,,,,,2026-11-29T10:00:00+08:00,,,bubblewrap",
        "s404,unreadable,0.0,0.0,0.0,0.0,4.5,false,false,,,,,"
        "文件不是 notebook：<b>内容</b>在第 3 行中断。,,,,bubblewrap",
    ]


NAMES = {
    "=cmd()": "'=cmd()",
    "+1": "'+1",
    "-1": "'-1",
    "@sum": "'@sum",
    "\tx": "'\tx",
    "\rx": "'\rx",
    "＝cmd()": "'＝cmd()",
    "O'Brien, Zoë": "O'Brien, Zoë",
    "张三, 李四": "张三, 李四",
    "two\nlines": "two\nlines",
    'say "hi"': 'say "hi"',
}


@pytest.mark.parametrize("bom", [True, False])
def test_names_open_right_and_run_nothing(
    batch: Batch, make_graded: Callable[..., Graded], tmp_path: Path, *, bom: bool
) -> None:
    path = tmp_path / "grades.csv"
    write_grades_csv(path, grades_of(batch, [make_graded(n).result for n in NAMES]), bom=bom)
    raw = path.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf") is bom
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline=""), strict=True))
    assert {row["student"] for row in rows} == set(NAMES.values())
    assert {row["normal"] for row in rows} == {"2.0"}
    assert all(line.endswith("\r") for line in raw.decode().split("\n")[:1])


def test_a_negative_number_stays_a_number(batch: Batch, make_graded: Callable[..., Graded]) -> None:
    result = dataclasses.replace(make_graded().result, total=-0.5)
    (row,) = csv.DictReader(io.StringIO(grades_csv(grades_of(batch, [result])), newline=""))
    assert row["total"] == "-0.5"


def test_no_submissions_is_a_header(batch: Batch) -> None:
    assert grades_csv(grades_of(batch, [])) == (
        "student,status,total,max_score,passed,vetoes,accepted_in_bulk,flags,reason,submitted_at,"
        "late_s,late,sandbox\r\n"
    )


def test_status_is_typed(batch: Batch, unreadable: Graded) -> None:
    assert grades_of(batch, [unreadable.result]).submissions[0].status is Status.UNREADABLE
