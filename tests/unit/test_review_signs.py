"""The language of signs: concepts, gaps, negation, sentences. No lesson in it."""

from __future__ import annotations

import pytest

from autograder.errors import CourseError
from autograder.review.concepts import Occurrence, compile_concepts
from autograder.review.plain import plain
from autograder.review.polarity import negator
from autograder.review.sentences import outline
from autograder.review.shape import enumerations, is_keyword_list
from autograder.review.signs import look_for, read_sign

WAYS = {
    "rain": ["下雨|雨水", "rain|shower"],
    "wet": ["淋湿|地(?:很|都)?湿", "wet|soak"],
    "late": ["<wet>~迟到"],
}


def found(sign: str, text: str) -> str:
    given = plain(text).text
    lines = outline(given)
    concepts = compile_concepts("r.toml", WAYS)
    occurrences = {
        name: [
            Occurrence(concept=name, span=span, negator=negator(given, lines, span))
            for span in concepts.spans(name, given)
        ]
        for name in WAYS
    }
    one = look_for(read_sign(sign, "r.toml", WAYS), occurrences, lines, given)
    return "absent" if one is None else "denied" if one.denied else "asserted"


@pytest.mark.parametrize(
    ("sign", "text", "outcome"),
    [
        ("rain + wet", "因为下雨，所以地都湿了。", "asserted"),
        ("rain + wet", "Because it rained we got soaked.", "asserted"),
        ("rain + wet", "下雨了。后来地湿。", "absent"),
        ("rain & wet", "下雨了。后来地湿。", "asserted"),
        ("rain + wet", "下雨也不会淋湿。", "denied"),
        ("rain + wet", "It never rains, so nobody gets wet.", "denied"),
        ("rain + wet", "不仅下雨，而且淋湿了。", "asserted"),
        ("rain", "没有下雨。后来下雨了。", "asserted"),
        ("=rain + wet", "没有下雨，地很湿。", "asserted"),
        ("wet ! rain", "地很湿。", "asserted"),
        ("wet ! rain", "下雨，地很湿。", "absent"),
        ("late", "淋湿了才迟到", "asserted"),
        ("late", "淋湿了，但没有迟到", "absent"),
        ("rain", "the train is here", "absent"),
        ("rain", "忙不过来，下雨了", "asserted"),
    ],
)
def test_signs(sign: str, text: str, outcome: str) -> None:
    assert found(sign, text) == outcome


def test_a_sign_of_no_concept() -> None:
    with pytest.raises(CourseError, match=r"'snow' in the sign 'rain [+] snow' is no concept"):
        read_sign("rain + snow", "r.toml", WAYS)


@pytest.mark.parametrize("way", ["(", "<snow>", "<bad>"])
def test_a_pattern_that_is_none(way: str) -> None:
    with pytest.raises(CourseError, match=r"^r\.toml:\[concepts\] bad: "):
        compile_concepts("r.toml", {"bad": [way]})


def test_sentences_end_at_full_stops_and_not_within_numbers() -> None:
    text = "It took 1.5 s. Then 慢。快"
    assert [text[a:b] for a, b in outline(text).sentences] == ["It took 1.5 s.", " Then 慢。", "快"]


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("雨、雪、风、雾、霜、露", True),
        ("rain snow wind fog frost dew", True),
        ("因为雨，所以雪，因此风，从而雾，导致霜", True),
        ("下雨了，地就湿，车会滑，人要慢，路很堵", False),
        ("雨、雪", False),
    ],
)
def test_rows_of_terms(text: str, listed: bool) -> None:
    assert is_keyword_list(text) is listed


def test_three_bare_terms_within_a_sentence_are_named_not_said() -> None:
    text = "这里讲雨水、霜冻、浓雾、冰雹，我都会。"
    ((start, end),) = enumerations(text, outline(text))
    assert text[start:end] == "霜冻、浓雾、冰雹"
