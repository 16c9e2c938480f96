"""Tables as Python's own csv module writes them are read the same, cell by cell."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.errors import UsageError
from autograder.grading.intake.csvtext import read_table, written

CELLS = st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]), max_size=8)
TABLES = st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=5)


@settings(max_examples=150, deadline=None)
@given(TABLES, st.sampled_from([",", ";", "\t"]), st.sampled_from(["utf-8-sig", "utf-16"]))
def test_what_csv_writes_is_read(rows: list[list[str]], delimiter: str, encoding: str) -> None:
    rows = [["head"] * 9, *rows]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    raw = buffer.getvalue().encode(encoding)
    table = read_table(raw, "t")
    assert [[cell.value for cell in row.cells] for row in table.rows] == [
        row for row in rows if any(cell.strip() for cell in row)
    ]
    assert table.encoded(table.text) == raw
    for row in table.rows:
        for cell in row.cells:
            source = table.text[cell.start : cell.end]
            assert written(cell.value, delimiter, quoted=cell.quoted) == source


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_table_or_one_sentence(raw: bytes) -> None:
    try:
        table = read_table(raw, "t")
    except UsageError as error:
        assert "\n" not in str(error)
    else:
        assert table.encoded(table.text) == raw


@pytest.mark.parametrize("raw", ['a,b\n"1"x,2\n', 'a,b\n1"",2\n'])
def test_quotes_in_odd_places(raw: str) -> None:
    row = read_table(raw.encode(), "t").rows[1]
    assert row.values[1] == "2"
