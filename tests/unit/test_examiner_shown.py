"""Values in messages: short, on one line, the same on every run."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from autograder.grading.examiner.shown import MAX_SHOWN_CHARS, BoundedText, clip, show, show_error


class Broken:
    def __repr__(self) -> str:
        raise SystemError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (600.0, "600.0"),
        ((1, "a"), "(1, 'a')"),
        (1 << 300, "<int of 301 bits>"),
        ([1 << 300], "[<int of 301 bits>]"),
        (list(range(9)), "[0, 1, 2, 3, 4, 5, 6, 7, ...]"),
        (np.zeros((3, 3)), "array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, …], "
         "shape=(3, 3), dtype=float64)"),
        (Fraction(1 << 20_000, 3), "<Fraction>"),
        (object(), "<object>"),
        ("a\nb", "'a\\nb'"),
    ],
)  # fmt: skip
def test_show(value: object, text: str) -> None:
    assert show(value) == text


@pytest.mark.parametrize("value", ["x" * 10**7, b"x" * 10**7, [["x" * 999] * 99] * 99, Broken()])
def test_nothing_floods_or_fails(value: object) -> None:
    assert len(show(value)) <= MAX_SHOWN_CHARS


def test_clip_makes_one_line() -> None:
    assert clip("a\n  b\u2028c") == "a b c"
    assert clip("x" * 10, 5) == "xxxx…"


def test_an_errors_message_is_its_argument() -> None:
    assert show_error(AssertionError("得到 5")) == "得到 5"
    assert show_error(AssertionError((1, 2))) == "(1, 2)"
    assert show_error(AssertionError(1, 2)) == "(1, 2)"
    assert show_error(AssertionError()) == ""


def test_bounded_text_keeps_the_head() -> None:
    text: Any = BoundedText(5)
    print("abc", file=text)
    print("def", file=text)
    assert text.text == "abc\nd"
