"""The unfilled blank `______`, and the kind sentence of whatever uses it."""

from __future__ import annotations

from typing import Any, NoReturn

from lessons.classroom.language import say
from lessons.classroom.verdict import Outcome


class NotAttempted(Exception):  # noqa: N818 - an outcome, not an error
    """An exercise's blank was used before the learner filled it.

    IPython shows the one sentence of `_render_traceback_` in the traceback's place.
    """

    outcome = Outcome.NOT_ATTEMPTED.value

    def __init__(self, message: str | None = None) -> None:
        super().__init__(_sentence() if message is None else message)

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def blank() -> Any:
    """Return the placeholder that a notebook binds to `______`.

    It can be stored, passed on and displayed; whatever computes with it, calls it or asks it
    for an attribute raises `NotAttempted`.
    """
    return _Blank()


def holds_blank(value: object) -> bool:
    """Tell whether a value, or something in its tuples, lists and dicts, is an unfilled blank."""
    if type(value) in {tuple, list}:
        return any(holds_blank(item) for item in value)  # type: ignore[attr-defined]  # checked
    if type(value) is dict:
        return any(holds_blank(item) for item in value.values())
    return type(value) is _Blank


def _sentence() -> str:
    return say(
        "这里还有一个空没有填：把 ______ 换成你的表达式，再把这个单元运行一遍。",
        "This blank is not filled in yet: "
        "replace ______ with your own expression and run the cell again.",
    )


def _refuse(*_args: object, **_kwargs: object) -> NoReturn:
    raise NotAttempted


class _Blank:
    """The unfilled blank. Its operators are set below, from the list of their names."""

    # NumPy then leaves `array + ______` to the reflected operator, which refuses.
    __array_ufunc__ = None

    def __repr__(self) -> str:
        return "______"

    def __getattr__(self, name: str) -> NoReturn:
        # Python, IPython's display and copy probe for protocols this object does not have.
        if name.startswith(("__", "_repr_", "_ipython_")):
            raise AttributeError(name)
        raise NotAttempted


_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"
_OTHER = (
    "lt le eq ne gt ge neg pos abs invert bool int float complex index round trunc floor ceil "
    "call len iter next reversed contains getitem setitem delitem hash enter exit await aiter "
    "setattr delattr format"
)

for _name in (
    *_BINARY.split(),
    *(side + name for side in "ri" for name in _BINARY.split()),
    *_OTHER.split(),
):
    setattr(_Blank, f"__{_name}__", _refuse)
