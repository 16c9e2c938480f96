"""What cells of a notebook call: measure, then show."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from lessons.lesson03.experiments.catalogue import (
    EXPERIMENTS,
    experiment_named,
    figure_of,
    recorded,
)
from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import ExperimentError, Refused, Said

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INSTEAD = Said(
    zh="下面改用随课附带的记录；图上写明了它来自哪台机器。",
    en="The record that ships with the lesson stands in; the figure says which machine it is of.",
)
_NAMES = {"i_own_this": "own"}


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A figure that every notebook shows, with its description.

    Attributes:
        figure: The figure.
        alt: What it shows, in words.
    """

    figure: Figure
    alt: str

    def png(self) -> bytes:
        """Return the figure as a PNG file."""
        file = io.BytesIO()
        self.figure.savefig(file, format="png", metadata={"Description": self.alt})
        return file.getvalue()

    def _repr_mimebundle_(self, **_asked: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        shown = {"image/png": self.png(), "text/plain": self.alt}
        return shown, {"image/png": {"alt": self.alt}}


def measure(name: str, asked: dict[str, Any]) -> Record:
    """Run an experiment, or return the shipped record where it may not run and no path was given.

    Args:
        name: Of the experiment.
        asked: Fields of a `Request`; `path` may be text, `i_own_this` is `own`.

    Raises:
        ExperimentError: It cannot do what was asked.
    """
    from lessons.lesson03.experiments.bench import Request  # noqa: PLC0415 - not for a look only

    fields = {_NAMES.get(key, key): value for key, value in asked.items()}
    if isinstance(fields.get("path"), str):
        fields["path"] = Path(fields["path"])
    try:
        request = Request(**fields)
    except TypeError as error:
        known = "path, i_own_this, writers, megabytes, seconds, seed, drop_caches"
        raise ExperimentError(
            Said(zh=f"参数不对：能用的是 {known}。", en=f"Unknown argument; known are {known}.")
        ) from error
    try:
        return experiment_named(name).run(request)
    except Refused as refused:
        if request.path is not None:
            raise
        print(refused.said, _INSTEAD)  # noqa: T201 - a cell's output is where a learner reads
        return recorded(name)


def picture(record: Record) -> Picture:
    """Return a record's figure."""
    return _picture(figure_of(record), record)


def against_model(
    record: Record,
    *,
    fixed_s: float | None = None,
    media_GBps: float = 6.6,  # noqa: N803 - GB/s
    copy_GBps: float = 10.0,  # noqa: N803 - GB/s
) -> Picture:
    """Return the measurements over what the lesson's model says.

    Small files: saves over the slowest of N independent ranks, whose p50 and p99 are those of one
    writer. Random reads: over t_fixed + s / b_media + s / b_copy.

    Args:
        record: Of "small-files" or "random-reads".
        fixed_s: t_fixed; the p50 of the smallest direct (or cold) read by default.
        media_GBps: b_media; the lesson's choice by default.
        copy_GBps: b_copy; the lesson's choice by default.

    Raises:
        ExperimentError: The lesson has no model of that measurement.
    """
    from lessons.lesson03.experiments import figures  # noqa: PLC0415 - not for a look only

    if record.experiment == "small-files":
        return _picture(figures.over_stragglers(record), record)
    if record.experiment != "random-reads":
        raise ExperimentError(
            Said(
                zh=f"{record.experiment}：课文没有这项测量的模型曲线，只有 small-files 和 "
                "random-reads 有。",
                en=f"{record.experiment}: no model to compare with; small-files and random-reads "
                "have one.",
            )
        )
    slow = record.of("read", "direct") or record.of("read", "cold") or record.of("read")
    model = figures.ReadModel(
        fixed_s=slow[0].p50 if fixed_s is None else fixed_s,
        media_Bps=media_GBps * 1e9,
        copy_Bps=copy_GBps * 1e9,
    )
    return _picture(figures.random_reads_figure(record, model), record)


def _picture(figure: Figure, record: Record) -> Picture:
    from lessons.lesson03.experiments.table import sentence  # noqa: PLC0415 - not for a look only

    return Picture(figure=figure, alt=sentence(record))


def show(record: Record) -> None:
    """Show a record's figure and table, and the shipped figure for what this platform lacks."""
    import IPython.display  # noqa: PLC0415 - only a notebook needs it

    display = cast(Any, IPython.display).display
    display(picture(record), record)
    if record.experiment not in EXPERIMENTS:
        return
    shipped = recorded(record.experiment)
    lacking = [
        how
        for what in dict.fromkeys(one.what for one in shipped.series)
        for how in shipped.conditions(what)
        if how not in record.conditions(what)
    ]
    if lacking and not record.shipped:
        names = "、".join(dict.fromkeys(str(how) for how in _said(lacking)))
        said = Said(
            zh=f"这台机器没有量到：{names}。下图是随课附带的记录，机器见副标题，不要与上图混着比。",
            en=f"Not measured here: {names}. Below is the record that ships with the lesson, of "
            "another machine: do not mix the two.",
        )
        print(said)  # noqa: T201 - a cell's output is where a learner reads
        display(picture(shipped))


def _said(conditions: list[str]) -> list[Said]:
    from lessons.lesson03.experiments.labels import how_said  # noqa: PLC0415 - as above

    return [how_said(how) for how in conditions]
