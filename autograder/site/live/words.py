"""What the live exercise says by itself, in the lesson's language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveWords:
    """What the page says around an exercise.

    Attributes:
        script: What the page's script says, by the script's own names.
        here: Above an exercise that runs: the lesson's words around it speak of the notebook.
        hints: After it, where the exercise has hints.
        offer: Before the first run, with `{python}` and `{size}` (MB).
        absent: Where the build had no Pyodide.
        foreign: Where a package is needed that the page's Python lacks, with `{names}`.
        scriptless: Where the browser runs no scripts.
    """

    script: Mapping[str, Any]
    here: str
    hints: str
    offer: str
    absent: str
    foreign: str
    scriptless: str


_ZH = LiveWords(
    script={
        "editor": "{id} 的代码",
        "run": "运行并检查",
        "stop": "停止",
        "restore": "还原",
        "keys": "Ctrl+Enter 运行；Tab 缩进，按 Esc 之后 Tab 离开编辑框",
        "unkept": "这个浏览器没有存下你的代码：离开前请把它复制出来。",
        "loading": "正在载入并启动 Python，头一次要几秒……",
        "running": "正在运行……",
        "long": "已经跑了 10 秒还没有结束，可能是死循环：可以按「停止」。",
        "stopped": "停下了。代码还在，改好之后再运行一次。",
        "broken": "这个浏览器没能运行 Python（{why}）。请换一个新一些的浏览器，或在笔记本里做。",
        "error": "第 {line} 行出错：{text}",
        "syntax": "第 {line} 行不合 Python 的语法：{text}",
        "test": "看得见的检查 {label}：{outcome}",
        "colon": "，",
        "output": "打印出来的：",
        "outcomes": {
            "passed": "通过",
            "failed": "没有通过",
            "not attempted": "还没做",
            "cannot tell": "要由教师判断",
        },
    },
    here="网页版：直接在下面的框里填写并运行；课文里讲单元格的话是给笔记本的。",
    hints="提示就在下方折叠着。",
    offer=(
        "在这一页里运行的是真正的 Python {python}，第一次按「运行并检查」时才载入，共 {size} MB，"
        "和页面放在一起，不向别的网站要任何东西。检查与笔记本里的一样；评分用的隐藏检查不在这里。"
    ),
    absent=(
        "这份网页没有带上 Python，所以不能在这里运行；可以先写在这里，再复制到笔记本里运行和检查。"
    ),
    foreign=(
        "这一题用到 {names}，网页里的 Python 没有；可以先写在这里，再复制到笔记本里运行和检查。"
    ),
    scriptless="在这里改写和运行要打开浏览器的 JavaScript；没有它，请在笔记本里做这一题。",
)
_EN = LiveWords(
    script={
        "editor": "Code of {id}",
        "run": "Run and check",
        "stop": "Stop",
        "restore": "Restore",
        "keys": "Ctrl+Enter runs; Tab indents, Esc and then Tab leaves the editor",
        "unkept": "This browser did not keep your code: copy it before you leave.",
        "loading": "Loading and starting Python; the first time takes some seconds ...",
        "running": "Running ...",
        "long": "It has run for 10 seconds: perhaps a loop that never ends. Stop it if you like.",
        "stopped": "Stopped. Your code is still there: mend it and run it again.",
        "broken": (
            "This browser could not run Python ({why}). Take a newer one, or work in the notebook."
        ),
        "error": "Line {line} failed: {text}",
        "syntax": "Line {line} is not Python: {text}",
        "test": "Visible check {label}: {outcome}",
        "colon": ": ",
        "output": "Printed:",
        "outcomes": {
            "passed": "passed",
            "failed": "not passed",
            "not attempted": "not done yet",
            "cannot tell": "a teacher has to judge",
        },
    },
    here=(
        "On this page: fill in and run the code in the box below; what the text says of cells is "
        "for the notebook. "
    ),
    hints="The hints are folded below.",
    offer=(
        "This page runs real Python {python}. It is loaded when you first press Run, {size} MB, "
        "from beside the page and from nowhere else. The checks are the notebook's; the hidden "
        "ones that grade are not here."
    ),
    absent=(
        "This copy of the page came without Python, so nothing runs here. "
        "Write your code, then copy it into the notebook to run and check it."
    ),
    foreign=(
        "This exercise needs {names}, which the page's Python lacks. "
        "Write your code, then copy it into the notebook to run and check it."
    ),
    scriptless="Editing and running here needs JavaScript; without it, work in the notebook.",
)


def live_words(lang: str) -> LiveWords:
    """Return the words for a language, BCP 47; English for what is not Chinese."""
    return _ZH if lang.lower().startswith("zh") else _EN
