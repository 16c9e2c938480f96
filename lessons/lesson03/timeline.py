"""Several saves through the stages of a checkpoint pipeline, in time: what waits for what."""

from __future__ import annotations

from dataclasses import dataclass

from lessons.lesson03 import bandwidth

STAGES = ("staging", "spill", "upload", "commit")


@dataclass(frozen=True, kw_only=True)
class PipelineCase:
    """How long each stage of one save takes, and how often a save is due.

    The defaults are 405B (5.68 TB) on 8 nodes of 8 GPUs: pageable copies at 5 GB/s a GPU, NVMe
    at 26 GB/s a node, a file system of 57.5 GB/s. The 2 s to commit are our choice.

    Attributes:
        interval_s: From one save's start to the next one's, if nothing is late.
        staging_s: Copy to the host; training stands still.
        spill_s: Host memory to local NVMe.
        upload_s: To the shared storage.
        commit_s: Verification, barrier and manifest.
        buffers: Saves that may be on their way at a time; one more has to wait for a commit.
        failure_s: When a node is lost.
        saves: How many are followed.
    """

    interval_s: float = 120.0
    staging_s: float = 17.8
    spill_s: float = 27.3
    upload_s: float = 98.8
    commit_s: float = 2.0
    buffers: int = 2
    failure_s: float = 345.0
    saves: int = 5

    def __post_init__(self) -> None:
        bandwidth.positive(**vars(self))

    @property
    def stage_s(self) -> tuple[float, ...]:
        """Seconds of each stage, in the order of `STAGES`."""
        return (self.staging_s, self.spill_s, self.upload_s, self.commit_s)

    @property
    def sustainable(self) -> bool:
        """Whether saves keep up with the interval, with these buffers.

        The slowest stage must fit, and so must the whole lag divided by the buffers.
        """
        lag = bandwidth.commit_lag_s(self.stage_s, streamed=False)
        floor = max(*self.stage_s, lag / self.buffers)
        return bool(bandwidth.is_feasible(floor, self.interval_s))


@dataclass(frozen=True, kw_only=True)
class Save:
    """One save in time.

    Attributes:
        number: 1 for the first.
        due_s: When it should have started.
        spans_s: Start and end of each of `STAGES`, in seconds.
    """

    number: int
    due_s: float
    spans_s: tuple[tuple[float, float], ...]

    @property
    def start_s(self) -> float:
        """When the state it holds was frozen."""
        return self.spans_s[0][0]

    @property
    def waited_s(self) -> float:
        """How long training waited for a free buffer before staging."""
        return self.start_s - self.due_s

    @property
    def committed_s(self) -> float:
        """From when on it can be recovered."""
        return self.spans_s[-1][1]


def saves_of(case: PipelineCase) -> tuple[Save, ...]:
    """Return the saves in order; a stage takes one save at a time and they never overtake."""
    done: list[Save] = []
    due = case.interval_s
    for number in range(1, case.saves + 1):
        start = due
        if number > case.buffers:
            start = max(start, done[number - case.buffers - 1].committed_s)
        spans: list[tuple[float, float]] = []
        for stage, takes in enumerate(case.stage_s):
            if done:
                start = max(start, done[-1].spans_s[stage][1])
            spans.append((start, start + takes))
            start += takes
        done.append(Save(number=number, due_s=due, spans_s=tuple(spans)))
        due = spans[0][0] + max(case.interval_s, case.staging_s)
    return tuple(done)


def recovered(saves: tuple[Save, ...], at_s: float) -> Save | None:
    """Return the newest save that was committed at a moment, or None: back to the start."""
    committed = [save for save in saves if save.committed_s <= at_s]
    return committed[-1] if committed else None
