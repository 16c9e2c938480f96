"""Near-identical answers are found, others are not, and nothing is compared in vain."""

from __future__ import annotations

import time
import tracemalloc

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.grading.batch.likeness import ALIKE, alike

LONG = "几万个进程同时在一个目录里建文件，目录的元数据被串行化，慢的那几个拖住屏障。"


def members(texts: dict[str, str]) -> list[tuple[str, ...]]:
    return [group.members for group in alike(texts)]


def test_spaces_punctuation_case_and_width_make_no_difference() -> None:
    one = "The slowest rank holds the barrier, always (GDS)."
    other = "the slowest  rank holds the barrier — always，ＧＤＳ"
    assert members({"b": one, "a": other, "c": LONG}) == [("a", "b")]


def test_an_added_word_is_still_alike_and_a_different_answer_is_not() -> None:
    texts = {
        "a": LONG,
        "b": LONG + "对吗",
        "c": "小随机读的时间主要花在路径查找和系统调用上，拷贝不是瓶颈。",
    }
    assert members(texts) == [("a", "b")]


def test_short_answers_are_alike_by_nature() -> None:
    assert alike({"a": "不能，只在本机。", "b": "不能，只在本机。"}) == []


def test_links_chain_into_one_group_and_the_least_likeness_is_told() -> None:
    # 36 and 39, 39 and 42 letters: with n-2 pieces, 34/37 and 37/40; 34/40 = 0.85 links the ends.
    letters = "".join(chr(0x4E00 + number) for number in range(42))
    groups = alike({"a": letters[:36], "b": letters[:39], "c": letters})
    assert [(group.members, group.least) for group in groups] == [(("a", "b", "c"), 0.85)]


@given(
    st.dictionaries(
        st.text("abcdef", min_size=1, max_size=3),
        st.text("xyzw", min_size=20, max_size=40),
        max_size=8,
    )
)
@settings(deadline=None)
def test_the_short_cut_finds_what_comparing_all_pairs_finds(texts: dict[str, str]) -> None:
    def pieces(text: str) -> set[str]:
        return {text[at : at + 3] for at in range(len(text) - 2)}

    linked = {
        frozenset((one, other))
        for one in texts
        for other in texts
        if one != other
        and len(pieces(texts[one]) & pieces(texts[other]))
        >= ALIKE * len(pieces(texts[one]) | pieces(texts[other]))
    }
    grouped = {name: group.members for group in alike(texts) for name in group.members}
    assert set(grouped) == {name for pair in linked for name in pair}
    for pair in linked:
        one, other = pair
        assert grouped[one] == grouped[other]


def test_a_class_of_a_thousand_takes_a_moment() -> None:
    texts = {f"s{n}": f"{n * 7919 % 10007} " * 3 + LONG[n % 20 :] + str(n) * 9 for n in range(1000)}
    started = time.monotonic()
    alike(texts)
    assert time.monotonic() - started < 20


def test_ten_thousand_of_one_text_take_a_moment_and_little_memory() -> None:
    texts = {f"s{n:05}": f"第 {n} 份：{LONG}{LONG[::-1]}" for n in range(10_000)}
    tracemalloc.start()
    started = time.monotonic()
    (group,) = alike(texts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(group.members) == len(texts)
    assert time.monotonic() - started < 60  # every pair: 50,000,000 comparisons
    assert peak < 400 * 2**20
