"""The README is true: every command it shows is run, in a copy of the project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autograder.commands.samples import read_samples, write_samples
from autograder.editions.build import source_notebook
from autograder.editions.release import release
from autograder.project import find_project

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


def shown_commands(readme: str) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", readme, flags=re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


README = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
COMMANDS = shown_commands(README)

IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A test"), ("EMAIL", "test@example.org"))
}

# The others end by themselves and are run as they stand; what stands in capitals is filled in.
SERVERS = {"make lab", "course review OUT"}
# Half a minute each of what other tests see piece by piece; `course publish` checks the lesson too.
SLOW = {"make site", "course check lesson03"}
RUN = [
    pytest.param(command, marks=pytest.mark.slow if command in SLOW else ())
    for command in COMMANDS
    if command not in {"make test", *SERVERS}
]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's files as they are now, with this run's environment as its `.venv`."""
    folder = tmp_path_factory.mktemp("clone") / "project"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "as it is"]):
        subprocess.run(["git", *words], cwd=folder, check=True, env=os.environ | IDENTITY)
    venv = folder / ".venv"
    venv.mkdir()
    (venv / "bin").symlink_to(BIN)
    (venv / ".installed").touch()
    return folder


@pytest.fixture(scope="module")
def submitted(clone: Path) -> Path:
    samples = read_samples(ROOT / "solutions" / "lesson03" / "samples.toml")
    released = release(source_notebook(find_project(ROOT), "lesson03"))
    write_samples(samples[:1], released, "lesson03", clone.parent / "handed-in")
    return clone.parent / "handed-in"


def environment() -> dict[str, str]:
    return os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


def test_the_readme_shows_the_two_commands_first() -> None:
    assert COMMANDS[:2] == ["make demo", "make test"]


def outline(readme: str) -> list[str]:
    """The kinds of a README's blocks in order: what both languages have to share."""
    kinds = r"^(#+ |!\[.*?\]\(.*?\)|```.*|\| --- .*|- \*\*)"
    found = re.findall(kinds, readme, flags=re.MULTILINE)
    return [re.sub(r"!\[.*\]", "![]", kind) for kind in found]


def test_the_chinese_readme_is_the_same_section_by_section() -> None:
    assert outline(CHINESE) == outline(README)
    assert shown_commands(CHINESE) == COMMANDS
    for fence in ("powershell", "sh"):
        blocks = [re.findall(rf"```{fence}\n(.*?)```", one, re.DOTALL) for one in (README, CHINESE)]
        assert blocks[0] == blocks[1] != []
    # Every verb, option, flag and field that one names, the other names too.
    names = [set(re.findall(r"`([a-zA-Z_.-]+(?: [a-z-]+)?)`", one)) for one in (README, CHINESE)]
    assert names[0] == names[1]


def test_the_picture_is_small_and_there() -> None:
    (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", README)
    data = (ROOT / picture).read_bytes()
    assert data.startswith(b"\x89PNG") and len(data) < 200_000


@pytest.mark.slow
def test_the_way_without_make_works_in_a_fresh_environment(clone: Path) -> None:
    folder = clone.parent / "unpacked"
    ignored = shutil.ignore_patterns(".venv", ".git", "work", "demo")
    shutil.copytree(clone, folder, ignore=ignored)
    (block,) = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    hub = os.environ | {"JUPYTERHUB_SERVICE_PREFIX": "/"}  # the path is printed, nothing served
    for command in block.replace("--id ID", "--id s001").splitlines():
        words = command.replace("python3 ", f"{sys.executable} ", 1)
        done = subprocess.run(
            words.split(), cwd=folder, env=hub, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, command + done.stdout + done.stderr
    assert (folder / "work" / "lesson03" / "handin" / "s001.ipynb").is_file()


@pytest.mark.sandbox
@pytest.mark.parametrize("command", RUN)
def test_command_runs(command: str, clone: Path, submitted: Path) -> None:
    words = command.replace("SUBMITTED", str(submitted)).replace("OUT", str(clone.parent / "out"))
    words = words.replace("--id ID", "--id s001")
    if " submit " in command:  # what `make lab` makes, without its server
        own = clone / "work" / "lesson03" / "lesson03.ipynb"
        own.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(clone / "lessons" / "lesson03" / "lesson03.ipynb", own)
    done = subprocess.run(
        ["sh", "-c", words],
        cwd=clone,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if command == "make demo":
        assert "12 submissions" in done.stdout or "s12-kai" in done.stdout
        assert "demo/course/grades.csv" in done.stdout


def test_make_test_runs_the_suite(clone: Path) -> None:
    # Running it here would run this test again; what it would run is shown instead.
    done = subprocess.run(
        ["make", "-n", "test"],
        cwd=clone,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "-m pytest" in done.stdout


def assert_no_news(said: str) -> None:
    """JupyterLab asks about no news, and of nbgrader shows a learner Validate only."""
    found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\S*?\?(token=\w+)", said)
    assert found is not None, said
    config = json.loads(html_config(fetched(f"{found[1]}/lab?{found[2]}")))
    off = config["disabledExtensions"]
    assert "@jupyterlab/apputils-extension:announcements" in off
    assert "@jupyter/nbgrader:formgrader" in off
    assert "@jupyter/nbgrader:validate-assignment" not in off
    name = "@jupyterlab/apputils-extension:notification"
    answer = fetched(f"{found[1]}/lab/api/settings/{name}?{found[2]}")
    shown = json.loads(answer)["schema"]["properties"]
    assert shown["fetchNews"]["default"] == "false"


def fetched(url: str) -> str:
    """What the server answers, once it listens: it prints its address a little before."""
    for _ in range(100):
        try:
            with urllib.request.urlopen(url) as answer:  # noqa: S310  # ours
                return str(answer.read().decode())
        except urllib.error.URLError:
            time.sleep(0.3)
    pytest.fail(f"no answer from {url}")


def html_config(page: str) -> str:
    """The text of the script that configures JupyterLab's page."""
    (text,) = re.findall(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.DOTALL)
    return str(text)


@contextmanager
def served(words: list[str], clone: Path) -> Iterator[str]:
    """What a server says once it has printed its address; it ends with the block."""
    log = clone.parent / f"{words[0]}.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            words,
            cwd=clone,
            env=environment() | {"BROWSER": "true"},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        started = time.monotonic()
        while "?token=" not in log.read_text() and time.monotonic() - started < 60:
            assert server.poll() is None, log.read_text()
            time.sleep(0.2)
        assert "?token=" in log.read_text(), log.read_text()
        yield log.read_text()
    finally:
        os.killpg(server.pid, 15)
        server.wait(30)


def test_make_lab_serves_the_notebook(clone: Path) -> None:
    with served(["make", "lab"], clone) as said:
        assert (clone / "work" / "lesson03" / "lesson03.ipynb").is_file()
        assert_no_news(said)


@pytest.mark.sandbox
def test_course_review_serves_the_class(clone: Path, submitted: Path) -> None:
    out = clone.parent / "reviewed"
    grading = ["course", "grade", str(submitted), "--lesson", "lesson03", "--out", str(out)]
    subprocess.run(grading, cwd=clone, env=environment(), check=True, capture_output=True)
    root = ["--allow-root"] if os.getuid() == 0 else []
    with served(["course", "review", str(out), "--no-browser", *root], clone) as said:
        found = re.search(r"(http://\S+?\?token=\w+)", said)
        assert found is not None, said
        assert "review.js" in fetched(found[1])
