"""The pinned versions install on every Python that the project names, its first release too."""

from __future__ import annotations

import sysconfig
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
PINS = [
    Requirement(line)
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def _installed(pin: Requirement) -> metadata.Distribution | None:
    # Whoever imports setuptools puts the packages that it carries itself on sys.path.
    places = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    return next(iter(metadata.distributions(name=pin.name, path=places)), None)


FOUND = [(pin, found) for pin in PINS if (found := _installed(pin)) is not None]


def test_most_pins_can_be_looked_at() -> None:
    assert len(FOUND) > len(PINS) / 2


@pytest.mark.parametrize(("pin", "found"), FOUND, ids=[pin.name for pin, _ in FOUND])
def test_a_pin_allows_the_first_python_that_the_project_does(
    pin: Requirement, found: metadata.Distribution
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    first = project["requires-python"].removeprefix(">=") + ".0"
    assert pin.specifier.contains(found.version, prereleases=True)
    assert SpecifierSet(found.metadata.get("Requires-Python", "")).contains(first)
