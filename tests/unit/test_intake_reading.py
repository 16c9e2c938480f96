"""Bytes of a file -> a notebook, or one sentence."""

from __future__ import annotations

import json

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.grading.intake.reading import UnreadableError, read_notebook


def document(*cells: object, **changes: object) -> dict[str, object]:
    return {
        "nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **changes
    }  # fmt: skip


def code(source: object = "x = 1", **changes: object) -> dict[str, object]:
    return {
        "cell_type": "code", "id": "c", "metadata": {}, "source": source, "outputs": [],
        "execution_count": None, **changes,
    }  # fmt: skip


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


GOOD = encoded(document(code()))


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "空的"),
        (b" \n ", "空的"),
        (b"\xef\xbb\xbf", "空的"),
        (b"%PDF-1.7 \xff\xfe", "PDF"),
        (b"PK\x03\x04....", "ZIP"),
        (b"<!doctype html><p>log in", "HTML"),
        (GOOD.decode().encode("utf-16"), "UTF-16"),
        (GOOD.decode().encode("utf-16-le"), "UTF-16"),
        (GOOD.decode().encode("utf-32"), "UTF-32"),
        ('{"cells": ["中文"]}'.encode("gbk"), "不是 UTF-8"),
        (GOOD[: len(GOOD) // 2], "不完整"),
        (b'{\n"cells": [\n', "不完整"),
        (b'{"cells": [}', "第 1 行第 12 个字符"),
        (
            b'{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> theirs\n]}',
            "第 2 行有 Git 的合并冲突",
        ),
        (b"[1]", "不是 Jupyter notebook"),
        (b'{"cells": 3}', "不是 Jupyter notebook"),
        (b"[" * 100_000, "嵌套得太深"),
        (b'{"cells": [' + b'{"a":' * 50_000, "嵌套得太深"),
        (b'{"nbformat": ' + b"9" * 5000 + b"}", "JSON"),
        (encoded(document(nbformat=5)), "nbformat 版本是 5"),
        (encoded(document(3)), "第 1 个单元格"),
        (encoded(document(code(source={"a": 1}))), "第 1 个单元格"),
        (encoded(document(code(cell_type=None))), "第 1 个单元格"),
        (encoded(document(*[code("")] * 5001)), "5001"),
    ],
)  # fmt: skip
def test_what_is_no_notebook_gives_one_sentence(raw: bytes, words: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_notebook(raw)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "source"),
    [
        (GOOD, "x = 1"),
        (b"\xef\xbb\xbf" + GOOD, "x = 1"),
        (encoded(document(code(["x = 1\n", "y = 2"]))), "x = 1\ny = 2"),
        (encoded(document(code("a\u2028b"))), "a\u2028b"),
        (encoded(document(code("a\ud800b"))), "a\ufffdb"),
        (encoded(document(code("\U0001f600"))), "\U0001f600"),
        (encoded(document(code("<<<<<<< HEAD"))), "<<<<<<< HEAD"),
        (encoded(document(code(), metadata={"x": float("nan")})), "x = 1"),
        (encoded(document(code(outputs=None))), "x = 1"),
        (encoded(document(code(outputs=[{"output_type": "nonsense"}] * 300))), "x = 1"),
        (encoded(document(code(), metadata={"widgets": {"application/x": {}}})), "x = 1"),
        (encoded(document({"cell_type": "code", "source": "x = 1"}, nbformat_minor=0)), "x = 1"),
        (encoded({"cells": [code()]}), "x = 1"),
        (encoded(document(code(), metadata=None)), "x = 1"),
        (
            encoded({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [
                {"cell_type": "code", "input": ["x = ", "1"], "language": "python",
                 "outputs": [], "collapsed": False, "prompt_number": 4}]}]}),
            "x = 1",
        ),
    ],
)  # fmt: skip
def test_odd_but_honest_notebooks_are_read(raw: bytes, source: str) -> None:
    notebook = read_notebook(raw)
    nbformat.validate(notebook)
    json.dumps(notebook, ensure_ascii=False).encode("utf-8")
    assert notebook.cells[0].source == source


def test_old_headings_become_markdown() -> None:
    old = {"nbformat": 3, "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 2, "source": "Q1"}]}]}  # fmt: skip
    cell = read_notebook(encoded(old)).cells[0]
    assert (cell.cell_type, cell.source) == ("markdown", "## Q1")


def test_ids_are_kept_where_they_can_be_and_unique() -> None:
    ids = ["a", "a", None, "", "b c", "x" * 65, "cell-3", 7]
    notebook = read_notebook(encoded(document(*[code(id=i) for i in ids], nbformat_minor=4)))
    nbformat.validate(notebook)
    found = [cell.id for cell in notebook.cells]
    assert found == ["a", "cell-2", "cell-3-2", "cell-4", "cell-5", "cell-6", "cell-3", "cell-8"]


def test_nbgrader_metadata_and_pictures_are_kept() -> None:
    picture = {"p.png": {"image/png": ["AA", "=="]}}
    cell = {
        "cell_type": "markdown", "source": "", "id": "q1", "attachments": picture,
        "metadata": {"nbgrader": {"grade_id": "q1", "points": 2, "x": []}, "tags": "no list"},
    }  # fmt: skip
    read = read_notebook(encoded(document(cell))).cells[0]
    assert read.metadata == {"nbgrader": {"grade_id": "q1", "points": 2}}
    assert read.attachments == {"p.png": {"image/png": "AA=="}}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
CELL = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "raw", "heading", "odd"]) | JSON},
    optional={"source": JSON, "metadata": JSON, "id": JSON, "attachments": JSON, "input": JSON},
)


@settings(max_examples=80, deadline=None)
@given(st.lists(CELL | JSON, max_size=4), JSON)
def test_any_document_is_read_or_refused(cells: list[object], extra: object) -> None:
    raw = encoded({"nbformat": 4, "metadata": extra, "cells": cells})
    try:
        notebook = read_notebook(raw)
    except UnreadableError as error:
        assert str(error)
    else:
        nbformat.validate(notebook)


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_refused_in_a_sentence(raw: bytes) -> None:
    with pytest.raises(UnreadableError):
        read_notebook(raw)
