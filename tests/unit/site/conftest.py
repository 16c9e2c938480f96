"""The small course's site, made once in each edition."""

from __future__ import annotations

import pytest

from autograder.project import Project
from autograder.site.build import Site, build_site
from tests.unit.site.small import small_course


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return small_course(tmp_path_factory.mktemp("course") / "small")


@pytest.fixture(scope="session")
def site(course: Project) -> Site:
    return build_site(course, answers=True)


@pytest.fixture(scope="session")
def class_site(course: Project) -> Site:
    return build_site(course, answers=False)


@pytest.fixture(scope="session")
def page(site: Site) -> str:
    return site.files["tiny/index.html"].decode()


@pytest.fixture(scope="session")
def class_page(class_site: Site) -> str:
    return class_site.files["tiny/index.html"].decode()
