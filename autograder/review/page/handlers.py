"""The page's addresses. Jupyter Server holds its tokens, XSRF and base_url over all of them."""

from __future__ import annotations

import json
import tomllib
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.escape import xhtml_escape

from autograder.errors import CourseError, UsageError
from autograder.review.desk.desk import WHOLE
from autograder.review.log.logfile import ConflictError
from autograder.review.page import payload, requests
from autograder.review.page.actions import Actions
from autograder.review.page.overview import overview
from autograder.review.page.session import Session

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_R = TypeVar("_R", bound=requests.Request)


class PageHandler(JupyterHandler):
    """The page itself: no more than a frame; everything in it comes as data."""

    @property
    def content_security_policy(self) -> str:
        """Nothing but our own files, and no script that stands in a text."""
        return _POLICY

    @web.authenticated
    def get(self) -> None:
        """Send the frame, its addresses and its token filled in."""
        folder: Path = self.settings["course_review_assets"]
        session: Session = self.settings["course_review_session"]
        static = url_path_join(self.base_url, "static/course_review/")
        frame = (folder / "review.html").read_text(encoding="utf-8")
        lang = session.opened.report.master.lang
        for name, value in (
            ("lang", lang),
            ("static", static),
            ("xsrf", self.xsrf_token.decode()),
            ("title", _words(folder, lang)["title"]),
        ):
            frame = frame.replace("{{ " + name + " }}", xhtml_escape(value))
        self.set_header("Referrer-Policy", "no-referrer")
        self.finish(frame)


class _Data(APIHandler):
    """Answers with data, and says refusals in one sentence."""

    @property
    def session(self) -> Session:
        session: Session = self.settings["course_review_session"]
        return session

    def reply(self, data: Any, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.set_status(status)
        self.set_header("Content-Type", "application/json; charset=utf-8")
        # A lone surrogate in what a learner wrote is no UTF-8; JSON's own escape is.
        self.finish(json.dumps(data, ensure_ascii=True))

    def refuse(self, error: Exception, status: HTTPStatus) -> None:
        self.reply({"error": str(error)}, status)

    def fresh(self) -> Session | None:
        """The review as it is now; None when it cannot be read, which then has been said."""
        try:
            self.session.refresh()
        except CourseError as error:
            self.refuse(error, HTTPStatus.SERVICE_UNAVAILABLE)
            return None
        return self.session

    def student(self, name: str) -> str:
        found = self.session.desk.student(name)
        if found is None:
            raise web.HTTPError(HTTPStatus.NOT_FOUND)
        return found

    def item(self, student: str, question: str, by: str) -> dict[str, Any]:
        session = self.session
        try:
            return payload.item(
                session.desk,
                student,
                question,
                by=by,
                names=session.names,
                reader=session.reader,
            )
        except (LookupError, StopIteration):
            raise web.HTTPError(HTTPStatus.NOT_FOUND) from None


class OverviewHandler(_Data):
    """What the page shows around an answer."""

    @web.authenticated
    def get(self) -> None:
        """Send the lesson, the rubric, and how far everything is."""
        session = self.fresh()
        if session is None:
            return
        folder: Path = self.settings["course_review_assets"]
        words = _words(folder, session.opened.report.master.lang)
        by = self.get_query_argument("by", "")
        self.reply(overview(session, by) | {"words": words})


class ItemHandler(_Data):
    """One answer: the next, or a named one."""

    @web.authenticated
    def get(self) -> None:
        """Send it; nothing when nothing is left."""
        session = self.fresh()
        if session is None:
            return
        question = self.get_query_argument("question")
        if question != WHOLE and question not in session.desk.questions:
            raise web.HTTPError(HTTPStatus.NOT_FOUND)
        by = self.get_query_argument("by", "")
        name = self.get_query_argument("item", "")
        if name:
            student: str | None = self.student(name)
        else:
            after = session.desk.student(self.get_query_argument("after", ""))
            student = session.desk.next(question, by, after)
        self.reply({"item": None if student is None else self.item(student, question, by)})


class ActionHandler(_Data):
    """Something decided."""

    @web.authenticated
    def post(self, action: str) -> None:
        """Append it to the log, and say how things stand then."""
        actions = Actions(self.session)
        kind, act = actions.known.get(action, (None, None))
        if kind is None or act is None:
            raise web.HTTPError(HTTPStatus.NOT_FOUND)
        try:
            request = msgspec.json.decode(self.request.body, type=kind)
            if not request.by.strip():
                raise UsageError("Nobody says who decides. Name yourself first.")
            self.reply(act(request))
        except ConflictError as error:
            self.reply(
                {"error": str(error), "newest": conflict(error)},
                HTTPStatus.CONFLICT,
            )
        except (msgspec.DecodeError, UnicodeError, UsageError) as error:
            self.refuse(error, HTTPStatus.BAD_REQUEST)
        except LookupError as error:
            self.refuse(error, HTTPStatus.NOT_FOUND)
        except CourseError as error:
            self.refuse(error, HTTPStatus.INSUFFICIENT_STORAGE)


def conflict(error: ConflictError) -> dict[str, Any]:
    """What somebody else decided meanwhile."""
    newest = error.newest
    shown = {"seq": newest.seq, "by": newest.by, "at": newest.at}
    return payload.mark_shown(newest) or shown | {
        "value": getattr(newest, "value", getattr(newest, "standing", None)),
        "reason": getattr(newest, "reason", ""),
    }


def _words(folder: Path, lang: str) -> dict[str, str]:
    table = tomllib.loads((folder / "words.toml").read_text(encoding="utf-8"))
    words: dict[str, str] = table["zh" if lang.lower().startswith("zh") else "en"]
    return words


ROUTES: list[tuple[Any, ...]] = [
    (r"/course-review", web.RedirectHandler, {"url": "course-review/"}),
    (r"/course-review/", PageHandler),
    (r"/course-review/api/overview", OverviewHandler),
    (r"/course-review/api/item", ItemHandler),
    (r"/course-review/api/do/([a-z]+)", ActionHandler),
]
