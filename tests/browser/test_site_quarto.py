"""Quarto itself, where it is installed: `_quarto.yml` and the student page render."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("quarto") is None, reason="no quarto on PATH"),
]


def test_quarto_renders_the_student_edition(tmp_path: Path) -> None:
    course = tmp_path / "course"
    course.mkdir()
    shutil.copy(ROOT / "_quarto.yml", course)
    shutil.copytree(ROOT / "lessons" / "lesson03", course / "lessons" / "lesson03")
    subprocess.run(["quarto", "render"], cwd=course, check=True, timeout=240)
    page = (course / "_quarto-site" / "lessons" / "lesson03" / "lesson03.html").read_text("utf-8")
    assert "五层存储" in page
    assert "<math" in page
    assert "______" in page
