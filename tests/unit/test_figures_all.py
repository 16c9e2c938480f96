"""What holds for every figure, at its defaults and at its extremes."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from lessons.canvas import MovingCanvas
from lessons.lesson03 import figures
from lessons.lesson03.figures import style
from lessons.lesson03.plan import Plan

CASES: dict[str, list[Any]] = {
    "dump_time": [
        Plan(),
        Plan(checkpoint_bytes=14e12, interval_s=60.0, nodes=2048, contention=0.5),
        Plan(interval_s=86_400.0, nodes=2),
    ],
    "waste": [
        figures.WasteCase(),
        figures.WasteCase(
            blocked_s=0.1, dump_s=10.0, commit_s=1.0, restart_s=30.0, mtbf_s=3.6e6, interval_s=10.0
        ),
        figures.WasteCase(dump_s=86_400.0, commit_s=86_400.0, mtbf_s=900.0, interval_s=86_400.0),
    ],
    "pipeline": [
        figures.PipelineCase(),
        figures.PipelineCase(interval_s=20.0, buffers=1, failure_s=900.0),
        figures.PipelineCase(interval_s=7200.0, staging_s=0.1, failure_s=15.0, buffers=4),
    ],
    "ladder": [
        figures.LadderCase(),
        figures.LadderCase(nodes=2048, gpus_per_node=16, reading=True),
        figures.LadderCase(nodes=1, gpus_per_node=1),
    ],
    "amplification": [
        figures.AmplificationCase(),
        figures.AmplificationCase(at_client=True, copies=4, data_chunks=1, parity_chunks=4),
        figures.AmplificationCase(copies=1, data_chunks=16, parity_chunks=1, file_bytes=1e9),
    ],
    "stragglers": [
        figures.StragglerCase(),
        figures.StragglerCase(ranks=16_384, median_s=600.0, p99_s=6000.0),
        figures.StragglerCase(ranks=1, median_s=1.0, p99_s=1.01),
    ],
    "host_ram": [
        figures.HostRamCase(),
        figures.HostRamCase(
            checkpoint_bytes=2e13, nodes=1, buffers=4, overhead=4.0, free_bytes=5e10
        ),
        figures.HostRamCase(checkpoint_bytes=1e11, nodes=2048, buffers=1, free_bytes=4e12),
    ],
    "duty_cycle": [
        Plan(),
        Plan(backend_Bps=10e9 / 3),
        Plan(interval_s=10.0, checkpoint_bytes=2e13, contention=0.95, backend_Bps=5e8),
    ],
}
PLOTS: dict[str, Any] = {
    "dump_time": figures.DumpTimePlot,
    "waste": figures.WastePlot,
    "pipeline": figures.PipelinePlot,
    "ladder": figures.LadderPlot,
    "amplification": figures.AmplificationPlot,
    "stragglers": figures.StragglerPlot,
    "host_ram": figures.HostRamPlot,
    "duty_cycle": figures.DutyCyclePlot,
}
EACH = [(name, case) for name, cases in CASES.items() for case in cases]


def figure_of(name: str, case: Any) -> Figure:
    return getattr(figures, f"{name}_figure")(case)  # type: ignore[no-any-return]


def drawn(figure: Figure) -> FigureCanvasAgg:
    canvas = FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canvas.draw()
    return canvas


@cache
def drawn_once(name: str, case: Any) -> FigureCanvasAgg:
    """For tests that only look at it."""
    return drawn(figure_of(name, case))


def shown_texts(figure: Figure) -> list[Text]:
    return [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]


@pytest.mark.parametrize(("name", "case"), EACH)
def test_no_text_leaves_the_page(name: str, case: Any) -> None:
    canvas = drawn_once(name, case)
    figure, renderer = canvas.figure, canvas.get_renderer()
    page = figure.bbox
    for text in shown_texts(figure):
        box = text.get_window_extent(renderer)
        inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
        # Ticks of an axis are kept beyond its end and are not drawn there.
        hidden = text.get_clip_on() or _beyond_axis(text)
        assert inside or hidden, (text.get_text(), box)


def _beyond_axis(text: Text) -> bool:
    axes = text.axes
    if axes is None:
        return False
    labels = [*axes.get_xticklabels(), *axes.get_yticklabels()]
    return any(text is label for label in labels) and not axes.bbox.padded(3).contains(
        *text.get_transform().transform(text.get_position())
    )


@pytest.mark.parametrize(("name", "case"), EACH)
def test_entries_of_a_key_do_not_meet(name: str, case: Any) -> None:
    canvas = drawn_once(name, case)
    figure, renderer = canvas.figure, canvas.get_renderer()
    keys = [axes for axes in figure.axes if not axes.axison]
    for axes in keys:
        boxes = [t.get_window_extent(renderer) for t in axes.texts if t.get_text().strip()]
        for number, box in enumerate(boxes):
            for other in boxes[number + 1 :]:
                assert not box.overlaps(other), (name, box, other)


@pytest.mark.parametrize(("name", "case"), EACH)
def test_a_moved_figure_looks_like_a_new_one(name: str, case: Any) -> None:
    plot = PLOTS[name](CASES[name][0])
    canvas = MovingCanvas(plot.figure, plot.moving)
    plot.update(case)
    moved = canvas.png()
    new = PLOTS[name](case)
    saved = Image.fromarray(np.asarray(drawn(new.figure).buffer_rgba())).convert("RGB")
    quick = Image.open(io.BytesIO(moved)).convert("RGB")
    # A line that is copied stands on whole pixels: by fours the eye sees no other picture.
    small = [np.asarray(image.reduce(4), float) for image in (saved, quick)]
    assert np.mean(np.abs(small[0] - small[1])) < 0.6


@pytest.mark.parametrize(("name", "case"), EACH)
def test_a_figure_says_in_chinese_what_it_shows_and_that_it_is_a_model(
    name: str, case: Any
) -> None:
    alt = getattr(figures, f"{name}_alt")(case)
    assert "模型" in alt
    assert alt.endswith("。")
    assert len(re.findall(r"[\u4e00-\u9fff]", alt)) > 20
    assert any("模型" in text.get_text() for text in shown_texts(drawn_once(name, case).figure))


@pytest.fixture
def no_system_fonts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    manager = font_manager.fontManager
    kept = [entry for entry in manager.ttflist if entry.name.startswith("DejaVu")]
    monkeypatch.setattr(manager, "ttflist", kept)
    manager._findfont_cached.cache_clear()  # type: ignore[attr-defined]
    yield
    manager._findfont_cached.cache_clear()  # type: ignore[attr-defined]


@pytest.mark.usefixtures("no_system_fonts")
@pytest.mark.parametrize("name", CASES)
def test_no_system_font_is_needed(name: str) -> None:
    drawn(figure_of(name, CASES[name][0]))


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_opaque_and_white_under_any_theme(name: str) -> None:
    pixels = np.asarray(drawn_once(name, CASES[name][0]).buffer_rgba())
    assert pixels[0, 0].tolist() == [255, 255, 255, 255]
    assert pixels[:, :, 3].min() == 255


def test_the_picture_carries_its_description() -> None:
    plot = figures.WastePlot(figures.WasteCase())
    png = MovingCanvas(plot.figure, plot.moving).png("浪费份额（模型）")
    assert Image.open(io.BytesIO(png)).info["Description"] == "浪费份额（模型）"


def test_measured_values_are_squares_and_nothing_else_is() -> None:
    for name, cases in CASES.items():
        for axes in drawn_once(name, cases[0]).figure.axes:
            for line in axes.get_lines():
                if line.get_marker() == style.MEASURED["marker"]:
                    assert name == "host_ram"
                    assert line.get_markeredgecolor() == "black"


def test_measurements_are_drawn_with_their_spread_and_their_number() -> None:
    samples = figures.Samples(at=64.0, values=(41.0, 44.0, 90.0), label="本机")
    figure = figures.stragglers_figure(figures.StragglerCase(), [samples])
    words = " ".join(text.get_text() for text in shown_texts(figure))
    assert "实测（3 次）" in words
    squares = [
        line.get_xydata().tolist()
        for line in figure.axes[0].get_lines()
        if line.get_marker() == "s"
    ]
    assert squares == [[[64.0, 44.0]]]
    with pytest.raises(ValueError, match="at least one"):
        figures.Samples(at=1.0, values=(), label="没有")


def test_records_of_host_memory_are_the_lessons() -> None:
    words = " ".join(
        t.get_text() for t in shown_texts(figures.host_ram_figure(CASES["host_ram"][0]))
    )
    assert "约 556 GiB" in words
    assert "约 650 GB" in words
    assert "节点数未公布" in words
