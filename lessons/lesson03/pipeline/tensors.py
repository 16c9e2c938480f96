"""The state: named arrays, and where each of them lies in a shard's payload.

NumPy arrays and torch tensors are taken alike; torch itself is looked at only when a tensor
comes, so that the base install does without it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lessons.classroom.language import say
from lessons.lesson03.pipeline.errors import BadState, MissingPackage

State = Mapping[str, Any]
Bytes = NDArray[np.uint8]
_ALIGN = 64


@dataclass(frozen=True, kw_only=True)
class Tensor:
    """One array of the state.

    Attributes:
        name: Its key in the state.
        kind: "numpy" or "torch".
        dtype: NumPy's `dtype.str` ("<f4"), or torch's name ("bfloat16").
        shape: Sizes; empty for a scalar.
        offset: Bytes from the start of the payload, a multiple of 64.
        size: Bytes.
    """

    name: str
    kind: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int

    def __post_init__(self) -> None:
        count = prod(self.shape)
        if self.kind not in {"numpy", "torch"} or min(self.offset, self.size) < 0:
            raise ValueError(f"no such tensor: {self!r}")
        if self.offset % _ALIGN or self.size % max(1, count) or (count == 0 and self.size):
            raise ValueError(f"no such tensor: {self!r}")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """All tensors of a state in the order of their names."""

    tensors: tuple[Tensor, ...]

    @property
    def payload_bytes(self) -> int:
        """Return where the last tensor ends."""
        return max((one.offset + one.size for one in self.tensors), default=0)


def layout_of(state: State) -> Layout:
    """Return where each array of a state will lie.

    Raises:
        BadState: Something in it is no array of plain numbers.
    """
    for name in state:
        _check_name(name)
    tensors, offset = [], 0
    for name in sorted(state):
        kind, dtype, shape, size = _about(name, state[name])
        tensors.append(
            Tensor(name=name, kind=kind, dtype=dtype, shape=shape, offset=offset, size=size)
        )
        offset = -(-(offset + size) // _ALIGN) * _ALIGN
    return Layout(tensors=tuple(tensors))


def _check_name(name: object) -> None:
    """Refuse a name that would not come back as it went in."""
    try:
        if isinstance(name, str):
            name.encode()
            return
    except UnicodeEncodeError:
        pass
    raise BadState(
        say(
            f"状态里的名字 {name!a} 不能保存：名字要是普通的字符串。",
            f"The name {name!a} in the state cannot be saved: names are plain strings.",
        )
    )


def _about(name: str, value: object) -> tuple[str, str, tuple[int, ...], int]:
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.hasobject or value.dtype.fields or not value.dtype.itemsize:
            raise _bad(name, f"dtype {value.dtype}")
        if isinstance(value, np.ma.MaskedArray):
            raise _bad(name, "MaskedArray")  # its mask would be lost
        return "numpy", value.dtype.str, value.shape, value.nbytes
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        if value.layout is not torch.strided:
            raise _bad(name, str(value.layout))
        size = value.numel() * value.element_size()
        return "torch", str(value.dtype).removeprefix("torch."), tuple(value.shape), size
    raise _bad(name, type(value).__name__)


def _bad(name: str, what: str) -> BadState:
    return BadState(
        say(
            f"状态里的 {name!r} 是 {what}，只能保存普通数值的 NumPy 数组或 torch 张量。",
            f"{name!r} in the state is {what}; only NumPy arrays of plain numbers and dense torch "
            "tensors can be saved.",
        )
    )


def copy_in(state: State, layout: Layout, payload: Bytes) -> None:
    """Copy every array of a state to its place; a GPU's tensors come over directly."""
    for one in layout.tensors:
        target = payload[one.offset : one.offset + one.size]
        value = state[one.name]
        if one.kind == "numpy":
            np.copyto(target.view(one.dtype).reshape(one.shape), value)
        elif one.size:
            torch = sys.modules["torch"]
            typed = torch.from_numpy(target).view(getattr(torch, one.dtype))
            typed.reshape(one.shape).copy_(value.detach())


def copy_out(layout: Layout, payload: bytearray | memoryview) -> dict[str, Any]:
    """Return the state of a payload, in memory of its own; tensors where tensors were saved.

    Raises:
        MissingPackage: Tensors were saved and torch is not installed.
    """
    state: dict[str, Any] = {}
    for one in layout.tensors:
        part = np.frombuffer(payload, np.uint8, one.size, one.offset).copy()
        if one.kind == "numpy":
            state[one.name] = part.view(one.dtype).reshape(one.shape)
        else:
            state[one.name] = _tensor(part, one)
    return state


def _tensor(part: Bytes, about: Tensor) -> Any:
    try:
        import torch  # noqa: PLC0415  only the extra `labs` has it
    except ModuleNotFoundError:
        raise MissingPackage("torch") from None
    dtype = getattr(torch, about.dtype)
    if not about.size:
        return torch.empty(about.shape, dtype=dtype)
    return torch.from_numpy(part).view(dtype).reshape(about.shape)
