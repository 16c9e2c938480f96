"""One lesson -> its page and the files that the page needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from jinja2 import Environment

from autograder.editions.illustrations import illustrations
from autograder.editions.inline import one_line
from autograder.editions.references import references
from autograder.editions.tree import public
from autograder.editions.words import words_for
from autograder.errors import CourseError
from autograder.model import Lesson, Prose, Role
from autograder.project import Project
from autograder.site.answers import answer_blocks
from autograder.site.boxes import Boxes
from autograder.site.contents import contents
from autograder.site.dialect import PageInline
from autograder.site.document import page_text
from autograder.site.figures import Drawn, draw
from autograder.site.marks import own_marks
from autograder.site.markup import Markup
from autograder.site.pagination import Neighbours, neighbours
from autograder.site.parts import LiveParts
from autograder.site.pictures import without_missing
from autograder.site.takeaway import takeaway
from autograder.site.templates import rendered
from autograder.site.words import SiteWords, site_words
from autograder.source.notices import without_suffix

_TITLE = re.compile(r"^(.{1,12}?)(?:[：:]\s*)(.+)$")
_DESCRIPTION = 120
_ELEMENT = re.compile(r"<[^>]*>")
_SHARED = "../live/"


@dataclass(frozen=True, kw_only=True, slots=True)
class LessonPage:
    """A page with its files, by path in the site, and what the index says of it.

    `vendored` are those files that are a third party's to the byte.
    """

    slug: str
    title: str
    about: str
    beside: Neighbours
    files: Mapping[str, bytes]
    vendored: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """What all pages of a site have in common.

    Attributes:
        project: The course.
        answers: Whether answers are shown.
        titles: Slug -> title of every lesson of the site, in order.
        templates: The templates.
        csp: The policy of a page.
        live: Makes the parts that run in a page.
    """

    project: Project
    answers: bool
    titles: Mapping[str, str]
    templates: Environment
    csp: str
    live: Callable[[Project, Lesson], LiveParts]


def title_of(lesson: Lesson) -> str:
    """A lesson's title, without the note that it is the answer edition."""
    return without_suffix(lesson.title)


def lesson_page(setting: Setting, lesson: Lesson) -> LessonPage:
    """Make a lesson's page.

    Raises:
        CourseError: The lesson has what cannot be shown.
    """
    words = site_words(lesson.lang)
    drawn = draw(setting.project, lesson)
    live = setting.live(setting.project, lesson)
    markup = Markup(lesson_link=lambda slug: _link(setting.titles, slug))
    boxes = _boxes(setting, lesson, words, markup, live=live, drawn=drawn)
    text = page_text(boxes, markup)
    folder = setting.project.source(lesson.slug).parent
    pictures = illustrations(lesson, folder, answers=setting.answers)
    beside_it = {*drawn.files, *(place.as_posix() for place in pictures.files)}
    html, absent = without_missing(text.html, beside_it, boxes.inline.words.no_picture)
    archive = takeaway(setting.project, lesson)
    beside = neighbours(lesson, setting.titles)
    about = _about(lesson, words)
    values = _common(setting, words) | {
        "lang": lesson.lang,
        "site_key": lesson.slug,
        "page_title": f"{title_of(lesson)} · {setting.project.title}",
        "description": _description(lesson, boxes),
        "root": "../",
        "title_parts": _parts(title_of(lesson)),
        "slug": lesson.slug,
        "about": about,
        "text": html,
        "contents": contents(text.headings),
        "has_questions": bool(lesson.answers),
        "own_points": f"{sum(one.points for one in lesson.answers):g}",
        "zip_name": f"{lesson.slug}.zip",
        "zip_size": f"{len(archive) / 1000:.0f} kB",
        "beside": beside,
        "source": lesson.path,
        "live": live,
    }
    files = {
        "index.html": rendered(setting.templates, "lesson.html.j2", values).encode(),
        f"{lesson.slug}.zip": archive,
        **drawn.files,
        **{place.as_posix(): data for place, data in pictures.files.items()},
    }
    spoken = [f"{lesson.path}: {one}." for one in dict.fromkeys(boxes.inline.warnings)]
    spoken += [f"{lesson.path}: The picture {one!r} is not there. Put it in." for one in absent]
    return LessonPage(
        slug=lesson.slug,
        title=title_of(lesson),
        about=about,
        beside=beside,
        files=_placed(lesson.slug, files, live.files),
        vendored=frozenset(_place(lesson.slug, name) for name in live.vendored),
        warnings=(*lesson.warnings, *boxes.warnings, *spoken, *pictures.warnings, *live.warnings),
    )


def _boxes(  # noqa: PLR0913  what a page is made from
    setting: Setting,
    lesson: Lesson,
    words: SiteWords,
    markup: Markup,
    *,
    live: LiveParts,
    drawn: Drawn,
) -> Boxes:
    own = words_for(lesson.lang)
    blocks = lesson.blocks if setting.answers else public(lesson.blocks)
    inline = PageInline(words=own, labels=references(blocks, own), title=title_of(lesson))
    answered = answer_blocks(lesson) if setting.answers else []
    markup.taken |= {one.identifier for one in answered} | set(inline.labels)
    return Boxes(
        lesson=lesson,
        answers=setting.answers,
        inline=inline,
        words=words,
        environment=setting.templates,
        spoken=markup.line,
        drawn=drawn,
        marks=own_marks(setting.project, lesson),
        live=live,
        blocks=answered,
    )


def _common(setting: Setting, words: SiteWords) -> dict[str, object]:
    return {
        "w": words,
        "course": setting.project.title,
        "answers": setting.answers,
        "csp": setting.csp,
    }


def index_page(setting: Setting, pages: Sequence[LessonPage]) -> bytes:
    """The list of the course's lessons, with their neighbours that are not here yet."""
    entries: dict[str, dict[str, object]] = {}
    for page in pages:
        for one in (page.beside.previous, None, page.beside.following):
            if one is None:
                href = f"{page.slug}/index.html"
                entries[page.slug] = {"title": page.title, "about": page.about, "href": href}
            elif one.href is None:
                entries.setdefault(one.slug, {"title": one.title, "href": None})
    lang = setting.project.lang
    values = _common(setting, site_words(lang)) | {
        "lang": lang,
        "site_key": "index",
        "page_title": setting.project.title,
        "description": "",
        "root": "",
        "entries": list(entries.values()),
    }
    return rendered(setting.templates, "index.html.j2", values).encode()


def _link(titles: Mapping[str, str], slug: str) -> str | None:
    return f"../{slug}/index.html" if slug in titles else None


def _about(lesson: Lesson, words: SiteWords) -> str:
    return words.about_lesson.format(
        points=f"{lesson.max_score:g}",
        questions=len(lesson.answers),
        exercises=len(lesson.cells(Role.EXERCISE)),
    )


def _description(lesson: Lesson, boxes: Boxes) -> str:
    """The first paragraph of plain prose."""
    for block in public(lesson.blocks):
        if isinstance(block, Prose) and not block.verbatim:
            for paragraph in block.text.split("\n\n"):
                text = " ".join(paragraph.split())
                if text and not text.startswith(("#", "|", "-", ":", "<", "!", ">", "1.")):
                    line = boxes.spoken(boxes.inline.line(one_line(paragraph)))
                    return " ".join(unescape(_ELEMENT.sub("", line)).split())[:_DESCRIPTION]
    return ""


def _parts(title: str) -> tuple[str, str]:
    """`第 3 课：存储` -> its number and its name."""
    found = _TITLE.match(title)
    return (found[1], found[2]) if found else ("", title)


def _placed(slug: str, own: Mapping[str, bytes], live: Mapping[str, bytes]) -> dict[str, bytes]:
    """Every file at its place in the site.

    Raises:
        CourseError: A live part wants to stand where it must not.
    """
    placed = {f"{slug}/{name}": data for name, data in own.items()}
    for name, data in live.items():
        target = _place(slug, name)
        if ".." in target.split("/") or placed.get(target, data) != data:
            raise CourseError(f"{slug}: a live part wants to write {name!r}. Report it as a fault.")
        placed[target] = data
    return placed


def _place(slug: str, name: str) -> str:
    """Where a live part's file stands in the site."""
    shared = name.startswith(_SHARED)
    return f"live/{name.removeprefix(_SHARED)}" if shared else f"{slug}/{name}"
