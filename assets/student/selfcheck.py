"""Can this machine run the course? `make check`, or `python selfcheck.py`."""

# ruff: noqa: T201 - a script that talks to the learner; it has to run where nothing is installed
from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
LESSONS = "@{lessons}".split()  # noqa: SIM905 - a mark that publishing fills in
NEEDED = ("click", "ipywidgets", "jupyterlab", "matplotlib", "numpy", "zhplot")
CHINESE = not os.environ.get("COURSE_LANG", "@{lang}").lower().startswith("en")
OLDEST = (3, 11)


def say(chinese: str, english: str) -> str:
    """The sentence in the learner's language; COURSE_LANG=en asks for English."""
    return chinese if CHINESE else english


def check_python() -> None:
    """The interpreter is new enough."""
    if sys.version_info < OLDEST:
        raise RuntimeError(say("需要 Python 3.11 或更新版本。", "Python 3.11 or newer is needed."))


def check_packages() -> None:
    """What pyproject.toml asks for is installed."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        names = ", ".join(missing)
        raise RuntimeError(
            say(
                f"缺少 {names}：请在本目录运行 pip install -e .",
                f"{names} missing: run pip install -e . in this folder.",
            )
        )


def check_ours() -> None:
    """`lessons` and `autograder` are the ones of this folder, not others of that name."""
    for name in ("lessons", "autograder"):
        file = importlib.import_module(name).__file__
        if file is None or HERE not in Path(file).resolve().parents:
            raise RuntimeError(
                say(
                    f"导入的 {name} 不是本目录的：请在本目录运行 pip install -e .",
                    f"The {name} that is imported is not this folder's: "
                    "run pip install -e . in this folder.",
                )
            )


def check_lesson(slug: str) -> Callable[[], None]:
    """A check that a lesson's notebook opens and that its modules can be imported."""

    def check() -> None:
        file = HERE / "lessons" / slug / f"{slug}.ipynb"
        notebook = json.loads(file.read_text(encoding="utf-8"))
        if not notebook["cells"]:
            raise RuntimeError(say(f"{file.name} 是空的。", f"{file.name} is empty."))
        modules = notebook["metadata"].get("course", {}).get("modules")
        for name in _modules(modules) if modules else ():
            importlib.import_module(name)

    return check


def _modules(package: str) -> Iterator[str]:
    yield package
    folder = HERE.joinpath(*package.split("."))
    for file in sorted(folder.glob("*.py")):
        if not file.stem.startswith("_"):
            yield f"{package}.{file.stem}"


def check_command() -> None:
    """The command `course` starts."""
    importlib.import_module("autograder.cli")


def main() -> int:
    """Run every check; 1 when one failed."""
    sys.path.insert(0, str(HERE))
    checks: list[tuple[str, Callable[[], None]]] = [
        ("Python", check_python),
        (say("软件包", "packages"), check_packages),
        (say("课程目录", "course folder"), check_ours),
        *((slug, check_lesson(slug)) for slug in LESSONS),
        ("course", check_command),
    ]
    failed = 0
    for name, check in checks:
        try:
            check()
        except Exception as error:  # whatever it is, the learner gets one line
            failed += 1
            print(f"[x] {name}: {error}")
        else:
            print(f"[ok] {name}")
    print(
        say("可以开始：make lab。", "Ready: make lab.")
        if not failed
        else say("请先解决上面的问题。", "Mend what is marked [x] first.")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main())
