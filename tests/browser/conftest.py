"""Chromium, and JupyterLab servers for it, each with settings of its own."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from autograder.project import Project, find_project

ROOT = Path(__file__).resolve().parents[2]
LESSON = "lesson03"
START_S = 120
LIGHT, DARK = "JupyterLab Light", "JupyterLab Dark"
JUPYTERLAB = ("-m", "jupyterlab")
COURSE_LAB = ("-c", "from autograder.cli import main; main()", "lab", LESSON)
# JupyterLab asks about news, and draws only the cells in view; neither is what is tested here.
PAGE_CONFIG = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A running JupyterLab."""

    url: str
    token: str
    log: Path

    def at(self, path: str) -> str:
        """The address of a path, with the token."""
        return f"{self.url}{path}{'&' if '?' in path else '?'}token={self.token}"


@dataclass(frozen=True, kw_only=True)
class Witness:
    """What a page did beside showing itself."""

    dialogs: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Note dialogs, console messages and uncaught errors of the page and its frames."""

        def dialog(shown: object) -> None:
            self.dialogs.append(str(getattr(shown, "message", "")))
            shown.dismiss()  # type: ignore[attr-defined]

        page.on("dialog", dialog)
        page.on("console", lambda message: self.console.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium. In CI it must be there; elsewhere its absence skips."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        lacking = "no Chromium on PATH: install it, or name it in CHROMIUM"
        if os.environ.get("CI", "").lower() in {"1", "true"}:
            pytest.fail(lacking)
        pytest.skip(lacking)
    with sync_playwright() as playwright:
        # Root, as in a container, has no sandbox of Chromium's own.
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def witness() -> Witness:
    return Witness()


@pytest.fixture
def new_page(browser: Browser, witness: Witness) -> Iterator[Callable[..., Page]]:
    """Opens pages in a profile of their own; what happens there goes to the witness."""
    contexts = []

    def open_page(width: int = 1280, height: int = 900) -> Page:
        context = browser.new_context(
            viewport=ViewportSize(width=width, height=height), locale="zh-CN"
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        witness.watch(page)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def start_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Lab]]:
    """Starts JupyterLab in a folder, in a theme; the servers end with the module's tests."""
    running: list[subprocess.Popen[bytes]] = []

    def start(folder: Path, *, theme: str = LIGHT, command: Sequence[str] = JUPYTERLAB) -> Lab:
        home = tmp_path_factory.mktemp("jupyter")
        lab, process = _started(command, folder, home, theme)
        running.append(process)
        return lab

    yield start
    for process in running:
        os.killpg(process.pid, signal.SIGTERM)  # kernels are of the server's group or end with it
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="session")
def project() -> Project:
    return find_project(ROOT)


def _started(
    command: Sequence[str], folder: Path, home: Path, theme: str
) -> tuple[Lab, subprocess.Popen[bytes]]:
    _write(home / "config" / "labconfig" / "page_config.json", PAGE_CONFIG)
    settings = {**SETTINGS, "@jupyterlab/apputils-extension/themes": {"theme": theme}}
    for name, values in settings.items():
        _write(home / "settings" / f"{name}.jupyterlab-settings", values)
    port, token = _free_port(), secrets.token_hex(16)
    lab = Lab(url=f"http://127.0.0.1:{port}", token=token, log=home / "log")
    server = {"open_browser": False, "allow_root": True, "ip": "127.0.0.1", "port": port}
    server["port_retries"] = 0
    settled = {"ServerApp": server, "IdentityProvider": {"token": token}}
    _write(home / "config" / "jupyter_server_config.json", settled)
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        # What the folder holds counts, not what is installed.
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
    }
    with lab.log.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _wait(lab, process)
    return lab, process


def _wait(lab: Lab, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(lab.at("/api/status"), timeout=5):  # noqa: S310  (ours)
                return
        except (urllib.error.URLError, OSError):
            if process.poll() is not None:
                break
            time.sleep(0.3)
    said = lab.log.read_text(encoding="utf-8", errors="replace")[-2000:]
    pytest.fail(f"JupyterLab did not start:\n{said}")


def _write(path: Path, values: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values), encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
