"""What series are called, for tables and figures."""

from __future__ import annotations

from lessons.lesson03.experiments.record import Record
from lessons.lesson03.experiments.said import Said
from lessons.lesson03.experiments.series import Series

_WHAT = {
    "save": Said(zh="整次保存（到最慢的写完）", en="save, until the slowest is done"),
    "file": Said(zh="一个文件：建、写、fsync", en="one file: create, write, fsync"),
    "create": Said(zh="其中新建", en="its create"),
    "rate": Said(zh="每秒", en="a second"),
    "epoch": Said(zh="读完一遍", en="an epoch"),
    "sample": Said(zh="等一个样本", en="waiting for a sample"),
    "read": Said(zh="一次随机读", en="one random read"),
    "stage": Said(zh="一次保存的一段", en="a stage of a save"),
    "recover": Said(zh="找到并校验一步", en="finding and verifying a step"),
    "lost-steps": Said(zh="丢了几步训练", en="steps of training lost"),
}
_HOW = {
    "one-directory": Said(zh="同一目录", en="one directory"),
    "per-writer": Said(zh="每写者一个目录", en="a directory for each writer"),
    "aggregated": Said(zh="聚合成一个文件", en="aggregated in one file"),
    "files-cold": Said(zh="小文件，冷", en="files, cold"),
    "files-warm": Said(zh="小文件，热", en="files, warm"),
    "shards-cold": Said(zh="tar 分片，冷", en="tar shards, cold"),
    "shards-warm": Said(zh="tar 分片，热", en="tar shards, warm"),
    "torch-files": Said(zh="DataLoader，小文件，热", en="DataLoader, files, warm"),
    "torch-shards": Said(zh="DataLoader，tar 分片，热", en="DataLoader, tar shards, warm"),
    "blocked": Said(zh="训练停顿（背压与暂存）", en="training blocked (wait, snapshot)"),
    "spill": Said(zh="落盘", en="spill"),
    "upload": Said(zh="上传", en="upload"),
    "commit": Said(zh="到齐与提交", en="reports and commit"),
    "total": Said(zh="从调用到完成", en="from call to end"),
    "cold": Said(zh="冷（经 page cache）", en="cold, through the page cache"),
    "warm": Said(zh="热（page cache 命中）", en="warm, from the page cache"),
    "direct": Said(zh="O_DIRECT", en="O_DIRECT"),
    "gds": Said(zh="GDS", en="GDS"),
    "process": Said(zh="进程崩溃", en="process crash"),
    "reboot": Said(zh="重启（模拟）", en="reboot (simulated)"),
    "reboot-unsynced": Said(
        zh="重启，假如省掉 fsync（模拟）", en="reboot, had fsync been left out (simulated)"
    ),
    "node": Said(zh="丢一个节点的目录", en="a node's directory lost"),
}
_FACT = {
    "drill": Said(zh="演练", en="drill"),
    "failure": Said(zh="故障", en="failure"),
    "recoveries": Said(zh="恢复次数", en="recoveries"),
    "lost": Said(zh="丢的步数 × 次数", en="steps lost × times"),
    "exactly_right": Said(zh="逐字节正确", en="right to the byte"),
    "cut": Said(zh="截断操作日志", en="log of operations cut"),
    "kill": Said(zh="真的杀进程、删目录", en="processes really killed"),
}
_KIB = 1024


def what_said(series: Series) -> Said:
    """Return what was measured."""
    return _WHAT.get(series.what, Said(zh=series.what, en=series.what))


def how_said(how: str) -> Said:
    """Return a condition's name."""
    return _HOW.get(how, Said(zh=how, en=how))


def fact_said(text: str) -> Said:
    """Return what a column or a value of the facts is called; numbers stay what they are."""
    return _FACT.get(text) or how_said(text)


def size_text(size: float) -> str:
    """Return a power of two in binary units, as tools print it: 4096 -> "4 KiB"."""
    if size >= _KIB * _KIB:
        return f"{size / _KIB / _KIB:g} MiB"
    return f"{size / _KIB:g} KiB"


def at_text(record: Record, series: Series) -> str:
    """Return the number that varies, with what it counts."""
    if series.what == "read":
        return size_text(series.at)
    counted = {
        "small-files": Said(zh="写者", en="writers"),
        "samples": Said(zh="样本", en="samples"),
        "node-loss": Said(zh="rank", en="ranks"),
        "job-saves": Said(zh="rank", en="ranks"),
    }.get(record.experiment, Said(zh="", en=""))
    return f"{series.at:,.0f} {counted}".strip()
