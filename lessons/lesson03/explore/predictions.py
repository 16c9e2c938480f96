"""Predictions a learner makes before anything moves: kept beside the notebook, never scored."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from IPython.core.getipython import get_ipython

FILE_NAME = ".predictions-lesson03.json"


@dataclass(frozen=True, kw_only=True)
class Question:
    """A prediction worth making.

    Attributes:
        number: As in the lesson's list.
        text: What is asked.
        move: What to do to see it, in words.
    """

    number: int
    text: str
    move: str


QUESTIONS = {
    "dump_time": Question(
        number=1,
        text="W 从 1.5 改成 3：写完的时间 T_dump 和平均带宽 B_avg 各变成几倍？",
        move="把 W 改成 3",
    ),
    "amplification": Question(
        number=2, text="B 是 fio 量的，算时间时 W 该填几？", move="勾上「B 是客户端实测」"
    ),
    "duty_cycle": Question(
        number=3,
        text="例题里 B 只有 3.33 GB/s，「平均刚好够」，还剩多少余量？",
        move="把 B 降到 3.33 GB/s",
    ),
    "ladder": Question(
        number=4,
        text="节点数翻倍，哪几层写完的时间不会降到一半？",
        move="把节点数翻倍",
    ),
    "waste": Question(
        number=5,
        text="δ = 1 秒；写完的时间从 1 分钟变成 10 分钟，最好的间隔是多少？",
        move="把写完的时间改成 10 分钟",
    ),
    "pipeline": Question(
        number=6,
        text="第 2 次落盘之后、提交之前丢了一个节点，重启后回到哪一步？",
        move="让故障落在第 2 次落盘之后",
    ),
    "stragglers": Question(
        number=7,
        text="N 个 rank 用 DCP 存一次，至少有几个文件？它们何时算一起写完？",
        move="把 N 改成 4,096",
    ),
    "host_ram": Question(
        number=8,
        text="一次热的 4 KiB 读，走 page cache 还是 direct I/O 更快？快照占掉内存之后呢？",
        move="把节点数减半",
    ),
}


def notebook_guesses() -> dict[int, str]:
    """Return the predictions that `predict()` keeps in the notebook, to read and to add to.

    Outside a notebook, or before its first cell ran, that is a dictionary that nobody keeps.
    """
    names = getattr(get_ipython(), "user_ns", {})
    guesses = getattr(names.get("_course_desk"), "guesses", None)
    return guesses if isinstance(guesses, dict) else {}


class Predictions:
    """The predictions of one learner, in a small file.

    A file that cannot be read or written costs nothing but the memory of it: what is predicted
    is still shown as long as the notebook runs.

    Args:
        path: The file; by default beside the notebook, that is in the working directory.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = Path(FILE_NAME) if path is None else path
        self._kept: dict[str, str] = {}

    def read(self, name: str) -> str | None:
        """Return what was predicted for a question: "" if it was skipped, None if neither."""
        told = notebook_guesses().get(QUESTIONS[name].number)
        return (self._stored() | self._kept).get(name, told)

    def write(self, name: str, prediction: str) -> bool:
        """Keep a prediction, "" for one skipped; return whether it reached the file."""
        self._kept[name] = prediction
        if prediction:
            notebook_guesses()[QUESTIONS[name].number] = prediction
        text = json.dumps(self._stored() | self._kept, ensure_ascii=False, indent=1)
        try:
            self._path.write_text(text + "\n", encoding="utf-8")
        except OSError:
            return False
        return True

    def _stored(self) -> dict[str, str]:
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(stored, dict):
            return {}
        return {str(name): text for name, text in stored.items() if isinstance(text, str)}
