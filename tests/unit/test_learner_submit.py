"""course lab and course submit, run as a learner does, on machines of any kind."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from autograder.commands import lab_settings
from autograder.commands.handin import file_name
from autograder.commands.inspection import inspected
from autograder.commands.learner import path_advice
from autograder.errors import UsageError
from autograder.grading.intake.collect import collect

ROOT = Path(__file__).resolve().parents[2]
RELEASED = json.loads(
    (ROOT / "lessons" / "lesson03" / "lesson03.ipynb").read_text(encoding="utf-8")
)
PARTS = ("checkpoint_io", "my_boundary_case", "explanation", "q1", "q2", "q3")
# What Windows has none of.
POSIX_ONLY = ("fcntl", "resource", "pwd", "grp", "termios")
BLOCKED = f"""\
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name in {POSIX_ONLY!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

for name in {POSIX_ONLY!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocked())
"""
Course = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A course folder as a learner unpacks it, under a name that is not ASCII."""
    course = tmp_path / "张三 的课程"
    (course / "lessons" / "lesson03").mkdir(parents=True)
    (course / "pyproject.toml").write_text(
        '[tool.course]\ntitle = "课"\nlang = "zh-CN"\nlessons = ["lesson03"]\n', encoding="utf-8"
    )
    save(course / "lessons" / "lesson03" / "lesson03.ipynb", RELEASED)
    return course


def save(path: Path, notebook: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1), encoding="utf-8")


def course(
    folder: Path, *words: str, before: str = "", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `course` in a folder; its output is bytes of the console's encoding."""
    code = f"{before}\nimport sys\nsys.argv[0] = 'course'\nfrom autograder.cli import main\nmain()"
    plain = {k: v for k, v in os.environ.items() if k not in {"COURSE_LANG", "PYTHONIOENCODING"}}
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env={**plain, "PYTHONUTF8": "0", "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        check=False,
        timeout=60,
    )


HUB = {"JUPYTERHUB_SERVICE_PREFIX": "/user/zhang/"}


def test_lab_in_a_hub_prints_the_path_and_starts_nothing(folder: Path) -> None:
    done = course(folder, "lab", **HUB)
    own = folder / "work" / "lesson03" / "lesson03.ipynb"
    assert done.returncode == 0 and str(own) in done.stdout.decode()
    assert json.loads(own.read_text(encoding="utf-8")) == RELEASED


def test_lab_names_what_is_not_there(folder: Path) -> None:
    done = course(folder, "lab", "lesson04", **HUB)
    assert done.returncode == 2 and "没有这一课" in done.stderr.decode()
    done = course(folder, "lab", "--answers", **HUB)
    assert done.returncode == 2 and "截止之后才会发布" in done.stderr.decode()


def test_lab_opens_the_answers_of_an_answer_branch_in_a_copy(folder: Path) -> None:
    save(folder / "answers" / "lesson03" / "lesson03.ipynb", RELEASED)
    assert course(folder, "lab", "--answers", **HUB).returncode == 0
    assert (folder / "work" / "lesson03" / "lesson03-answers.ipynb").is_file()


def filled(**texts: str) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(json.dumps(RELEASED))
    for one in notebook["cells"]:
        if one["id"] in texts:
            one["source"] = "".join(one["source"]).replace("______", texts[one["id"]])
            if one["cell_type"] == "markdown":
                one["source"] += f"\n\n{texts[one['id']]}"
    return notebook


def test_submit_writes_what_intake_takes_and_a_receipt(folder: Path) -> None:
    course(folder, "lab", **HUB)
    own = folder / "work" / "lesson03" / "lesson03.ipynb"
    save(own, filled(checkpoint_io="physical_bytes / interval_s", q1="争用"))
    done = course(folder, "submit", "lesson03", "--id", "s001")
    assert done.returncode == 0, done.stderr.decode()
    said = done.stdout.decode()
    assert (
        "还空着：「你自己的边界用例」（my_boundary_case）、「解释你的边界用例」（explanation）、"
        "「Q2 本地 NVMe 写完之后，训练能不能宣布这个 checkpoint 可恢复？」、"
        "「Q3 GDS 省掉了一次 CPU 拷贝，为什么随机读小样本可能毫无收益？」。"
    ) in said
    handin = own.parent / "handin"
    assert (handin / "s001.ipynb").read_bytes() == own.read_bytes()
    receipt = (handin / "s001.receipt.txt").read_text(encoding="utf-8")
    assert hashlib.sha256(own.read_bytes()).hexdigest() in receipt
    assert "课程: lesson03" in receipt and "还空着: my_boundary_case" in receipt
    (one,) = collect(handin, "lesson03")
    assert one.student == "s001" and one.unreadable is None


def test_submit_says_so_in_english(folder: Path) -> None:
    course(folder, "lab", **HUB)
    done = course(folder, "submit", "lesson03", "--id", "s1", COURSE_LANG="en")
    assert b"Still empty: checkpoint_io" in done.stdout and done.stdout.isascii()


@pytest.mark.parametrize(
    ("encoding", "words"), [("gbk", "还空着"), ("utf-8", "还空着"), ("cp1252", "Still empty")]
)
def test_consoles_of_other_encodings(folder: Path, encoding: str, words: str) -> None:
    assert course(folder, "--help", PYTHONIOENCODING=encoding).returncode == 0
    assert course(folder, "lab", PYTHONIOENCODING=encoding, **HUB).returncode == 0
    # A rare character, one that GBK lacks, in the id: nothing may crash.
    done = course(folder, "submit", "lesson03", "--id", "𠮷", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout.decode(encoding)
    wrong = course(folder, "submit", "lesson03", "--id", "a/b", PYTHONIOENCODING=encoding)
    assert wrong.returncode == 2 and b"Traceback" not in wrong.stderr


def test_a_cell_is_called_by_the_heading_above_it_in_the_released_notebook() -> None:
    def cell(name: str) -> dict[str, Any]:
        marks = {"nbgrader": {"solution": True, "grade": False, "grade_id": name}}
        return {"cell_type": "code", "id": name, "metadata": marks, "source": "x = ______"}

    def text(source: str) -> dict[str, Any]:
        return {"cell_type": "markdown", "id": source[:9], "metadata": {}, "source": source}

    cells = [
        cell("first"),
        text("## Part 1\n\n### Fill in: `rate` ##\n\n```sh\n# no heading\n```\n"),
        cell("rate"),
        cell("other"),
    ]
    found = inspected({"cells": [], "metadata": {}}, {"cells": cells, "metadata": {}})
    chinese, english = found.problems[0]
    assert chinese == (
        "缺了这几格，按 0 分计：first、「Fill in: rate」、「Fill in: rate」（other）。"
    )
    assert english == (
        'These cells are missing and score 0: first, "Fill in: rate", "Fill in: rate" (other).'
    )


def test_a_missing_damaged_or_wrong_file_is_refused(folder: Path) -> None:
    done = course(folder, "submit", "lesson03", "--id", "s1")
    assert done.returncode == 2 and "course lab lesson03" in done.stderr.decode()
    answers = filled()
    answers["cells"].append(
        {"cell_type": "code", "id": "a", "metadata": {"course": {"role": "solution"}}, "source": ""}
    )
    other = filled()
    other["metadata"]["course"]["lesson"] = "lesson02"
    empty = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    for notebook, words in (
        (answers, "参考答案"),
        (other, "lesson02"),
        (empty, "不是 lesson03 的笔记本"),
        ({"a": 1}, "不是完好的笔记本"),
    ):
        save(folder / "x.ipynb", notebook)
        done = course(folder, "submit", "lesson03", "--id", "s1", "--file", "x.ipynb")
        assert done.returncode == 2 and words in done.stderr.decode()
    assert not (folder / "work" / "lesson03" / "handin").exists()


def test_a_file_larger_than_grading_takes_is_refused(folder: Path) -> None:
    big = filled()
    big["cells"][0]["source"] = "x" * (21 << 20)
    save(folder / "big.ipynb", big)
    done = course(folder, "submit", "lesson03", "--id", "s1", "--file", "big.ipynb")
    assert done.returncode == 2 and "20 MB" in done.stderr.decode()


def test_a_path_of_more_than_260_characters(tmp_path: Path, folder: Path) -> None:
    deep = tmp_path.joinpath(*["d" * 40] * 7)
    deep.parent.mkdir(parents=True)
    folder.rename(deep)
    assert len(str(deep)) > 260
    assert course(deep, "lab", **HUB).returncode == 0
    assert course(deep, "submit", "lesson03", "--id", "s1").returncode == 0


@pytest.mark.parametrize("good", ["s001", "张三", "2023-11_7", "a.b", "O'Brien", " s1 "])
def test_ids_that_name_a_file(good: str) -> None:
    assert file_name(good, "zh-CN") == f"{good.strip()}.ipynb"


@pytest.mark.parametrize(
    "bad",
    [
        *(
            "",
            " ",
            ".x",
            "x.",
            "a/b",
            "a\\b",
            "..",
            "a:b",
            "a\nb",
            "con",
            "NUL.x",
            "LPT1",
            "x" * 81,
        ),
        *("zhang_12345_678_lesson03", "Zhang San_41_assignsubmission_file_x", "__MACOSX", "a?"),
    ],
)
def test_ids_that_do_not(bad: str) -> None:
    with pytest.raises(UsageError):
        file_name(bad, "zh-CN")


def test_what_inspection_sees() -> None:
    found = inspected(filled(), RELEASED)
    assert found.empty == PARTS and found.recognised and not found.answers
    broken = inspected(filled(checkpoint_io="（physical_bytes"), RELEASED)
    assert "checkpoint_io" not in broken.empty
    # def, if, raise, physical_bytes, duration, TODO, required_average: the seventh line.
    assert any("「填空：checkpoint_io」的第 7 行" in chinese for chinese, _ in broken.problems)
    below = filled()
    place = next(i for i, one in enumerate(below["cells"]) if one["id"] == "q2")
    own = {"cell_type": "markdown", "id": "mine", "metadata": {}, "source": "故障域"}
    below["cells"].insert(place + 1, own)
    assert "q2" not in inspected(below, RELEASED).empty
    gone = filled()
    gone["cells"] = [one for one in gone["cells"] if one["id"] != "q3"]
    assert any("缺了这几格" in zh and "「Q3 " in zh for zh, _ in inspected(gone, RELEASED).problems)


def test_jupyterlab_is_set_up_without_news_and_in_chinese_where_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = {"jupyterlab_language_pack_zh_CN", "nbgrader"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name in installed or None)
    lab_settings.write_settings(tmp_path, "zh-CN")
    overrides = json.loads((tmp_path / "labconfig" / "default_setting_overrides.json").read_text())
    assert overrides["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    assert overrides["@jupyterlab/translation-extension:plugin"]["locale"] == "zh_CN"
    server = json.loads((tmp_path / "jupyter_server_config.json").read_text())["ServerApp"]
    assert server["jpserver_extensions"]["nbgrader.server_extensions.validate_assignment"] is True
    assert server["jpserver_extensions"]["nbgrader.server_extensions.formgrader"] is False
    installed.clear()
    lab_settings.write_settings(tmp_path, "zh-CN")
    overrides = json.loads((tmp_path / "labconfig" / "default_setting_overrides.json").read_text())
    assert list(overrides) == ["@jupyterlab/apputils-extension:notification"]
    assert json.loads((tmp_path / "jupyter_server_config.json").read_text()) == {}


def test_a_learners_own_jupyter_path_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/mine")
    path = lab_settings.environment(tmp_path)["JUPYTER_CONFIG_PATH"]
    assert path == f"{tmp_path}{os.pathsep}/mine"


def test_advice_about_paths_is_for_windows() -> None:
    assert path_advice(Path("C:/course/x.ipynb"), windows=True) is None
    assert path_advice(Path("C:/Users/张三/x.ipynb"), windows=True) is not None
    assert path_advice(Path("C:/" + "d" * 250), windows=True) is not None
    assert path_advice(Path("/home/张三/x.ipynb"), windows=False) is None


def test_nothing_of_posix_is_needed_to_learn(folder: Path) -> None:
    done = course(folder, "lab", before=BLOCKED, **HUB)
    assert done.returncode == 0, done.stderr.decode()
    done = course(folder, "submit", "lesson03", "--id", "s1", before=BLOCKED)
    assert done.returncode == 0, done.stderr.decode()


def test_the_learners_package_imports_nothing_of_posix() -> None:
    code = f"""{BLOCKED}
import importlib, pkgutil, lessons, autograder.cli, autograder.commands.learner
import autograder.commands.handin
for found in pkgutil.walk_packages(lessons.__path__, "lessons."):
    importlib.import_module(found.name)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_submit_needs_only_what_a_learner_installs() -> None:
    grading_only = ("nbgrader", "nbformat", "sqlalchemy", "msgspec", "yaml", "rich", "jinja2")
    code = (
        "import sys, autograder.commands.learner, autograder.commands.handin\n"
        f"print([name for name in {grading_only!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
