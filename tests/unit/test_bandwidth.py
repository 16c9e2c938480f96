from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lessons.lesson03 import bandwidth, interval

LLAMA_MTBF_S = 54 * 86_400 / 419


@pytest.mark.parametrize(
    ("arguments", "duration", "average"),
    [
        ((4e12, 10e9, 1.5, 1800), 600.0, 3333333333.3333335),
        ((4e12, 10e9, 1.0, 1800), 400.0, 2222222222.2222223),
        ((4e12, 10e9, 1.25, 1800), 500.0, 2777777777.7777777),
        ((4e12, 10e9, 3.0, 1800), 1200.0, 6666666666.666667),
        ((4e12, 10e9, 1.5, 300), 600.0, 2e10),
        ((7, 2, 3, 4), 10.5, 5.25),
        ((2e12, 8e9, 1.375, 900), 343.75, 3055555555.5555553),
        ((2.3e12, 57.5e9, 1.0, 10800), 40.0, 212962962.96296296),
        ((1e18, 1e12, 1.5, 3600), 1500000.0, 416666666666666.7),
    ],
)
def test_the_vectors_of_the_exercise(
    arguments: tuple[float, float, float, float], duration: float, average: float
) -> None:
    size, rate, amplification, period = arguments
    written = bandwidth.physical_bytes(size, amplification)
    assert bandwidth.dump_time_s(written, rate) == pytest.approx(duration, rel=1e-12)
    assert bandwidth.required_average_Bps(written, period) == pytest.approx(average, rel=1e-12)


def test_feasible_is_dump_time_within_the_interval() -> None:
    assert bandwidth.is_feasible(600.0, 600.0) is True
    assert bandwidth.is_feasible(math.nextafter(600.0, 601.0), 600.0) is False
    feasible = bandwidth.is_feasible(np.array([1.0, 2.0, 3.0]), 2.0)
    assert isinstance(feasible, np.ndarray)
    assert feasible.tolist() == [True, True, False]


def test_integer_arrays_do_not_overflow() -> None:
    written = bandwidth.physical_bytes(np.array([2_000_000_000], dtype=np.int32), 3)
    assert isinstance(written, np.ndarray)
    assert written.tolist() == [6e9]


@pytest.mark.parametrize(
    ("data", "parity", "expected"), [(8, 4, 1.5), (8, 3, 1.375), (8, 2, 1.25), (8, 0, 1.0)]
)
def test_erasure_amplification(data: int, parity: int, expected: float) -> None:
    assert bandwidth.erasure_amplification(data, parity) == expected


def test_replication_amplification() -> None:
    assert bandwidth.replication_amplification(3) == 3.0
    with pytest.raises(ValueError, match="copies"):
        bandwidth.replication_amplification(0)
    with pytest.raises(ValueError, match="data_chunks"):
        bandwidth.erasure_amplification(0, 2)
    with pytest.raises(ValueError, match="parity_chunks"):
        bandwidth.erasure_amplification(8, -1)


def test_arrays_broadcast() -> None:
    chunks = bandwidth.erasure_amplification(8, np.array([4.0, 3.0, 2.0]))
    assert isinstance(chunks, np.ndarray)
    assert chunks.tolist() == [1.5, 1.375, 1.25]
    restart = bandwidth.restart_time_s(4e12, np.array([40e9, 80e9]), 120.0, 60.0)
    assert isinstance(restart, np.ndarray)
    assert restart.tolist() == [280.0, 230.0]
    kept = bandwidth.retained_bytes(np.array([1, 5]), 6e12)
    assert isinstance(kept, np.ndarray)
    assert kept.tolist() == [6e12, 30e12]
    lost = interval.waste(
        1.0, np.array([100.0, 1000.0]), 10_000.0, commit_s=300.0, restart_s=np.array([50.0, 100.0])
    )
    assert isinstance(lost, np.ndarray)
    # 0.01 + (50 + 300 + 50) / 10^4; 0.001 + (500 + 300 + 100) / 10^4.
    assert lost == pytest.approx([0.05, 0.091])
    floor = bandwidth.interval_floor_s(np.array([149.0, 900.0]), 600.0)
    assert isinstance(floor, np.ndarray)
    assert floor.tolist() == [600.0, 900.0]


def test_effective_bandwidth_is_the_least_of_three_limits() -> None:
    limits = bandwidth.bandwidth_limits_Bps(
        writers=512,
        writer_Bps=1e9,
        nodes=64,
        nic_Bps=25e9,
        aggregate_Bps=100e9,
        contention=0.25,
    )
    assert limits == {"writers": 512e9, "nics": 1600e9, "aggregate": 75e9}
    assert bandwidth.effective_bandwidth_Bps(limits) == 75e9


def test_the_slowest_rank_blocks_and_commits() -> None:
    # 405B over 512 GPUs is 11.1 GB a GPU: 0.2 s at 50 GB/s.
    assert bandwidth.blocked_time_s(5.6819e12 / 512, 50e9) == pytest.approx(0.222, abs=1e-3)
    assert bandwidth.blocked_time_s(np.array([10e9, 20e9, 5e9]), 10e9) == 2.0
    assert bandwidth.commit_time_s(np.array([10.0, 90.0, 11.0]), 1.5, 0.5) == 92.0


def test_commit_lag_adds_up_unless_streamed() -> None:
    assert bandwidth.commit_lag_s([1.0, 20.0, 100.0], streamed=False) == 121.0
    assert bandwidth.commit_lag_s([1.0, 20.0, 100.0], streamed=True) == 100.0


def test_recovery_restart_and_retention() -> None:
    assert bandwidth.recovery_point_s(1800.0, 620.0) == 2420.0
    assert bandwidth.restart_time_s(4e12, 40e9, 120.0, 60.0) == 280.0
    assert bandwidth.retained_bytes(5, 6e12) == 30e12


def test_host_memory_falls_with_the_nodes() -> None:
    llama = 405.85e9 * 14
    assert bandwidth.host_ram_bytes(llama, 64) == pytest.approx(88.8e9, rel=1e-3)
    assert bandwidth.host_ram_bytes(4e12, 8, buffers=2, overhead=1.5) == 1.5e12


def test_asynchronous_saving_has_a_floor() -> None:
    young = interval.young_interval_s(1.0, LLAMA_MTBF_S)
    assert young == pytest.approx(149.2, abs=0.1)
    assert bandwidth.interval_floor_s(young, 600.0) == 600.0
    assert bandwidth.interval_floor_s(900.0, 600.0) == 900.0


@pytest.mark.parametrize(("mtbf_h", "minutes"), [(24, 116.7), (6, 56.7), (0.25, 9.14)])
def test_daly_interval(mtbf_h: float, minutes: float) -> None:
    assert float(interval.daly_interval_s(300.0, mtbf_h * 3600)) / 60 == pytest.approx(
        minutes, abs=0.05
    )


def test_daly_falls_back_to_the_mtbf_from_twice_on() -> None:
    assert interval.daly_interval_s(200.0, 100.0) == 100.0
    assert interval.daly_interval_s(500.0, 100.0) == 100.0
    # Just below: x -> 1, so 200 * (1 + 1/3 + 1/9) - 200 = 88.9.
    assert interval.daly_interval_s(199.999999, 100.0) == pytest.approx(88.889, abs=1e-3)


@pytest.mark.parametrize(
    ("blocked", "best", "percent"),
    [(600.0, 3655, 32.8), (60.0, 1156, 10.4), (6.3, 375, 3.4), (1.0, 149, 1.3)],
)
def test_young_and_the_short_waste_at_llama3_scale(
    blocked: float, best: float, percent: float
) -> None:
    period = interval.young_interval_s(blocked, LLAMA_MTBF_S)
    assert period == pytest.approx(best, abs=0.6)
    lost = interval.short_waste(blocked, period, LLAMA_MTBF_S)
    assert float(lost) * 100 == pytest.approx(percent, abs=0.06)


def test_the_short_waste_flatters() -> None:
    assert interval.short_waste(1.0, 600.0, 11_135.0) == pytest.approx(0.029, abs=5e-4)
    full = interval.waste(1.0, 600.0, 11_135.0, commit_s=600.0, restart_s=600.0)
    assert full == pytest.approx(0.136, abs=5e-4)


def test_failures_scale_with_the_gpus() -> None:
    assert float(interval.job_mtbf_s(11_135.0, 16_384, 512)) / 3600 == pytest.approx(99.0, abs=0.1)


@pytest.mark.parametrize("bad", [0, -1, -0.0, -math.inf, math.inf, math.nan])
@pytest.mark.parametrize(
    "call",
    [
        lambda x: bandwidth.physical_bytes(x, 1.5),
        lambda x: bandwidth.dump_time_s(6e12, x),
        lambda x: bandwidth.required_average_Bps(np.array([1.0, x]), 600),
        lambda x: bandwidth.is_feasible(1.0, x),
        lambda x: bandwidth.host_ram_bytes(4e12, x),
        lambda x: interval.daly_interval_s(x, 100.0),
        lambda x: interval.waste(1.0, 600.0, x, commit_s=0.0, restart_s=0.0),
    ],
)
def test_what_is_no_quantity_is_refused(call: Callable[[float], object], bad: float) -> None:
    with pytest.raises(ValueError, match="must be finite and above 0"):
        call(bad)


def test_contention_is_a_share() -> None:
    with pytest.raises(ValueError, match="contention must be below 1"):
        bandwidth.bandwidth_limits_Bps(
            writers=1, writer_Bps=1, nodes=1, nic_Bps=1, aggregate_Bps=1, contention=1.0
        )
