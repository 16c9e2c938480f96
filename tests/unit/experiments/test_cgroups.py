"""Limits of both versions of cgroups, of our group and of those above."""

from __future__ import annotations

from pathlib import Path

from lessons.lesson03.experiments.cgroups import Limits, limits_of


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_version_2_takes_the_tightest_of_all_groups_above(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "job/memory.max": "2147483648\n",
            "job/step/memory.max": "max\n",
            "job/step/io.max": "254:0 rbps=max wbps=10485760 riops=100 wiops=max\n"
            "8:0 rbps=1 wbps=1 riops=1 wiops=1\n",
            "job/io.max": "254:0 rbps=52428800 wbps=20971520 riops=max wiops=max\n",
        },
    )
    found = limits_of("0::/job/step\n", "254:0", root)
    assert found == Limits(
        memory_bytes=2_147_483_648,
        io={"wbps": 10_485_760, "riops": 100, "rbps": 52_428_800},
    )


def test_version_1_in_a_container_whose_path_is_the_hosts(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "memory/memory.limit_in_bytes": "536870912\n",
            "blkio/blkio.throttle.write_bps_device": "254:0 1048576\n",
        },
    )
    groups = "8:blkio:/docker/abc\n4:memory:/docker/abc\n0::/\n"
    assert limits_of(groups, "254:0", root) == Limits(
        memory_bytes=536_870_912, io={"wbps": 1_048_576}
    )


def test_no_limit_is_no_limit(tmp_path: Path) -> None:
    root = write(tmp_path, {"memory/memory.limit_in_bytes": "9223372036854771712\n"})
    assert limits_of("4:memory:/\n", "254:0", root) == Limits()
