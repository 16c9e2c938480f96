"""Nothing is written that its edition keeps back, and no page asks another host."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli import course as command
from autograder.errors import CourseError
from autograder.project import Project
from autograder.site.build import Site, build_site
from autograder.site.folder import write_site
from autograder.site.leaks import leaks
from autograder.site.policy import foreign_requests, policy
from tests.unit.site.small import ANSWER_TEXT, LESSON, NOTE, small_course


@pytest.mark.parametrize(
    "data",
    [
        ANSWER_TEXT.encode(),
        f"<p>{ANSWER_TEXT[:7]}<b>{ANSWER_TEXT[7:14]}</b>{ANSWER_TEXT[14:]}</p>".encode(),
        base64.b64encode(ANSWER_TEXT.encode()),
        gzip.compress(f"<i>{ANSWER_TEXT}</i>".encode()),
        b"result = total / len(values)",
    ],
    ids=["plain", "tags between", "base64", "gzip", "the reference"],
)
def test_an_answer_in_a_class_edition_is_found(course: Project, data: bytes) -> None:
    found = leaks(course, {"tiny/index.html": data}, answers=False)
    assert len(found) == 1
    assert "solutions/tiny/tiny.qmd:" in found[0]


def test_an_answer_edition_keeps_back_what_markers_read(course: Project) -> None:
    assert leaks(course, {"a.html": ANSWER_TEXT.encode()}, answers=True) == []
    found = leaks(course, {"a.html": f"<p>{NOTE}</p>".encode()}, answers=True)
    assert "solutions/tiny/rubric.toml:" in found[0]


def test_a_template_that_tells_an_answer_stops_the_build(tmp_path: Path) -> None:
    project = small_course(tmp_path / "small")
    template = project.root / "assets" / "site" / "index.html.j2"
    text = template.read_text(encoding="utf-8")
    template.write_text(text.replace("<h1>", f"<h1>{ANSWER_TEXT}"), encoding="utf-8")
    with pytest.raises(CourseError, match=r"index\.html: holds what only the answer side has"):
        build_site(project, answers=False)


def test_a_picture_on_another_host_stops_the_build(tmp_path: Path) -> None:
    text = LESSON.replace("说出原因。", "![灯](https://cdn.example.org/lamp.png)")
    with pytest.raises(CourseError, match=r"cdn\.example\.org/lamp\.png from another host"):
        build_site(small_course(tmp_path / "small", text), answers=True)


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a.html", '<a href="https://x.org/">x</a>', []),
        ("a.html", '<script src="//x.org/a.js"></script>', ["//x.org/a.js"]),
        ("a.html", '<link rel="stylesheet" href="https://x.org/a.css">', ["https://x.org/a.css"]),
        ("a.html", '<p style="background:url(https://x.org/a.png)">', ["https://x.org/a.png"]),
        ("a.html", "<style>@import 'https://x.org/b.css'</style>", ["https://x.org/b.css"]),
        ("a.html", '<img srcset="a.png 1x, //x.org/b.png 2x">', ["//x.org/b.png 2x"]),
        ("a.css", "@font-face{src:url('http://x.org/f.woff2')}", ["http://x.org/f.woff2"]),
        ("a.css", "@font-face{src:url('f.woff2')}", []),
        ("a.js", "fetch('https://x.org')", []),
    ],
)
def test_what_a_page_would_load(name: str, text: str, wanted: list[str]) -> None:
    assert foreign_requests(name, text.encode()) == wanted


def test_the_policy_begins_with_nothing_and_adds_what_runs() -> None:
    said = policy({"script-src": ("blob:",), "worker-src": ("data:",)})
    assert said.startswith("default-src 'none'; script-src 'self' blob:;")
    assert said.endswith("worker-src data:")


def test_audit_reads_the_site(
    class_site: Site, course: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course.root)
    folder = course.root / "_site"
    write_site(folder, class_site.files, answers=False, vendored=class_site.vendored)
    from autograder.commands.site import audit_site  # noqa: PLC0415

    assert audit_site(course) == 0
    (folder / "tiny" / "notes.txt").write_text(ANSWER_TEXT, encoding="utf-8")
    assert audit_site(course) == 1


def test_the_verb_says_what_it_does() -> None:
    shown = CliRunner().invoke(command, ["site", "--help"]).output
    assert "--no-answers" in shown
    assert "--serve" in shown
