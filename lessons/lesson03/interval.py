"""The interval between checkpoints that wastes least, and what each interval wastes.

As in `bandwidth`: seconds, a number or an array, `ValueError` for what is out of range.
Delta is the time that a save blocks training; M is the mean time between failures of the job.
"""

from __future__ import annotations

import numpy as np

from lessons.lesson03.bandwidth import Quantity, as_plain, non_negative, positive


def job_mtbf_s(reference_mtbf_s: Quantity, reference_gpus: Quantity, gpus: Quantity) -> Quantity:
    """Return M for `gpus`, scaled from a measured job as if failures were independent.

    Llama 3 (arXiv 2407.21783) counted 419 unexpected interruptions in 54 days on 16,384 GPUs:
    M = 11,135 s there, about 99 h on 512.
    """
    mtbf, measured, wanted = positive(
        reference_mtbf_s=reference_mtbf_s, reference_gpus=reference_gpus, gpus=gpus
    )
    return as_plain(mtbf * measured / wanted)


def young_interval_s(blocked_s: Quantity, mtbf_s: Quantity) -> Quantity:
    """Return T* = sqrt(2 * delta * M) (Young, 1974)."""
    blocked, mtbf = positive(blocked_s=blocked_s, mtbf_s=mtbf_s)
    return as_plain(np.sqrt(2 * blocked * mtbf))


def daly_interval_s(blocked_s: Quantity, mtbf_s: Quantity) -> Quantity:
    """Return Daly's T* (2006, higher order) for delta < 2M, else M.

    With x = delta / 2M: sqrt(2 * delta * M) * (1 + sqrt(x) / 3 + x / 9) - delta.
    """
    blocked, mtbf = positive(blocked_s=blocked_s, mtbf_s=mtbf_s)
    ratio = blocked / (2 * mtbf)
    series = np.sqrt(2 * blocked * mtbf) * (1 + np.sqrt(ratio) / 3 + ratio / 9) - blocked
    return as_plain(np.where(ratio < 1, series, mtbf))


def short_waste(blocked_s: Quantity, interval_s: Quantity, mtbf_s: Quantity) -> Quantity:
    """Return delta/T + T/(2M), the lost share of time without commit lag and restart.

    It flatters small intervals; `waste` has the missing terms.
    """
    return waste(blocked_s, interval_s, mtbf_s, commit_s=0.0, restart_s=0.0)


def waste(
    blocked_s: Quantity,
    interval_s: Quantity,
    mtbf_s: Quantity,
    *,
    commit_s: Quantity,
    restart_s: Quantity,
) -> Quantity:
    """Return delta/T + (T/2 + T_commit + R)/M, the lost share of time to first order.

    A failure loses on average half an interval, the time until a save counts as committed,
    and the restart R.
    """
    blocked, interval, mtbf = positive(blocked_s=blocked_s, interval_s=interval_s, mtbf_s=mtbf_s)
    commit, restart = non_negative(commit_s=commit_s, restart_s=restart_s)
    return as_plain(blocked / interval + (interval / 2 + commit + restart) / mtbf)
