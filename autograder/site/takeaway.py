"""What a reader takes along to a computer: the student notebook with what it imports, as a zip."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

from autograder.editions.illustrations import illustrations
from autograder.errors import CourseError
from autograder.model import Lesson
from autograder.project import Project
from autograder.site.words import site_words
from autograder.source.notices import without_suffix

_EPOCH = (1980, 1, 1, 0, 0, 0)
_TYPES = frozenset({".py", ".toml"})
_CODE = 0o644 << 16


def takeaway(project: Project, lesson: Lesson) -> bytes:
    """The zip; the same lesson always gives the same bytes.

    Raises:
        CourseError: The notebook cannot be made, or would hold an answer.
    """
    title = without_suffix(lesson.title)
    readme = site_words(lesson.lang).readme.format(title=title, slug=lesson.slug)
    files = {f"{lesson.slug}.ipynb": _notebook(project, lesson), "README.txt": readme.encode()}
    shown = illustrations(lesson, project.source(lesson.slug).parent).files
    files |= {place.as_posix(): data for place, data in shown.items()}
    root = project.lesson_modules
    for path in sorted(root.rglob("*")) if lesson.modules else ():
        if path.suffix in _TYPES and path.is_file() and _belongs(path.relative_to(root), lesson):
            files[f"lessons/{path.relative_to(root).as_posix()}"] = path.read_bytes()
    return _zipped(lesson.slug, files)


def _belongs(place: Path, lesson: Lesson) -> bool:
    """The lesson's own modules and what all lessons share; no other lesson, nothing hidden."""
    if any(part.startswith((".", "__pycache__")) for part in place.parts):
        return False
    top = place.parts[0]
    own = (lesson.modules or "").split(".")[-1]
    return len(place.parts) == 1 or top in {"classroom", own}


def _notebook(project: Project, lesson: Lesson) -> bytes:
    """The committed notebook when it is of this source, else one made now."""
    path = project.lesson_modules / lesson.slug / f"{lesson.slug}.ipynb"
    # The learners' notebook does not say what it was made of; the answers' of the same build does.
    beside = project.source(lesson.slug).with_suffix(".ipynb")
    try:
        said = json.loads(beside.read_bytes())["metadata"]["course"]["source_sha256"]
        if said == lesson.sha256:
            return path.read_bytes()
    except (OSError, ValueError, KeyError, TypeError):
        pass
    # nbgrader takes 2.4 s to import.
    from autograder.editions.build import editions  # noqa: PLC0415

    made = editions(project, lesson).files.get(path)
    if made is None:
        raise CourseError(f"{lesson.path}: has no student notebook. Run `course build`.")
    return made


def _zipped(slug: str, files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            member = zipfile.ZipInfo(f"course-{slug}/{name}", _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = _CODE
            member.create_system = 3
            archive.writestr(member, data)
    return target.getvalue()
