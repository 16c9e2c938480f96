"""The desk: order, turns, allocation, suggestions only after twenty, bulk, groups, criteria."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.grading.records import Question
from autograder.review.desk.agreement import agreement
from autograder.review.desk.allocation import allocation_of, reader_of
from autograder.review.desk.answers import Answer, ClassAnswers, digest
from autograder.review.desk.criteria import proposals
from autograder.review.desk.decisions import (
    Reading,
    StaleAnswerError,
    bulk_marks,
    criterion,
    group_marks,
    mark,
    reopening,
    veto,
)
from autograder.review.desk.desk import WHOLE, Desk, Standing
from autograder.review.log.events import How, Mark
from autograder.review.log.logfile import ReviewLog
from autograder.review.records import LinkReading, Suggestion
from autograder.rubric import Rubric, load_rubric
from tests.review_class import entry_of

ROOT = Path(__file__).resolve().parents[3]
QUESTIONS = tuple(
    Question(grade_id=name, points=points, manual=True)
    for name, points in (("explanation", 1.0), ("q1", 2.0), ("q2", 2.0), ("q3", 2.0))
)


@pytest.fixture(scope="module")
def rubric() -> Rubric:
    return load_rubric(ROOT / "solutions/lesson03/rubric.toml", "rubric.toml")


def fake(_: object, text: str) -> Suggestion:
    """What the text says should be suggested: `right 2 0.9`, `unclear`, `veto 1 0.9`."""
    word, *rest = text.split()[:3]
    links = (LinkReading(id="tail", present=True, evidence=((0, len(word)),)),)
    if word == "unclear":
        return Suggestion(score=None, confidence=0, case="unclear")
    vetoes = ("mean_hides_tail",) if word == "veto" else ()
    return Suggestion(
        score=float(rest[0]), confidence=float(rest[1]), case="x", links=links, vetoes=vetoes
    )


def answers_of(texts: dict[str, dict[str, str]]) -> ClassAnswers:
    rows: dict[str, dict[str, Answer]] = {one.grade_id: {} for one in QUESTIONS}
    for student, written in texts.items():
        for question, text in written.items():
            rows[question][student] = Answer(
                student=student, question=question, text=text, digest=digest(text)
            )
    return ClassAnswers(
        questions=QUESTIONS, entries={name: entry_of(name) for name in texts}, by_question=rows
    )


class Room:
    """A desk with its log."""

    def __init__(self, out: Path, rubric: Rubric, texts: dict[str, dict[str, str]]) -> None:
        self.log = ReviewLog(out, "lesson03")
        self.log.begin()
        self.rubric = rubric
        self.regraded(texts)

    def regraded(self, texts: dict[str, dict[str, str]]) -> None:
        self.desk = Desk(answers_of(texts), self.rubric, fake, self.log.state)

    def answer(self, student: str, question: str = "q1") -> Answer:
        found = self.desk.answers.answer(student, question)
        assert found is not None
        return found

    def give(
        self,
        student: str,
        score: float,
        *,
        by: str = "甲",
        question: str = "q1",
        links: tuple[str, ...] = (),
    ) -> Mark:
        answer = self.answer(student, question)
        newest = self.log.state.mark(student, question)
        reading = Reading(
            by=by,
            score=score,
            comment="",
            links=links,
            based_on=newest.seq if newest else 0,
            answer=answer.digest,
        )
        (event,) = self.log.append(lambda _: [mark(self.desk, answer, reading)])
        assert isinstance(event, Mark)
        return event


def class_of(count: int, text: str = "right 2 0.9 {n}") -> dict[str, dict[str, str]]:
    return {f"s{n:03}": {"q1": text.format(n=n)} for n in range(count)}


def test_everybody_is_read_once_whoever_reads(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(6))
    read = []
    for by in ("甲", "乙", "甲", "乙", "甲", "乙"):
        student = room.desk.next("q1", by)
        assert student is not None
        room.give(student, 1, by=by)
        read.append(student)
    assert sorted(read) == sorted(class_of(6))
    assert room.desk.next("q1", "甲") is None
    assert room.desk.count("q1", "甲").done == 6


def test_two_do_not_get_the_same_answer(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(3))
    first = room.desk.next("q1", "甲")
    second = room.desk.next("q1", "乙")
    assert first != second
    assert room.desk.next("q1", "甲") == first  # a page loaded anew
    assert room.desk.next("q1", "甲", after=first) not in (first, second)


def test_the_order_is_not_the_class_lists(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(30))
    order = room.desk.order("q1").students
    assert sorted(order) == sorted(class_of(30))
    assert list(order) != sorted(order)


LONG = "所有进程在同一时刻新建文件，都要修改同一个目录，元数据服务只能一个一个处理，所以排队"


def test_what_is_alike_is_read_together(tmp_path: Path, rubric: Rubric) -> None:
    texts = class_of(20)
    for student in ("s003", "s011", "s017"):
        texts[student] = {"q1": f"right 2 0.9 {LONG}"}
    texts["s017"] = {"q1": f"right 2 0.9 {LONG}。"}
    order = Room(tmp_path, rubric, texts).desk.order("q1")
    places = sorted(order.students.index(name) for name in ("s003", "s011", "s017"))
    assert places[2] - places[0] == 2
    assert set(order.group["s003"]) == {"s003", "s011", "s017"}
    assert "s000" not in order.group


def test_a_group_gets_the_mark_of_one(tmp_path: Path, rubric: Rubric) -> None:
    texts = {name: {"q1": f"right 2 0.9 {LONG}"} for name in ("a", "b", "c")}
    room = Room(tmp_path, rubric, texts)
    with pytest.raises(UsageError, match="no mark yet"):
        group_marks(room.desk, room.answer("a"), "甲")
    room.give("a", 1.5, links=("tail",))
    room.give("b", 0, by="乙")
    room.log.append(lambda _: group_marks(room.desk, room.answer("a"), "甲"))
    marked = room.log.state.mark("c", "q1")
    assert marked is not None
    assert (marked.score, marked.how, marked.links) == (1.5, How.GROUP, ("tail",))
    other = room.log.state.mark("b", "q1")
    assert other is not None
    assert (other.score, other.by) == (0, "乙")


def test_allocation_by_question_and_by_student() -> None:
    names = [one.grade_id for one in QUESTIONS]
    shared = allocation_of("question", ["甲", " 乙 ", "甲", ""], at="", by="甲", based_on=0)
    assert shared.graders == ("甲", "乙")
    assert [reader_of(shared, "s1", name, names) for name in names] == ["甲", "乙", "甲", "乙"]
    dealt = allocation_of("student", ["甲", "乙", "丙"], at="", by="甲", based_on=0)
    readers = {f"s{n}": reader_of(dealt, f"s{n}", "q1", names) for n in range(300)}
    assert all(70 <= count <= 130 for count in Counter(readers.values()).values())
    assert all(reader_of(dealt, student, "q3", names) == who for student, who in readers.items())
    assert reader_of(None, "s1", "q1", names) is None
    with pytest.raises(UsageError, match="Name the graders"):
        allocation_of("student", [" "], at="", by="甲", based_on=0)


def test_each_reads_their_own_part(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(12))
    room.log.append(lambda _: [allocation_of("student", ["甲", "乙"], at="", by="甲", based_on=0)])
    mine, others = set(room.desk.mine("q1", "甲")), set(room.desk.mine("q1", "乙"))
    assert mine | others == set(class_of(12))
    assert not mine & others
    assert room.desk.next("q1", "甲") in mine
    assert room.desk.next("q1", "丙") is None


def test_suggestions_come_after_twenty_marks_of_ones_own(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(30))
    for n in range(20):
        assert not room.desk.agreement("甲", "q1").enough
        assert room.give(f"s{n:03}", 2 if n < 15 else 1.5 if n < 18 else 0).blind
    known = room.desk.agreement("甲", "q1")
    assert (known.enough, known.told, known.exact, known.within_half) == (True, 20, 15, 18)
    assert not room.desk.agreement("乙", "q1").enough
    assert not room.desk.agreement("甲", "q2").enough
    assert not room.give("s025", 2).blind
    assert room.desk.agreement("甲", "q1").blind == 20


def test_marking_one_answer_again_is_not_another(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(3))
    for n in range(25):
        room.give("s000", (n % 5) / 2)
    assert room.desk.agreement("甲", "q1").blind == 1


def test_an_untold_suggestion_is_no_disagreement() -> None:
    marks = [
        Mark(at="", by="甲", student=name, question="q1", answer="", score=1, suggested=suggested)
        for name, suggested in (("a", 1.0), ("b", None), ("c", 0.0))
    ]
    known = agreement(marks)
    assert (known.blind, known.told, known.exact, known.within_half) == (3, 2, 1, 1)


def test_bulk_takes_only_what_is_sure_open_and_free_of_doubt(
    tmp_path: Path, rubric: Rubric
) -> None:
    texts = class_of(20) | {
        "sure": {"q1": "right 1.5 0.9 a"},
        "unsure": {"q1": "right 1.5 0.89 b"},
        "untold": {"q1": "unclear"},
        "veto": {"q1": "veto 1 0.95"},
        "appeal": {"q1": "right 2 0.99 c"},
    }
    room = Room(tmp_path, rubric, texts)
    room.give("appeal", 1, by="乙")
    room.log.append(lambda _: [reopening("appeal", by="乙", reason="")])
    with pytest.raises(UsageError, match="has marked 0 answers"):
        bulk_marks(room.desk, "q1", "甲", 0.9)
    for n in range(20):
        room.give(f"s{n:03}", 2)
    (found,) = bulk_marks(room.desk, "q1", "甲", 0.9)
    assert (found.student, found.score, found.how, found.above) == ("sure", 1.5, How.BULK, 0.9)
    assert not found.blind
    assert {one.student for one in bulk_marks(room.desk, "q1", "甲", 0.5)} == {"sure", "unsure"}
    for above in (float("nan"), 0, -1, 1.01, float("inf")):
        with pytest.raises(UsageError, match="no confidence"):
            bulk_marks(room.desk, "q1", "甲", above)


def test_regrade_keeps_a_mark_or_asks(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(2))
    room.give("s000", 1.5)
    room.give("s001", 2)
    room.regraded({"s000": {"q1": "right 2 0.9 0"}, "s001": {"q1": "right 2 0.9 another"}})
    assert room.desk.standing(room.answer("s000")) is Standing.MARKED
    assert room.desk.standing(room.answer("s001")) is Standing.CHANGED
    assert room.desk.next("q1", "甲") == "s001"
    assert room.desk.marks("s001") == {}
    kept = room.log.state.mark("s001", "q1")
    assert kept is not None
    assert kept.score == 2  # shown beside the new answer
    room.give("s001", 0.5)
    assert room.desk.standing(room.answer("s001")) is Standing.MARKED


def test_an_answer_that_changed_under_the_readers_eyes(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(1))
    reading = Reading(by="甲", score=1, comment="", links=(), based_on=0, answer="of before")
    with pytest.raises(StaleAnswerError):
        mark(room.desk, room.answer("s000"), reading)


@pytest.mark.parametrize("score", [2.5, -0.5, 0.7, float("nan"), float("inf"), 1e308])
def test_points_are_the_questions(tmp_path: Path, rubric: Rubric, score: float) -> None:
    room = Room(tmp_path, rubric, class_of(1))
    with pytest.raises(UsageError, match=r"0 to 2 in steps of 0\.5"):
        room.give("s000", score)


def given(question: str, score: float, links: tuple[str, ...] = ()) -> Mark:
    return Mark(at="", by="甲", student="s", question=question, answer="", score=score, links=links)


def test_criteria_follow_from_marks_or_stay_open(rubric: Rubric) -> None:
    chains = {name: given(name, 1) for name in ("q1", "q2", "q3")}
    assert proposals(rubric, chains) == {
        "causal_chains": True,
        "correctness_boundary": None,
        "tradeoff": None,
    }
    assert proposals(rubric, chains | {"q2": given("q2", 0.5)})["causal_chains"] is False
    del chains["q3"]
    assert proposals(rubric, chains)["causal_chains"] is None
    said = {"explanation": given("explanation", 1, ("boundary", "tradeoff"))}
    assert proposals(rubric, said)["tradeoff"] is True
    assert proposals(rubric, said)["correctness_boundary"] is None


def test_a_submission_is_done_when_its_criteria_are(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(1))
    for name in ("causal_chains", "correctness_boundary", "tradeoff"):
        assert room.desk.is_open("s000", WHOLE)
        room.log.append(
            lambda _, name=name: [
                criterion(room.desk, "s000", name, value=True, by="甲", based_on=0)
            ]
        )
    assert not room.desk.is_open("s000", WHOLE)
    with pytest.raises(UsageError, match="checks_passed"):
        criterion(room.desk, "s000", "checks_passed", value=True, by="甲", based_on=0)


def test_who_wrote_nothing_may_have_a_veto_proposed(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, {"s1": {}, "s2": {}})
    room.desk.answers.entries["s2"].proposed_vetoes.append("removes_failure_path")
    assert room.desk.order(WHOLE).students == ("s2",)
    assert room.desk.next(WHOLE, "甲") == "s2"


def test_a_veto_needs_its_reason(tmp_path: Path, rubric: Rubric) -> None:
    room = Room(tmp_path, rubric, class_of(1))
    about = {"question": "q1", "by": "甲", "based_on": 0}
    with pytest.raises(UsageError, match="needs its reason"):
        veto(room.desk, "s000", "mean_hides_tail", standing=True, reason=" ", **about)
    with pytest.raises(UsageError, match="no veto"):
        veto(room.desk, "s000", "mean", standing=True, reason="x", **about)
    assert not veto(room.desk, "s000", "mean_hides_tail", standing=False, reason="", **about).reason
