"""Normal forms, logical lines, windows and the matcher, each on cases worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.release.answerside import AnswerSide, secrets_of
from autograder.release.matching import Matcher
from autograder.release.normal import code, prose, units, weights
from autograder.release.pieces import LEAST, pieces
from autograder.release.secrets import Form, Secret, Seeker, prose_secrets
from autograder.release.statements import filled, fragments, logical_lines, remarks
from autograder.release.unfolding import unfold
from autograder.source.skeleton import skeleton

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Hello, World_1!", "helloworld1"),
        ("Ｈｅｌｌｏ　１", "hello1"),
        ("> 灯焰，\n> **变暗**。", "灯焰变暗"),
        ("a\u200bb\u00adc", "abc"),
        ("'甲' + '乙'", "甲乙"),
    ],
)
def test_prose_keeps_letters_and_digits(text: str, normal: str) -> None:
    assert prose(text) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("a = b / c", "a=b/c"),
        ("a = (b\n     / c)", "a=b/c"),
        ("a = b // c", "a=b//c"),
        ("return  x", "return x"),
        ("f(x)  and g(y)", "f x and g y"),
        ('d["k"]', "d['k']"),
        ("# a = b", "a=b"),
        ('"a = b",\n"c = d"', "'a=b c=d'"),
        ("ａ ＝ ｂ", "a=b"),
    ],
)
def test_code_keeps_operators(text: str, normal: str) -> None:
    assert code(text) == normal


def test_units_and_their_weights() -> None:
    assert units("氧气 runs out, T_1") == ["氧", "气", "runs", "out", "t", "1"]
    # 1 + 1 + 4 * 0.6 + 3 * 0.6 + 0.6 + 0.6
    assert weights(units("氧气 runs out, T_1")) == pytest.approx(7.4)


def test_windows_of_twelve_characters_know_their_line() -> None:
    found = [
        (one.text, one.line) for one in prose_secrets("一二三四五六七\n八九十百千万亿", "p", 7)
    ]
    assert found == [
        ("一二三四五六七八九十百千", 7),
        ("二三四五六七八九十百千万", 7),
        ("三四五六七八九十百千万亿", 7),
    ]


@pytest.mark.parametrize(
    ("text", "count"), [("一二三四五六七", 0), ("一二三四五六七八", 1), ("one two", 0)]
)
def test_a_short_text_counts_as_a_whole_or_not_at_all(text: str, count: int) -> None:
    assert len(list(prose_secrets(text, "p", 1))) == count


def test_logical_lines_have_no_comments() -> None:
    source = "x = [  # list\n    1,\n    2,\n]\nif x:\n    y = '#'  # hash"
    assert [(one.text.split(), one.line, one.end) for one in logical_lines(source)] == [
        (["x", "=", "[", "1,", "2,", "]"], 1, 4),
        (["if", "x:"], 5, 5),
        (["y", "=", "'#'"], 6, 6),
    ]


def test_lines_of_what_is_no_python() -> None:
    assert [one.text for one in logical_lines("%time x = '\n!ls  # all")] == ["%time x = '", "!ls"]


@pytest.mark.parametrize(
    "source",
    [
        "share = f'{{{total}}} of {{all}} the tiers'",
        """share = f'{d["a"]!r:>{width}} of {f"{tier} {{x}}"}'""",
    ],
)
def test_an_f_string_stays_as_it_is_written(source: str) -> None:
    assert [one.text for one in logical_lines(source)] == [source]
    (found,) = fragments(source, frozenset({"share"}))
    assert Seeker([Secret(text=found.text, form=Form.CODE, path="p", line=1)]).find(source)


def test_the_prose_of_an_f_string_is_whole() -> None:
    assert [one.text for one in remarks("x = f'一二{n}三四'  # 五")] == ["f'一二{n}三四'", "# 五"]


def test_comments_of_what_is_no_python() -> None:
    found = [(one.text, one.line) for one in remarks("# one\n%time x = '\n!ls  # two")]
    assert [(text.strip("# "), line) for text, line in found if text] == [("one", 1), ("two", 3)]


def test_blanks_are_filled_in_order() -> None:
    stub = "a = 1\ncase = {\n    'x': ______,  # X\n    'y': ______,\n}\nb = ______"
    assert [code(text) for text in filled(stub, ["1 + 1", "2", "f(3)"])] == [
        "case={'x':1+1,'y':2,}",
        "b=f 3",
    ]


def test_only_specific_statements_are_fragments() -> None:
    source = "import math\nfor i in range(9):\n    pass\nrate = volume / seconds\nreturn other"
    found = [one.text for one in fragments(source, frozenset({"volume"}))]
    assert "rate=volume/seconds" in found
    # A line that could stand anywhere counts only beside a specific one.
    assert "rate=volume/seconds return other" in found
    assert "return other" not in found
    assert not [text for text in found if "import" in text]


def test_rows_of_a_long_statement_count_by_themselves() -> None:
    source = "case = {\n    'args': (4e12, 10e9, 1.5),  # three\n}"
    assert "'args':4e12,10e9,1.5," in [one.text for one in fragments(source, frozenset())]


def test_the_matcher_finds_all_and_only_what_is_there() -> None:
    wanted = ["abcdefgh", "abcdefghijklmnop", "灯焰在坑道深处逐渐变暗说", "zzzzzzzzzzzz"]
    matcher = Matcher(wanted)
    assert matcher.find("xx abcdefghijklmnop 灯焰在坑道深处逐渐变暗说") == set(wanted[:3])
    assert matcher.find("abcdefgxijklmnop") == set()
    assert matcher.find("") == set()
    assert Matcher([]).find("anything at all") == set()


def test_whole_words() -> None:
    matcher = Matcher(["a_long=name"], whole_words=True)
    assert matcher.find("x a_long=name+1")
    assert matcher.find("值a_long=name")
    assert not matcher.find("a_long=names")
    assert not matcher.find("very_a_long=name")


def test_what_is_too_short_is_no_string_to_seek() -> None:
    with pytest.raises(ValueError, match="too short"):
        Matcher(["abc"])


@given(st.lists(st.text(max_size=300), max_size=200).map("\n".join), st.integers(0, 60_000))
@settings(max_examples=60, deadline=None)
def test_every_run_of_some_length_is_in_one_piece(text: str, start: int) -> None:
    text *= 4
    run = text[start : start + LEAST]
    assert any(run in piece for piece in pieces(text))


def test_versions_share_most_pieces() -> None:
    text = "".join(f"line {number} of a long file\n" for number in range(5000))
    changed = text.replace("line 2500 ", "line 2500, changed, ")
    one, other = set(pieces(text)), set(pieces(changed))
    assert len(one) > 10
    assert len(other - one) <= 3


def test_layers_are_unfolded_and_chance_is_not() -> None:
    assert "甲乙" in unfold(b'"\\u7532\\u4e59"').texts[1]
    assert unfold(b"plain").texts == ["plain"]
    # Long names look like base64, and what they decode to is no text.
    assert len(unfold(b"checkpoint_bytes_of_all_nodes = 1").texts) == 1


def test_latex_survives() -> None:
    assert any("\\times" in text for text in unfold(b'"$5 \\\\times 3$"').texts)


@pytest.mark.parametrize("lang", ["zh-CN", "en"])
def test_what_course_new_writes_is_no_secret(lang: str) -> None:
    side = AnswerSide(
        slug="rates", folder="solutions/rates", files={"rates.qmd": skeleton("rates", lang)}
    )
    shipped = (ROOT / "autograder" / "source" / "skeleton.py").read_text(encoding="utf-8")
    assert not Seeker(secrets_of(side)).find(shipped)
