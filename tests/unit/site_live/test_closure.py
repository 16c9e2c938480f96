"""Which files a page carries for its checks."""

from __future__ import annotations

from pathlib import Path

from autograder.site.live.closure import closure, imported

ROOT = Path(__file__).resolve().parents[3]


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_follows_imports_and_takes_parents_along(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "course/__init__.py": "",
            "course/one/__init__.py": "",
            "course/one/checks.py": "import math\nfrom course.tools import close\n",
            "course/one/unused.py": "import torch\n",
            "course/tools/__init__.py": "from course.tools.near import close\n",
            "course/tools/near.py": "import numpy as np\n",
        },
    )
    found = closure(tmp_path, "course", ("course.one.checks",))
    assert list(found.files) == [
        "course/__init__.py",
        "course/one/__init__.py",
        "course/one/checks.py",
        "course/tools/__init__.py",
        "course/tools/near.py",
    ]
    assert found.files["course/tools/near.py"] == "import numpy as np\n"
    assert found.foreign == ("numpy",)


def test_a_submodule_named_in_a_from_import_comes_along(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "course/__init__.py": "",
            "course/checks.py": "from course import near\n",
            "course/near.py": "",
        },
    )
    assert "course/near.py" in closure(tmp_path, "course", ("course.checks",)).files


def test_modules_that_import_each_other_end(tmp_path: Path) -> None:
    write(tmp_path, {"course/a.py": "import course.b\n", "course/b.py": "import course.a\n"})
    found = closure(tmp_path, "course", ("course.a", "course.missing"))
    assert list(found.files) == ["course/a.py", "course/b.py"]


def test_lesson03_checks_need_neither_numpy_nor_the_model() -> None:
    begin = ("lessons.classroom", "lessons.lesson03.exercises")
    found = closure(ROOT, "lessons", begin)
    assert found.foreign == ()
    assert "lessons/lesson03/exercises.py" in found.files
    assert "lessons/lesson03/bandwidth.py" not in found.files
    assert {Path(name).parent.as_posix() for name in found.files} == {
        *("lessons", "lessons/classroom", "lessons/lesson03"),
    }


def test_imported_names() -> None:
    code = "import a.b\nfrom c import d\ndef f():\n    from . import e\n    import g\n"
    assert list(imported(code)) == ["a.b", "c", "c.d", "g"]
