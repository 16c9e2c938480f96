"""The same epochs through torch's DataLoader: two worker processes that hand samples over.

Imported only where torch is installed.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lessons.lesson03.experiments.sampleset import SampleSet, read_file, shard_samples

WORKERS = 2
_BATCH = 64


@dataclass(frozen=True)
class Files:
    """A dataset in torch's sense: an item is one sample's bytes."""

    made: SampleSet

    def __len__(self) -> int:
        return len(self.made.files)

    def __getitem__(self, number: int) -> bytes:
        return read_file(self.made.files[number])


@dataclass(frozen=True)
class Shards:
    """A dataset in torch's sense: an item is all samples of one shard."""

    made: SampleSet

    def __len__(self) -> int:
        return len(self.made.shards)

    def __getitem__(self, number: int) -> list[bytes]:
        return list(shard_samples(self.made.shards[number]))


class Loader:
    """Goes through a dataset in a shuffled order; its workers live until `close`.

    Args:
        dataset: The samples.
        batch: Items of the dataset that a worker hands over at once; None for one, unwrapped.
        seed: Of the order.
    """

    def __init__(self, dataset: Files | Shards, *, batch: int | None, seed: int) -> None:
        torch = importlib.import_module("torch")
        data = importlib.import_module("torch.utils.data")
        self._loader: Any = data.DataLoader(
            dataset,
            batch_size=batch,
            shuffle=True,
            num_workers=WORKERS,
            persistent_workers=True,
            collate_fn=list,
            generator=torch.Generator().manual_seed(seed),
        )

    def epoch(self, _rng: random.Random) -> Iterator[int]:
        """Yield the size of each sample; the loader shuffles by itself."""
        for samples in self._loader:
            for sample in samples:
                yield len(sample)

    def close(self) -> None:
        """End the workers."""
        iterator = getattr(self._loader, "_iterator", None)
        if iterator is not None:
            iterator._shutdown_workers()  # torch has no public way


def loaders(made: SampleSet, seed: int) -> dict[str, Loader]:
    """Return a loader of files and one of shards, by the names of their series."""
    return {
        "torch-files": Loader(Files(made), batch=_BATCH, seed=seed),
        "torch-shards": Loader(Shards(made), batch=None, seed=seed),
    }
