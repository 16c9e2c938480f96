"""The codec: what crosses comes out as it went in, exact in type and value."""

from __future__ import annotations

import importlib.util
import json
import math
import shutil
import subprocess
import sys
from collections import OrderedDict, namedtuple
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.grading import wall


def across(value: object) -> Any:
    """There and back, through the JSON of a frame."""
    return wall.decode(json.loads(json.dumps(wall.encode(value))))


def same(left: object, right: object) -> bool:
    """Equal, of the same types throughout, NaN equal to itself, -0.0 apart from 0.0."""
    if type(left) is not type(right):
        return False
    match left, right:
        case float(), float():
            return left.hex() == right.hex()
        case complex(), complex():
            return same(left.real, right.real) and same(left.imag, right.imag)
        case ((list() | tuple()), (list() | tuple())):
            return len(left) == len(right) and all(map(same, left, right))
        case dict(), dict():
            return same(list(left.items()), list(right.items()))
    return left == right


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(allow_nan=False),
    st.text(),
    st.binary(),
    st.fractions(),
    st.decimals(allow_nan=False),
    st.sampled_from(sorted(wall.EXCEPTIONS.values(), key=lambda kind: kind.__name__)),
)
KEYS = st.one_of(st.integers(), st.text(), st.booleans(), st.tuples(st.integers(), st.text()))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(KEYS, inner, max_size=4),
        st.sets(KEYS, max_size=4),
        st.frozensets(KEYS, max_size=4),
    ),
    max_leaves=20,
)
JUNK = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from([*"nbifsBctlSFdaxQD", "<f8", "|b1", "ff", "nan", "0x1.0p+1", "ValueError"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(max_size=2), inner, max_size=2),
        st.tuples(st.sampled_from("tlSFdacQ"), st.lists(inner, max_size=3)).map(list),
    ),
    max_leaves=30,
)
PLAIN = (type(None), bool, int, float, str, bytes, complex, tuple, list, set, frozenset, dict)


@given(VALUES)
def test_round_trip(value: object) -> None:
    assert same(across(value), value)


@given(JUNK)
def test_any_json_is_a_plain_value_or_a_wall_error(data: object) -> None:
    try:
        value = wall.decode(data)
    except wall.WallError:
        return
    kinds = (*PLAIN, Fraction, Decimal, np.ndarray)
    assert (
        type(value) in kinds or isinstance(value, np.generic) or value in wall.EXCEPTIONS.values()
    )


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (None, ["n"]),
        (True, ["b", True]),
        (-255, ["i", "-ff"]),
        (1.5, ["f", "0x1.8000000000000p+0"]),
        (-0.0, ["f", "-0x0.0p+0"]),
        (math.nan, ["f", "nan"]),
        (-math.inf, ["f", "-inf"]),
        ("中", ["s", "中"]),
        (b"\x00\x01", ["B", "AAE="]),
        ((1, [2]), ["t", [["i", "1"], ["l", [["i", "2"]]]]]),
        ({"a": 1, "b": 2}, ["d", [[["s", "a"], ["i", "1"]], [["s", "b"], ["i", "2"]]]]),
        (ValueError, ["x", "ValueError"]),
        (OSError, ["x", "OSError"]),
        (Fraction(-1, 3), ["Q", "-1", "3"]),
        (Decimal("1.50"), ["D", "1.50"]),
        (np.array([[1], [2]], dtype="<i2"), ["a", "<i2", [2, 1], "AQACAA=="]),
        (np.float64(1.0), ["a", "<f8", None, "AAAAAAAA8D8="]),
    ],
)
def test_the_encoding_is_the_contracts(value: object, encoded: list[Any]) -> None:
    assert wall.encode(value) == encoded


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.array([1, 2], dtype=">i4"),
        np.array(3.5),
        np.zeros((2, 0, 3)),
        np.array([True, False]),
        np.array([1 + 2j], dtype=np.complex64),
        np.ma.array([1.0, 2.0]),
    ],
)
def test_arrays_keep_their_values_and_shape(array: Any) -> None:
    back = across(array)
    assert type(back) is np.ndarray
    assert back.dtype == array.dtype.newbyteorder("=")
    assert back.shape == array.shape
    assert (back == np.asarray(array)).all()
    assert back.flags.writeable


def test_numpy_scalars_stay_scalars() -> None:
    for scalar in (np.float32(0.5), np.int64(-3), np.bool_(True), np.complex128(1j)):
        assert same(across(scalar), scalar)
    assert same(across(np.str_("x")), "x")


def test_ints_beyond_pythons_digit_limit_cross() -> None:
    assert across(10**6000) == 10**6000
    assert across(-(1 << 40_000_000)) == -(1 << 40_000_000)
    with pytest.raises(wall.Unsupported, match="too-large"):
        wall.encode(1 << (8 * wall.MAX_BYTES))


def test_subclasses_are_reduced_to_their_base() -> None:
    pair = namedtuple("pair", "duration average")(1.0, 2.0)

    class Level(IntEnum):
        HIGH = 3

    assert same(across(pair), (1.0, 2.0))
    assert same(across(Level.HIGH), 3)
    assert same(across(OrderedDict(a=1)), {"a": 1})
    assert same(across(bytearray(b"x")), b"x")


def test_the_bounds_hold_where_they_say() -> None:
    nested: list[Any] = []
    for _ in range(wall.MAX_DEPTH - 1):
        nested = [nested]
    assert across(nested) == nested  # 64 lists
    with pytest.raises(wall.Unsupported, match="too-deep"):
        wall.encode([nested])
    with pytest.raises(wall.WallError, match="too deep"):
        wall.decode(["l", [wall.encode(nested)]])
    with pytest.raises(wall.Unsupported, match="too-large"):
        wall.encode([None] * wall.MAX_NODES)
    with pytest.raises(wall.WallError, match="too-large"):
        wall.decode(["l", [["n"]] * wall.MAX_NODES])
    with pytest.raises(wall.Unsupported, match="too-large"):
        wall.encode("x" * (wall.MAX_BYTES + 1))
    with pytest.raises(wall.WallError, match="too-large"):
        wall.decode(["s", "x" * (wall.MAX_BYTES + 1)])


def test_what_is_encoded_fits_a_frame() -> None:
    # Worst cases of JSON's escapes: 6 characters for one byte, 12 for four.
    for text in ("\0" * 2_700_000, "\U0001f600" * 1_300_000):
        assert len(json.dumps(wall.encode(text))) <= 32 * 2**20
    with pytest.raises(wall.Unsupported, match="too-large"):
        wall.encode("\0" * 3_000_000)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ((n for n in ()), "generator"),
        (map(abs, ()), "iterator"),
        (iter([]), "iterator"),
        ({}.keys(), "view"),
        (range(3), "range"),
        (print, "function"),
        (lambda: None, "function"),
        (int, "class"),
        (math, "module"),
        (ValueError("x"), "exception"),
        (np.array([object()]), "array"),
        (np.array(["text"]), "array"),
        (np.datetime64("2026-01-01"), "array"),
        (np.longdouble(1), "array"),
        ("\ud800", "broken-text"),
        (object(), "object"),
        ([1, {"k": object()}], "object"),
    ],
)
def test_what_cannot_cross_has_a_kind(value: object, kind: str) -> None:
    with pytest.raises(wall.Unsupported) as caught:
        wall.encode(value)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    "data",
    [
        None, 1, "n", {}, [], [1], ["n", 1], ["zz"], ["tl", []], ["", []],
        ["b", 1], ["i", 5], ["i", "-"], ["i", "0x1"], ["i", "FF"], ["i", " 1"], ["i", "١"],
        ["f", "1.5"], ["f", "NaN"], ["f", "0x1.0p+9999"], ["f", 1.5], ["s", "\ud800"],
        ["B", "@"], ["B", "AA"], ["c", "nan"], ["t", "ab"], ["t", {}], ["t", [1]],
        ["S", [["l", []]]], ["F", [["S", []]]], ["d", [[["n"]]]], ["d", [[["l", []], ["n"]]]],
        ["x", "Popen"], ["x", "int"], ["x", "__import__"],
        ["Q", "1", "0"], ["Q", "1", "-2"], ["Q", "1" * 10_001, "1"],
        ["D", "1e5"], ["D", "1_0"], ["D", "1" * 10_001], ["D", "1E+9999999999999999999"],
        ["a", "|O", [1], "AAAAAAAAAAA="], ["a", "<f8", [1], ""], ["a", "<f8", [True], ""],
        ["a", "<f8", [-1], ""], ["a", "<f8", [0, 10**12], ""], ["a", "|b1", [2], "AQI="],
        ["a", "<f8", None, ""], ["a", "<M8[s]", [0], ""], ["a", "|V8", None, "AAAAAAAAAAA="],
        ["a", "|i1", [1] * 33, "AA=="],
    ],
)  # fmt: skip
def test_the_decoder_refuses(data: object) -> None:
    with pytest.raises(wall.WallError):
        wall.decode(data)


def test_the_folder_works_alone_and_imports_no_numpy(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from autograder.grading import wall\n"
        "assert wall.decode(wall.encode((1, 'a'))) == (1, 'a')\n"
        "assert 'numpy' not in sys.modules\n"
    )
    spec = importlib.util.find_spec("autograder.grading.wall")
    assert spec is not None
    assert spec.origin is not None
    # Nothing else of ours is there: any other import of it would fail.
    shutil.copytree(Path(spec.origin).parent, tmp_path / "autograder" / "grading" / "wall")
    subprocess.run([sys.executable, "-I", "-S", "-c", code, str(tmp_path)], check=True)
