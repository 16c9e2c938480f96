from __future__ import annotations

import io
import subprocess
import sys
import warnings
from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from lessons import fonts
from lessons.canvas import MovingCanvas
from lessons.lesson03.bands import bands
from lessons.lesson03.figures import DumpTimePlot, dump_time_figure
from lessons.lesson03.models import load_models
from lessons.lesson03.plan import Plan, outlook
from lessons.lesson03.readable import bandwidth_text, bytes_text, percent_text, seconds_text
from lessons.lesson03.verdict import tiers_sentence, verdict_sentence


@pytest.fixture
def no_system_fonts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    manager = font_manager.fontManager
    kept = [entry for entry in manager.ttflist if entry.name.startswith("DejaVu")]
    monkeypatch.setattr(manager, "ttflist", kept)
    manager._findfont_cached.cache_clear()  # type: ignore[attr-defined]
    yield
    manager._findfont_cached.cache_clear()  # type: ignore[attr-defined]


def texts(figure: Figure) -> str:
    return "\n".join(artist.get_text() for artist in figure.findobj(Text))


def save(figure: Figure) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # also "Glyph ... missing from font(s)"
        file = io.BytesIO()
        figure.savefig(file, format="png")
    return file.getvalue()


def test_bands_of_the_worked_example() -> None:
    shown = {band.id: band for band in bands(Plan())}
    assert [*shown] == ["host", "peer", "nvme", "pfs", "object"]
    # 8 GPUs copy 400 GB/s, less than 614 GB/s of DRAM: 4 TB / (64 * 400 GB/s).
    assert shown["host"].typical_s == pytest.approx(0.15625)
    assert shown["host"].slow_s == pytest.approx(4e12 / (64 * 40e9))
    assert shown["peer"].typical_s == pytest.approx(2.5)
    # Raw drives pay W: 6 TB / (64 * 26 GB/s).
    assert shown["nvme"].typical_s == pytest.approx(3.60577, rel=1e-5)
    # 64 nodes ask for 640 GB/s, the cluster gives 57.5; client-visible, so W is not paid again.
    assert shown["pfs"].typical_s == pytest.approx(69.5652, rel=1e-5)
    assert shown["pfs"].slow_s == pytest.approx(400.0)
    assert shown["pfs"].fast_s == pytest.approx(2.0)
    assert shown["object"].typical_s == pytest.approx(31.25)
    assert [band.id for band in shown.values() if band.capped] == ["pfs"]


def test_twice_the_nodes_halve_all_but_the_capped_file_system() -> None:
    before, after = bands(Plan(nodes=64)), bands(Plan(nodes=128))
    ratios = {b.id: b.typical_s / a.typical_s for b, a in zip(before, after, strict=True)}
    assert ratios == pytest.approx({"host": 2, "peer": 2, "nvme": 2, "pfs": 1, "object": 2})
    alone = {band.id: band for band in bands(Plan(nodes=1))}
    assert not alone["pfs"].capped
    assert alone["pfs"].typical_s == pytest.approx(400.0)


def test_outlook_of_the_worked_example() -> None:
    result = outlook(Plan())
    assert (result.dump_s, result.effective_Bps, result.slack) == (600.0, 10e9, 3.0)
    assert result.tightest == "aggregate"
    assert result.feasible
    # 2 nodes carry 50 GB/s.
    few = outlook(Plan(nodes=2, backend_Bps=100e9))
    assert (few.tightest, few.effective_Bps, few.dump_s) == ("nics", 50e9, 120.0)


def test_a_plan_refuses_what_is_no_quantity() -> None:
    with pytest.raises(ValueError, match="interval_s must be finite and above 0"):
        Plan(interval_s=0.0)
    with pytest.raises(ValueError, match="contention must be below 1"):
        Plan(contention=1.0)
    with pytest.raises(ValueError, match="mtbf_s must be finite and above 0"):
        Plan(mtbf_s=-1.0)


def test_what_follows_from_a_plan() -> None:
    result = outlook(
        Plan(
            checkpoint_bytes=405.85e9 * 14,
            interval_s=900.0,
            at_client=True,
            backend_Bps=40e9,
            contention=0.3,
            media_amplification=1.25,
        )
    )
    # The capstone: 28 GB/s, 203 s; Young 844 s needs delta = 1 s, here it is 0.222 s.
    assert result.effective_Bps == pytest.approx(28e9)
    assert result.dump_s == pytest.approx(202.9, abs=0.1)
    assert result.blocked_s == pytest.approx(0.2219, abs=1e-4)
    assert result.best_interval_s == pytest.approx((2 * 0.22195 * 356_323) ** 0.5, rel=1e-3)
    assert result.restart_s == pytest.approx(502.9, abs=0.1)
    # Space is counted on the media though time is not: 3 * 5.682 TB * 1.25.
    assert result.retained_bytes == pytest.approx(21.3e12, rel=1e-3)
    assert result.host_ram_bytes == pytest.approx(88.8e9, rel=1e-3)
    assert result.recovery_point_s == pytest.approx(1102.9, abs=0.1)


def test_sentences() -> None:
    good, even, bad = Plan(), Plan(interval_s=600.0), Plan(interval_s=300.0)
    assert verdict_sentence(good, outlook(good)) == (
        "可行：写完要 10 分钟，不超过间隔 30 分钟，余量 3 倍；落盘 6 TB，平均要 3.33 GB/s，"
        "最紧的一环是后端的总带宽，10 GB/s。"
    )
    assert verdict_sentence(even, outlook(even)).startswith("刚好可行：写完要 10 分钟，等于间隔")
    assert verdict_sentence(bad, outlook(bad)).startswith(
        "不可行：写完要 10 分钟，超过间隔 5 分钟，是它的 2 倍"
    )
    shared = Plan(contention=0.75)
    assert "写完要 40 分钟" in verdict_sentence(shared, outlook(shared))
    short = Plan(interval_s=35.0)  # the file system takes 69.6 s, the object store 31.3 s
    assert "写不完的有并行文件系统。" in tiers_sentence(short, bands(short))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (600.0, "10 分钟"),
        (90.0, "90 秒"),
        (60.0, "1 分钟"),
        (0.15625, "0.156 秒"),
        (0.035, "35 毫秒"),
        (3600.0, "1 小时"),
        (86_400.0, "1 天"),
        (119.4, "119 秒"),
        (4.096e-7, "0.41 微秒"),
        (0.0, "0 秒"),
    ],
)
def test_seconds_as_text(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


def test_bytes_and_bandwidths_as_text() -> None:
    assert bytes_text(5.6819e12) == "5.68 TB"
    assert bytes_text(999.9e9) == "1 TB"
    assert bandwidth_text(10e9 / 3) == "3.33 GB/s"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.1363, "13.6 %"), (0.029, "2.9 %"), (0.0, "0 %"), (0.99418, "99.4 %"), (1.0, "100 %")],
)
def test_shares_as_text(share: float, text: str) -> None:
    assert percent_text(share) == text


def test_almost_all_is_not_all() -> None:
    assert percent_text(0.9999) == "超过 99.9 %"


def test_the_plot_shows_the_plan_and_says_that_it_is_a_model() -> None:
    plot = DumpTimePlot(Plan())
    points = [line for line in plot.figure.axes[0].get_lines() if line.get_marker() == "D"]
    assert [(*line.get_xdata(), *line.get_ydata()) for line in points] == [(1800.0, 600.0)]
    shown = texts(plot.figure)
    for phrase in ("不可行", "方案（模型）：10 GB/s", "余量 3 倍", "全部是模型，不是实测"):
        assert phrase in shown
    assert shown.count("集群上限") == 1
    plot.update(Plan(interval_s=300.0, nodes=2))
    assert "不可行：是间隔的 2 倍" in texts(plot.figure)
    assert "集群上限" not in texts(plot.figure)


def test_tiers_differ_without_colour() -> None:
    axes = dump_time_figure(Plan()).axes[1]
    dashes = {
        str(line._dash_pattern)  # type: ignore[attr-defined]
        for line in axes.get_lines()
        if line.get_linewidth() == 2.2
    }
    assert len(dashes) == 5


@pytest.mark.parametrize("name", ["llama3-8b", "llama3-405b", "dense-1t"])
@pytest.mark.parametrize(("interval_s", "nodes"), [(10.0, 2), (600.0, 64), (86_400.0, 2048)])
def test_every_setting_draws_without_a_warning(name: str, interval_s: float, nodes: int) -> None:
    size = load_models()[name].checkpoint_bytes
    plan = Plan(checkpoint_bytes=size, interval_s=interval_s, nodes=nodes)
    assert save(dump_time_figure(plan)).startswith(b"\x89PNG")


@pytest.mark.usefixtures("no_system_fonts")
def test_the_bundled_font_draws_chinese() -> None:
    families = fonts.chinese_families()
    assert families == fonts.chinese_families() == ["Noto Sans SC", "DejaVu Sans"]
    used = [e.fname for e in font_manager.fontManager.ttflist if e.name == "Noto Sans SC"]
    assert used == [str(fonts.bundled_font())]
    save(dump_time_figure(Plan()))


@pytest.mark.usefixtures("no_system_fonts")
def test_without_a_chinese_font_matplotlib_would_have_warned() -> None:
    figure = Figure()
    figure.text(0.5, 0.5, "带宽", fontfamily="DejaVu Sans")
    with pytest.warns(UserWarning, match="Glyph .* missing"):
        FigureCanvasAgg(figure).draw()


def test_chinese_and_minus_sign_on_log_and_linear_axes() -> None:
    with matplotlib.rc_context():
        fonts.use_chinese(matplotlib.rcParams)
        figure = Figure()
        axes = figure.add_subplot(title="余量：−3", xlabel="间隔 $T$")
        axes.plot([-1, 1], [1e-3, 1e3])
        axes.set_yscale("log")
        save(figure)


def test_a_simhei_only_machine_takes_the_minus_from_dejavu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = font_manager.FontEntry(fname="simhei.ttf", name="SimHei")
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [entry])
    assert fonts.chinese_families() == ["SimHei", "DejaVu Sans"]


def test_no_font_at_all_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [])
    monkeypatch.setattr(fonts, "find_spec", lambda _name: None)
    with pytest.raises(FileNotFoundError, match="pip install zhplot"):
        fonts.chinese_families()


def test_a_moved_plot_looks_like_a_new_one() -> None:
    target = Plan(checkpoint_bytes=5.6819e12, interval_s=600.0, nodes=128, backend_Bps=57.5e9)
    plot = DumpTimePlot(Plan())
    canvas = MovingCanvas(plot.figure, plot.moving)
    first = canvas.png()
    plot.update(target)
    moved = canvas.png()
    new = DumpTimePlot(target)
    assert moved == MovingCanvas(new.figure, new.moving).png()
    plot.update(Plan())
    assert canvas.png() == first
    # The quick way agrees with matplotlib's own saving but for antialiasing of overlaps.
    saved = np.asarray(Image.open(io.BytesIO(save(dump_time_figure(target)))).convert("L"), float)
    quick = np.asarray(Image.open(io.BytesIO(moved)).convert("L"), float)
    assert saved.shape == quick.shape
    assert np.mean(np.abs(saved - quick)) < 1.0


def test_figures_leave_pyplot_and_the_parameters_alone() -> None:
    code = (
        "import sys, matplotlib\n"
        "before = matplotlib.rcParams['font.family']\n"
        "from lessons.lesson03.figures import dump_time_figure\n"
        "from lessons.lesson03.plan import Plan\n"
        "dump_time_figure(Plan())\n"
        "print('matplotlib.pyplot' in sys.modules, matplotlib.rcParams['font.family'] == before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert done.stdout.split() == ["False", "True"]
