"""A lesson that tries to leak, to break out and to confuse; and lessons that lack what others have.

`hostile.qmd` says SECRET in every place that only the answer side has.
"""

from __future__ import annotations

import base64
import html
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.editions.build import lesson_of
from autograder.project import Project, find_project
from autograder.site import build
from autograder.site.build import Site, build_site
from autograder.site.takeaway import takeaway
from tests.unit.site.small import LESSON, ROOT, small_course

HOSTILE = (Path(__file__).parent / "hostile.qmd").read_text(encoding="utf-8")
# The smallest PNG there is.
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SECRET = re.compile(r"SECRET[A-Z]*|987654|123321|secret2?\.png|lessonsecret")


def hostile_course(root: Path) -> Project:
    project = small_course(root, HOSTILE)
    # The notebook of the small course is a stand-in; here the true one is made.
    (root / "lessons" / "tiny" / "tiny.ipynb").unlink()
    for name in ("pic", "secret", "secret2"):
        (root / "solutions" / "tiny" / f"{name}.png").write_bytes(DOT)
    return project


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return hostile_course(tmp_path_factory.mktemp("hostile") / "small")


@pytest.fixture(scope="module")
def site(course: Project) -> Site:
    return build_site(course, answers=True)


@pytest.fixture(scope="module")
def class_site(course: Project) -> Site:
    """Made without the audit, which would hide what the pages themselves give away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "_refuse_leaks", lambda *_, **__: None)
        return build_site(course, answers=False)


def texts(data: bytes) -> Iterator[str]:
    """What bytes say: as they are, without entities, without tags, and unzipped."""
    text = data.decode("utf-8", "replace")
    yield text
    yield html.unescape(text)
    yield re.sub(r"<[^>]*>", "", text)
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield name
                yield from texts(archive.read(name))


def test_no_answer_is_anywhere_in_the_class_edition(class_site: Site) -> None:
    names = " ".join(class_site.files)
    found = {
        (name, hit)
        for name, data in [*class_site.files.items(), ("names", names.encode())]
        if name not in class_site.vendored
        for text in texts(data)
        for hit in SECRET.findall(text)
    }
    assert found == set()
    assert "tiny/pic.png" in class_site.files


def test_the_answers_are_all_in_the_other(site: Site) -> None:
    page = site.files["tiny/index.html"].decode()
    said = re.sub(r"<[^>]*>", "", page)
    for word in ("SECRETPROSE", "SECRETFOOTNOTE", "SECRETCELL", "SECRETCODE", "SECRETPROFILE"):
        assert word in said
    assert "SECRETHIDDEN" not in page
    assert "SECRETFILL" not in page
    assert "SECRETCOMMENT" not in page
    assert {"tiny/secret.png", "tiny/secret2.png"} <= set(site.files)


def test_nothing_that_a_lesson_says_runs_or_swallows(class_site: Site) -> None:
    page = class_site.files["tiny/index.html"].decode()
    scripts = re.findall(r"<script\b[^>]*>", page)
    assert all("src=" in one or "application/json" in one for one in scripts)
    assert page.count("alert(3)</script>") == 0
    assert "&lt;script>alert(3)&lt;/script>" in page
    assert "<title>第 9 课：&lt;script&gt;" in page
    # What looks like the build's own marks is the lesson's text.
    assert '<section data-part="0"></section>' in page
    assert "<p>caption 假标题</p>" in page


def test_the_zip_has_the_pictures_that_its_notebook_shows(class_site: Site) -> None:
    with zipfile.ZipFile(io.BytesIO(class_site.files["tiny/tiny.zip"])) as archive:
        pictures = [name for name in archive.namelist() if name.endswith(".png")]
    assert pictures == ["course-tiny/pic.png"]


def test_the_committed_notebook_is_taken_and_not_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("made again, which takes a minute")

    monkeypatch.setattr("autograder.editions.build.editions", refuse)
    project = find_project(ROOT)
    archive = takeaway(project, lesson_of(project, "lesson03"))
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        taken = opened.read("course-lesson03/lesson03.ipynb")
    assert taken == (ROOT / "lessons" / "lesson03" / "lesson03.ipynb").read_bytes()


def test_ids_are_used_once_and_links_within_the_page_lead_somewhere(
    site: Site, class_site: Site
) -> None:
    for one in (site, class_site):
        page = one.files["tiny/index.html"].decode()
        ids = re.findall(r'<[^>]* id="([^"]*)"', page)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'<a [^>]*href="#([^"]+)"', page)) <= set(ids)


def test_two_exercises_each_have_their_own(site: Site) -> None:
    page = site.files["tiny/index.html"].decode()
    assert re.findall(r'data-exercise="(\w+)"', page) == ["one", "two"]
    carried = site.files["tiny/live-lesson.js"].decode()
    assert "SECRET" not in carried
    assert carried.count("two([2, 4]) == 3") == 1


def test_a_missing_picture_is_told_and_said_in_words(class_site: Site) -> None:
    assert "solutions/tiny/tiny.qmd: The picture 'missing.png' is not there. Put it in." in (
        class_site.warnings
    )
    page = class_site.files["tiny/index.html"].decode()
    assert re.search(r'<span class="missing">没有图[^<]+</span>', page)
    assert 'src="missing.png"' not in page


def test_a_lesson_with_neither_exercise_nor_question_nor_rubric(tmp_path: Path) -> None:
    text = "---\ntitle: 只有课文\nlang: zh-CN\n---\n\n一句话。\n"
    project = small_course(tmp_path / "small", text)
    (project.root / "solutions" / "tiny" / "rubric.toml").unlink()
    for answers in (True, False):
        page = build_site(project, answers=answers).files["tiny/index.html"].decode()
        assert "<p>一句话。</p>" in page
        assert 'id="answers-file"' not in page
        assert "data-answer=" not in page
        assert "live" not in page


def test_without_a_rubric_the_scores_are_steps(tmp_path: Path) -> None:
    project = small_course(tmp_path / "small")
    (project.root / "solutions" / "tiny" / "rubric.toml").unlink()
    page = build_site(project, answers=False).files["tiny/index.html"].decode()
    marks = page.partition('data-marks="q1"')[2].partition("</section>")[0]
    assert re.findall(r'type="radio"[^>]* value="([^"]*)"', marks) == ["2", "1.5", "1", "0.5", "0"]
    assert "checkbox" not in marks


@pytest.mark.parametrize("npm", [None, "exit 1", "sleep 100 & echo no >&2; exit 1"])
def test_without_npm_the_page_is_built_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, npm: str | None
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    if npm:
        (tools / "npm").write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{npm}\n")
        (tools / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = build_site(small_course(tmp_path / "small", LESSON), answers=True)
    page = made.files["tiny/index.html"].decode()
    assert "这份网页没有带上 Python" in page
    assert "live/pyodide.js" not in made.files
    assert any("its exercises do not run in the page" in one for one in made.warnings)
