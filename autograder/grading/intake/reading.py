"""Bytes of a handed-in file -> a notebook, or one sentence for the learner why not."""

from __future__ import annotations

import codecs
import json
import math
import re
from typing import Any

from autograder.grading.intake.repair import DamagedError, repaired
from autograder.grading.phrases import say

_CONFLICT = re.compile(r"^(<{7} |>{7} |<{7}$|>{7}$)", re.MULTILINE)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_KINDS = (
    (b"PK\x03\x04", "ZIP / Word"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x1f\x8b", "gzip"),
    (b"Rar!", "RAR"),
    (b"7z\xbc\xaf", "7z"),
    (b"<!DOCTYPE", "HTML"),
    (b"<html", "HTML"),
)
_UTF16 = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


class UnreadableError(Exception):
    """The file is no notebook; the message is the sentence for the learner."""


def read_notebook(raw: bytes, *, lang: str = "zh-CN") -> Any:
    """Return the nbformat 4.5 notebook that the bytes hold, repaired where that is certain.

    Lone surrogates become U+FFFD, NaN and infinities become null.

    Raises:
        UnreadableError: With one sentence for the learner.
    """
    try:
        text = _decoded(raw)
        document = _parsed(text)
        # Decoded text holds no half of a surrogate pair; only an escape can make one.
        return repaired(_clean(document) if _SURROGATE_ESCAPE.search(text) else document)
    except DamagedError as error:
        raise UnreadableError(say(lang, error.key, **error.values)) from None
    except (RecursionError, MemoryError):
        raise UnreadableError(say(lang, "too-deep")) from None


def _decoded(raw: bytes) -> str:
    body = raw.removeprefix(codecs.BOM_UTF8).lstrip()
    if not body:
        raise DamagedError("empty-file")
    if body.startswith(b"%PDF"):
        raise DamagedError("pdf")
    for magic, kind in _KINDS:
        if body[: len(magic)].upper() == magic.upper():
            raise DamagedError("other-file", kind=kind)
    for bom, encoding in _UTF16:
        if raw.startswith(bom):
            raise DamagedError("utf16", encoding=encoding)
    if b"\0" in raw[:4]:  # UTF-16 without a byte order mark: every other byte of "{" is null
        raise DamagedError("utf16", encoding="UTF-16")
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedError("not-utf8", position=error.start + 1) from None


def _parsed(text: str) -> object:
    try:
        return json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
    except json.JSONDecodeError as error:
        conflict = _CONFLICT.search(text)
        if conflict:
            line = text.count("\n", 0, conflict.start()) + 1
            raise DamagedError("conflict", line=line) from None
        rest = text[error.pos :]
        # A cut file ends inside a string, or where a value or delimiter is still awaited.
        if error.msg.startswith("Unterminated string") or not rest.strip():
            raise DamagedError("truncated", line=text.rstrip().count("\n") + 1) from None
        raise DamagedError("not-json", line=error.lineno, column=error.colno) from None
    except ValueError:  # an integer of more digits than Python converts
        raise DamagedError("not-json", line=1, column=1) from None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _clean(value: object) -> object:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_SURROGATE.sub("\ufffd", key): _clean(item) for key, item in value.items()}
    return value
