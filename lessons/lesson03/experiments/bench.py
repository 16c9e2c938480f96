"""What every experiment runs in: a permit, a folder that goes away, a bar, a time budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lessons.lesson03.experiments.guard import Place, Wish, place_of, settle
from lessons.lesson03.experiments.machine import describe_machine
from lessons.lesson03.experiments.progress import Progress, progress_here
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import Refused, Said
from lessons.lesson03.experiments.series import Series
from lessons.lesson03.experiments.workspace import workspace

MOST_WRITERS = 512
DEFAULT_S = 120.0
MOST_SEED = 2**63 - 1


def ask_here(question: Said) -> bool:
    """Ask the person at the keyboard; where nobody can answer, that is a no."""
    try:
        answer = input(f"{question} [y/N] ")
    except (EOFError, RuntimeError, NotImplementedError):
        return False  # no terminal, or a notebook that is run without a person
    return answer.strip().lower() in {"y", "yes", "是"}


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a person asked for.

    Attributes:
        path: Where to run; the working folder, or the temporary one, by default.
        own: They answer for a shared file system.
        writers: At most so many at once; None takes the experiment's own number.
        megabytes: At most so much on disk, 10^6 B; None takes the experiment's own size.
        seconds: Time budget: measuring ends then, with the repeats it had.
        seed: Of every random choice.
        drop_caches: Empty the whole machine's page cache, as root: everyone on it pays.
        agree: Asked before much is written.
        progress: Told how far it is; None finds a bar that suits.

    Raises:
        Refused: A number is out of its range.
    """

    path: Path | None = None
    own: bool = False
    writers: int | None = None
    megabytes: int | None = None
    seconds: float = DEFAULT_S
    seed: int = 3
    drop_caches: bool = False
    agree: Callable[[Said], bool] = ask_here
    progress: Progress | None = None

    def __post_init__(self) -> None:
        _within("writers", self.writers, 1, MOST_WRITERS)
        _within("megabytes", self.megabytes, 1, 1_000_000)
        _within("seconds", self.seconds, 1, 86_400)
        _within("seed", self.seed, 0, MOST_SEED)


@dataclass(frozen=True, kw_only=True)
class Bench:
    """An experiment's surroundings while it runs.

    Attributes:
        folder: Empty at the start; removed at the end.
        wish: What may be written.
        place: Where it is.
        request: What was asked for.
        ends_at: When the time budget is used up, in `time.monotonic()` seconds.
    """

    folder: Path
    wish: Wish
    place: Place
    request: Request
    ends_at: float
    _progress: Progress
    _taken_at: str
    _machine: dict[str, Any]
    _notes: list[Said] = field(default_factory=list)

    @property
    def time_left(self) -> bool:
        """Whether there is time for another repeat."""
        return time.monotonic() < self.ends_at

    def show(self, share: float, doing: Said) -> None:
        """Show how far the experiment is."""
        self._progress.show(share, doing)

    def note(self, said: Said) -> None:
        """Put a sentence into the record, once."""
        if said not in self._notes:
            self._notes.append(said)

    def record(
        self,
        experiment: str,
        *,
        series: Sequence[Series],
        settings: dict[str, Any],
        facts: Sequence[dict[str, Any]] = (),
    ) -> Record:
        """Return the record of what was measured."""
        if not self.time_left:
            self.note(
                Said(
                    zh=f"{self.request.seconds:.0f} 秒的时间预算用完了，重复次数比计划少。",
                    en=f"The budget of {self.request.seconds:.0f} s ran out: fewer repeats "
                    "than planned.",
                )
            )
        limits = self.place.limits
        return Record(
            experiment=experiment,
            taken_at=self._taken_at,
            machine=self._machine,
            file_system={
                "type": self.place.mount.type,
                "kind": str(self.place.kind),
                "cgroup_memory_bytes": limits.memory_bytes,
                "cgroup_io": limits.io,
            },
            settings=settings | {"seed": self.request.seed, "seconds": self.request.seconds},
            series=tuple(series),
            facts=tuple(facts),
            notes=tuple(self._notes),
        )


@contextmanager
def bench(wish: Wish, request: Request) -> Iterator[Bench]:
    """Open the surroundings of an experiment, and clear them away in the end.

    Raises:
        Refused: It may not run there; nothing was written.
    """
    place = place_of(request.path)
    permit = settle(wish, place, own=request.own, agree=request.agree)
    progress = progress_here() if request.progress is None else request.progress
    try:
        with workspace(place.path) as folder:
            yield Bench(
                folder=folder,
                wish=permit.wish,
                place=place,
                request=request,
                ends_at=time.monotonic() + request.seconds,
                _progress=progress,
                _taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
                _machine=describe_machine(),
                _notes=list(permit.notes),
            )
    except OSError as error:
        raise Refused(
            Said(
                zh=f"{place.path}：做不下去（{error.strerror}）。请换一个写得进去、有空间的目录。",
                en=f"{place.path}: cannot go on ({error.strerror}). Name a folder that can be "
                "written to and has room.",
            )
        ) from error
    finally:
        progress.close()


def _within(name: str, value: float | None, low: float, high: float) -> None:
    if value is None or low <= value <= high:
        return
    raise Refused(
        Said(
            zh=f"--{name} 应在 {low:g} 到 {high:g} 之间，不是 {value:g}。",
            en=f"--{name} must be from {low:g} to {high:g}, not {value:g}.",
        )
    )
