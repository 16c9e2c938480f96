"""The storage tiers of `tiers.toml`: bandwidths with their scope, basis and source."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from lessons.lesson03.datafile import DataError, Origin, Table, read_tables


class Scope(StrEnum):
    """Whose bandwidth a figure is; figures of different scopes are never compared as they are."""

    GPU = "gpu"
    NODE = "node"
    CLUSTER = "cluster"


class Basis(StrEnum):
    """What was measured; only raw media still have to pay write amplification."""

    MEMORY = "memory"
    LINK = "link"
    MEDIA = "media"
    CLIENT = "client"


class Level(StrEnum):
    """Which of a tier's figures."""

    LOW = "low"
    TYPICAL = "typical"
    HIGH = "high"


_FILE = Path(__file__).with_name("tiers.toml")


@dataclass(frozen=True, kw_only=True)
class Bandwidth:
    """One figure of a tier.

    Attributes:
        Bps: Bytes per second.
        origin: Its source, or our choice.
        note: What has to be known about it.
    """

    Bps: float
    origin: Origin
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Range:
    """What a poor, a usual and a good one does, in one direction."""

    low: Bandwidth
    typical: Bandwidth
    high: Bandwidth

    def Bps(self, level: Level) -> float:  # noqa: N802 - B/s
        """Return the figure at `level`, in B/s."""
        figures = {Level.LOW: self.low, Level.TYPICAL: self.typical, Level.HIGH: self.high}
        return figures[level].Bps


@dataclass(frozen=True, kw_only=True)
class Tier(Range):
    """One kind of storage at one scope.

    Attributes:
        id: Its name in code.
        name: Its name in Chinese; `name_en` in English.
        scope: Whose bandwidth it is: of one GPU, of one node, or of the cluster.
        basis: What the figures measure; only raw media pay write amplification on top.
        survives: The failures its data survives, in Chinese; `survives_en` in English.
        low: What a poor one writes; `typical` and `high` likewise.
        read: The same for reading, which a restart waits for.
    """

    id: str
    name: str
    name_en: str
    scope: Scope
    basis: Basis
    survives: str
    survives_en: str
    read: Range

    def amplification(self, write_amplification: float) -> float:
        """Return the W that this tier's figures still have to pay: 1 unless they are raw media."""
        return write_amplification if self.basis is Basis.MEDIA else 1.0


def load_tiers(path: Path = _FILE) -> dict[str, Tier]:
    """Return the tiers by id, in the file's order.

    Raises:
        DataError: A figure is missing, misspelt, without a source, or low > typical > high.
    """
    return dict(_loaded(path))


@cache
def _loaded(path: Path) -> tuple[tuple[str, Tier], ...]:
    return tuple((tier.id, tier) for tier in map(_tier, read_tables(path, "tier")))


def _tier(table: Table) -> Tier:
    reading = table.take_table("read")
    read = Range(**_figures(reading))
    reading.finish()
    tier = Tier(
        id=table.take_text("id"),
        name=table.take_text("name"),
        name_en=table.take_text("name_en"),
        scope=Scope(table.take_text("scope", [*Scope])),
        basis=Basis(table.take_text("basis", [*Basis])),
        survives=table.take_text("survives"),
        survives_en=table.take_text("survives_en"),
        read=read,
        **_figures(table),
    )
    table.finish()
    return tier


def _figures(table: Table) -> dict[str, Bandwidth]:
    low, typical, high = (_bandwidth(table.take_table(level.value)) for level in Level)
    if low.Bps > typical.Bps:
        raise table.error("low", "is above `typical`")
    if typical.Bps > high.Bps:
        raise table.error("typical", "is above `high`")
    return {"low": low, "typical": typical, "high": high}


def _bandwidth(table: Table) -> Bandwidth:
    figure = Bandwidth(
        Bps=table.take_positive("Bps"), note=table.take_note(), origin=table.take_origin()
    )
    table.finish()
    return figure


__all__ = ["Bandwidth", "Basis", "DataError", "Level", "Range", "Scope", "Tier", "load_tiers"]
