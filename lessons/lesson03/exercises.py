"""What `check` can say about lesson 3's exercises: only what the notebook shows, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lessons.classroom.examples import (
    Example,
    Exercise,
    Sentences,
    close,
    function_judge,
)
from lessons.classroom.gap import NotAttempted, holds_blank
from lessons.classroom.shown import shown
from lessons.classroom.verdict import Verdict, cannot_tell, correct, incorrect, not_attempted

_SHOWN = (4e12, 10e9, 1.5, 1800)
_EXAMPLES = (
    Example(args=_SHOWN, expected=(600.0, 3333333333.3333335)),
    Example(args=(4e12, 10e9, 1.5, 300), expected=(600.0, None)),
    Example(args=(0, 10e9, 1.5, 1800), expected=ValueError),
)
_EXPECTED_NUMBERS = 2
_TOLERANCE = 1e-3


def _suspicion(example: Example, result: tuple[float, ...]) -> Sentences | None:
    """Say what a wrong average looks like; how to put it right is the learner's to find."""
    if example.args != _SHOWN or not close(result[0], 600.0):
        return None
    size, backend, amplification, _ = _SHOWN
    burst, right = size * amplification / backend, 3333333333.3333335
    looks: tuple[tuple[float, Sentences], ...] = (
        (backend, ("这是写的时候后端给出的带宽 B 本身，不是摊到整个周期的平均",
                   "this is the backend's own bandwidth B, not the average over the whole period")),
        (size / burst, ("这像是只看了写的那一段时间，也没有算写放大",
                        "this looks at the time of writing only, and leaves out W")),
        (right / amplification, ("这里少算了写放大 W", "this leaves out the amplification W")),
        (right * amplification, ("写放大 W 像是乘了两次", "W seems to be counted twice")),
        (right / 1e9, ("数字像是 GB/s，这里要 B/s", "this seems to be in GB/s; B/s is asked for")),
        (right / 2**30, ("数字像是 GiB/s，这里要 B/s",
                          "this seems to be in GiB/s; B/s is asked for")),
        (right * 8, ("数字像是比特每秒，这里要 B/s", "this seems to be in bits; B/s is asked for")),
        (burst, ("第二个数也是时间，这里要的是带宽", "the second number is a time, too")),
    )  # fmt: skip
    found = next((why for value, why in looks if close(result[1], value, 1e-9)), None)
    if found is None and close(result[1], right, 1e-4):
        found = (
            "很接近，但有舍入：直接算，不要取整，也不要写死一个数",
            "close, but rounded: compute it, neither round nor write a fixed number",
        )
    return found


def _unlike(results: Sequence[tuple[float, ...]]) -> Sentences | None:
    """A shorter interval must be felt in the average."""
    first, second = results[0][1], results[1][1]
    if not close(first, second, 1e-9):
        return None
    return (
        f"T 由 1800 变成 300，required_average 却没有变，两次都是 {shown(first)}："
        "同样的字节摊到短得多的周期上，不该一样。",
        f"T went from 1800 to 300 and required_average stayed {shown(first)}: the same bytes over "
        "a much shorter period cannot need the same.",
    )


def _boundary_case(name: str, names: Mapping[str, Any]) -> Verdict:
    """Judge the learner's own case by its form, its place, and the learner's own function."""
    if name not in names:
        return not_attempted(
            f"还没有定义 {name}：先运行那一格。", f"there is no {name} yet: run its cell first."
        )
    case = names[name]
    if holds_blank(case):
        return not_attempted(
            f"{name} 里还有 ______：填上 args 的四个数和你预期的 expect。",
            f"{name} still holds ______: fill in four numbers for args, and what you expect.",
        )
    if type(case) is not dict or set(case) != {"args", "expect"}:
        return cannot_tell(
            f"{name} 应是恰好含 args 和 expect 的字典，现在是 {shown(case)}；别的写法由教师判断。",
            f"{name} should be a dict of just args and expect, it is {shown(case)}; "
            "a teacher judges other forms.",
        )
    args = case["args"]
    if not isinstance(args, tuple | list) or [v for v in args if type(v) not in {int, float}]:
        return cannot_tell(
            f"args 应是四个数 (S, B, W, T)，现在是 {shown(args)}；别的写法由教师判断。",
            f"args should be four numbers (S, B, W, T), it is {shown(args)}; "
            "a teacher judges other forms.",
        )
    return _placed(tuple(args), case["expect"], names.get("checkpoint_io"))


def _placed(args: tuple[float, ...], expect: object, function: Any) -> Verdict:
    if len(args) != len(_SHOWN):
        return incorrect(
            f"args 要四个数 (S, B, W, T)，现在有 {len(args)} 个。",
            f"args takes four numbers (S, B, W, T), there are {len(args)}.",
        )
    if args == _SHOWN:
        return incorrect(
            f"{shown(args)} 就是课文给的那一组，请换一组边界上的。",
            f"{shown(args)} is the one the lesson gives; choose another, on a boundary.",
        )
    size, backend, amplification, interval = args
    inside = min(args) > 0 and amplification != 1 and size * amplification / backend < interval
    if inside and not close(size * amplification / backend, interval, 1e-9):
        return cannot_tell(
            f"{shown(args)} 不在列出的四种边界上，要由教师判断。",
            f"{shown(args)} lies on none of the four boundaries listed; a teacher has to judge it.",
        )
    return _agreed(args, expect, function)


def _agreed(args: tuple[float, ...], expect: object, function: Any) -> Verdict:
    """Compare the expectation with what the learner's own function does."""
    call = f"checkpoint_io{shown(args)}"
    try:
        came = function(*args)
    except NotAttempted:
        came = None
    except Exception as error:  # whatever it raises is what came
        came = type(error)
    if came is None or holds_blank(came):
        return cannot_tell(
            "输入在边界上；先把 checkpoint_io 填好，才能和你的预期对一对。",
            "the input lies on a boundary; fill in checkpoint_io first to compare the two.",
        )
    if _same(came, expect):
        return correct(
            f"{call} 的结果与你的预期 {shown(expect)} 一致；评分按参考实现核对。",
            f"{call} gives what you expect, {shown(expect)}; grading compares with a reference.",
        )
    return incorrect(
        f"你预期 {shown(expect)}，你的 {call} 给出 {shown(came)}：两者有一个要改。",
        f"you expect {shown(expect)}, your {call} gives {shown(came)}: "
        "one of the two has to change.",
    )


def _same(came: object, expect: object) -> bool:
    if isinstance(came, type) or isinstance(expect, type):
        return came is expect
    pairs = [came, expect]
    if any(not isinstance(p, tuple | list) or len(p) != _EXPECTED_NUMBERS for p in pairs):
        return False
    both = zip(came, expect, strict=True)  # type: ignore[call-overload]  # two sequences
    return all(
        isinstance(a, int | float) and isinstance(b, int | float) and close(a, b, _TOLERANCE)
        for a, b in both
    )


EXERCISES = (
    Exercise(
        name="checkpoint_io",
        judge=function_judge(_EXAMPLES, suspicion=_suspicion, unlike=_unlike),
    ),
    Exercise(name="my_boundary_case", judge=_boundary_case),
)
