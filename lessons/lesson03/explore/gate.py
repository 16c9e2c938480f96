"""What stands before an explorer: a prediction to make or to skip, then both beside each other."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from lessons.lesson03.explore.predictions import Predictions, Question

_NO_FILE = "（写不进文件，只在这次运行里记得。）"


class Gate:
    """The prediction of one explorer.

    Args:
        name: Of the explorer, under which the prediction is kept.
        question: What to predict.
        store: Where it is kept.
        opened: Called once a prediction is made or skipped.
        move: Called by the button that makes the move the question is about.

    Attributes:
        widget: The question, and later the prediction beside the outcome.
    """

    def __init__(
        self,
        name: str,
        question: Question,
        store: Predictions,
        *,
        opened: Callable[[], None],
        move: Callable[[], None],
    ) -> None:
        self._name, self._question, self._store, self._opened = name, question, store, opened
        self._outcome = ""
        self._note = ""
        asked = html.escape(question.text)
        self._asked = widgets.HTML(
            f"<strong>先推测（第 {question.number} 条，不计分，可跳过）：</strong>{asked}"
        )
        self.text = widgets.Textarea(
            placeholder="一句话，写下你的推测", rows=2, layout={"width": "98%"}
        )
        self.keep = widgets.Button(description="记下推测，开始动", button_style="primary")
        self.skip = widgets.Button(description="跳过")
        self.move = widgets.Button(description=question.move, layout={"width": "auto"})
        self._both = widgets.HTML()
        self.keep.layout.width = "auto"
        self.keep.on_click(lambda _button: self._open(self.text.value.strip()))
        self.skip.on_click(lambda _button: self._open(""))
        self.move.on_click(lambda _button: move())
        self.widget = widgets.VBox(layout={"border": "1px solid #8888", "padding": "6px 10px"})
        self.prediction = store.read(name)
        self._arrange()

    @property
    def is_open(self) -> bool:
        """Whether the explorer may move."""
        return self.prediction is not None

    def show(self, outcome: str) -> None:
        """Put what the moved figure says beside the prediction."""
        self._outcome = outcome
        if self.is_open:
            self._both.value = self._told()

    def _open(self, prediction: str) -> None:
        kept = self._store.write(self._name, prediction)
        self._note = "" if kept or not prediction else _NO_FILE
        self.prediction = prediction
        self._arrange()
        self._opened()

    def _arrange(self) -> None:
        rows: list[Any] = [self._asked]
        if self.is_open:
            self._both.value = self._told()
            rows += [self._both, widgets.HBox([self.move])]
        else:
            rows += [self.text, widgets.HBox([self.keep, self.skip])]
        self.widget.children = rows

    def _told(self) -> str:
        guess = html.escape(self.prediction or "") or "（跳过了）"
        outcome = html.escape(self._outcome) or "动一动滑块，或按下面的按钮，再来对照。"
        return (
            f'<div style="line-height:1.6"><strong>推测：</strong>{guess}{self._note}<br>'
            f"<strong>结果（模型）：</strong>{outcome}</div>"
        )
