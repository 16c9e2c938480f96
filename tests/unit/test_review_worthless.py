"""Lesson 3: answers that hold the right words and earn nothing, and those that must not suffer."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.project import find_project
from autograder.review.lesson import lesson_suggester
from autograder.review.records import Flag, Suggestion
from autograder.review.suggest import Suggester

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def suggester() -> Suggester:
    return lesson_suggester(find_project(ROOT), "lesson03")


def suggest(suggester: Suggester, question: str, answer: str) -> Suggestion:
    asked = suggester.rubric.question(question)
    assert asked is not None
    return suggester.suggest(asked, answer)


WORTHLESS = {
    "talk": [
        (
            "q1",
            "要回答这个问题，我们必须从元数据、并发控制、同步机制以及存储介质几个角度出发，"
            "统筹考虑成本与收益，才能给出科学合理的答案。",
            Flag.KEYWORD_LIST,
        ),
        (
            "q2",
            "Checkpoint recoverability should be viewed as part of a broader resilience strategy. "
            "Replication, rescheduling and commit protocols each play an important role.",
            Flag.KEYWORD_LIST,
        ),
    ],
    "terms strung into sentences": [
        (
            "q2",
            "故障域的副本通过 manifest 体现了节点的原子性，调度器凭借对象存储把本地 NVMe "
            "转化为 commit，这就是可恢复的本质。",
            Flag.KEYWORD_LIST,
        ),
        (
            "q3",
            "page cache 是 bounce buffer 的一种固定开销，GDS 凭借预读实现了对齐的寻址，"
            "IOPS 由此成为注册的拷贝。",
            Flag.KEYWORD_LIST,
        ),
    ],
    "a chain told backwards": [
        (
            "q1",
            "长尾太长会让目录里的文件自动变多，文件变多以后条带就会缩短，"
            "条带缩短导致 rank 同时醒来。",
            Flag.WRONG_CONCLUSION,
        ),
        (
            "q2",
            "因为写了 manifest，所以节点更容易坏；节点坏了副本就会变多，副本变多又使得 NVMe "
            "变成远端存储，因此可以恢复。",
            Flag.WRONG_CONCLUSION,
        ),
    ],
    "right facts, wrong conclusion": [
        (
            "q1",
            "虽然大量进程会同时在一个目录里新建文件、互相等锁，但是这些都可以通过加机器解决，"
            "所以规模越大反而越稳定。",
            Flag.WRONG_CONCLUSION,
        ),
        (
            "q2",
            "可以先宣布，再慢慢复制到对端，等全部 rank 写完以后补上清单。",
            Flag.WRONG_CONCLUSION,
        ),
    ],
    "everything waved away": [
        (
            "q1",
            "MDS 处理请求不花时间，目录锁可以忽略，也没有掉队者，条带对齐更是免费的。",
            Flag.DENIES_MECHANISM,
        ),
    ],
    "a foreign cause": [
        ("q1", "因为驱动版本太旧，升级驱动就可以解决。", Flag.WRONG_CONCLUSION),
        ("q3", "因为风扇转得慢，显卡过热降频，散热好了就快了。", Flag.WRONG_CONCLUSION),
    ],
    "another question's answer": [
        (
            "q3",
            "不能，本地盘和节点一起丢，新机器读不到，需要复制到对象存储。",
            Flag.OFF_TOPIC,
        ),
        (
            "q2",
            "上万个 create 同时打到一个目录，目录锁排队，最慢的 rank 拖住 barrier。",
            Flag.OFF_TOPIC,
        ),
    ],
    "the question again": [
        (
            "q3",
            "为什么 GDS 省去了 CPU 拷贝，随机小样本读取却可能毫无收益？"
            "原因就在于随机小样本读取可能毫无收益。",
            Flag.PROMPT_COPY,
        ),
    ],
}


@pytest.mark.parametrize(
    ("question", "answer", "flag"), [case for cases in WORTHLESS.values() for case in cases]
)
def test_nothing_for(suggester: Suggester, question: str, answer: str, flag: Flag) -> None:
    suggestion = suggest(suggester, question, answer)
    assert suggestion.score == 0
    assert flag in suggestion.flags
    assert not any(link.present for link in suggestion.links)


@pytest.mark.parametrize(
    ("question", "answer", "score"),
    [
        # A retry does bring about more requests: no chain told backwards.
        ("q1", "同一目录的新建要排队，等得太久就超时重试，请求又变多，最慢的 rank 拖住大家。", 1.5),
        # A foreign thing that is named where a mechanism is told is no foreign cause.
        ("q1", "目录锁在排队，最慢的 rank 走不到栅栏，NCCL 报超时，其他人都在等它。", 1.5),
        # A bare conclusion that the question draws itself is one while it is short.
        ("q3", "可能没什么收益。", 0.5),
        # Half of the chain is waved away, half of it is told.
        ("q1", "写得太小，条带填不满，带宽浪费。元数据不是问题，也不存在排队。", 0.5),
        # The marker before the data is an error that bounds the score.
        (
            "q2",
            "不能。机器坏了盘也没了，新机器读不到，要复制到对端。先写 manifest，随后再传各个分片。",
            1.5,
        ),
    ],
)
def test_what_must_not_suffer(
    suggester: Suggester, question: str, answer: str, score: float
) -> None:
    assert suggest(suggester, question, answer).score == score


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("目录锁在排队。把其他租户的任务挂起就是。", 1),
        ("目录锁在排队，最慢的 rank 拖住栅栏。把其他租户的任务挂起就是。", 1),
        ("写得太小，条带填不满。均值才 2 ms，没有问题，个别的慢可以忽略。", 0.5),
    ],
)
def test_a_veto_leaves_the_score_of_one_mechanism_unless_it_denies_one(
    suggester: Suggester, answer: str, score: float
) -> None:
    suggestion = suggest(suggester, "q1", answer)
    assert suggestion.vetoes
    assert suggestion.score == score
