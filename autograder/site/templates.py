"""The templates and static files under assets/site/."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError
from markupsafe import Markup

from autograder.errors import CourseError

_STYLES = ("tokens", "page", "prose", "code", "boxes", "print")
_SCRIPTS = ("site.js", "theme.js")


def environment(assets: Path) -> Environment:
    """The templates; what a lesson says is escaped, and a name that is unknown is an error."""
    return Environment(
        loader=FileSystemLoader(assets / "site", encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def rendered(templates: Environment, name: str, values: Mapping[str, object]) -> str:
    """One page.

    Raises:
        CourseError: A template is missing or broken.
    """
    try:
        return templates.get_template(name).render(values)
    except TemplateError as error:
        raise CourseError(
            f"assets/site/{name}: {error}. Restore assets/site from the repository."
        ) from error


def static_files(assets: Path) -> dict[str, bytes]:
    """Style sheet, scripts and icon, by their path in the site.

    Raises:
        CourseError: One is missing.
    """
    folder = assets / "site"
    try:
        styles = [(folder / "css" / f"{name}.css").read_bytes() for name in _STYLES]
        files = {f"assets/{name}": (folder / name).read_bytes() for name in _SCRIPTS}
        files["assets/icon.svg"] = (folder / "icon.svg").read_bytes()
    except OSError as error:
        raise CourseError(
            f"{error.filename}: is missing. Restore it from the repository."
        ) from error
    return {**files, "assets/site.css": b"\n".join(styles)}


def trusted(html: str) -> Markup:
    """HTML that this package made, which is not escaped again."""
    return Markup(html)  # noqa: S704
