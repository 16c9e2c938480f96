"""What a person sees: figures of points, shipped records, sentences, and no traceback."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lessons.lesson03 import experiments
from lessons.lesson03.experiments import catalogue, figures, notebook
from lessons.lesson03.experiments.compare import Stretch, crossover, faster
from lessons.lesson03.experiments.guard import Place
from lessons.lesson03.experiments.mounts import Mount
from lessons.lesson03.experiments.said import ExperimentError, Refused
from lessons.lesson03.experiments.series import Series
from lessons.lesson03.figures.style import Samples
from lessons.lesson03.plan import Plan

ROOT = Path(__file__).resolve().parents[3]
NAMES = ("small-files", "samples", "node-loss", "random-reads")
BLACK = {"black", "#000000", "white"}


def lines_of(figure: Figure) -> list[Line2D]:
    return [line for axes in figure.axes for line in axes.get_lines()]


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_record_says_all_that_it_must(name: str) -> None:
    record = experiments.recorded(name)
    assert record.shipped
    assert record.experiment == name
    assert re.match(r"20\d\d-\d\d-\d\dT", record.taken_at)
    assert {"system", "processor", "cores", "memory_bytes", "load_1min"} <= set(record.machine)
    assert record.file_system["type"] == "ext4"
    assert record.settings["seed"] == 3
    assert "随课附带的记录" in record.origin.zh
    # Nothing of the machine's folders or name is in it.
    assert not re.search(r"/(tmp|root|home|work)\b", record.to_json())


def test_shipped_records_cover_what_other_platforms_lack() -> None:
    assert {"cold", "warm", "direct"} <= set(
        experiments.recorded("random-reads").conditions("read")
    )
    files = experiments.recorded("samples").conditions("sample")
    assert {"files-cold", "shards-cold", "files-warm", "shards-warm"} <= set(files)
    counts = [one.at for one in experiments.recorded("small-files").of("save", "one-directory")]
    assert counts == [1, 4, 16, 64]
    lost = experiments.recorded("node-loss").conditions("lost-steps")
    assert lost == ["process", "reboot", "reboot-unsynced", "node"]


@pytest.mark.parametrize("name", NAMES)
def test_measured_is_black_points_and_never_a_line(name: str) -> None:
    figure = catalogue.figure_of(experiments.recorded(name))
    drawn = lines_of(figure)
    assert drawn
    for line in drawn:
        joined = line.get_linestyle() not in {"None", "", " "} and len(line.get_xdata()) > 1
        assert not joined
        assert str(line.get_color()) in BLACK | {"C0", "#1f77b4"}
    texts = [text.get_text() for text in figure.texts]
    assert any("p50" in text and "p99" in text for text in texts)
    assert any("随课附带的记录" in text for text in texts)


def test_a_model_under_the_points_is_one_coloured_line_and_says_so() -> None:
    record = experiments.recorded("random-reads")
    model = figures.ReadModel(fixed_s=1e-4, media_Bps=1e9, copy_Bps=None)
    assert model.seconds(1e9) == pytest.approx(1.0001)
    figure = figures.random_reads_figure(record, model)
    joined = [line for line in lines_of(figure) if len(line.get_xdata()) == 60]
    assert [line.get_color() for line in joined] == ["#0072B2"]
    assert any("模型" in text.get_text() for text in figure.texts)


def test_measurements_stand_on_the_lessons_modelled_figures() -> None:
    figure = figures.over_stragglers(experiments.recorded("small-files"))
    notes = [text.get_text() for text in figure.axes[0].texts]
    assert sum(note.startswith("实测（") for note in notes) == 4
    measured = Samples(at=600.0, values=(30.0, 40.0, 90.0), label="试写")
    dumped = figures.over_dump_time(Plan(), [measured])
    assert any("实测（3 次）" in text.get_text() for text in dumped.axes[0].texts)
    squares = [line for line in dumped.axes[0].get_lines() if line.get_marker() == "s"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in squares] == [(600.0, 40.0)]


def reads(how: str, at: float, *values: float) -> Series:
    return Series(what="read", how=how, at=at, values=values)


def test_who_is_faster_is_told_only_where_the_middles_are_apart() -> None:
    assert faster(reads("a", 1, 1, 2, 3, 4), reads("b", 1, 5, 6, 7, 8)) == "a"
    assert faster(reads("a", 1, 9, 9, 9, 9), reads("b", 1, 5, 6, 7, 8)) == "b"
    assert faster(reads("a", 1, 1, 2, 6, 9), reads("b", 1, 5, 6, 7, 8)) is None


def test_a_crossover_is_where_the_faster_one_changes() -> None:
    record = replace(
        experiments.recorded("random-reads"),
        series=(
            reads("a", 4, 1, 1), reads("a", 8, 2, 2), reads("a", 16, 9, 9), reads("a", 32, 9, 9),
            reads("b", 4, 3, 3), reads("b", 8, 3, 3), reads("b", 16, 3, 3),
        ),
    )  # fmt: skip
    assert crossover(record, "read", "a", "b") == [
        Stretch(faster="a", first=4, last=8),
        Stretch(faster="b", first=16, last=16),
    ]


def test_a_picture_is_a_png_with_words() -> None:
    shown, about = experiments.picture(experiments.recorded("small-files"))._repr_mimebundle_()
    assert shown["image/png"].startswith(b"\x89PNG")
    assert "64 写者" in about["image/png"]["alt"]
    assert "p99" in shown["text/plain"]


def test_a_refusal_without_a_path_falls_back_to_the_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    everywhere_nfs(monkeypatch)
    record = experiments.small_files()
    assert record.shipped
    said = capsys.readouterr().out
    assert "nfs" in said
    assert "随课附带的记录" in said


def test_a_refusal_of_a_named_path_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    everywhere_nfs(monkeypatch)
    with pytest.raises(Refused, match="--i-own-this"):
        experiments.random_reads(path=str(tmp_path))


def test_a_wrong_argument_is_one_sentence_without_a_traceback() -> None:
    with pytest.raises(ExperimentError, match="drop_caches") as failed:
        experiments.samples(colour="red")
    assert failed.value._render_traceback_() == [str(failed.value)]
    with pytest.raises(Refused, match="writers"):
        experiments.small_files(writers=0)


def test_the_package_needs_nothing_heavy_and_no_extra() -> None:
    probe = (
        "import sys\n"
        "for name in ('torch', 'obstore', 'xxhash', 'fsspec', 'rich', 'psutil', 'kvikio'):\n"
        "    sys.modules[name] = None\n"
        "import lessons.lesson03.experiments as e\n"
        "print(sorted({'numpy', 'matplotlib', 'IPython'} & set(sys.modules)))\n"
        "for name in e.EXPERIMENTS:\n"
        "    e.picture(e.recorded(name))\n"
        "import lessons.lesson03.experiments.failure_drill\n"
        "print('all drawn')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.stdout.splitlines() == ["[]", "all drawn"], done.stderr


def everywhere_nfs(monkeypatch: pytest.MonkeyPatch) -> None:
    def place(path: Path | None, *_more: object) -> Place:
        return Place(
            path=Path("/home/class"),
            mount=Mount(point="/home", type="nfs4"),
            explicit=path is not None,
            free_bytes=10**12,
        )

    monkeypatch.setattr("lessons.lesson03.experiments.bench.place_of", place)
    assert notebook.recorded is catalogue.recorded
