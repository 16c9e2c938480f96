"""torch tensors in a state, and PyTorch Distributed Checkpoint beside the pipeline."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from lessons.lesson03.pipeline import Saver, ShardId, read_shard, spill_state
from lessons.lesson03.pipeline.dcp import WAYS, compare_with_dcp

pytestmark = pytest.mark.slow  # torch comes with the extra `labs` only


def test_tensors_of_any_kind_come_back(tmp_path: Path) -> None:
    import torch  # noqa: PLC0415

    state = {
        "bf16": torch.randn(5, 3).to(torch.bfloat16),
        "f8": torch.randn(7).to(torch.float8_e4m3fn),
        "bool": torch.tensor([True, False]),
        "scalar": torch.tensor(2.5, dtype=torch.float64),
        "empty": torch.empty(0, 4),
        "turned": torch.arange(6).reshape(2, 3).T,
        "trained": torch.ones(3, requires_grad=True),
    }
    shard = ShardId(step=1, attempt="a", rank=0, ranks=1)
    read = read_shard(spill_state(state, shard=shard, node=tmp_path).path)
    for name, tensor in state.items():
        assert isinstance(read[name], torch.Tensor)
        assert (read[name].dtype, read[name].shape) == (tensor.dtype, tensor.shape)
        bits = torch.uint8 if tensor.element_size() == 1 else tensor.dtype
        assert torch.equal(read[name].view(bits), tensor.detach().contiguous().view(bits))


def test_a_tensor_may_change_once_save_returns(tmp_path: Path) -> None:
    import torch  # noqa: PLC0415

    weights = torch.zeros(1_000_000)
    with Saver(rank=0, ranks=1, node=tmp_path, store=None, attempt="a") as saver:
        ticket = saver.save(1, {"weights": weights})
        weights += 1
        path = ticket.wait(30).spilled.path
    assert read_shard(path)["weights"].abs().max().item() == 0.0


def test_dcp_writes_a_file_a_rank_or_more(tmp_path: Path) -> None:
    ranks, state_bytes = 3, 3_200_000
    seen = compare_with_dcp(tmp_path, ranks=ranks, state_bytes=state_bytes, repeats=2)
    assert Counter(row.way for row in seen.timed) == dict.fromkeys(WAYS, 2 * ranks)
    for way in ("DCP save", "DCP async_save"):
        names = [name for name, _ in seen.files[way]]
        assert ".metadata" in names
        for rank in range(ranks):
            assert sum(name.startswith(f"__{rank}_") for name in names) >= 1
        assert sum(size for _, size in seen.files[way]) >= ranks * state_bytes
    shards = [name for name, _ in seen.files["spill"]]
    assert len(shards) == ranks
    kinds = Counter(
        name.split("/")[1] for name, _ in seen.files["spill and commit"] if "store" in name
    )
    assert kinds == {"shards": ranks, "reports": ranks, "manifests": 1}
    for row in seen.timed:
        assert 0 < row.blocked_s <= row.total_s
        assert row.way != "DCP save" or row.blocked_s == row.total_s
