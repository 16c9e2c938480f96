"""States of any kind through a shard's file and back, and what stands in the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from lessons.lesson03.pipeline import ShardId, read_shard, spill_state
from lessons.lesson03.pipeline.errors import BadState, ShardDamaged
from lessons.lesson03.pipeline.image import Checker
from lessons.lesson03.pipeline.naming import shard_of_file
from lessons.lesson03.pipeline.staging import HostBuffer

ROOT = Path(__file__).resolve().parents[3]
SHARD = ShardId(step=12, attempt="20261130T120000-abcd", rank=3, ranks=8)
KINDS = (
    arrays.floating_dtypes() | arrays.integer_dtypes() | arrays.boolean_dtypes()
    | arrays.complex_number_dtypes() | arrays.datetime64_dtypes()
)  # fmt: skip
ARRAYS = arrays.arrays(dtype=KINDS, shape=arrays.array_shapes(min_dims=0, min_side=0, max_side=5))


@settings(max_examples=40, deadline=None)
@given(state=st.dictionaries(st.text(max_size=8), ARRAYS, max_size=5))
def test_any_state_comes_back(tmp_path_factory: pytest.TempPathFactory, state: dict) -> None:
    node = tmp_path_factory.mktemp("node")
    read = read_shard(spill_state(state, shard=SHARD, node=node).path)
    assert sorted(read) == sorted(state)
    for name, value in state.items():
        assert read[name].dtype == value.dtype
        assert read[name].shape == value.shape
        assert read[name].tobytes() == value.tobytes()


def test_arrays_that_are_not_contiguous(tmp_path: Path) -> None:
    square = np.arange(12.0).reshape(3, 4)
    state = {"turned": square.T, "every second": square[:, ::2], "backwards": square[::-1]}
    read = read_shard(spill_state(state, shard=SHARD, node=tmp_path).path)
    assert read["turned"].tolist() == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]
    assert read["every second"].tolist() == [[0, 2], [4, 6], [8, 10]]
    assert read["backwards"].tolist() == [[8, 9, 10, 11], [4, 5, 6, 7], [0, 1, 2, 3]]


@pytest.mark.parametrize(
    "value", [np.array([object()]), [1, 2], 3.0, "x", np.zeros(2, dtype="i4,f4")]
)
def test_what_is_no_array_of_numbers_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(BadState, match="'x'"):
        spill_state({"x": value}, shard=SHARD, node=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_aligned_and_can_be_read_without_this_code(tmp_path: Path) -> None:
    state = {"a": np.arange(5, dtype="<i8"), "b": np.ones(2, dtype="<f4")}
    data = spill_state(state, shard=SHARD, node=tmp_path).path.read_bytes()
    assert len(data) == 3 * 4096
    assert data[:8] == b"L3SHARD1"
    about = json.loads(data[16 : 16 + int.from_bytes(data[8:16], "little")])
    assert (about["step"], about["rank"], about["ranks"]) == (12, 3, 8)
    # a: 40 bytes from 0; b begins at the next multiple of 64
    assert [one["offset"] for one in about["tensors"]] == [0, 64]
    assert np.frombuffer(data, "<i8", 5, 4096).tolist() == [0, 1, 2, 3, 4]
    assert np.frombuffer(data, "<f4", 2, 4096 + 64).tolist() == [1.0, 1.0]
    assert data[8192:8200] == b"L3TRAIL1"
    assert int.from_bytes(data[8200:8208], "little") == 8192


def test_snapshots_use_the_same_memory_again() -> None:
    buffer = HostBuffer()
    first = buffer.snapshot({"a": np.arange(1000.0)}, SHARD)
    place, size = first.body.ctypes.data, buffer.size
    second = buffer.snapshot({"a": np.ones(900)}, SHARD)
    assert (second.body.ctypes.data, buffer.size) == (place, size)
    assert place % 4096 == 0
    assert not second.body[4096 + 7200 :].any()  # nothing of the first is left in the padding


@pytest.mark.parametrize("block", [1, 15, 16, 17, 4095, 4096, 4097, 100_000])
def test_blocks_of_any_size_are_checked_alike(tmp_path: Path, block: int) -> None:
    spilled = spill_state({"a": np.arange(700.0)}, shard=SHARD, node=tmp_path)
    data = spilled.path.read_bytes()
    pieces = [data[start : start + block] for start in range(0, len(data), block)]
    assert Checker(len(data)).feed(pieces).digest == spilled.digest
    with pytest.raises(ShardDamaged):
        Checker(len(data)).feed(pieces[:-1])
    with pytest.raises(ShardDamaged):
        Checker(len(data)).feed([*pieces, b"x"])


@pytest.mark.parametrize(
    "name",
    [
        "step-12.a.rank-00000-of-00001.shard",
        "step-0000000012.a.rank-00001-of-00001.shard",
        "step-0000000012.a.rank-00000-of-00001.shard.tmp",
        "step-0000000012.a/b.rank-00000-of-00001.shard",
    ],
)
def test_other_names_are_no_shards(name: str) -> None:
    assert shard_of_file(name) is None


def test_names_lead_back_to_their_shard() -> None:
    assert SHARD.file_name == "step-0000000012.20261130T120000-abcd.rank-00003-of-00008.shard"
    assert shard_of_file(SHARD.file_name) == SHARD


BASE_INSTALL = """
import sys
for name in ("obstore", "xxhash", "torch"):
    sys.modules[name] = None
import json, numpy as np
from pathlib import Path
from lessons.lesson03.pipeline import *
from lessons.lesson03.pipeline.errors import MissingPackage
from lessons.lesson03.pipeline.dcp import compare_with_dcp
folder = Path(sys.argv[1])
store = DirectoryAddress(folder=folder / "store", survives="zone").open()
with Saver(rank=0, ranks=1, node=folder / "node", store=store, attempt="a") as saver:
    saved = saver.save(1, {"a": np.arange(3)}).wait(20)
found = recover(failure="zone", store=store)
said = []
for ask in (S3Address(endpoint="http://127.0.0.1:1", bucket="b", key_id="k", secret="s").open,
            lambda: compare_with_dcp(folder)):
    try:
        ask()
    except MissingPackage as error:
        said.append(str(error))
print(json.dumps([saved.spilled.algorithm, found.load(0)["a"].tolist(), *said]))
"""


def test_the_base_install_saves_to_directories_and_says_what_it_lacks(tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", BASE_INSTALL, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=os.environ | {"COURSE_LANG": "zh-CN", "PYTHONIOENCODING": "utf-8"},
        encoding="utf-8",
    )
    algorithm, values, s3, dcp = json.loads(shown.stdout)
    assert (algorithm, values) == ("crc32", [0, 1, 2])
    mend = "，请运行 pip install 'selfgrading-lessons[labs]' 安装。"
    assert s3 == f"这一步需要 obstore{mend}"
    assert dcp == f"这一步需要 torch{mend}"


def test_a_shard_under_crc32_is_checked_with_crc32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lessons.lesson03.pipeline.staging.best_algorithm", lambda: "crc32")
    spilled = spill_state({"a": np.arange(9)}, shard=SHARD, node=tmp_path)
    data = spilled.path.read_bytes()
    assert spilled.digest == f"{zlib.crc32(data[:-4096]):08x}"
    assert read_shard(spilled.path)["a"].tolist() == list(range(9))
