"""A course -> all files of its readers' site, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from autograder.editions.build import lesson_of
from autograder.errors import CourseError, UsageError
from autograder.model import Lesson
from autograder.project import Project
from autograder.site.fallback_font import characters, woff2
from autograder.site.leaks import leaks
from autograder.site.live import CSP_EXTRA, live_parts
from autograder.site.page import LessonPage, Setting, index_page, lesson_page, title_of
from autograder.site.parts import LiveParts
from autograder.site.policy import foreign_requests, policy
from autograder.site.templates import environment, static_files

_FONT = "assets/course-han.woff2"
_SHOWN = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """A site.

    Attributes:
        files: Path -> content.
        vendored: Those files that are a third party's to the byte.
        warnings: What could not be shown, one sentence each.
    """

    files: Mapping[str, bytes]
    vendored: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()


def _silent(_: str) -> None:
    pass


def build_site(project: Project, *, answers: bool, say: Callable[[str], None] = _silent) -> Site:
    """Make the site of a course; the same sources always give the same bytes.

    Args:
        project: The course.
        answers: Whether answers are in it, folded.
        say: Told what begins, a short line each.

    Raises:
        UsageError: The course has no lesson.
        CourseError: A lesson cannot be shown, would ask another host for something, or holds what
            its edition keeps back.
    """
    slugs = _slugs(project)
    say(f"reading {', '.join(slugs)}")
    lessons = [lesson_of(project, slug) for slug in slugs]
    assets = project.root / "assets"
    setting = Setting(
        project=project,
        answers=answers,
        titles={one.slug: title_of(one) for one in lessons},
        templates=environment(assets),
        csp=policy(CSP_EXTRA),
        live=_spoken(live_parts, say),
    )
    pages = [_page(setting, lesson, say) for lesson in lessons]
    say("cutting the Chinese font down to what the pages use")
    files = {"index.html": index_page(setting, pages), **static_files(assets)}
    for page in pages:
        files |= page.files
    shown = [data.decode() for name, data in files.items() if name.endswith(".html")]
    files[_FONT] = woff2(characters(shown))
    say("looking for answers and for other hosts in every file")
    _refuse_foreign(files)
    vendored = frozenset().union(*(page.vendored for page in pages)) & set(files)
    own = {name: data for name, data in files.items() if name not in vendored}
    _refuse_leaks(project, own, answers=answers)
    warnings = [one for page in pages for one in page.warnings]
    return Site(
        files=dict(sorted(files.items())),
        vendored=vendored,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _page(setting: Setting, lesson: Lesson, say: Callable[[str], None]) -> LessonPage:
    say(f"{lesson.slug}: drawing its figures")
    return lesson_page(setting, lesson)


def _spoken(
    live: Callable[[Project, Lesson], LiveParts], say: Callable[[str], None]
) -> Callable[[Project, Lesson], LiveParts]:
    """Say when the parts that run in a page begin: those of a first build come by the network."""

    def parts(project: Project, lesson: Lesson) -> LiveParts:
        say(f"{lesson.slug}: what runs in the page, with Python (Pyodide)")
        return live(project, lesson)

    return parts


def _slugs(project: Project) -> list[str]:
    found = list(project.lessons) or sorted(
        path.stem
        for path in project.root.glob("solutions/*/*.qmd")
        if path.stem == path.parent.name
    )
    if not found:
        raise UsageError("This course has no lesson yet. Write one with `course new SLUG`.")
    return found


def _refuse_foreign(files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        wanted = foreign_requests(name, data)
        if wanted:
            raise CourseError(
                f"{name}: would load {wanted[0]} from another host. "
                "Copy the file beside the lesson's source and name it there."
            )


def _refuse_leaks(project: Project, files: Mapping[str, bytes], *, answers: bool) -> None:
    found = leaks(project, files, answers=answers)
    if found:
        more = f"\n... and {len(found) - _SHOWN} more files" if len(found) > _SHOWN else ""
        listed = "\n".join(found[:_SHOWN])
        raise CourseError(f"{listed}{more}\nNothing was written. Take it out of the public side.")
