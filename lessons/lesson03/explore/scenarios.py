"""Plans that a learner keeps: saved beside the notebook, copied as text, compared in a table."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from lessons.lesson03.plan import Plan
from lessons.lesson03.report import PlanReport, readouts, report

FILE_NAME = ".scenarios-lesson03.json"


class Scenarios:
    """The plans of one learner by name, in a small file.

    Args:
        path: The file; by default beside the notebook, that is in the working directory.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = Path(FILE_NAME) if path is None else path
        self._kept: dict[str, Plan] = {}

    def all(self) -> dict[str, Plan]:
        """Return the plans, oldest first; what the file holds that is no plan is passed over."""
        return self._stored() | self._kept

    def save(self, name: str, plan: Plan) -> bool:
        """Keep a plan under a name; return whether it reached the file."""
        self._kept[name] = plan
        content = {known: asdict(kept) for known, kept in self.all().items()}
        try:
            text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
            self._path.write_text(text, encoding="utf-8")
        except OSError:
            return False
        return True

    def _stored(self) -> dict[str, Plan]:
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        plans = {}
        for name, fields in stored.items() if isinstance(stored, dict) else ():
            try:
                plans[str(name)] = Plan(**fields)
            except (TypeError, ValueError):
                continue
        return plans


class Comparison:
    """Plans beside each other.

    Attributes:
        reports: One a plan.
    """

    def __init__(self, plans: Mapping[str, Plan]) -> None:
        self.reports: tuple[PlanReport, ...] = tuple(
            report(plan, name) for name, plan in plans.items()
        )

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        if not self.reports:
            return (
                "还没有存下的方案：在 `explore.dump_time()` 里起个名字，按「存下方案」，"
                "再运行这一格。"
            )
        rows = self._rows()
        head = "| 量（模型） | " + " | ".join(_escape(r.name) for r in self.reports) + " |"
        rule = "|---" * (len(self.reports) + 1) + "|"
        return "\n".join([head, rule, *(f"| {n} | {' | '.join(v)} |" for n, v in rows)]) + "\n"

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.reports)) or self.to_markdown()

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _rows(self) -> list[tuple[str, list[str]]]:
        feasible = ["可行" if r.outlook.feasible else "不可行" for r in self.reports]
        columns = [list(readouts(r.plan, r.outlook).items()) for r in self.reports]
        rows = [("结论", feasible)]
        for line in zip(*columns, strict=True):
            name = line[0][0] if len({one for one, _ in line}) == 1 else "保留的份数要"
            rows.append((name, [value for _, value in line]))
        return rows


class PlanBar:
    """Below a plan: save it under a name, and show it as text to copy.

    Attributes:
        widget: The bar.
    """

    def __init__(self, plan: Callable[[], Plan], scenarios: Scenarios) -> None:
        self._plan, self._scenarios = plan, scenarios
        self.name = widgets.Text(value="方案 1", description="名字", layout={"width": "16em"})
        self.save = widgets.Button(description="存下方案")
        self.markdown = widgets.Button(description="作为 Markdown")
        self.json = widgets.Button(description="作为 JSON")
        self.compare = widgets.Button(description="比较存下的")
        for button in (self.save, self.markdown, self.json, self.compare):
            button.layout.width = "auto"
        self.text = widgets.Textarea(rows=8, layout={"width": "98%", "display": "none"})
        self._said = widgets.HTML()
        self.save.on_click(self._save)
        self.markdown.on_click(lambda _button: self._show(self._report().to_markdown()))
        self.json.on_click(lambda _button: self._show(self._report().to_json()))
        self.compare.on_click(
            lambda _button: self._show(Comparison(self._scenarios.all()).to_markdown())
        )
        row = widgets.HBox(
            [self.name, self.save, self.markdown, self.json, self.compare],
            layout={"flex_flow": "row wrap"},
        )
        self.widget = widgets.VBox([row, self._said, self.text])

    def _report(self) -> PlanReport:
        return report(self._plan(), self.name.value.strip() or "方案")

    def _save(self, _button: Any) -> None:
        name = self.name.value.strip() or "方案"
        kept = self._scenarios.save(name, self._plan())
        where = "" if kept else "，但写不进文件，只在这次运行里记得"
        self._said.value = f'<div role="status">已存下「{html.escape(name)}」{where}。</div>'
        count = len(self._scenarios.all())
        self.name.value = f"方案 {count + 1}"

    def _show(self, text: str) -> None:
        self.text.value = text
        self.text.layout.display = "block"
        self._said.value = '<div role="status">全选下面的文字即可复制。</div>'


def _escape(name: str) -> str:
    return name.replace("|", "｜").replace("\n", " ")
