"""JupyterLab servers with settings of their own, started for a browser and ended with it."""

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
START_S = 120
LIGHT = "JupyterLab Light"
JUPYTERLAB = ("-m", "jupyterlab")
# JupyterLab asks about news, and draws only the cells in view; neither is what is tested here.
PAGE_CONFIG = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}

THEMES = "@jupyterlab/apputils-extension/themes"


class NotStartedError(Exception):
    """A JupyterLab that did not come up, with the end of what it said."""


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A running JupyterLab."""

    url: str
    token: str
    log: Path
    process: subprocess.Popen[bytes]

    def at(self, path: str) -> str:
        """The address of a path, with the token."""
        return f"{self.url}{path}{'&' if '?' in path else '?'}token={self.token}"

    def own_copy(self, lesson: str) -> str:
        """The address of the learner's own copy of a lesson, in a workspace without memory."""
        path = PurePosixPath("/lab/tree", "work", lesson, f"{lesson}.ipynb")
        return self.at(f"{path}?reset")

    def stop(self) -> None:
        """End the server; kernels are of its group or end with it."""
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def chromium() -> str | None:
    """The browser's path: what CHROMIUM names, else what is on PATH."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


def start(  # noqa: PLR0913 - what a server consists of
    folder: Path,
    home: Path,
    *,
    theme: str = LIGHT,
    command: Sequence[str] = JUPYTERLAB,
    python: str = sys.executable,
    more: Mapping[str, str] | None = None,
    settings: Mapping[str, Mapping[str, object]] = SETTINGS,
) -> Lab:
    """Start JupyterLab in a folder and wait until it answers.

    Args:
        folder: Where it works, and what its kernels import from before anything installed.
        home: An empty directory for its settings.
        theme: JupyterLab's name of it.
        command: What the interpreter is to run.
        python: The interpreter.
        more: Environment variables over those of this process.
        settings: JupyterLab's, by plugin.

    Raises:
        NotStartedError: It ended, or did not answer in time.
    """
    port, token = _free_port(), secrets.token_hex(16)
    _settle(home, {**settings, THEMES: {"theme": theme}}, port, token)
    log_file = home / "log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [python, *command],
            cwd=folder,
            env={**os.environ, **_places(home, folder), **(more or {})},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    lab = Lab(url=f"http://127.0.0.1:{port}", token=token, log=log_file, process=process)
    _wait(lab)
    return lab


def _settle(home: Path, settings: Mapping[str, object], port: int, token: str) -> None:
    _write(home / "config" / "labconfig" / "page_config.json", PAGE_CONFIG)
    for name, values in settings.items():
        _write(home / "settings" / f"{name}.jupyterlab-settings", values)
    server = {"open_browser": False, "allow_root": True, "ip": "127.0.0.1", "port": port}
    settled = {
        "ServerApp": {**server, "port_retries": 0},
        "IdentityProvider": {"token": token},
    }
    _write(home / "config" / "jupyter_server_config.json", settled)


def _places(home: Path, folder: Path) -> dict[str, str]:
    return {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        # What the folder holds counts, not what is installed.
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
    }


def _wait(lab: Lab) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(lab.at("/api/status"), timeout=5):  # noqa: S310  (ours)
                return
        except (urllib.error.URLError, OSError):
            if lab.process.poll() is not None:
                break
            time.sleep(0.3)
    said = lab.log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise NotStartedError(f"JupyterLab did not start:\n{said}")


def _write(path: Path, values: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values), encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
