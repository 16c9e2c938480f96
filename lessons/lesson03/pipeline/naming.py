"""Names of shards, reports and manifests, on local disks and in object stores."""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass

_ATTEMPT = r"[0-9A-Za-z-]{1,64}"
_FILE = re.compile(rf"step-(\d{{10}})\.({_ATTEMPT})\.rank-(\d{{5}})-of-(\d{{5}})\.shard")
_MANIFEST = re.compile(r"manifests/(\d{10})\.json")
_STEP = re.compile(r"[a-z]+/(\d{10})/.+")
_MOST_RANKS = 100_000
MANIFESTS = "manifests/"
SHARDS = "shards/"
REPORTS = "reports/"
TEMPORARY = ".tmp"


def new_attempt() -> str:
    """Return a name for one launch of a job; a later launch sorts behind (clock in UTC).

    Ranks of one launch share it. Without it, a step saved once before a crash and once after it
    could be put together from shards of both, which is a state that never was.
    """
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(4)}"


@dataclass(frozen=True, kw_only=True, order=True)
class ShardId:
    """Which shard: one rank's part of one step of one attempt.

    Attributes:
        step: Training step, from 0.
        attempt: The launch of the job, see `new_attempt`.
        rank: From 0.
        ranks: How many ranks the step has in all.
    """

    step: int
    attempt: str
    rank: int
    ranks: int

    def __post_init__(self) -> None:
        if not (0 <= self.step < 10**10 and 0 <= self.rank < self.ranks < _MOST_RANKS):
            raise ValueError(f"no such shard: {self!r}")
        if not re.fullmatch(_ATTEMPT, self.attempt):
            raise ValueError(f"attempt must be letters, digits and '-', not {self.attempt!r}")

    @property
    def file_name(self) -> str:
        """Return the name in a node's directory: flat, so that one directory fsync is enough."""
        return (
            f"step-{self.step:010d}.{self.attempt}.rank-{self.rank:05d}-of-{self.ranks:05d}.shard"
        )

    @property
    def key(self) -> str:
        """Return the key in an object store."""
        name = f"rank-{self.rank:05d}-of-{self.ranks:05d}.shard"
        return f"{shards_prefix(self.step, self.attempt)}{name}"

    @property
    def report_key(self) -> str:
        """Return the key of this rank's report."""
        return f"{reports_prefix(self.step, self.attempt)}rank-{self.rank:05d}.json"


def shards_prefix(step: int, attempt: str) -> str:
    """Return what the keys of all shards of one attempt at a step begin with."""
    return f"{SHARDS}{step:010d}/{attempt}/"


def reports_prefix(step: int, attempt: str) -> str:
    """Return what the keys of all reports of one attempt at a step begin with."""
    return f"{REPORTS}{step:010d}/{attempt}/"


def manifest_key(step: int) -> str:
    """Return the key of the commit marker: one for a step, whoever commits it."""
    return f"{MANIFESTS}{step:010d}.json"


def step_of_manifest(key: str) -> int | None:
    """Return the step of a manifest's key, None for any other key."""
    found = _MANIFEST.fullmatch(key)
    return int(found[1]) if found else None


def step_of_key(key: str) -> int | None:
    """Return the step of a shard's or report's key, None for any other key."""
    found = _STEP.fullmatch(key)
    return int(found[1]) if found else None


def shard_of_file(name: str) -> ShardId | None:
    """Return which shard a file holds by its name, None for any other file."""
    found = _FILE.fullmatch(name)
    if found is None or int(found[3]) >= int(found[4]):
        return None
    step, attempt, rank, ranks = found.groups()
    return ShardId(step=int(step), attempt=attempt, rank=int(rank), ranks=int(ranks))
