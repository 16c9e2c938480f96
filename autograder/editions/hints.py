"""Hint cells -> hints.toml, which `hint()` reads: public, but seen only when asked for.

A hint cell that holds its text, a string or `{"zh": ..., "en": ...}`, is data and stands in no
notebook. Any other hint cell is code, as in `hint("average")`, and stands where it is written.
"""

from __future__ import annotations

import ast
import json
from collections import Counter

from autograder.editions.words import words_for
from autograder.model import Cell, Lesson, Role

FILE = "hints.toml"


def hint_text(cell: Cell, lang: str) -> dict[str, str] | None:
    """Return the text by language (`zh`, `en`) of a hint cell that holds one.

    Args:
        cell: A hint cell.
        lang: The lesson's language: that of a text without one.
    """
    try:
        value = ast.literal_eval(cell.source.strip())
    except (SyntaxError, ValueError):
        return None
    if isinstance(value, str):
        value = {lang.split("-", maxsplit=1)[0].lower(): value}
    if not isinstance(value, dict) or not value:
        return None
    texts = {key: text for key, text in value.items() if isinstance(text, str)}
    return texts if len(texts) == len(value) and set(texts) <= {"zh", "en"} else None


def is_hidden(cell: Cell, lang: str) -> bool:
    """Tell whether a cell is a hint that no notebook shows before it is asked for."""
    return cell.role is Role.HINT and hint_text(cell, lang) is not None


def hints_file(lesson: Lesson) -> str | None:
    """Return the text of hints.toml, None for a lesson without such hints."""
    levels: Counter[str] = Counter()
    tables = []
    for cell in lesson.cells(Role.HINT):
        texts = hint_text(cell, lesson.lang)
        if texts is None:
            continue
        exercise = str(cell.exercise)
        levels[exercise] += 1
        lines = ["[[hint]]", f"exercise = {_quoted(exercise)}", f"level = {levels[exercise]}"]
        lines += [f"{key} = {_quoted(' '.join(text.split()))}" for key, text in texts.items()]
        tables.append("\n".join(lines))
    if not tables:
        return None
    note = f"# {words_for(lesson.lang).derived.format(source=lesson.path)}"
    return "\n\n".join([note, *tables]) + "\n"


def is_derived(data: bytes | None) -> bool:
    """Tell whether a hints.toml was made by a build; one that an author wrote is left alone."""
    first = (data or b"").decode("utf-8", "replace").partition("\n")[0]
    notes = {words_for(lang).derived.partition("{source}")[2] for lang in ("zh", "en")}
    return first.startswith("# ") and any(first.endswith(note) for note in notes)


def _quoted(text: str) -> str:
    """A JSON string is a TOML string, too."""
    return json.dumps(text, ensure_ascii=False)
