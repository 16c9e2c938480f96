"""The models of `models.toml` and the size of their checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lessons.lesson03.datafile import DataError, Origin, Table, read_tables

_FILE = Path(__file__).with_name("models.toml")


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model whose checkpoint is saved.

    Attributes:
        id: Its name in code.
        name: Its name as the lesson writes it.
        parameters: Their number.
        bytes_per_parameter: What a checkpoint keeps of each.
        origin: The source of the numbers, or our choice.
    """

    id: str
    name: str
    parameters: float
    bytes_per_parameter: float
    origin: Origin

    @property
    def checkpoint_bytes(self) -> float:
        """S: logical bytes of one checkpoint of the whole job (scope: cluster)."""
        return self.parameters * self.bytes_per_parameter


def load_models(path: Path = _FILE) -> dict[str, Model]:
    """Return the models by id, in the file's order.

    Raises:
        DataError: A key is missing, misspelt or of the wrong kind.
    """
    return dict(_loaded(path))


@cache
def _loaded(path: Path) -> tuple[tuple[str, Model], ...]:
    return tuple((model.id, model) for model in map(_model, read_tables(path, "model")))


def _model(table: Table) -> Model:
    table.take_text("scope", ("cluster",))
    model = Model(
        id=table.take_text("id"),
        name=table.take_text("name"),
        parameters=table.take_positive("parameters"),
        bytes_per_parameter=table.take_positive("bytes_per_parameter"),
        origin=table.take_origin(),
    )
    table.finish()
    return model


__all__ = ["DataError", "Model", "load_models"]
