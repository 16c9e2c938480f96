from __future__ import annotations

from pathlib import Path

import pytest

from lessons.lesson03.clusters import load_clusters
from lessons.lesson03.models import load_models
from lessons.lesson03.tiers import Basis, DataError, Level, Scope, load_tiers

GOOD = """
[[tier]]
id = "nvme"
name = "本地 NVMe"
name_en = "local NVMe"
scope = "node"
basis = "media"
survives = "重启"
survives_en = "reboot"
low = { Bps = 6.6e9, source = "a data sheet", looked_up = "2026-11" }
typical = { Bps = 26e9, our_choice = true, note = "4 drives" }
high = { Bps = 53e9, source = "a data sheet", looked_up = "2026-11" }
[tier.read]
low = { Bps = 13e9, source = "a data sheet", looked_up = "2026-11" }
typical = { Bps = 52e9, source = "a data sheet", looked_up = "2026-11" }
high = { Bps = 104e9, source = "a data sheet", looked_up = "2026-11" }
"""


def test_every_row_of_the_brief_is_there() -> None:
    rows = {
        (tier.id, tier.scope.value): (tier.low.Bps, tier.typical.Bps, tier.high.Bps)
        for tier in load_tiers().values()
    }
    assert rows == {
        ("hbm", "gpu"): (3.35e12, 4.8e12, 8e12),
        ("d2h", "gpu"): (5e9, 50e9, 55e9),
        ("host-dram", "node"): (307e9, 614e9, 922e9),
        ("peer", "node"): (12.5e9, 25e9, 50e9),
        ("nvme", "node"): (6.6e9, 26e9, 53e9),
        ("pfs-node", "node"): (1e9, 10e9, 40e9),
        ("pfs-cluster", "cluster"): (10e9, 57.5e9, 2e12),
        ("object-store", "node"): (0.1e9, 2e9, 12.5e9),
    }


def test_every_figure_has_a_source_with_its_month_or_is_our_choice() -> None:
    for tier in load_tiers().values():
        read = tier.read
        for figure in (tier.low, tier.typical, tier.high, read.low, read.typical, read.high):
            assert figure.origin.our_choice is (figure.origin.source is None)
            assert (figure.origin.looked_up is None) is figure.origin.our_choice
    assert load_tiers()["object-store"].low.origin.our_choice


def test_the_read_side_is_told_apart() -> None:
    tiers = load_tiers()
    # Samsung PM1743: 13 GB/s of a drive; 1, 4 and 8 of them.
    read = tiers["nvme"].read
    assert [read.Bps(level) for level in Level] == [13e9, 52e9, 104e9]
    # A NIC and a memory bus have no slower side.
    assert tiers["peer"].read.typical.Bps == tiers["peer"].typical.Bps
    # SuperPOD's "over 40 GBps" is a read figure in the first place.
    assert tiers["pfs-node"].read.high.origin.source is not None
    assert tiers["pfs-cluster"].read.typical.origin.our_choice


def test_clusters() -> None:
    gpus = {c.id: c.nodes * c.gpus_per_node for c in load_clusters().values()}
    assert gpus == {"small": 64, "lesson": 512, "bytecheckpoint": 8960, "llama3": 16_384}


def test_only_raw_media_pay_write_amplification() -> None:
    tiers = load_tiers()
    assert tiers["nvme"].amplification(1.5) == 1.5
    assert {t.id for t in tiers.values() if t.basis is not Basis.MEDIA} == tiers.keys() - {"nvme"}
    assert tiers["pfs-cluster"].amplification(1.5) == 1.0
    assert tiers["pfs-cluster"].scope is Scope.CLUSTER


@pytest.mark.parametrize(
    ("name", "terabytes"),
    [
        ("llama3-8b", 0.1124),
        ("llama3-70b", 0.9877),
        ("bloom-176b", 2.468),
        ("llama3-405b", 5.682),
        ("llama3-405b-weights", 0.8117),
        ("deepseek-v3", 6.71),
        ("dense-1t", 14.0),
    ],
)
def test_checkpoint_sizes(name: str, terabytes: float) -> None:
    assert load_models()[name].checkpoint_bytes / 1e12 == pytest.approx(terabytes, rel=3e-4)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "nvme"\n', "", "[[tier]] 1: `id` is missing"),
        ('scope = "node"', 'scope = "rack"', "nvme: `scope` must be one of gpu, node, cluster"),
        ("Bps = 26e9", "Bps = -1", "nvme: typical: `Bps` must be a finite number above 0"),
        ("Bps = 26e9", "Bps = inf", "nvme: typical: `Bps` must be a finite number above 0"),
        ("Bps = 26e9", "Bps = true", "nvme: typical: `Bps` must be a finite number above 0"),
        ("Bps = 26e9", "Bps = 60e9", "nvme: `typical` is above `high`"),
        ("Bps = 6.6e9", "Bps = 30e9", "nvme: `low` is above `typical`"),
        ("our_choice = true, ", "", "nvme: typical: `source` is missing"),
        ("our_choice = true", "our_choice = false", "typical: `our_choice` must be true"),
        ("our_choice = true", 'our_choice = true, source = "x"', "`our_choice` excludes"),
        ('"2026-11" }\ntypical', '"2026-13" }\ntypical', "low: `looked_up` must be a month"),
        ("survives =", "survivs =", "nvme: `survives` is missing"),
        ('note = "4 drives"', 'nota = "4 drives"', "typical: `nota` is not a key"),
        ("[[tier]]", "[[tear]]", "needs at least one [[tier]]"),
        ("[[tier]]", "extra = 1\n[[tier]]", "`extra` is not known here"),
        ("low = {", "low = [", "is not TOML"),
        ("low = { Bps = 6.6e9, source", 'low = "x"\n# {', "nvme: low: must be a table"),
        ("[tier.read]", "[tier.reads]", "nvme: `read` is missing"),
        ("Bps = 13e9", "Bps = 53e9", "nvme: read: `low` is above `typical`"),
        ("Bps = 104e9", "Bps = 0", "nvme: read: high: `Bps` must be a finite number above 0"),
    ],
)
def test_an_error_names_file_table_and_key(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_tiers(path)
    assert str(caught.value).startswith("bad.toml: ")
    assert message in str(caught.value)


def test_an_id_comes_once(tmp_path: Path) -> None:
    path = tmp_path / "twice.toml"
    path.write_text(GOOD + GOOD, encoding="utf-8")
    with pytest.raises(DataError, match=r"twice.toml: \[\[tier\]\] nvme: `id` comes twice"):
        load_tiers(path)
