from __future__ import annotations

import base64
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ipywidgets as widgets
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output

from lessons.lesson03 import explore
from lessons.lesson03.explore import explorer as explorer_module
from lessons.lesson03.explore import predictions as predictions_module
from lessons.lesson03.explore.predictions import QUESTIONS, Predictions
from lessons.lesson03.explore.scenarios import Scenarios
from lessons.lesson03.plan import Plan

VIEW = "application/vnd.jupyter.widget-view+json"
NAMES = tuple(QUESTIONS)


@pytest.fixture(autouse=True)
def beside_the_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def every(widget: Any) -> list[Any]:
    return [widget, *(one for child in getattr(widget, "children", ()) for one in every(child))]


def slider(explorer: explore.Explorer[Any], label: str) -> Any:
    return next(
        w
        for w in every(explorer.widget)
        if isinstance(w, widgets.SelectionSlider) and w.description.startswith(label)
    )


def box(explorer: explore.Explorer[Any], label: str) -> Any:
    rows = [w for w in every(explorer.widget) if isinstance(w, widgets.HBox)]
    row = next(r for r in rows if r.children[0] is slider(explorer, label))
    return row.children[1]


def described(explorer: explore.Explorer[Any], label: str) -> Any:
    return next(
        w for w in every(explorer.widget) if getattr(w, "description", "").startswith(label)
    )


def opened(name: str) -> Any:
    explorer = getattr(explore, name)()
    explorer.gate.skip.click()
    return explorer


@pytest.mark.parametrize("name", NAMES)
def test_it_opens_frozen_with_its_prediction(name: str) -> None:
    explorer = getattr(explore, name)()
    page = every(explorer.widget)
    assert any("先推测" in w.value for w in page if isinstance(w, widgets.HTML))
    movable = [w for w in page if isinstance(w, widgets.SelectionSlider | widgets.Dropdown)]
    assert movable
    assert all(control.disabled for control in movable)
    assert explorer.png.startswith(b"\x89PNG")


@pytest.mark.parametrize("name", NAMES)
def test_a_prediction_is_kept_and_shown_beside_the_outcome(name: str, tmp_path: Path) -> None:
    explorer = getattr(explore, name)()
    explorer.gate.text.value = "我猜不变"
    explorer.gate.keep.click()
    stored = json.loads((tmp_path / ".predictions-lesson03.json").read_text(encoding="utf-8"))
    assert stored == {name: "我猜不变"}
    sliders = [w for w in every(explorer.widget) if isinstance(w, widgets.SelectionSlider)]
    assert not all(control.disabled for control in sliders)
    before = explorer.png
    explorer.gate.move.click()
    shown = explorer.gate.widget.children[1].value
    assert "我猜不变" in shown
    assert "结果（模型）" in shown
    assert "动一动滑块" not in shown
    assert explorer.png != before
    again = getattr(explore, name)()
    assert again.gate.is_open
    assert "我猜不变" in again.gate.widget.children[1].value


def test_what_a_learner_writes_is_shown_as_text() -> None:
    explorer = explore.waste()
    explorer.gate.text.value = "<img src=x onerror=alert(1)>"
    explorer.gate.keep.click()
    assert "<img" not in explorer.gate.widget.children[1].value


def test_a_prediction_can_be_skipped_and_a_broken_file_costs_nothing(tmp_path: Path) -> None:
    file = tmp_path / ".predictions-lesson03.json"
    for content in ("{", "[]", '{"waste": 3}'):
        file.write_text(content, encoding="utf-8")
        explorer = explore.waste()
        assert not explorer.gate.is_open
    explorer.gate.skip.click()
    assert explorer.gate.is_open
    assert Predictions(tmp_path).write("waste", "目录不是文件") is False


def test_predict_and_the_explorer_know_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = SimpleNamespace(guesses={5: "600 秒"})
    shell = SimpleNamespace(user_ns={"_course_desk": desk})
    monkeypatch.setattr(predictions_module, "get_ipython", lambda: shell)
    assert explore.waste().gate.prediction == "600 秒"
    ladder = explore.ladder()
    ladder.gate.text.value = "主机内存"
    ladder.gate.keep.click()
    assert desk.guesses == {5: "600 秒", 4: "主机内存"}


OUTCOMES = {
    # W 1.5 -> 3 doubles 600 s and 3.33 GB/s.
    "dump_time": ["10 分钟 → 20 分钟（2 倍）", "3.33 GB/s → 6.67 GB/s（2 倍）"],
    # 4 TB at 10 GB/s once nothing is counted twice: 400 s.
    "amplification": ["W = 1", "10 分钟 → 6.67 分钟"],
    # 6 TB in 1800 s; with a tenth gone 2,000 s.
    "duty_cycle": ["余量 1 倍", "100 %", "33.3 分钟，就写不完了"],
    "ladder": ["主机内存 0.5", "并行文件系统 1，", "对象存储 0.5"],
    "waste": ["Young 给 2.49 分钟", "10 分钟，浪费 13.6 %"],
    # Save 2 spills by 285.1 s and commits at 385.9 s; save 1 froze at 120 s.
    "pipeline": ["第 2 次已经落盘、还没有提交", "回到第 1 次"],
    "stragglers": ["4,096 个 rank 就不少于 4,096 个文件"],
    # 177.6 GB * 2 * 1.5 = 532.7 GB of 1 TB; 4096 B at 10 GB/s.
    "host_ram": ["0.41 微秒", "32 个节点各剩 467 GB"],
}


@pytest.mark.parametrize("name", NAMES)
def test_outcomes(name: str) -> None:
    explorer = opened(name)
    explorer.gate.move.click()
    shown = explorer.gate.widget.children[1].value
    for phrase in OUTCOMES[name]:
        assert phrase in shown


def test_the_frozen_state_does_not_give_the_outcome_away() -> None:
    assert "13.6 %" not in explore.waste().verdict
    assert "第 1 次" not in explore.pipeline().verdict


@pytest.mark.parametrize("name", NAMES)
def test_every_slider_moves_the_picture_or_the_words(name: str) -> None:
    explorer = opened(name)
    for control in [w for w in every(explorer.widget) if isinstance(w, widgets.SelectionSlider)]:
        if control.disabled:
            continue
        before = explorer.inputs
        control.index = control.index + 1 if control.index == 0 else control.index - 1
        assert explorer.inputs != before, control.description


def test_dump_time_opens_on_the_worked_example() -> None:
    explorer = explore.dump_time()
    assert explorer.plan == Plan()
    assert explorer.verdict.startswith("可行：写完要 10 分钟，不超过间隔 30 分钟，余量 3 倍")
    shown = {
        label: box(explorer, label).value for label in ("检查点", "间隔", "写放大", "后端带宽")
    }
    assert shown == {"检查点": 4.0, "间隔": 30.0, "写放大": 1.5, "后端带宽": 10.0}
    assert described(explorer, "模型").value == "例题：4 TB"
    assert described(explorer, "集群").value == "512 卡（64 节点，例题）"
    assert described(explorer, "后端").value == "例题：10 GB/s（裸介质）"


def test_a_slider_and_a_box_are_one_control() -> None:
    explorer = opened("dump_time")
    slider(explorer, "间隔").value = 300.0
    assert explorer.plan == Plan(interval_s=300.0)
    assert box(explorer, "间隔").value == 5.0
    assert explorer.verdict.startswith("不可行：写完要 10 分钟，超过间隔 5 分钟，是它的 2 倍")
    box(explorer, "间隔").value = 7.5
    assert explorer.plan.interval_s == 450.0
    # The slider stands at the nearer stop and did not pull the value there.
    assert slider(explorer, "间隔").value == 420.0
    assert explorer.plan.interval_s == 450.0


def test_presets_set_and_name() -> None:
    explorer = opened("dump_time")
    described(explorer, "模型").value = "Llama 3 405B"
    assert explorer.plan.checkpoint_bytes == pytest.approx(5.6819e12)
    described(explorer, "集群").value = "16,384 卡（Llama 3）"
    assert explorer.plan.gpus == 16_384
    described(explorer, "后端").value = "并行文件系统（全集群），典型：57.5 GB/s"
    assert (explorer.plan.backend_Bps, explorer.plan.at_client) == (57.5e9, True)
    slider(explorer, "检查点").value = 8e12
    assert described(explorer, "模型").value == "自己定"


def test_measured_at_the_client_forces_w_to_1() -> None:
    explorer = opened("dump_time")
    described(explorer, "B 是客户端实测").value = True
    assert explorer.plan.write_amplification == 1.0
    assert box(explorer, "写放大").value == 1.0
    assert slider(explorer, "写放大").disabled
    assert "写完要 6.67 分钟" in explorer.verdict
    described(explorer, "B 是客户端实测").value = False
    assert explorer.plan.write_amplification == 1.5
    assert not slider(explorer, "写放大").disabled


def test_gpus_share_nodes_and_mtbf_follows_them() -> None:
    explorer = opened("dump_time")
    assert slider(explorer, "无故障时间").disabled
    assert box(explorer, "无故障时间").value == pytest.approx(98.98, abs=0.02)
    slider(explorer, "每节点 GPU").value = 16
    assert (explorer.plan.nodes, explorer.plan.gpus) == (32, 512)
    box(explorer, "GPU 总数").value = 1000
    assert explorer.plan.nodes == 63  # the last one is not full
    described(explorer, "M 按 Llama 3").value = False
    slider(explorer, "无故障时间").value = 6 * 3600.0
    assert explorer.plan.job_mtbf_s == 21_600.0


def test_the_words_are_announced_to_a_screen_reader() -> None:
    words = [w.value for w in every(explore.dump_time().widget) if isinstance(w, widgets.HTML)]
    assert any('role="status"' in text and "可行：写完要 10 分钟" in text for text in words)


def test_without_a_kernel_a_picture_stands_in() -> None:
    shell = InteractiveShell()
    with capture_output() as captured:
        result = shell.run_cell("from lessons.lesson03.explore import dump_time\ndump_time()")
    assert result.success
    assert "写完要 10 分钟" in captured.stdout


@pytest.mark.parametrize("name", NAMES)
def test_a_viewer_without_widgets_gets_a_picture_with_its_description(name: str) -> None:
    data, metadata = getattr(explore, name)()._repr_mimebundle_()
    assert data.keys() == {"text/plain", "image/png"}
    assert "模型" in metadata["image/png"]["alt"]


@pytest.mark.parametrize("template", ["lab", "classic"])
def test_plain_nbconvert_shows_the_picture_of_a_saved_notebook(
    template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As JupyterLab saves it: the widget's id and the picture, and no widget state."""
    monkeypatch.setattr(explorer_module, "get_ipython", lambda: SimpleNamespace(kernel=object()))
    data, metadata = explore.dump_time()._repr_mimebundle_()
    data["image/png"] = base64.b64encode(data["image/png"]).decode("ascii")
    output = new_output("display_data", data=data, metadata=metadata)
    notebook = new_notebook(cells=[new_code_cell("explore.dump_time()", outputs=[output])])
    page, _ = HTMLExporter(template_name=template).from_notebook_node(notebook)
    assert f'src="data:image/png;base64,{data["image/png"][:60]}' in page.replace("\n", "")
    if template == "classic":  # the other has no words for a picture
        assert f'alt="{metadata["image/png"]["alt"]}"' in page


def test_with_a_kernel_the_widget_comes_with_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setattr(explorer_module, "get_ipython", lambda: shell)
    explorer = explore.dump_time()
    data, _metadata = explorer._repr_mimebundle_()
    assert data[VIEW]["model_id"] == explorer.widget.model_id
    assert data["image/png"] == explorer.png
    assert data["text/plain"] == explorer.verdict


def test_plans_are_saved_copied_and_compared(tmp_path: Path) -> None:
    explorer = opened("dump_time")
    explorer.bar.name.value = "慢 | 后端"
    explorer.bar.save.click()
    slider(explorer, "后端带宽").value = 20e9
    explorer.bar.name.value = "快"
    explorer.bar.save.click()
    assert [*Scenarios(tmp_path / ".scenarios-lesson03.json").all()] == ["慢 | 后端", "快"]
    table = explore.compare().to_markdown()
    assert table.startswith("| 量（模型） | 慢 ｜ 后端 | 快 |")
    assert "| 写完 T_dump | 10 分钟 | 5 分钟 |" in table
    explorer.bar.json.click()
    copied = json.loads(explorer.bar.text.value)
    assert copied["kind"] == "model"
    assert copied["plan"]["backend_Bps"] == 20e9
    explorer.bar.markdown.click()
    assert "| 写完 T_dump | 5 分钟 | 模型 |" in explorer.bar.text.value


def test_nothing_saved_is_one_sentence_and_a_broken_file_is_passed_over(tmp_path: Path) -> None:
    assert "还没有存下的方案" in explore.compare().to_markdown()
    file = tmp_path / ".scenarios-lesson03.json"
    file.write_text('{"a": {"nodes": -1}, "b": {"speed": 1}, "c": 3, "d": {}}', encoding="utf-8")
    assert [r.name for r in explore.compare().reports] == ["d"]


def test_a_plan_without_a_notebook() -> None:
    # 5.6819 TB at 28 GB/s left of 40: 202.9 s of 900 s.
    found = explore.plan(
        "llama3-405b", backend_GBps=40, at_client=True, tenant_share=0.3, interval_min=15
    )
    assert found.outlook.dump_s == pytest.approx(202.9, abs=0.1)
    assert "可行" in repr(found)
    assert "（模型）" in repr(found)
    assert found._repr_markdown_().count("| 模型 |") == 12
    with pytest.raises(AttributeError):
        found.name = "x"  # type: ignore[misc]
    with pytest.raises(ValueError, match="model must be one of llama3-8b"):
        explore.plan("llama")
    with pytest.raises(ValueError, match="not both"):
        explore.plan("llama3-8b", size_TB=1)
    assert explore.plan(size_TB=4).plan == Plan()
