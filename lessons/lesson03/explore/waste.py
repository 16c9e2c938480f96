"""The explorer of waste against interval."""

from __future__ import annotations

from dataclasses import replace

from lessons.lesson03.explore.controls import TIMES_S, Number, Presets, field, round_values
from lessons.lesson03.explore.explorer import Spec, Words
from lessons.lesson03.figures import WasteCase, WastePlot, waste_alt
from lessons.lesson03.figures.waste import lost_text
from lessons.lesson03.plan import REFERENCE_MTBF_S
from lessons.lesson03.readable import seconds_text

# The prediction is about what 600 s of T_dump change, so it opens before that.
FIRST = WasteCase(dump_s=60.0, commit_s=60.0)
_HOURS = (0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 99.0, 200.0, 500.0, 1000.0)


def waste_spec() -> Spec[WasteCase]:
    """Return what the explorer consists of."""
    blocked = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 6.3, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0]
    return Spec(
        name="waste",
        plot=WastePlot,
        alt=waste_alt,
        words=_words,
        controls=(
            Presets(
                "无故障时间取自",
                {
                    "Llama 3：16,384 张 GPU，3.09 小时": lambda case: replace(
                        case, mtbf_s=REFERENCE_MTBF_S
                    ),
                    "按它折算：512 张 GPU，99 小时": lambda case: replace(
                        case, mtbf_s=REFERENCE_MTBF_S * 32
                    ),
                    "Daly 的算例：6 小时": lambda case: replace(case, mtbf_s=6 * 3600.0),
                },
            ),
            Number(
                "无故障时间 M",
                "小时",
                values=[3600 * hours for hours in _HOURS],
                scale=3600,
                **field("mtbf_s"),
            ),
            Number("后台停顿 δ", "秒", values=blocked, **field("blocked_s")),
            Number(
                "写完 T_dump",
                "分钟",
                values=[at for at in TIMES_S if at >= 10],  # noqa: PLR2004 - the axis begins there
                scale=60,
                get=lambda case: case.dump_s,
                # The lag follows: what is written later is committed later.
                put=lambda case, value: replace(case, dump_s=value, commit_s=value),
            ),
            Number("提交滞后", "分钟", values=TIMES_S, scale=60, **field("commit_s")),
            Number("重启 R", "分钟", values=round_values(30, 7200), scale=60, **field("restart_s")),
            Number(
                "间隔 T",
                "分钟",
                values=[at for at in TIMES_S if at >= 10],  # noqa: PLR2004 - as above
                scale=60,
                **field("interval_s"),
            ),
        ),
        moved=lambda case: replace(case, dump_s=600.0, commit_s=600.0),
        outcome=_outcome,
    )


def _words(case: WasteCase) -> Words:
    held = (
        "由后端决定：比它短就写不完"
        if case.young_s < case.dump_s
        else "由停顿与故障率决定，后端跟得上"
    )
    lost = float(case.background(case.interval_s))
    late = "，但后端跟不上这个间隔" if case.interval_s < case.dump_s else ""
    return Words(
        verdict=(
            f"后台保存最好每 {seconds_text(case.best_s)}一次（{held}），"
            f"浪费 {lost_text(case.background(case.best_s))}。"
        ),
        detail=(
            f"你的间隔 {seconds_text(case.interval_s)}：浪费 {lost_text(lost)}{late}；"
            f"短式只报 {lost_text(case.short(case.interval_s))}。全部是一阶模型。"
        ),
    )


def _outcome(_first: WasteCase, now: WasteCase) -> str:
    return (
        f"δ = {seconds_text(now.blocked_s)}时 Young 给 {seconds_text(now.young_s)}；"
        f"写完要 {seconds_text(now.dump_s)}，所以撑得住的最好间隔是 max 的结果："
        f"{seconds_text(now.best_s)}，浪费 {lost_text(now.background(now.best_s))}。"
    )
