"""What a plan comes to, in sentences."""

from __future__ import annotations

from lessons.lesson03.bands import Band
from lessons.lesson03.plan import Outlook, Plan
from lessons.lesson03.readable import bandwidth_text, bytes_text, factor_text, seconds_text

_LIMITS = {
    "writers": "显存到主机的拷贝（全部 GPU 合计）",
    "nics": "节点网卡（全部节点合计）",
    "aggregate": "后端的总带宽",
}
_TIERS = {
    "host": "主机内存",
    "peer": "邻居节点",
    "nvme": "本地 NVMe",
    "pfs": "并行文件系统",
    "object": "对象存储",
}


def verdict_sentence(plan: Plan, result: Outlook) -> str:
    """Return whether the plan is feasible, with its times and its tightest limit."""
    dump, period = seconds_text(result.dump_s), seconds_text(plan.interval_s)
    if not result.feasible:
        verdict = (
            f"不可行：写完要 {dump}，超过间隔 {period}，是它的 {factor_text(1 / result.slack)} 倍，"
            "检查点会越积越多"
        )
    elif result.dump_s == plan.interval_s:
        verdict = f"刚好可行：写完要 {dump}，等于间隔，一点余量也没有"
    else:
        verdict = f"可行：写完要 {dump}，不超过间隔 {period}，余量 {factor_text(result.slack)} 倍"
    return (
        f"{verdict}；落盘 {bytes_text(plan.written_bytes)}，"
        f"平均要 {bandwidth_text(plan.average_Bps)}，"
        f"最紧的一环是{_LIMITS[result.tightest]}，{bandwidth_text(result.effective_Bps)}。"
    )


def tiers_sentence(plan: Plan, times: tuple[Band, ...]) -> str:
    """Return which tiers, at their typical figures, take a whole checkpoint in one interval."""
    can = [_TIERS[band.id] for band in times if band.typical_s <= plan.interval_s]
    cannot = [_TIERS[band.id] for band in times if band.typical_s > plan.interval_s]
    if not cannot:
        return "按典型带宽（模型），五层都能在一个间隔内写完。"
    if not can:
        return "按典型带宽（模型），没有一层能在一个间隔内写完。"
    return (
        f"按典型带宽（模型），一个间隔内写得完的有{'、'.join(can)}；写不完的有{'、'.join(cannot)}。"
    )
