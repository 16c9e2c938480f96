from __future__ import annotations

import numpy as np
import pytest

from lessons.lesson03.ranks import RankTimes, share_beyond_p99
from lessons.lesson03.timeline import PipelineCase, recovered, saves_of

SIMPLE = PipelineCase(
    interval_s=100.0, staging_s=10.0, spill_s=20.0, upload_s=50.0, commit_s=5.0, buffers=2
)


def test_stages_follow_each_other_and_overlap_between_saves() -> None:
    first, second, *_rest = saves_of(SIMPLE)
    assert first.spans_s == ((100.0, 110.0), (110.0, 130.0), (130.0, 180.0), (180.0, 185.0))
    assert second.start_s == 200.0
    assert second.committed_s == 285.0
    assert SIMPLE.sustainable


def test_a_slow_stage_makes_the_next_save_queue_for_it() -> None:
    slow = PipelineCase(
        interval_s=100.0, staging_s=10.0, spill_s=20.0, upload_s=120.0, commit_s=5.0, buffers=4
    )
    saves = saves_of(slow)
    # Uploads one after the other: 130-250, 250-370, 370-490 ...
    assert [save.spans_s[2] for save in saves[:3]] == [(130, 250), (250, 370), (370, 490)]
    assert not slow.sustainable


def test_without_a_free_buffer_training_waits_for_a_commit() -> None:
    one = PipelineCase(
        interval_s=60.0, staging_s=10.0, spill_s=20.0, upload_s=50.0, commit_s=5.0, buffers=1
    )
    first, second, *_rest = saves_of(one)
    assert first.committed_s == 145.0
    assert second.due_s == 120.0
    assert second.start_s == 145.0
    assert second.waited_s == 25.0
    assert not one.sustainable


def test_a_node_lost_between_spill_and_commit_goes_back_to_the_last_commit() -> None:
    saves = saves_of(SIMPLE)
    # Save 2 has spilled at 230 and commits at 285.
    back = recovered(saves, 250.0)
    assert back is not None
    assert back.number == 1
    after = recovered(saves, 285.0)
    assert after is not None
    assert after.number == 2
    assert recovered(saves, 184.9) is None


def test_a_stage_must_take_time() -> None:
    with pytest.raises(ValueError, match="upload_s"):
        PipelineCase(upload_s=0.0)


def test_the_share_beyond_p99_is_the_lessons() -> None:
    shares = share_beyond_p99(np.array([1.0, 8.0, 64.0, 512.0]))
    assert isinstance(shares, np.ndarray)
    assert shares * 100 == pytest.approx([1.0, 7.7, 47.4, 99.4], abs=0.05)


def test_quantiles_of_one_rank_are_its_own() -> None:
    times = RankTimes(median_s=40.0, p99_s=60.0)
    assert times.slowest_s(1, 0.5) == pytest.approx(40.0)
    assert times.slowest_s(1, 0.99) == pytest.approx(60.0)
    # The median of 69 ranks is about one rank's p99: 0.99^69 = 0.4998.
    assert times.slowest_s(69, 0.5) == pytest.approx(60.0, rel=1e-3)
    # A lognormal's mean is above its median: exp(sigma^2 / 2), sigma = ln 1.5 / 2.3263 = 0.1743.
    assert times.mean_s == pytest.approx(40.61, abs=0.01)


def test_the_simulation_agrees_with_the_quantiles() -> None:
    times = RankTimes()
    drawn = times.draw_slowest_s(np.array([512.0]), 4000, seed=1)
    assert drawn.shape == (4000, 1)
    assert float(np.median(drawn)) == pytest.approx(float(times.slowest_s(512, 0.5)), rel=0.01)
    assert np.array_equal(drawn, times.draw_slowest_s(np.array([512.0]), 4000, seed=1))


@pytest.mark.parametrize(("median", "p99"), [(40.0, 40.0), (40.0, 30.0), (0.0, 1.0)])
def test_a_p99_is_above_the_median(median: float, p99: float) -> None:
    with pytest.raises(ValueError, match=r"p99_s|median_s"):
        RankTimes(median_s=median, p99_s=p99)
