"""Percentiles of known data, and records that come back as they went."""

from __future__ import annotations

import json

import pytest

from lessons.lesson03.experiments.record import Record, record_from
from lessons.lesson03.experiments.said import Said
from lessons.lesson03.experiments.series import Series, percentile
from lessons.lesson03.experiments.table import plain
from lessons.lesson03.experiments.units import time_text

HUNDRED = [float(n) for n in range(1, 101)]


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        (HUNDRED, 0.5, 50.0),
        (HUNDRED, 0.99, 99.0),
        (HUNDRED, 1.0, 100.0),
        (HUNDRED, 0.01, 1.0),
        ([float(n) for n in range(1, 1001)], 0.99, 990.0),
        ([7.0], 0.99, 7.0),
        ([1.0, 2.0], 0.5, 1.0),
        ([1.0, 2.0, 3.0], 0.5, 2.0),
        ([1.0, 2.0, 3.0, 4.0], 0.99, 4.0),
        ([5.0] * 98 + [50.0, 500.0], 0.99, 50.0),
        ([1.0] * 200 + [9.0], 0.99, 1.0),
    ],
)
def test_percentiles_are_measurements(values: list[float], share: float, expected: float) -> None:
    shuffled = sorted(values, key=lambda value: hash((value, 1)) % 97)
    assert percentile(shuffled, share) == expected


@pytest.mark.parametrize("share", [0.0, -0.5, 1.1])
def test_shares_outside_are_refused(share: float) -> None:
    with pytest.raises(ValueError, match="share"):
        percentile([1.0], share)


def test_a_series_shows_its_tail_and_its_worst() -> None:
    times = Series(what="read", how="cold", at=4096, values=tuple(HUNDRED))
    assert (times.p50, times.p99, times.most) == (50.0, 99.0, 100.0)
    assert (times.tail, times.worst) == (99.0, 100.0)
    # A rate is bad where it is low.
    rates = Series(what="rate", how="cold", at=1, values=tuple(HUNDRED), unit="1/s")
    assert (rates.tail, rates.worst) == (1.0, 1.0)


@pytest.mark.parametrize("values", [(), (float("nan"),), (-1.0,), (float("inf"),)])
def test_what_is_no_measurement_is_refused(values: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="read/cold"):
        Series(what="read", how="cold", at=1, values=values)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.00121, "1.21 ms"), (93.14e-6, "93.1 µs"), (0.0, "0 s"), (1234.0, "1,230 s"),
     (0.99999, "1 s"), (5e-8, "50 ns")],
)  # fmt: skip
def test_seconds_have_a_unit(value: float, text: str) -> None:
    assert time_text(value) == text


def record() -> Record:
    return Record(
        experiment="small-files",
        taken_at="2026-11-30T20:00:00+00:00",
        machine={"processor": "X", "cores": 2, "load_1min": 0.1},
        file_system={"type": "ext4", "kind": "local"},
        settings={"seed": 3},
        series=(
            Series(what="save", how="one-directory", at=4, values=(0.001, 0.002, 0.5)),
            Series(what="rate", how="one-directory", at=4, values=(4.0, 8.0), unit="1/s"),
        ),
        notes=(Said(zh="说明", en="note"),),
    )


def test_a_record_comes_back_from_its_file() -> None:
    text = record().to_json()
    assert record_from(text) == record()
    assert json.loads(text)["series"][0]["values"] == [0.001, 0.002, 0.5]


@pytest.mark.parametrize("change", [{"format": 2}, {"series": [{"what": "x"}]}, {"stray": 1}])
def test_a_file_of_another_kind_is_no_record(change: dict[str, object]) -> None:
    content = json.loads(record().to_json()) | change
    with pytest.raises((ValueError, TypeError, KeyError)):
        record_from(json.dumps(content))


def test_the_table_has_median_tail_and_maximum_but_no_mean() -> None:
    lines = plain(record()).splitlines()
    save = next(line for line in lines if line.startswith("整次保存"))
    cells = [cell.strip() for cell in save.split("  ") if cell]
    assert cells[-3:] == ["2 ms", "500 ms*", "500 ms"]
    assert "均值" not in "\n".join(lines)
    assert "说明" in lines[-1]
