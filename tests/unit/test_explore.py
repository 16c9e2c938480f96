from __future__ import annotations

from types import SimpleNamespace

import ipywidgets as widgets
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from lessons.lesson03 import explore
from lessons.lesson03.plan import Plan

VIEW = "application/vnd.jupyter.widget-view+json"


def controls(explorer: explore.DumpTimeExplorer) -> dict[str, widgets.Widget]:
    found = {}
    waiting = [explorer.widget]
    while waiting:
        widget = waiting.pop()
        waiting.extend(getattr(widget, "children", ()))
        if getattr(widget, "description", ""):
            found[widget.description.split()[0]] = widget
    return found


def test_it_opens_on_the_worked_example() -> None:
    explorer = explore.dump_time()
    assert explorer.plan == Plan()
    assert explorer.verdict.startswith("可行：写完要 10 分钟，不超过间隔 30 分钟，余量 3 倍")
    assert explorer.png.startswith(b"\x89PNG")
    shown = {name: control.value for name, control in controls(explorer).items()}
    assert shown == {
        "取自": "例题：4 TB",
        "检查点": 4e12,
        "间隔": 1800.0,
        "写放大": 1.5,
        "B": False,
        "后端带宽": 10e9,
        "节点数": 64,
    }


def test_a_slider_moves_plan_picture_and_words() -> None:
    explorer = explore.dump_time()
    before = explorer.png
    controls(explorer)["间隔"].value = 300.0
    assert explorer.plan == Plan(interval_s=300.0)
    assert explorer.png != before
    assert explorer.verdict.startswith("不可行：写完要 10 分钟，超过间隔 5 分钟，是它的 2 倍")


def test_twice_the_amplification_doubles_time_and_average() -> None:
    explorer = explore.dump_time()
    controls(explorer)["写放大"].value = 3.0
    assert "写完要 20 分钟" in explorer.verdict
    assert "平均要 6.67 GB/s" in explorer.verdict


def test_a_model_sets_the_size_and_a_size_names_the_model() -> None:
    explorer = explore.dump_time()
    found = controls(explorer)
    found["取自"].value = "Llama 3 405B"
    assert explorer.plan.checkpoint_bytes == pytest.approx(5.6819e12)
    found["检查点"].value = 8e12
    assert found["取自"].value == "自己定"
    found["检查点"].value = 14e12
    assert found["取自"].value == "稠密 1T"


def test_measured_at_the_client_forces_w_to_1() -> None:
    explorer = explore.dump_time()
    found = controls(explorer)
    found["B"].value = True
    assert explorer.plan.write_amplification == 1.0
    assert found["写放大"].disabled
    assert "写完要 400 秒" in explorer.verdict or "写完要 6.67 分钟" in explorer.verdict
    found["B"].value = False
    assert explorer.plan.write_amplification == 1.5
    assert not found["写放大"].disabled


def test_a_plan_off_the_round_values_stays_as_it_is() -> None:
    plan = Plan(checkpoint_bytes=2.3e12, interval_s=149.0, backend_Bps=57.5e9, nodes=48)
    explorer = explore.dump_time(plan)
    found = controls(explorer)
    assert found["节点数"].value == 48
    found["写放大"].value = 1.0
    assert explorer.plan == Plan(
        checkpoint_bytes=2.3e12,
        interval_s=149.0,
        backend_Bps=57.5e9,
        nodes=48,
        write_amplification=1.0,
    )


def test_the_words_are_announced_to_a_screen_reader() -> None:
    explorer = explore.dump_time()
    words = next(w for w in explorer.widget.children if isinstance(w, widgets.HTML))
    assert 'role="status"' in words.value
    assert "可行：写完要 10 分钟" in words.value


def test_without_a_kernel_a_picture_stands_in() -> None:
    shell = InteractiveShell()
    with capture_output() as captured:
        result = shell.run_cell("from lessons.lesson03.explore import dump_time\ndump_time()")
    assert result.success
    assert "写完要 10 分钟" in captured.stdout
    data, metadata = explore.dump_time()._repr_mimebundle_()
    assert data.keys() == {"text/plain", "image/png"}
    assert "可行" in metadata["image/png"]["alt"]


def test_with_a_kernel_the_widget_comes_with_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    explorer = explore.dump_time()
    data, _metadata = explorer._repr_mimebundle_()
    assert data[VIEW]["model_id"] == explorer.widget.model_id
    assert data["image/png"] == explorer.png
    assert data["text/plain"] == explorer.verdict
