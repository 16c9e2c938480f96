"""The gradebook's database: nbgrader's tables, whatever SQLAlchemy reaches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from nbgrader import api, dbutil
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from autograder.errors import CourseError

# SQLite's own default of 5 s is short when somebody pages through formgrader meanwhile.
_LOCK_WAIT_S = 60
_COURSE = "default_course"
# Any number that no other program takes in the same database.
_TURNS = 0x636F75727365


def open_gradebook(db_url: str) -> api.Gradebook:
    """The gradebook in nbgrader's own class, its tables made when there are none.

    nbgrader stamps a new database by starting `alembic` by name, which fails when the environment
    is not on PATH; here alembic is called as a library, before nbgrader looks.

    Raises:
        CourseError: It cannot be opened, or another version of nbgrader made it.
    """
    url = _patient(db_url)
    with reported(db_url):
        engine = create_engine(url)
        try:
            with engine.begin() as connection:
                _stamp(connection, db_url)
        finally:
            engine.dispose()
        return api.Gradebook(url.render_as_string(hide_password=False))


def take_turns(connection: Any) -> None:
    """Let one grader write at a time until this transaction ends; whoever only reads never waits.

    SQLite has its own lock on the file. A server has none that a row not yet there could hold, so
    that two graders would both make the same student.

    Args:
        connection: SQLAlchemy's, with a transaction.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _TURNS})


@contextmanager
def reported(db_url: str) -> Iterator[None]:
    """Turn what the database raises into one sentence."""
    try:
        yield
    except (SQLAlchemyError, api.InvalidEntry) as error:
        cause = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise CourseError(
            f"{_shown(db_url)}: the gradebook refused ({cause}). "
            "Close what else uses it, then run again with --resume; nothing was half written."
        ) from error


def _patient(db_url: str) -> URL:
    try:
        url = make_url(db_url)
    except ArgumentError as error:
        raise CourseError(
            f"db_url {db_url!r} is not a database URL. "
            "Write it like sqlite:///gradebook.db or postgresql+psycopg://user@host/name."
        ) from error
    if url.get_backend_name() == "sqlite" and "timeout" not in url.query:
        return url.update_query_dict({"timeout": str(_LOCK_WAIT_S)})
    return url


def _stamp(connection: Any, db_url: str) -> None:
    settings = Config()
    settings.set_main_option("script_location", dbutil.ALEMBIC_DIR.replace("%", "%%"))
    script = ScriptDirectory.from_config(settings)
    take_turns(connection)
    history = MigrationContext.configure(connection)
    version = history.get_current_revision()
    if version is None:
        api.Base.metadata.create_all(bind=connection)
        history.stamp(script, "head")
        # nbgrader adds its one course when it is not there; two graders would both do so.
        connection.execute(api.Course.__table__.insert().values(id=_COURSE))
    elif version != script.get_current_head():
        raise CourseError(
            f"{_shown(db_url)}: made by another version of nbgrader. "
            f"Back it up, then run `nbgrader db upgrade --CourseDirectory.db_url=...` on it."
        )


def _shown(db_url: str) -> str:
    return make_url(db_url).render_as_string(hide_password=True)
