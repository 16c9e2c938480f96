"""Suggestions of lesson 3: what earns points and what never does."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from autograder.project import find_project
from autograder.review.lesson import lesson_suggester
from autograder.review.records import Flag, Suggestion
from autograder.review.suggest import Suggester

ROOT = Path(__file__).resolve().parents[2]
OWN = Path(__file__).parent / "review" / "answers.jsonl"


@pytest.fixture(scope="module")
def suggester() -> Suggester:
    return lesson_suggester(find_project(ROOT), "lesson03")


def suggest(suggester: Suggester, question: str, answer: str) -> Suggestion:
    asked = suggester.rubric.question(question)
    assert asked is not None
    return suggester.suggest(asked, answer)


def present(suggestion: Suggestion) -> set[str]:
    return {link.id for link in suggestion.links if link.present}


WORTHLESS = [
    ("q1", "", Flag.EMPTY),
    ("q2", " \n\t。。。", Flag.EMPTY),
    ("q1", "元数据、目录锁、尾延迟、barrier、条带、聚合", Flag.KEYWORD_LIST),
    ("q1", "因为元数据，所以目录锁，导致尾延迟，因此 barrier，从而聚合。", Flag.KEYWORD_LIST),
    ("q3", "fixed cost, registration, alignment, page cache, sequential", Flag.KEYWORD_LIST),
    ("q2", "故障域、重调度、副本等因素相互影响，需要综合考虑。", Flag.KEYWORD_LIST),
    (
        "q1",
        "MDS 不会成为瓶颈，目录上没有竞争，也不需要等最慢的 rank。",
        Flag.DENIES_MECHANISM,
    ),
    (
        "q1",
        "There is no contention on metadata and the barrier does not wait for stragglers.",
        Flag.DENIES_MECHANISM,
    ),
    ("q2", "可以，写完就可以宣布，没有必要再复制到别处。", Flag.WRONG_CONCLUSION),
    ("q3", "为什么随机读小样本可能毫无收益？", Flag.PROMPT_COPY),
    ("q1", "今天食堂的面很好吃。", Flag.OFF_TOPIC),
]


@pytest.mark.parametrize(("question", "answer", "flag"), WORTHLESS)
def test_worthless_answers_earn_nothing(
    suggester: Suggester, question: str, answer: str, flag: Flag
) -> None:
    suggestion = suggest(suggester, question, answer)
    assert suggestion.score == 0
    assert flag in suggestion.flags
    assert not present(suggestion)


def test_the_prompts_themselves_earn_nothing(suggester: Suggester) -> None:
    from autograder.editions.build import lesson_of  # noqa: PLC0415  (the lesson as it is now)

    for answer in lesson_of(find_project(ROOT), "lesson03").answers:
        if answer.grade_id.startswith("q"):
            for text in (answer.title, answer.prompt, f"{answer.title}\n{answer.prompt}"):
                assert suggest(suggester, answer.grade_id, text).score == 0, text


def test_the_reference_answers_earn_all_and_are_known(suggester: Suggester) -> None:
    text = (ROOT / "solutions" / "lesson03" / "lesson03.qmd").read_text(encoding="utf-8")
    for question in ("q1", "q2", "q3"):
        begin = text.index(f'title="参考答案：{question.upper()}"}}') + len('title="参考答案：Q1"}')
        suggestion = suggest(suggester, question, text[begin : text.index(":::", begin)])
        assert suggestion.score == 2
        assert present(suggestion) == {link.id for link in suggestion.links}
        assert Flag.REFERENCE_COPY in suggestion.flags


@pytest.mark.parametrize(
    ("question", "answer", "links", "score"),
    [
        ("q1", "同一目录的新建要排队。", {"contention"}, 1),
        ("q1", "同一目录的新建要排队，栅栏又要等最慢的 rank。", {"contention", "tail"}, 1.5),
        (
            "q1",
            "Creates in one directory queue up, so the barrier waits for the slowest rank. "
            "Use one writer per node.",
            {"contention", "tail", "remedy"},
            2,
        ),
        ("q2", "不能。", set(), 0.5),
        ("q2", "不行，新节点读不到那块盘。", {"reschedule"}, 1),
        ("q3", "GDS 绕过 page cache，热样本每次都要下盘。", {"cache"}, 1),
    ],
)
def test_levels(
    suggester: Suggester, question: str, answer: str, links: set[str], score: float
) -> None:
    suggestion = suggest(suggester, question, answer)
    assert present(suggestion) == links
    assert suggestion.score == score


@pytest.mark.parametrize(
    ("question", "answer", "veto"),
    [
        ("q1", "实测 p99 是 9.7 秒，目录锁在排队（其实没跑过）。", "guess_as_measurement"),
        ("q1", "平均只有 3 ms，均值这么小没有问题，目录里排队的可以忽略。", "mean_hides_tail"),
        ("q3", "把队列占满，同机其他租户让路就是。", "ignores_isolation"),
        ("q2", "不能。上传失败就当成功，校验也去掉。", "removes_failure_path"),
    ],
)
def test_vetoes(suggester: Suggester, question: str, answer: str, veto: str) -> None:
    assert suggest(suggester, question, answer).vetoes == (veto,)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("q1", "目录锁在排队，栅栏等最慢的 rank，假设 p99 是 9.7 秒（估算，没测过）。"),
        ("q1", "要看 p99 和最大值，不能只看平均值：目录里排队，栅栏等最慢的 rank。"),
        ("q3", "固定开销占大头；要限速，避免影响其他租户。"),
        ("q2", "不能。上传失败要重试，校验通过之后最后写 manifest。"),
    ],
)
def test_what_is_no_veto(suggester: Suggester, question: str, answer: str) -> None:
    assert suggest(suggester, question, answer).vetoes == ()


def test_evidence_are_offsets_into_the_answer_as_given(suggester: Suggester) -> None:
    # Full-width letters, a ligature of one code point for two, a character beyond the BMP.
    answer = "😀ﬁrst：ＭＤＳ 上排队。"
    suggestion = suggest(suggester, "q1", answer)
    (link,) = [one for one in suggestion.links if one.present]
    assert link.id == "contention"
    assert [answer[start:end] for start, end in link.evidence] == ["ＭＤＳ 上排队"]


def test_misspelt_words_are_read_by_sound_and_by_letter(suggester: Suggester) -> None:
    chinese = suggest(suggester, "q1", "元数剧服务器上在排对。")
    assert present(chinese) == {"contention"}
    assert Flag.MISSPELT in chinese.flags
    english = suggest(suggester, "q1", "There is contenton on the metadta server.")
    assert present(english) == {"contention"}


def test_traditional_characters(suggester: Suggester) -> None:
    assert present(suggest(suggester, "q1", "目錄的中繼資料要排隊。")) == {"contention"}


def test_what_cannot_be_read_is_left_to_a_person(suggester: Suggester) -> None:
    other = suggest(suggester, "q1", "Потому что метаданные обрабатываются по очереди.")
    assert other.score is None
    assert Flag.CANNOT_TELL in other.flags
    assert suggest(suggester, "explanation", "T = T_dump，没有余量。").score is None


def test_the_same_answer_gets_the_same_suggestion(suggester: Suggester) -> None:
    again = lesson_suggester(find_project(ROOT), "lesson03")
    for line in OWN.read_text(encoding="utf-8").splitlines()[1:40]:
        given = json.loads(line)
        one, other = (
            suggest(who, given["question"], given["answer"]) for who in (suggester, again)
        )
        assert one == other


@pytest.mark.parametrize("unit", ["目录排队等不没", "1", "等最慢", "“", "wait for the "])
def test_a_long_answer_is_read_in_bounded_time(suggester: Suggester, unit: str) -> None:
    started = time.monotonic()
    suggestion = suggest(suggester, "q1", unit * 20_000)
    assert time.monotonic() - started < 20  # measured: 2 s; unbounded digits took minutes
    assert Flag.LONG in suggestion.flags


def test_own_answers_that_no_pattern_was_tuned_on(suggester: Suggester) -> None:
    """Part b: no points for worthless answers, nothing off by more than half a point."""
    lines = map(json.loads, OWN.read_text(encoding="utf-8").splitlines()[1:])
    for marked in (one for one in lines if one["half"] == "b"):
        score = suggest(suggester, marked["question"], marked["answer"]).score
        if marked["score"] == 0:
            assert not score, marked["answer"]
        elif score is not None:
            assert abs(score - marked["score"]) <= 0.5, marked["answer"]
