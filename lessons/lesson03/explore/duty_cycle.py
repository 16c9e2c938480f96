"""The explorer of bursts against their average."""

from __future__ import annotations

from dataclasses import replace

from lessons.lesson03.explore.controls import Presets
from lessons.lesson03.explore.dump_time import (
    backend_presets,
    number_amplification,
    number_backend,
    number_interval,
    number_share,
    number_size,
    toggle_at_client,
)
from lessons.lesson03.explore.explorer import Spec, Words
from lessons.lesson03.figures import DutyCyclePlot, duty_cycle_alt
from lessons.lesson03.plan import Plan, outlook
from lessons.lesson03.readable import bandwidth_text, factor_text, percent_text, seconds_text
from lessons.lesson03.verdict import verdict_sentence

FIRST = Plan()
_TAKEN = 0.1


def duty_cycle_spec() -> Spec[Plan]:
    """Return what the explorer consists of."""
    return Spec(
        name="duty_cycle",
        plot=DutyCyclePlot,
        alt=duty_cycle_alt,
        words=_words,
        controls=(
            number_size(),
            number_amplification(),
            number_interval(),
            Presets("后端", backend_presets()),
            number_backend(),
            toggle_at_client(),
            number_share(),
        ),
        moved=lambda plan: replace(plan, backend_Bps=plan.average_Bps),
        outcome=_outcome,
    )


def _words(plan: Plan) -> Words:
    result = outlook(plan)
    return Words(
        verdict=verdict_sentence(plan, result),
        readouts={
            "一阵占周期": percent_text(result.dump_s / plan.interval_s),
            "突发是平均的": f"{factor_text(result.slack)} 倍",
        },
    )


def _outcome(_first: Plan, now: Plan) -> str:
    result = outlook(now)
    busier = outlook(replace(now, contention=1 - (1 - now.contention) * (1 - _TAKEN)))
    fate = "仍写得完" if busier.feasible else "就写不完了"
    return (
        f"能给 {bandwidth_text(result.effective_Bps)}，平均要 {bandwidth_text(now.average_Bps)}："
        f"余量 {factor_text(result.slack)} 倍，写占周期的 "
        f"{percent_text(result.dump_s / now.interval_s)}。别人再占走 10 %，写完要 "
        f"{seconds_text(busier.dump_s)}，{fate}。"
    )
