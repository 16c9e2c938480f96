"""Formulas, paths, figures' names: the small parts."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from autograder.editions.figures import figure_of
from autograder.site.formula import FormulaError, display_formula, inline_formula
from autograder.site.highlight import code_block
from autograder.site.paths import compact_path, compact_svg
from autograder.site.pictures import without_missing
from autograder.site.rawhtml import tamed

ROOT = Path(__file__).resolve().parents[3]


def test_upright_letters_are_one_word() -> None:
    made = inline_formula(r"T_{\mathrm{dump}} = 600\ \mathrm{s}")
    assert "<msub><mi>T</mi><mtext>dump</mtext></msub>" in made
    assert made.count("<mtext>s</mtext>") == 1


def test_a_long_formula_within_a_line_may_scroll() -> None:
    assert inline_formula("a + b").startswith("<math ")
    long = r"5.682 \times 10^{12} / (20 \times 10^{9}) \approx 284"
    assert inline_formula(long).startswith('<span class="long scroll"><math ')


def test_a_tag_becomes_the_number_at_the_side() -> None:
    made = display_formula(r"a = b \tag{7}", identifier="eq-x")
    assert made.startswith('<div class="formula scroll" id="eq-x"><math ')
    assert made.endswith('<span class="formula-number">(7)</span></div>')


@pytest.mark.parametrize("latex", ["", r"\left( x"])
def test_a_broken_formula_is_an_error(latex: str) -> None:
    with pytest.raises(FormulaError):
        inline_formula(latex)


@pytest.mark.parametrize(
    ("written", "short"),
    [
        # 10.004 is written as 10, so the next step counts from there: 20.006 - 10 = 10.01.
        ("M 10.004 5 L 20.006 5.5 z", "m10 5l10.01.5z"),
        ("M 0 0 L 1 0 L 1 -0.25 ", "m0 0l1 0 0-.25"),
        ("M 1 1 C 1.5 1.5 2.25 2.25 3 1 z M 5 5 L 6 6", "m1 1c.5.5 1.25 1.25 2 0zm4 4l1 1"),
        ("M 0 0 A 1 1 0 0 1 2 2", "M 0 0 A 1 1 0 0 1 2 2"),
    ],
)
def test_paths_are_relative_and_short(written: str, short: str) -> None:
    assert compact_path(written) == short


def test_only_paths_and_layout_change() -> None:
    svg = '<svg>\n <text id="d 1.2345">1.2345</text>\n <path d="M 0 0 L 2 2"/>\n</svg>'
    wanted = '<svg><text id="d 1.2345">1.2345</text><path d="m0 0l2 2"/></svg>'
    assert compact_svg(svg) == wanted


def test_code_is_escaped_and_its_blank_marked() -> None:
    made = code_block("x = ______  # <b>", "python")
    assert '<mark class="blank">______</mark>' in made
    assert "&lt;b&gt;" in made
    assert code_block("<x>", "nosuchlanguage") == (
        '<pre class="code scroll"><code>&lt;x&gt;</code></pre>'
    )


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from lessons.x import explore\n\nexplore.ladder()", "ladder"),
        ("explore.plan('a').show()", None),
        ("ladder()", None),
        ("explore.ladder(case)", None),
        ("explore.", None),
    ],
)
def test_the_figure_of_a_widget(source: str, name: str | None) -> None:
    assert figure_of(source) == name


def test_quarto_users_find_a_project_that_renders_no_answer() -> None:
    said = yaml.safe_load((ROOT / "_quarto.yml").read_text(encoding="utf-8"))
    assert said["project"] == {
        "type": "website",
        "output-dir": "_quarto-site",
        "render": ["lessons/*/*.qmd"],
    }
    assert said["execute"] == {"enabled": False}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<textarea>", "&lt;textarea>"),
        ("</SCRIPT >", "&lt;/SCRIPT >"),
        ("<script\nsrc='a.js'>", "&lt;script\nsrc='a.js'>"),
        ("<base href='//x.org/'>", "&lt;base href='//x.org/'>"),
        ("<b>fat</b><scripts><header>", "<b>fat</b><scripts><header>"),
    ],
)
def test_tags_that_swallow_a_page_are_text(written: str, shown: str) -> None:
    assert tamed(written) == shown


def test_pictures_that_are_not_there_are_words() -> None:
    html = (
        '<img src="a%20b.png" alt="一"><img src="./c.svg#x" alt="二"><img src="data:," alt="三">'
        '<img src="no.png" alt="四 &quot;"  loading="lazy">'
    )
    made, names = without_missing(html, {"a b.png", "c.svg"}, "（图不在）")
    assert made.count("<img") == 3
    assert made.endswith('<span class="missing">四 &quot;（图不在）</span>')
    assert names == ["no.png"]
