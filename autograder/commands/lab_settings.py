"""JupyterLab as the course sets it up: no news, no update check, the language of the course.

Settings lie in a folder of the course's own, which Jupyter reads before the learner's: they are
defaults, and whatever a learner has set in JupyterLab wins.
"""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

from autograder.wholefile import replace_file

_LANGUAGE_PACKS = {"zh": ("jupyterlab_language_pack_zh_CN", "zh_CN")}
_TEACHERS_PARTS = ("formgrader", "assignment_list", "course_list")


def write_settings(folder: Path, lang: str) -> None:
    """Write the settings files.

    Args:
        folder: A directory for JUPYTER_CONFIG_PATH.
        lang: The course's language, BCP 47.
    """
    nbgrader = importlib.util.find_spec("nbgrader") is not None
    files = {
        "labconfig/default_setting_overrides.json": _overrides(lang),
        "labconfig/page_config.json": _page(nbgrader=nbgrader),
        "jupyter_server_config.json": _server(nbgrader=nbgrader),
    }
    for name, values in files.items():
        replace_file(folder / name, json.dumps(values, indent=1).encode("utf-8"))


def environment(folder: Path) -> dict[str, str]:
    """Return this process's environment with the settings in it."""
    before = os.environ.get("JUPYTER_CONFIG_PATH")
    paths = [str(folder), *([before] if before else [])]
    return {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}


def _overrides(lang: str) -> dict[str, Any]:
    overrides: dict[str, Any] = {
        "@jupyterlab/apputils-extension:notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        }
    }
    module, locale = _LANGUAGE_PACKS.get(lang.lower().split("-")[0], ("", ""))
    if module and importlib.util.find_spec(module) is not None:
        overrides["@jupyterlab/translation-extension:plugin"] = {"locale": locale}
    return overrides


def _page(*, nbgrader: bool) -> dict[str, Any]:
    disabled = {"@jupyterlab/apputils-extension:announcements": True}
    if nbgrader:
        for part in (*_TEACHERS_PARTS, "create_assignment", "menu"):
            disabled[f"@jupyter/nbgrader:{part.replace('_', '-')}"] = True
    return {"disabledExtensions": disabled}


def _server(*, nbgrader: bool) -> dict[str, Any]:
    """Of nbgrader a learner needs the button Validate only."""
    if not nbgrader:
        return {}
    prefix = "nbgrader.server_extensions"
    extensions = {f"{prefix}.{part}": False for part in _TEACHERS_PARTS}
    extensions[f"{prefix}.validate_assignment"] = True
    return {"ServerApp": {"jpserver_extensions": extensions}}
