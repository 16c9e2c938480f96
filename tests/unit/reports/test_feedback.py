from __future__ import annotations

import dataclasses
import html.parser
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.errors import CourseError
from autograder.grading.records import Batch, Graded
from autograder.grading.reports.autograded import autograded_notebook, notebook_text
from autograder.grading.reports.feedback import FeedbackPages

ASSETS = Path(__file__).parents[3] / "assets"
HIDDEN = "271828"

EVIL_TEXT = """\
<script>alert(1)</script> <img src=x onerror=alert(1)> </style><style>*{display:none}</style>
[a](javascript:alert(1)) [b](data:text/html,x) ![c](data:image/svg+xml;base64,PHN2Zz4=)
![d](https://tracker.example/x.png) ![e](attachment:none.png) [f](https://example.org)
<svg onload=alert(1)></svg> <a href="javascript:alert(1)">g</a>
"""
EVIL_OUTPUTS = (
    {
        "output_type": "display_data",
        "metadata": {},
        "data": {
            "text/html": "<table style='x'><tr><td onclick=alert(1)>42</td></tr></table>"
            "<script>alert(1)</script><iframe src=//x></iframe><form action=//x></form>"
            "</style><img src=x onerror=alert(1)><a href='javascript:alert(1)'>a</a>",
        },
    },
    {
        "output_type": "display_data",
        "metadata": {},
        "data": {"image/svg+xml": "<svg><script>alert(1)</script></svg>"},
    },
    {"output_type": "display_data", "metadata": {}, "data": {"image/png": '"><script>'}},
    {"output_type": "stream", "name": "stdout", "text": "</pre><script>alert(1)</script>"},
    {
        "output_type": "error",
        "ename": "<script>alert(1)</script>",
        "evalue": "<img src=x onerror=alert(1)>",
        "traceback": ["\x1b[31m<script>alert(1)</script>\x1b[0m"],
    },
)


class _Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in {"href", "src", "action"}}


def parsed(page: str) -> _Tags:
    tags = _Tags()
    tags.feed(page)
    return tags


class Pages:
    """Pages as the files give them: each graded notebook is written and read on the way."""

    def __init__(self, batch: Batch, master: Any) -> None:
        self.master = master
        self.pages = FeedbackPages(batch, master, ASSETS)

    def page(self, graded: Graded, comments: Mapping[str, str] | None = None) -> str:
        notebook = autograded_notebook(graded, self.master)
        page = self.pages.page(graded.result, notebook, comments)
        again = nbformat.reads(notebook_text(notebook), as_version=4)
        assert self.pages.page(graded.result, again, comments) == page
        return page


@pytest.fixture
def pages(batch: Batch, master: Any) -> Pages:
    return Pages(batch, master)


def words(page: str) -> str:
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def test_it_says_points_reasons_and_what_waits(
    pages: Pages, make_graded: Callable[..., Graded]
) -> None:
    said = words(pages.page(make_graded("张三, 李四")))
    assert "第 99 课" in said
    assert "张三, 李四" in said
    assert "2026-11-29 10:00 UTC+08:00" in said
    assert (
        "练习：double 正常输入 normal 2 / 2 分 边界输入 edge 0 / 0.5 分 double 返回的值不对。"
        in said
    )
    assert "Q1 为什么？ q1 待人工评分 · 满分 2 分" in said
    assert "总分 待定 / 4.5" in said
    assert "已评 2.5 分中得 2 分" in said
    assert "因为它放大两倍。" in said


def test_it_shows_no_test_and_no_detail(pages: Pages, make_graded: Callable[..., Graded]) -> None:
    page = pages.page(make_graded())
    assert HIDDEN not in page
    assert "assert" not in page
    assert "AssertionError" not in page
    assert "the reference" not in page


def test_a_decided_grade_shows_total_and_comment(
    pages: Pages, make_graded: Callable[..., Graded]
) -> None:
    graded = make_graded()
    done = dataclasses.replace(
        graded.result, scores={"normal": 2.0, "edge": 0.5, "q1": 1.5}, total=4.0, passed=True
    )
    page = pages.page(
        dataclasses.replace(graded, result=done), comments={"q1": "好！<script>x</script>"}
    )
    said = words(page)
    assert "总分 4 / 4.5 通过" in said
    assert "q1 1.5 / 2 分" in said
    assert "老师的评语 好！" in said
    assert "script" not in parsed(page).tags


def test_nothing_of_a_learner_runs(pages: Pages, make_graded: Callable[..., Graded]) -> None:
    graded = make_graded(
        "<script>alert(1)</script>",
        code="</code></pre><script>",
        answer=EVIL_TEXT,
        outputs=EVIL_OUTPUTS,
    )
    page = pages.page(graded)
    found = parsed(page)
    assert found.tags.isdisjoint({"script", "iframe", "form", "svg", "object", "embed", "base"})
    assert found.attributes <= {
        "lang", "charset", "http-equiv", "content", "name", "class", "alt", "href", "rel", "title",
    }  # fmt: skip
    assert found.links == {"https://example.org"}
    assert page.count("<style>") == page.count("</style>") == 1
    said = words(page)
    assert "42" in said
    assert "[image/svg+xml]" in said
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in said


def test_the_policy_allows_only_this_style(
    pages: Pages, make_graded: Callable[..., Graded]
) -> None:
    page = pages.page(make_graded())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert policy[1].startswith(
        "default-src 'none'; img-src data:; style-src &#39;sha256-".replace("&#39;", "'")
    )
    assert "unsafe" not in policy[1]
    assert " style=" not in page


def test_pictures_are_shown(pages: Pages, make_graded: Callable[..., Graded]) -> None:
    png = "iVBORw0KGgoAAAAAAAAAAAAAAAAAAAAA"
    outputs = ({"output_type": "display_data", "metadata": {}, "data": {"image/png": png + "\n"}},)
    page = pages.page(
        make_graded(
            answer="![我的图](attachment:my.png)",
            attachments={"my.png": {"image/png": png}},
            outputs=outputs,
        )
    )
    assert page.count(f'src="data:image/png;base64,{png}"') == 2
    assert 'alt="我的图"' in page


def test_markdown_keeps_what_was_typed(pages: Pages, make_graded: Callable[..., Graded]) -> None:
    page = pages.page(
        make_graded(answer="**元数据** `T <= T_dump`\n\nT<T_dump 时\n\n|a|b|\n|-|-|\n|1|2|")
    )
    assert "<strong>元数据</strong> <code>T &lt;= T_dump</code>" in page
    assert "T&lt;T_dump 时" in page
    assert "<td>2</td>" in page


def test_unreadable_says_why_once(pages: Pages, unreadable: Graded) -> None:
    said = words(pages.page(unreadable))
    assert said.count("在第 3 行中断。") == 1
    assert "总分 0 / 4.5 未通过" in said
    assert "文件无法读取" in said


def test_untouched_says_so(pages: Pages, make_graded: Callable[..., Graded]) -> None:
    said = words(pages.page(make_graded(answer="")))
    assert "q1 0 / 2 分 没有作答。 你的回答 没有作答。" in said


def test_a_grade_without_a_sandbox_says_so(
    batch: Batch, master: Any, make_graded: Callable[..., Graded]
) -> None:
    open_batch = dataclasses.replace(batch, sandbox="none")
    notice = "这次评分没有使用沙箱（--no-sandbox）。"
    assert notice in Pages(open_batch, master).page(make_graded())
    assert notice not in Pages(batch, master).page(make_graded())


def test_english(batch: Batch, master: Any, make_graded: Callable[..., Graded]) -> None:
    english = dataclasses.replace(batch, lang="en-GB", title="Lesson 99")
    page = Pages(english, master).page(make_graded())
    assert '<html lang="en-GB">' in page
    assert "2 of the 2.5 points marked so far" in words(page)
    assert "Normal inputs normal 2 / 2 points" in words(page)


def test_the_same_grade_gives_the_same_page(
    pages: Pages, make_graded: Callable[..., Graded]
) -> None:
    assert pages.page(make_graded()) == pages.page(make_graded())


def test_surrogates_and_controls_reach_no_page(
    pages: Pages, make_graded: Callable[..., Graded]
) -> None:
    page = pages.page(make_graded("\udcb0", code="\ud800 = '\x00'", answer="\udfff\x1b[31m"))
    page.encode("utf-8")
    assert "\x00" not in page
    assert "\x1b" not in page


def test_a_progress_bar_shows_its_end(pages: Pages, make_graded: Callable[..., Graded]) -> None:
    outputs = ({"output_type": "stream", "name": "stderr", "text": "10%\r50%\r100%\r\ndone\n"},)
    page = pages.page(make_graded(outputs=outputs))
    assert "<pre>100%\ndone\n</pre>" in page


def test_a_missing_design_is_a_sentence(batch: Batch, master: Any, tmp_path: Path) -> None:
    shutil.copytree(ASSETS / "feedback", tmp_path / "feedback")
    (tmp_path / "feedback" / "words.toml").write_text("[zh", encoding="utf-8")
    with pytest.raises(CourseError, match="Restore assets/feedback"):
        FeedbackPages(batch, master, tmp_path)
    with pytest.raises(CourseError, match="Restore assets/feedback"):
        FeedbackPages(batch, master, tmp_path / "nowhere")
