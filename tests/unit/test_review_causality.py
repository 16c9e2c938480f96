"""What is told as the cause of what, and sentences that claim nothing. No lesson in it."""

from __future__ import annotations

import pytest

from autograder.review.causality import told
from autograder.review.concepts import Occurrence, compile_concepts
from autograder.review.plain import plain
from autograder.review.sentences import outline
from autograder.review.shape import dismissals
from autograder.review.signs import look_for, read_sign
from autograder.review.talk import empty_talk

WAYS = {"rain": ["下雨|雨水", "rain"], "wet": ["地(?:很|都)?湿", "wet"], "again": ["洒水"]}


def pairs(text: str) -> list[tuple[str, str]]:
    given = plain(text).text
    found = told(given, outline(given))
    return [
        (given[slice(*one.cause)].strip(" ,。."), given[slice(*one.effect)].strip(" ,。."))
        for one in found
    ]


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("下雨导致地湿。", "下雨", "地湿"),
        ("因为下雨，地湿了。", "下雨", "地湿了"),
        ("地湿了，因为下雨。", "下雨", "地湿了"),
        ("云太厚，所以下雨。", "云太厚", "下雨"),
        ("云一厚，雨就来。", "云一厚", "雨就来"),
        ("It rains, so the road is wet.", "it rains", "the road is wet"),
        ("The road is wet because it rains.", "it rains", "the road is wet"),
        ("雨 → 湿", "雨", "湿"),
    ],
)
def test_cause_and_effect(text: str, cause: str, effect: str) -> None:
    assert (cause, effect) in pairs(text)


@pytest.mark.parametrize(
    "text", ["下雨，所以应该带伞。", "It rains, so we should wait.", "先下雨，后来地湿。"]
)
def test_advice_and_order_in_time_are_no_effects(text: str) -> None:
    assert pairs(text) == []


def test_a_condition_of_its_own_needs_no_cause_before() -> None:
    assert ("天黑了", "只要开灯就亮") not in pairs("天黑了，只要开灯就亮。")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("因为地湿，所以下雨。", True),
        ("因为下雨，所以地湿。", False),
        ("地湿会让雨水变多。", True),
        ("因为地湿，洒水车来过，所以下雨。", False),
        ("地湿。下雨。", False),
    ],
)
def test_a_sign_told_backwards(text: str, found: bool) -> None:
    given = plain(text).text
    lines = outline(given)
    concepts = compile_concepts("r.toml", WAYS)
    occurrences = {
        name: [Occurrence(concept=name, span=span) for span in concepts.spans(name, given)]
        for name in WAYS
    }
    sign = read_sign("wet > rain ! again", "r.toml", WAYS)
    assert (look_for(sign, occurrences, lines, given) is not None) is found


def claims_nothing(text: str) -> bool:
    given = plain(text).text
    lines = outline(given)
    return len(empty_talk(given, lines)) == len(lines.sentences)


@pytest.mark.parametrize(
    "text",
    [
        "园艺要统筹土壤、光照和水分几个方面，兼顾成本与收益，才能科学合理。",
        "这个问题很复杂，需要结合实际情况具体问题具体分析。",
        "Soil, light and water each play an important role in a complex endeavour.",
        "A holistic strategy that balances requirements is essential.",
        "元数据作为缓存的一种带宽，借助条带体现了延迟的本质。",
        "Latency acts as the checksum of the queue; the lock becomes the essence of throughput.",
    ],
)
def test_talk_and_strings_of_terms_claim_nothing(text: str) -> None:
    assert claims_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        "请求要排队，最后一个写完之前大家都得等。",
        "The queue grows, and the last writer waits for seconds.",
        "缓存被绕过，每次都要重新读盘。",
        "综合来看，盘坏了数据就丢了。",
    ],
)
def test_who_says_what_happens_claims_something(text: str) -> None:
    assert not claims_nothing(text)


def test_dismissals_are_counted_by_clause() -> None:
    text = "排队不存在，等待可以忽略，但是路远。"
    assert len(dismissals(text, outline(text))) == 2
