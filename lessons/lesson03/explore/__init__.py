"""The lesson's explorers, one a figure: predict, then move, then see both.

Each function returns an object that a notebook shows as widgets, and any other viewer as a
picture with its description.
"""

from __future__ import annotations

from collections.abc import Mapping

from lessons.lesson03.explore import amplification as _amplification
from lessons.lesson03.explore import duty_cycle as _duty_cycle
from lessons.lesson03.explore import host_ram as _host_ram
from lessons.lesson03.explore import ladder as _ladder
from lessons.lesson03.explore import pipeline as _pipeline
from lessons.lesson03.explore import stragglers as _stragglers
from lessons.lesson03.explore import waste as _waste
from lessons.lesson03.explore.dump_time import DumpTimeExplorer
from lessons.lesson03.explore.explorer import Explorer
from lessons.lesson03.explore.predictions import Predictions
from lessons.lesson03.explore.scenarios import Comparison, Scenarios
from lessons.lesson03.figures import (
    AmplificationCase,
    HostRamCase,
    LadderCase,
    PipelineCase,
    StragglerCase,
    WasteCase,
)
from lessons.lesson03.plan import Plan
from lessons.lesson03.report import PlanReport, plan


def dump_time(plan: Plan | None = None) -> DumpTimeExplorer:
    """Return the explorer of a whole plan, opened on the lesson's worked example or on `plan`."""
    return DumpTimeExplorer(Plan() if plan is None else plan, Predictions(), Scenarios())


def waste(case: WasteCase | None = None) -> Explorer[WasteCase]:
    """Return the explorer of waste against interval."""
    return Explorer(_waste.waste_spec(), case or _waste.FIRST)


def pipeline(case: PipelineCase | None = None) -> Explorer[PipelineCase]:
    """Return the explorer of the pipeline's timeline."""
    return Explorer(_pipeline.pipeline_spec(), case or _pipeline.FIRST)


def ladder(case: LadderCase | None = None) -> Explorer[LadderCase]:
    """Return the explorer of the tier ladder."""
    return Explorer(_ladder.ladder_spec(), case or _ladder.FIRST)


def amplification(case: AmplificationCase | None = None) -> Explorer[AmplificationCase]:
    """Return the explorer of write amplification."""
    return Explorer(_amplification.amplification_spec(), case or _amplification.FIRST)


def stragglers(case: StragglerCase | None = None) -> Explorer[StragglerCase]:
    """Return the explorer of commit time against ranks."""
    return Explorer(_stragglers.stragglers_spec(), case or _stragglers.FIRST)


def host_ram(case: HostRamCase | None = None) -> Explorer[HostRamCase]:
    """Return the explorer of host memory for snapshots."""
    return Explorer(_host_ram.host_ram_spec(), case or _host_ram.FIRST)


def duty_cycle(plan: Plan | None = None) -> Explorer[Plan]:
    """Return the explorer of bursts against their average."""
    return Explorer(_duty_cycle.duty_cycle_spec(), plan or _duty_cycle.FIRST)


def compare(plans: Mapping[str, Plan] | None = None) -> Comparison:
    """Return plans beside each other: those given by name, else those saved in `dump_time`."""
    return Comparison(Scenarios().all() if plans is None else plans)


__all__ = [
    "Comparison",
    "DumpTimeExplorer",
    "Explorer",
    "Plan",
    "PlanReport",
    "amplification",
    "compare",
    "dump_time",
    "duty_cycle",
    "host_ram",
    "ladder",
    "pipeline",
    "plan",
    "stragglers",
    "waste",
]
