"""What a lesson's page says, in both editions."""

from __future__ import annotations

import re

from autograder.project import Project
from autograder.site.build import Site, build_site
from autograder.site.markup import Markup
from tests.unit.site.small import ANSWER_TEXT, HIDDEN, NOTE


def test_two_builds_are_the_same_to_the_byte(course: Project, site: Site) -> None:
    assert dict(build_site(course, answers=True).files) == dict(site.files)


def test_the_title_says_nothing_of_an_answer_edition(page: str) -> None:
    assert "<title>第 1 课：平均数 · 小课程</title>" in page
    assert "答案版" not in page


def test_headings_keep_their_ids_and_make_the_contents(page: str) -> None:
    assert '<h2 id="goal">目标</h2>' in page
    assert '<a href="#goal">目标</a>' in page
    assert '<a href="#练习">练习</a>' in page
    assert "<h2" not in page.partition('<div class="tabset">')[2].partition("只在网页上")[0]


def test_references_lead_to_what_they_name(page: str) -> None:
    assert '<a href="#eq-mean">式 (1)</a>' in page
    assert re.search(r'<div class="formula scroll" id="eq-mean"><math.*?\(1\)</span></div>', page)
    assert '<a href="#tbl-sizes">表 1</a>' in page
    assert '<p class="caption" id="tbl-sizes">表 1：大小与时间</p>' in page


def test_a_note_that_is_referred_to_twice_has_one_number() -> None:
    html = Markup(lesson_link=lambda _: None).render(
        "一处[^a]，两处[^a]，另一条[^b]。\n\n[^a]: 甲\n[^b]: 乙\n"
    )
    assert re.findall(r">(\[[^<]+\])</a>", html) == ["[1]", "[1]", "[2]"]


def test_a_footnote_is_one(page: str) -> None:
    assert '<section class="footnotes" role="doc-endnotes">' in page
    assert "因为平均数最常用。" in page.partition('class="footnotes"')[2]


def test_type_is_set(page: str) -> None:
    # No line may begin with a unit, and a Chinese full stop brings its own space.
    assert "<td>3\u00a0GB</td>" in page
    assert "25\u00a0%" in page
    assert "<strong>不要急。</strong>慢慢来" in page
    assert '<a href="https://example.org/x" class="citation">[3]</a>' in page


def test_links_to_lessons_lead_to_their_pages(page: str) -> None:
    assert '<span class="not-here">第二课</span>' in page
    assert '<a href="../tiny/index.html">本课</a>' in page


def test_neighbours_that_are_not_here_are_shown_as_such(page: str, site: Site) -> None:
    beside = page.partition('class="neighbours"')[2]
    assert re.search(r'previous absent">.*上一课 · 尚未发布.*第 0 课 数数', beside)
    assert re.search(r'following absent">.*下一课 · 尚未发布.*第 2 课 中位数', beside)
    index = site.files["index.html"].decode()
    order = [index.index(title) for title in ("第 0 课 数数", "第 1 课：平均数", "第 2 课 中位数")]
    assert order == sorted(order)
    assert index.count("尚未发布") == 2


def test_callouts_fold_as_the_source_says(page: str) -> None:
    assert '<aside class="callout callout-warning">' in page
    assert re.search(r"<b>警告</b>　当心 <math", page)
    folded = page.partition('<details class="callout callout-note">')[2]
    assert re.search(r"<summary><b>注意</b>　为什么</summary>", folded[:200])


def test_tabs_are_disclosures_of_which_one_is_open(page: str) -> None:
    assert '<details name="tabs-1" open>\n<summary>甲</summary>' in page
    assert '<details name="tabs-1">\n<summary>乙</summary>' in page


def test_conditions_hold_for_a_page(page: str) -> None:
    assert "只在网页上" in page
    assert "只在纸上" not in page


def test_hints_stand_each_within_the_one_before(page: str) -> None:
    hints = page.partition('<div class="hints">')[2]
    first, second = hints.index("先想一共有几个数"), hints.index("总和除以个数")
    assert first < second
    assert "</details>" not in hints[:second]
    assert page.count("提示 1（共 2 条）") == 1


def test_the_visible_check_is_there_and_the_hidden_one_is_not(page: str) -> None:
    assert "看得见的检查：常规输入（2 分）" in page
    text = re.sub(r"<[^>]*>", "", page)
    assert "assert average([2, 4]) == 3" in text
    assert HIDDEN not in text
    assert "HIDDEN" not in page


def test_each_answer_folds_and_its_link_leads_inside(page: str) -> None:
    assert page.count('<details class="answer">') == 2
    # Within the disclosure, so that a browser opens it for the link without a script.
    assert re.search(
        r'<summary>参考答案：代码</summary>\s*<div class="opened" id="answer-average">', page
    )
    assert re.search(r'<summary>参考答案：Q1</summary>\s*<div class="opened" id="answer-q1">', page)
    exercise = page.partition('id="exercise-average"')[2].partition("</section>")[0]
    assert '<a href="#answer-average">' in exercise
    assert '<a href="#answer-q1">' in page.partition('id="own-q1"')[2]
    assert "total // len" not in re.sub(r"<[^>]*>", "", page)


def test_own_marks_are_the_public_lines(page: str) -> None:
    marks = page.partition('data-marks="q1"')[2].partition("</section>")[0]
    assert re.findall(r'type="checkbox"[^>]*> <span>([^<]*)</span>', marks) == [
        "说出灯火",
        "说出氧气",
        "说出后果",
    ]
    assert re.findall(r'type="radio"[^>]* value="([^"]*)"', marks) == ["2", "0"]
    assert "自评" in marks
    assert NOTE not in page
    assert "给评分人看的话不公开" not in page


def test_the_class_edition_holds_no_answer(class_site: Site, class_page: str) -> None:
    assert all(ANSWER_TEXT[:12].encode() not in data for data in class_site.files.values())
    assert '<details class="answer">' not in class_page
    assert "answer-q1" not in class_page.replace("own-answer-q1", "").replace(
        'data-keep="answer-q1"', ""
    )
    assert 'id="answers"' not in class_page
    assert "课堂版：不含参考答案" in class_page


def test_blanks_are_marked(class_page: str) -> None:
    assert "______" in class_page
    assert class_page.count("<h1>") == 1
