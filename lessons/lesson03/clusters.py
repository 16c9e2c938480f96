"""The clusters of `clusters.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lessons.lesson03.datafile import Origin, Table, read_tables

_FILE = Path(__file__).with_name("clusters.toml")


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """The shape of a cluster that trains.

    Attributes:
        id: Its name in code.
        name: Its name as the lesson writes it.
        nodes: Their number.
        gpus_per_node: GPUs of one.
        origin: The source of the numbers, or our choice.
    """

    id: str
    name: str
    nodes: int
    gpus_per_node: int
    origin: Origin


def load_clusters(path: Path = _FILE) -> dict[str, Cluster]:
    """Return the clusters by id, in the file's order.

    Raises:
        DataError: A key is missing, misspelt or of the wrong kind.
    """
    return {cluster.id: cluster for cluster in map(_cluster, read_tables(path, "cluster"))}


def _cluster(table: Table) -> Cluster:
    cluster = Cluster(
        id=table.take_text("id"),
        name=table.take_text("name"),
        nodes=int(table.take_positive("nodes")),
        gpus_per_node=int(table.take_positive("gpus_per_node")),
        origin=table.take_origin(),
    )
    table.finish()
    return cluster
