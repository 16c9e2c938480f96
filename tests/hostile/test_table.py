"""The table of cases names tests that exist, and every file of tests is in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

FOLDER = Path(__file__).parent
TEXT = (FOLDER / "README.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`([\w./]+\.py)(?:::(\w+))?`", TEXT)
OWN = {"test_table.py", "test_canaries.py"}  # the latter is about publishing


def names_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_test_in_the_table_exists() -> None:
    assert len(NAMED) > 55
    for file, name in NAMED:
        path = FOLDER / file
        assert path.is_file(), file
        assert not name or name in names_in(path), f"{file}::{name}"


def test_every_case_has_a_test() -> None:
    rows = [
        line for line in TEXT.split("\n") if line.startswith("| ") and "Case | Test" not in line
    ]
    assert len(rows) > 50
    assert not [row for row in rows if ".py" not in row.rpartition("| `")[2]]


def test_every_file_is_in_the_table() -> None:
    files = {path.name for path in FOLDER.glob("test_*.py")} - OWN
    assert files <= {file for file, _ in NAMED}
