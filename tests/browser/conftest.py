"""Chromium, and JupyterLab servers for it, each with settings of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from autograder.project import Project, find_project
from tests.browser.servers import ROOT, Lab, NotStartedError, chromium, start


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
    path = chromium()
    if path is None:
        lacking = "no Chromium on PATH: install it, or name it in CHROMIUM"
        if os.environ.get("CI", "").lower() in {"1", "true"}:
            pytest.fail(lacking)
        pytest.skip(lacking)
    with sync_playwright() as playwright:
        # Root, as in a container, has no sandbox of Chromium's own.
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


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
    running: list[Lab] = []

    def started(folder: Path, **how: Any) -> Lab:
        try:
            lab = start(folder, tmp_path_factory.mktemp("jupyter"), **how)
        except NotStartedError as error:
            pytest.fail(str(error))
        running.append(lab)
        return lab

    yield started
    for lab in running:
        lab.stop()


@pytest.fixture(scope="session")
def project() -> Project:
    return find_project(ROOT)
