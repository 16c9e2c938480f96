"""The pipeline on a real S3 server: SeaweedFS on loopback, also behind a proxy that fails."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lessons.lesson03.pipeline import S3Address, SaveOptions, Saver, recover, s3_server
from lessons.lesson03.pipeline.errors import AlreadyThere, NotThere, PipelineError, StoreTrouble
from lessons.lesson03.pipeline.s3_store import PART_BYTES, S3Store
from lessons.lesson03.pipeline.store import Backoff, PatientStore
from tests.pipeline.faulty_proxy import FAULTS, Plan, faulty_proxy
from tests.pipeline.scenarios import FIRST, RANKS, SECOND, check_found, nodes, state

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[S3Address]:
    with s3_server() as address:
        yield address


def test_the_store_does_what_the_pipeline_asks(server: S3Address) -> None:
    store = server.open()
    content = os.urandom(PART_BYTES + 12345)  # two parts
    store.upload("shards/a", lambda: iter([content[:1000], content[1000:]]))
    assert store.size("shards/a") == len(content)
    assert b"".join(store.stream("shards/a")) == content
    store.create("manifests/a", b"one")
    with pytest.raises(AlreadyThere):
        store.create("manifests/a", b"two")
    assert store.read("manifests/a") == b"one"
    assert store.keys("manifests/") == ["manifests/a"]
    store.delete(["manifests/a", "shards/a"])
    store.delete(["manifests/a"])
    for ask in (store.read, store.size, lambda key: list(store.stream(key))):
        with pytest.raises(NotThere):
            ask("manifests/a")


def test_an_upload_that_breaks_off_leaves_no_object(server: S3Address) -> None:
    store = S3Store(server)

    def broken() -> Iterator[bytes]:
        yield bytes(PART_BYTES)
        raise StoreTrouble("broken off")

    with pytest.raises(StoreTrouble, match="broken off"):
        store.upload("shards/broken", broken)
    with pytest.raises(NotThere):
        store.size("shards/broken")


def test_a_bit_that_flips_on_the_way_is_refused_by_the_servers_checksum(
    server: S3Address,
) -> None:
    plan = Plan(seed=1, rate=1.0, faults=("flip",))
    content = b"x" * 100_000
    with faulty_proxy(server.endpoint, plan) as endpoint:
        store = S3Store(dataclasses.replace(server, endpoint=endpoint), retries=0)
        with pytest.raises(StoreTrouble, match="400"):
            store.put("reports/flipped", content)
        plan.rate = 0.0
        store.put("reports/flipped", content)
    assert S3Store(server).read("reports/flipped") == content


def save_all(
    root: Path, address: S3Address, attempt: str, steps: range, options: SaveOptions
) -> int:
    """Save some steps on all ranks; return the newest that rank 0 committed."""
    store = PatientStore(S3Store(address, timeout_s=1.0, retries=1), Backoff(longest_s=0.2))
    savers = [
        Saver(
            rank=rank,
            ranks=RANKS,
            node=nodes(root)[rank],
            store=store,
            attempt=attempt,
            options=options,
        )
        for rank in range(RANKS)
    ]
    newest = -1
    for step in steps:
        tickets = [saver.save(step, state(step, attempt, saver.rank)) for saver in savers]
        for ticket in tickets:
            try:
                newest = step if ticket.wait(timeout_s=60).stage == "committed" else newest
            except PipelineError:
                continue
    for saver in savers:
        saver.close()
    return newest


def test_saves_come_back_from_s3(server: S3Address, tmp_path: Path) -> None:
    assert save_all(tmp_path, server, FIRST, range(1, 4), SaveOptions(keep=2)) == 3
    store = server.open()
    assert store.keys("manifests/") == ["manifests/0000000002.json", "manifests/0000000003.json"]
    found = recover(failure="zone", store=store)
    assert found.step == 3
    check_found(found)
    store.delete(store.keys("manifests/") + store.keys("shards/") + store.keys("reports/"))


@pytest.mark.slow
def test_a_server_in_trouble(server: S3Address, tmp_path: Path) -> None:
    """503, 500, connections broken before and after the deed, hangs, flipped bits, cut bodies."""
    points = 0
    seen = dict.fromkeys(FAULTS, 0)
    started = time.monotonic()
    for seed in range(8):
        plan = Plan(seed=seed, rate=(0.1, 0.25)[seed % 2])
        bucket = dataclasses.replace(server, bucket=f"trouble{seed}")
        with faulty_proxy(server.endpoint, plan) as endpoint:
            address = dataclasses.replace(bucket, endpoint=endpoint)
            root = tmp_path / str(seed)
            options = SaveOptions(keep=1, patience_s=20)
            newest = save_all(root, address, FIRST, range(1, 4), options)
            newest = max(newest, save_all(root, address, SECOND, range(3, 5), options))
        if newest > 0:
            found = recover(failure="zone", store=bucket.open())
            assert found.step >= newest, (seed, found)
            check_found(found)
        found = recover(failure="process", nodes=nodes(root), store=bucket.open())
        assert found.step >= newest
        check_found(found)
        points += sum(plan.done.values())
        seen = {name: seen[name] + plan.done[name] for name in FAULTS}
        if time.monotonic() - started > 150:
            break
    assert points >= 50
    assert all(seen.values()), seen


@pytest.mark.slow
def test_the_server_ends_with_its_parent(tmp_path: Path) -> None:
    """A notebook's kernel that is killed leaves no server behind."""
    code = (
        "import time; from pathlib import Path; from lessons.lesson03.pipeline import s3_server\n"
        f"with s3_server(Path({str(tmp_path / 'data')!r})) as address:\n"
        "    print(address.endpoint, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as parent:
        assert parent.stdout is not None
        endpoint = parent.stdout.readline().strip()
        parent.kill()
    address = S3Address(endpoint=endpoint, bucket="lab", key_id="x", secret=str(tmp_path))
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            S3Store(address, timeout_s=1, retries=0).keys("manifests/")
        except PipelineError as error:
            if "Connection refused" in str(error.__cause__) or "error sending" in str(error):
                return
        time.sleep(0.1)
    pytest.fail(f"{endpoint} still answers")
