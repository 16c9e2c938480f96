"""What the examiner says to learners, in Chinese and in English: templates and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from autograder.grading.wall import Kind

_ZH: Final = MappingProxyType(
    {
        "returned-kind": "{name} 返回了{kind}，应返回普通数据（数、元组、列表…）。",
        "is-kind": "{name} 是{kind}，应为普通数据（数、元组、列表…）。",
        "unreadable": "{name} 的结果无法读取。",
        "timeout": "运行 {name} 超过了时间上限，被停止。",
        "crashed": "运行 {name} 时进程意外退出。",
        "missing": "没有找到 {name}。",
        "misuse": "{name} 是函数，测试需要的是普通数据。",
        "assert": "检查 `{source}` 未通过。",
        "assert-message": "检查 `{source}` 未通过：{message}",
        "raised": "执行检查 `{source}` 时，{name} 引发了 {error}。",
        "error": "执行检查 `{source}` 时出现 {error}。",
        "hidden": "隐藏测试{category}未通过。",
        "hidden-raised": "隐藏测试{category}中，{name} 引发了 {error}。",
        "normal": "（普通输入）",
        "boundary": "（边界输入）",
        "partial": "得到部分分：{score:g} / {points:g}。",
        "person": "这一题由老师判定。",
        "not-attempted": "这个空还没有填写。",
        "own-error": "这一题的测试本身出错，由老师处理。",
        "own-timeout": "检查结果超过了时间上限，被停止。",
        "limits": "检查这个结果超出了时间或内存上限。",
        Kind.GENERATOR: "生成器",
        Kind.COROUTINE: "协程",
        Kind.ITERATOR: "迭代器",
        Kind.VIEW: "字典视图",
        Kind.RANGE: " range 对象",
        Kind.FUNCTION: "函数",
        Kind.CLASS: "类",
        Kind.MODULE: "模块",
        Kind.EXCEPTION: "异常对象",
        Kind.ARRAY: "元素不是数的数组",
        Kind.BROKEN_TEXT: "含有残缺字符的文本",
        Kind.TOO_DEEP: "嵌套过深的数据",
        Kind.TOO_LARGE: "过大的数据",
        Kind.OBJECT: "其他类型的对象",
    }
)
_EN: Final = MappingProxyType(
    {
        "returned-kind": "{name} returned {kind}; expected: plain data (numbers, tuples, lists).",
        "is-kind": "{name} is {kind}; expected: plain data (numbers, tuples, lists).",
        "unreadable": "The result of {name} could not be read.",
        "timeout": "{name} ran past the time limit and was stopped.",
        "crashed": "The process ended unexpectedly while {name} ran.",
        "missing": "There is no {name}.",
        "misuse": "{name} is a function; the test needs plain data.",
        "assert": "The check `{source}` did not pass.",
        "assert-message": "The check `{source}` did not pass: {message}",
        "raised": "In the check `{source}`, {name} raised {error}.",
        "error": "The check `{source}` ended with {error}.",
        "hidden": "A hidden test{category} did not pass.",
        "hidden-raised": "In a hidden test{category}, {name} raised {error}.",
        "normal": " (normal inputs)",
        "boundary": " (boundary inputs)",
        "partial": "Part of the points: {score:g} / {points:g}.",
        "person": "A person decides on this one.",
        "not-attempted": "This blank is not filled in yet.",
        "own-error": "The test of this question failed by itself; a teacher will see to it.",
        "own-timeout": "Checking the result ran past the time limit and was stopped.",
        "limits": "Checking this result went over the time or memory limit.",
        Kind.GENERATOR: "a generator",
        Kind.COROUTINE: "a coroutine",
        Kind.ITERATOR: "an iterator",
        Kind.VIEW: "a dict view",
        Kind.RANGE: "a range",
        Kind.FUNCTION: "a function",
        Kind.CLASS: "a class",
        Kind.MODULE: "a module",
        Kind.EXCEPTION: "an exception object",
        Kind.ARRAY: "an array of something other than numbers",
        Kind.BROKEN_TEXT: "text with broken characters",
        Kind.TOO_DEEP: "data nested too deep",
        Kind.TOO_LARGE: "data that is too large",
        Kind.OBJECT: "an object of another type",
    }
)


def words(lang: str) -> Mapping[str, str]:
    """The sentences of a language (BCP 47): Chinese, else English."""
    return _ZH if lang.lower().startswith("zh") else _EN
