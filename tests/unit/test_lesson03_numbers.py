"""The numbers that the lesson prints are the model's: every table that a formula fills."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lessons.lesson03 import bandwidth, interval
from lessons.lesson03.models import load_models
from lessons.lesson03.plan import REFERENCE_MTBF_S, Plan, outlook
from lessons.lesson03.ranks import share_beyond_p99
from lessons.lesson03.tiers import load_tiers

TEXT = (Path(__file__).parents[2] / "solutions/lesson03/lesson03.qmd").read_text(encoding="utf-8")
PREFIX = {"TB": 1e12, "GB": 1e9, "TiB": 1024.0**4, "GiB": 1024.0**3, "TB/s": 1e12, "GB/s": 1e9}


def table(head: str) -> list[list[str]]:
    """Return the cells below the row that begins with `head`."""
    body = TEXT.split(head, 1)[1].split("\n\n", 1)[0]
    lines = [line for line in body.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def amount(text: str) -> float:
    found = re.match(r"([\d.,]+) (\S+)", text)
    assert found, text
    return float(found[1].replace(",", "")) * PREFIX[found[2]]


def number(text: str) -> float:
    found = re.search(r"[\d.,]+", text)
    assert found, text
    return float(found[0].replace(",", ""))


def test_young_and_daly() -> None:
    rows = table("| $M$ | Young | Daly |")
    assert len(rows) == 3
    for mtbf, young, daly in rows:
        unit = 3600 if "h" in mtbf else 60
        mtbf_s = number(mtbf) * unit
        assert interval.young_interval_s(300.0, mtbf_s) / 60 == pytest.approx(
            number(young), abs=0.05
        )
        assert interval.daly_interval_s(300.0, mtbf_s) / 60 == pytest.approx(number(daly), abs=0.05)


def test_waste_at_the_best_interval() -> None:
    rows = table("| $\\delta$ | $T^{*}_{\\mathrm{Young}}$ | 短式浪费 |")
    assert len(rows) == 4
    for blocked, best, lost in rows:
        young = interval.young_interval_s(number(blocked), REFERENCE_MTBF_S)
        assert young == pytest.approx(number(best), abs=0.6)
        short = interval.short_waste(number(blocked), young, REFERENCE_MTBF_S)
        assert float(short) * 100 == pytest.approx(number(lost), abs=0.06)


def test_checkpoint_sizes() -> None:
    rows = table("| 模型 | 参数量 | B/参数 | checkpoint | 二进制单位 | 性质 |")
    models = list(load_models().values())
    assert len(rows) == len(models)
    for row, model in zip(rows, models, strict=True):
        assert float(row[1]) == model.parameters
        assert float(row[2]) == model.bytes_per_parameter
        assert amount(row[3]) == pytest.approx(model.checkpoint_bytes, rel=6e-4)
        assert amount(row[4]) == pytest.approx(model.checkpoint_bytes, rel=3e-3)


def test_tiers() -> None:
    rows = table("| 层 | 谁的带宽 | 低 | 典型 | 高 | 扛得住 | 性质与出处 |")
    for row, tier in zip(rows, load_tiers().values(), strict=True):
        shown = [amount(cell) for cell in row[2:5]]
        assert shown == pytest.approx([tier.low.Bps, tier.typical.Bps, tier.high.Bps])


def test_host_memory() -> None:
    size = load_models()["llama3-405b"].checkpoint_bytes
    rows = table("| 节点数 | 1 份、$h$ = 1 | 2 份、$h$ = 1 | 2 份、$h$ = 2 | 性质 |")
    assert len(rows) == 5
    for row in rows:
        for cell, (buffers, factor) in zip(row[1:4], ((1, 1), (2, 1), (2, 2)), strict=True):
            needed = bandwidth.host_ram_bytes(size, int(row[0]), buffers, factor)
            assert amount(cell) == pytest.approx(needed, rel=2e-3)


def test_someone_beyond_their_p99() -> None:
    counts = [int(cell) for cell in re.findall(r"\d+", TEXT.split("| $N$ |", 1)[1].split("\n")[0])]
    ((_name, *shares),) = table("| $N$ |")
    for count, share in zip(counts, shares, strict=True):
        assert float(share_beyond_p99(count)) * 100 == pytest.approx(number(share), abs=0.05)


def test_stages_of_the_pipeline() -> None:
    rows = table("| 阶段 | 数据量 | 带宽 | 时间 | 性质 |")
    size, tiers = load_models()["llama3-405b"].checkpoint_bytes, load_tiers()
    expected = [
        bandwidth.blocked_time_s(size / 512, tiers["d2h"].typical.Bps),
        bandwidth.dump_time_s(size / 64, tiers["nvme"].typical.Bps),
        bandwidth.dump_time_s(size, tiers["pfs-cluster"].typical.Bps),
    ]
    assert [number(row[3]) for row in rows] == pytest.approx(expected, rel=0.02)


def test_the_worked_example_and_the_full_waste() -> None:
    example = outlook(Plan())
    assert (example.dump_s, example.slack) == (600.0, 3.0)
    assert Plan().average_Bps == pytest.approx(3.333e9, rel=2e-4)
    # Saved synchronously: 600 of every 2,400 s.
    assert "600 s，即每 2,400 s" in TEXT
    assert example.dump_s / (example.dump_s + 1800) == 0.25
    full = interval.waste(1.0, 600.0, REFERENCE_MTBF_S, commit_s=600.0, restart_s=600.0)
    assert float(full) * 100 == pytest.approx(13.6, abs=0.05)
    assert "之后是 13.6 %" in TEXT
    assert f"{REFERENCE_MTBF_S:,.0f} s" in TEXT
