"""Practice after the lesson: one condition changes, with new numbers from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable

from lessons.classroom.practice import Asked, Problem
from lessons.lesson03 import bandwidth

_CODES = ((8, 2), (8, 3), (8, 4), (4, 2))
_NO_W = ("像是没有乘写放大 W", "W seems to be left out")
_TWICE = ("B 是客户端量的，放大已在里面，W 取 1", "B was measured at the client: W is 1")
_NO_SHARE = ("像是没有扣掉别人占去的那一份", "the share of the others seems to be left out")


def problem(number: int) -> Problem:
    """Return practice problem `number`; the same number always gives the same problem."""
    makers: tuple[Callable[[random.Random], Problem], ...] = (
        *(_larger, _shared, _at_client, _lost_node),
    )
    rng = random.Random(number)  # noqa: S311 - reproducible numbers, not secrets
    return makers[(number - 1) % len(makers)](rng)


def _larger(rng: random.Random) -> Problem:
    size, backend, interval, code = _numbers(rng)
    factor = rng.choice([1.5, 2, 2.5, 3])
    amplification = float(bandwidth.erasure_amplification(*code))
    return Problem(
        question=(
            f"S = {size:g} TB，后端裸介质 B = {backend:g} GB/s，纠删码 {code[0]}+{code[1]}，"
            f"T = {interval:g} s；只改一个条件：模型变大，S 变成 {factor:g} 倍。",
            f"S = {size:g} TB, raw media B = {backend:g} GB/s, erasure code {code[0]}+{code[1]}, "
            f"T = {interval:g} s; one change: the model grows and S is {factor:g} times as large.",
        ),
        asked=_dump_and_average(
            size * factor, backend, amplification, interval, slip=(1 / amplification, _NO_W)
        ),
    )


def _shared(rng: random.Random) -> Problem:
    size, backend, interval, _ = _numbers(rng)
    share = rng.choice([20, 25, 40, 50, 60, 75])
    free = backend * (1 - share / 100)
    dump, average = _dump_and_average(size, free, 1, interval, slip=(free / backend, _NO_SHARE))
    unchanged = ("需求不因邻居而变", "the need does not change with the neighbours")
    slips = (
        (average.value * (1 - share / 100), unchanged),
        (average.value * free / backend, unchanged),
    )
    return Problem(
        question=(
            f"S = {size:g} TB，IOR 在客户端量得后端 {backend:g} GB/s，T = {interval:g} s；"
            f"只改一个条件：另一个团队长期占去 {share} %。",
            f"S = {size:g} TB, IOR measured {backend:g} GB/s at the client, T = {interval:g} s; "
            f"one change: another team takes {share} % of it for good.",
        ),
        asked=(
            dump,
            Asked(
                name=average.name,
                unit=average.unit,
                value=average.value,
                formula=average.formula,
                slips=slips,
            ),
        ),
    )


def _at_client(rng: random.Random) -> Problem:
    size, backend, interval, code = _numbers(rng)
    amplification = float(bandwidth.erasure_amplification(*code))
    return Problem(
        question=(
            f"S = {size:g} TB，T = {interval:g} s，介质是 {code[0]}+{code[1]} 纠删码；"
            f"只改一个条件：B = {backend:g} GB/s 改由 fio 在客户端量得。",
            f"S = {size:g} TB, T = {interval:g} s, the media use erasure code "
            f"{code[0]}+{code[1]}; one change: B = {backend:g} GB/s was measured with fio at the "
            "client.",
        ),
        asked=_dump_and_average(size, backend, 1, interval, slip=(amplification, _TWICE)),
    )


def _lost_node(rng: random.Random) -> Problem:
    interval = float(rng.choice([300, 600, 900, 1200, 1800]))
    commit = float(rng.choice([60, 90, 150, 240, 280]))
    save = rng.randint(4, 40)
    after = rng.randint(5, int(commit) - 5)
    worst = float(bandwidth.recovery_point_s(interval, commit))
    return Problem(
        question=(
            f"T = {interval:g} s，从开始保存到提交要 T_commit = {commit:g} s；"
            f"只改一个条件：第 {save} 次保存开始后 {after} s，一个节点断电，没有对端副本。"
            "k 是能恢复到的那一次。",
            f"T = {interval:g} s, and a save takes T_commit = {commit:g} s until it is committed; "
            f"one change: {after} s after save {save} began a node loses power, and no peer has "
            "a copy. k is the save that can be restored.",
        ),
        asked=(
            Asked(
                name="k", unit="", value=save - 1,
                formula=("最近一次已提交的", "the last one that was committed"),
                slips=((save, ("那一次还没有提交，对恢复来说不存在",
                               "that save was not committed: for recovery it does not exist")),),
            ),
            Asked(
                name="RPO_max", unit="s", value=worst,
                formula=("最坏恢复点 T + T_commit", "the worst recovery point, T + T_commit"),
                slips=((interval, ("提交之前的时间也要算进去",
                                   "the time until the commit counts, too")),),
            ),
        ),
    )  # fmt: skip


def _numbers(rng: random.Random) -> tuple[float, float, float, tuple[int, int]]:
    """Return S in TB, B in GB/s, T in seconds and an erasure code (k, m)."""
    size = rng.choice([0.9, 1.2, 1.8, 2.4, 3.2, 4.5, 5.6, 7.2, 8, 12])
    backend = rng.choice([5, 8, 12, 15, 16, 20, 25, 40])
    return size, backend, float(rng.choice([300, 450, 600, 900, 1200, 1500])), rng.choice(_CODES)


def _dump_and_average(
    size: float,
    backend: float,
    amplification: float,
    interval: float,
    *,
    slip: tuple[float, tuple[str, str]],
) -> tuple[Asked, Asked]:
    """Return T_dump and B_avg; a slip multiplies both by a factor."""
    written = bandwidth.physical_bytes(size * 1e12, amplification)
    dump = float(bandwidth.dump_time_s(written, backend * 1e9))
    average = float(bandwidth.required_average_Bps(written, interval))
    factor, why = slip
    in_gb = ("数字像是 GB/s，这里要 B/s", "this seems to be in GB/s; B/s is asked for")
    return (
        Asked(
            name="T_dump", unit="s", value=dump, formula=("S × W ÷ B", "S × W ÷ B"),
            slips=((dump * factor, why),),
        ),
        Asked(
            name="B_avg", unit="B/s", value=average, formula=("S × W ÷ T", "S × W ÷ T"),
            slips=((average * factor, why), (average / 1e9, in_gb)),
        ),
    )  # fmt: skip
