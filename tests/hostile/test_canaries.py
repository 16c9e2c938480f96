"""An answer hidden in every place that a branch has: the audit finds it, or it cannot get in.

Each place is one that let an answer out of some course, or could. The clean branch has no finding,
so each finding below comes from what was planted.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import html
import io
import json
import lzma
import quopri
import struct
import tarfile
import time
import urllib.parse
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.errors import CourseError
from autograder.release.secrets import Seeker, prose_secrets
from autograder.release.unfolding import unfold

# From the answer side of the course in tests/conftest.py.
CHINESE = "灯焰在坑道深处逐渐变暗，说明氧气已经不足"
ENGLISH = "Lanterns dim slowly because oxygen runs short deep underground."
CODE = "result = total / count"
RAW = CHINESE.encode()


def _book(change: Callable[[dict[str, Any]], None]) -> bytes:
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "a",
        "metadata": {},
        "outputs": [],
        "source": "1",
    }
    book: dict[str, Any] = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    change(book)
    return json.dumps(book, indent=1).encode()


def _cell(**changed: Any) -> bytes:
    return _book(lambda book: book["cells"][0].update(changed))


def _png(kind: bytes, body: bytes) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", crc)

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixel = zlib.compress(b"\0\0")
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(kind, body)
        + chunk(b"IDAT", pixel)
        + chunk(b"IEND", b"")
    )


def _zip(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return file.getvalue()


def _tar_gz(data: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        info = tarfile.TarInfo("a")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _lines(text: str, sign: str) -> str:
    return "".join(f"{sign}{text[at : at + 24]}\n" for at in range(0, len(text), 24))


def _full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


BOOK, PY, TOML, SVG = "lessons/tiny/tiny.ipynb", "lessons/a.py", "lessons/a.toml", "assets/a.svg"
ESCAPED = json.dumps(CHINESE)
RUN = zlib.compress(RAW)

IN_FILES: dict[str, tuple[str, bytes]] = {
    # Notebooks.
    "cell-source": (BOOK, _cell(source=f"# {CHINESE}")),
    "cell-source-as-lines": (
        BOOK,
        _cell(source=["# 灯焰在坑道深处逐渐变暗，\n", "# 说明氧气已经不足"]),
    ),
    "cell-metadata": (BOOK, _cell(metadata={"course": {"stub": CHINESE}})),
    "cell-tags": (BOOK, _cell(metadata={"tags": [CHINESE]})),
    "cell-id": (BOOK, _cell(id="Lanterns-dim-slowly-because-oxygen-runs-short-deep")),
    "notebook-metadata": (BOOK, _book(lambda b: b["metadata"].update(note=CHINESE))),
    "notebook-metadata-key": (BOOK, _book(lambda b: b["metadata"].update({CHINESE: 1}))),
    "json-within-json": (BOOK, _cell(metadata={"state": json.dumps({"a": json.dumps(CHINESE)})})),
    "duplicate-key": (BOOK, b'{"cells": [], "cells": ["' + RAW + b'"], "cells": []}'),
    "raw-cell": (BOOK, _cell(cell_type="raw", source=ENGLISH)),
    "stream-output": (BOOK, _cell(outputs=[{"output_type": "stream", "text": [CHINESE]}])),
    "html-output": (
        BOOK,
        _cell(outputs=[{"data": {"text/html": f"<b>{CHINESE[:5]}</b><i>{CHINESE[5:]}</i>"}}]),
    ),
    "attachment": (BOOK, _cell(attachments={"a.txt": {"text/plain": _b64(RAW)}})),
    "picture-in-attachment": (
        BOOK,
        _cell(attachments={"a.png": {"image/png": _b64(_png(b"tEXt", b"Comment\0" + RAW))}}),
    ),
    "truncated-json": (BOOK, b'{"cells": [{"source": ' + ESCAPED.encode()),
    # Code and data.
    "comment": (PY, f"# {CHINESE}\n".encode()),
    "docstring": (PY, f'"""A.\n\n{ENGLISH[:30]}\n{ENGLISH[30:]}\n"""\n'.encode()),
    "string-concatenation": (PY, f"A = '{CHINESE[:9]}' + '{CHINESE[9:]}'\n".encode()),
    "unicode-escapes": (PY, f"A = {ESCAPED}\n".encode()),
    "byte-escapes": (PY, f"A = {RAW!r}\n".encode()),
    "octal-escapes": (PY, ("A = '" + "".join(f"\\{b:03o}" for b in RAW) + "'").encode()),
    "base64": (PY, f"A = '{_b64(RAW)}'\n".encode()),
    "base64-in-comment-lines": (PY, _lines(_b64(RAW), "# ").encode()),
    "base64-twice": (PY, f"A = '{_b64(_b64(RAW).encode())}'\n".encode()),
    "base64-url-safe": (PY, b"A = '" + base64.urlsafe_b64encode(b"\xef\xbb\xbf??>" + RAW) + b"'"),
    "base64-of-zlib": (PY, f"A = '{_b64(RUN)}'\n".encode()),
    "base64-after-a-word": (PY, f"datax{_b64(RAW * 2)}\n".encode()),
    "hexadecimal": (PY, f"A = bytes.fromhex('{RAW.hex()}')\n".encode()),
    "toml": (TOML, f'a = "{CHINESE}"\n'.encode()),
    "toml-key": (TOML, f'"{CHINESE}" = 1\n'.encode()),
    "front-matter": ("lessons/tiny/tiny.qmd", f"---\ntitle: {ENGLISH}\n---\n".encode()),
    "html-comment": ("lessons/tiny/tiny.qmd", f"<!-- {CHINESE} -->\n".encode()),
    "quoted-lines": ("README.md", f"> {CHINESE[:7]}\n> {CHINESE[7:]}\n".encode()),
    "makefile": ("Makefile", f"help: # {CHINESE}\n".encode()),
    "gitattributes": (".gitattributes", f"* text # {CHINESE}\n".encode()),
    "licence": ("LICENSE", f"MIT {ENGLISH}\n".encode()),
    "pyproject": ("pyproject.toml", f"[tool.a]\nb = '{CHINESE}'\n".encode()),
    # Encodings.
    "full-width": (PY, f"# {_full_width(ENGLISH)}\n".encode()),
    "upper-case": (PY, f"# {ENGLISH.upper()}\n".encode()),
    "zero-width": (PY, ("# " + "\u200b".join(CHINESE)).encode()),
    "spaced-out": (PY, ("# " + " ".join(CHINESE)).encode()),
    "marked-up": (PY, ("# " + "**".join(CHINESE)).encode()),
    "byte-order-mark": (PY, b"\xef\xbb\xbf" + RAW),
    "utf-16": (PY, CHINESE.encode("utf-16")),
    "utf-16-without-mark": (PY, ENGLISH.encode("utf-16-le")),
    "gb18030": (PY, CHINESE.encode("gb18030")),
    "html-entities": (SVG, "".join(f"&#{ord(c)};" for c in CHINESE).encode()),
    "html-named-entities": (SVG, html.escape(ENGLISH).replace(" ", "&nbsp;").encode()),
    "percent-encoding": (SVG, f"<a href='?q={urllib.parse.quote(CHINESE)}'/>".encode()),
    "quoted-printable": (PY, quopri.encodestring(RAW * 3)),
    "data-uri": (SVG, f"<image href='data:text/plain;base64,{_b64(RAW)}'/>".encode()),
    "svg-letters": (
        SVG,
        "".join(f"<tspan x='{i}'>{c}</tspan>" for i, c in enumerate(CHINESE)).encode(),
    ),
    # Binary.
    "png-text": ("assets/a.png", _png(b"tEXt", b"Comment\0" + ENGLISH.encode())),
    "png-packed-text": ("assets/a.png", _png(b"zTXt", b"Comment\0\0" + RUN)),
    "png-international-text": ("assets/a.png", _png(b"iTXt", b"C\0\x01\0\0\0" + RUN)),
    "after-the-png": ("assets/a.png", _png(b"tEXt", b"a\0b") + RAW),
    "gzip": ("assets/a.png", gzip.compress(RAW)),
    "bzip2": ("assets/a.png", bz2.compress(RAW)),
    "xz": ("assets/a.png", lzma.compress(RAW)),
    "second-gzip-member": ("assets/a.png", gzip.compress(b"nothing") + gzip.compress(RAW)),
    "zip-behind-a-text": (PY, b"# nothing here\n" + _zip("a.txt", RAW)),
    "zip": ("assets/a.png", _zip("a.txt", RAW)),
    "zip-member-name": ("assets/a.png", _zip(CHINESE, b"")),
    "zip-within-zip": ("assets/a.png", _zip("a.zip", _zip("a.txt", RAW))),
    "tar-gz": ("assets/a.png", _tar_gz(RAW)),
    "among-other-bytes": ("assets/a.woff2", bytes(range(128, 256)) + RAW + b"\xff\xfe\0"),
    # Names.
    "file-name": (f"lessons/{CHINESE}.py", b""),
    "folder-name": (f"lessons/{CHINESE}/a.py", b""),
    # Code, however it is set.
    "fill": (BOOK, _cell(source=f"def average(values):\n    {CODE}\n    return result")),
    "fill-spaced": (PY, b"result   =total/count\n"),
    "fill-in-parentheses": (PY, b"result = (total / count)\n"),
    "fill-in-capitals": (PY, b"RESULT = TOTAL / COUNT\n"),
    "fill-commented-out": (PY, b"# result = total / count\n"),
    "wrong-fill": (PY, b"result = total // count\n"),
    "sample-fill": (PY, b"result = sum(values) / len(values)\n"),
    "hidden-test": (PY, b"assert average([11, 12, 14.5]) == 12.5\n"),
    "hidden-test-in-json": (BOOK, _cell(metadata={"t": "assert average([11,12,14.5])==12.5"})),
    # The other files of the answer side.
    "rubric-line": (PY, "# 燃烧消耗空气中有限的氧\n".encode()),
    "rubric-evidence": (PY, "# 火苗先变黄后变短再熄灭\n".encode()),
    "sample-answer": (PY, "# 因为金丝雀太贵而且不会发光照路\n".encode()),
}


def _findings(course: Any) -> list[str]:
    return [str(finding) for finding in course.audit().findings]


def test_there_are_many_places() -> None:
    assert len(IN_FILES) >= 25


def test_the_clean_branch_has_no_finding(small_course: Any) -> None:
    report = small_course.audit()
    assert (report.findings, report.notes) == ([], [])
    assert report.blobs > 10
    assert report.fragments > 30


@pytest.fixture(scope="module")
def planted(course_copy: Callable[[], Any]) -> dict[str, list[str]]:
    """Every place in a commit of its own, one audit of them all: place -> its findings."""
    course = course_copy()
    places = {course.plant({path: data}): place for place, (path, data) in IN_FILES.items()}
    found: dict[str, list[str]] = {place: [] for place in IN_FILES}
    for finding in course.audit().findings:
        found[places[finding.commit]].append(finding.what)
    return found


@pytest.mark.parametrize("place", IN_FILES)
def test_an_answer_in_a_file_is_found(planted: dict[str, list[str]], place: str) -> None:
    assert planted[place]
    assert all("only the answer side has, solutions/tiny/" in what for what in planted[place])


ENCODERS: dict[str, Callable[[str], str]] = {
    "json": json.dumps,
    "base64": lambda text: _b64(text.encode()),
    "base64-lines": lambda text: _lines(_b64(text.encode()), "# "),
    "base64-gzip": lambda text: _b64(gzip.compress(text.encode(), mtime=0)),
    "hexadecimal": lambda text: text.encode().hex(),
    "entities": lambda text: "".join(f"&#x{ord(c):x};" for c in text),
    "percent": urllib.parse.quote,
    "quoted-printable": lambda text: quopri.encodestring(text.encode()).decode(),
    "bytes": lambda text: repr(text.encode()),
    "tags": lambda text: "".join(f"<b>{c}</b>" for c in text),
    "comment": lambda text: "".join(f"    # {line}\n" for line in text.splitlines()),
}


@given(
    answer=st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), min_size=12),
    before=st.text(max_size=40),
    after=st.text(max_size=40),
    names=st.lists(st.sampled_from(sorted(ENCODERS)), max_size=2),
)
@settings(max_examples=150, deadline=None)
def test_an_answer_behind_any_two_layers_is_found(
    answer: str, before: str, after: str, names: list[str]
) -> None:
    seeker = Seeker(prose_secrets(answer, "a.qmd", 1))
    text = answer
    for name in names:
        text = ENCODERS[name](text)
    blob = f"{before}\n{text}\n{after}".encode("utf-8", "surrogatepass")
    assert any(seeker.find(one) for one in unfold(blob).texts)


@pytest.mark.parametrize(
    "unit", ["+", "A", "AAAAAAAAAAAAAAAAAAAAA ", "<a", "\\u", "%", "=", "# ", "&#"]
)
def test_no_text_makes_the_audit_slow(unit: str) -> None:
    began = time.monotonic()
    unfold((unit * (200_000 // len(unit)) + "!").encode())
    assert time.monotonic() - began < 5


def test_an_answer_that_was_removed_later_is_found(small_course: Any) -> None:
    first = small_course.plant({PY: RAW})
    small_course.plant({PY: None})
    assert [line[:10] for line in _findings(small_course)] == [first[:10]]


def test_an_answer_in_a_commit_message_is_found(small_course: Any) -> None:
    small_course.plant({PY: b""}, message=CHINESE)
    assert _findings(small_course)


def test_an_answer_as_the_author_is_found(small_course: Any) -> None:
    small_course.plant({PY: b""}, author=CHINESE)
    assert _findings(small_course)


@pytest.mark.parametrize(
    "command",
    [
        ["tag", CHINESE.replace("，", "-"), "student"],
        ["tag", "--annotate", "--message", CHINESE, "v1", "student"],
        ["notes", "add", "--message", CHINESE, "student"],
        ["notes", "--ref=else", "add", "--message", CHINESE, "student"],
    ],
    ids=["tag-name", "tag-message", "note", "note-of-another-ref"],
)
def test_an_answer_beside_a_commit_is_found(small_course: Any, command: list[str]) -> None:
    small_course.git(*command)
    assert _findings(small_course)


def test_a_link_is_found(small_course: Any) -> None:
    small_course.plant({PY: b"../solutions/tiny/tiny.qmd"}, mode="120000")
    assert any("a link" in line for line in _findings(small_course))


@pytest.mark.parametrize("path", ["solutions/tiny/a.py", "tests/a.py", "lessons/a.pkl", "a.txt"])
def test_a_file_that_no_branch_may_hold_is_found(small_course: Any, path: str) -> None:
    small_course.plant({path: b"nothing secret"})
    assert any("no file that this branch may hold" in line for line in _findings(small_course))


def test_a_commit_made_by_hand_is_found(small_course: Any) -> None:
    small_course.git("branch", "--force", "student", "main")
    assert any("no Source-Commit line" in line for line in _findings(small_course))


def test_a_locked_archive_is_found(small_course: Any) -> None:
    locked = bytearray(_zip("a.txt", RAW))
    locked[6] |= 1  # the flag in the member's own head
    locked[locked.index(b"PK\x01\x02") + 8] |= 1  # and in the directory
    small_course.plant({"assets/a.png": bytes(locked)})
    assert any("locked" in line for line in _findings(small_course))


def test_an_archive_of_another_kind_is_found(small_course: Any) -> None:
    small_course.plant({"assets/a.png": b"7z\xbc\xaf\x27\x1c\0\4"})
    assert any("a kind that is not read" in line for line in _findings(small_course))


def test_an_archive_that_explodes_is_found(small_course: Any) -> None:
    bomb = gzip.compress(bytes(80_000_000))
    small_course.plant({"assets/a.png": bomb})
    assert any("too large" in line for line in _findings(small_course))


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("lessons/tiny/answers.zip", _zip("a", RAW)),
        ("lessons/tiny/draft.ipynb", _cell(source="1")),
        ("lessons/other/other.qmd", b"# other"),
        ("lessons/tiny/notes.md", b"# notes"),
        ("assets/book.pdf", b"%PDF"),
        ("autograder/data.bin", b"\0"),
    ],
)
def test_an_unknown_file_cannot_get_in(small_course: Any, path: str, content: bytes) -> None:
    small_course.write(path, content)
    small_course.commit()
    before = small_course.git("rev-parse", "student")
    with pytest.raises(CourseError, match=path):
        small_course.publish()
    assert small_course.git("rev-parse", "student") == before


def test_an_answer_in_a_module_cannot_get_in(small_course: Any) -> None:
    small_course.write("lessons/tiny/help.py", f"# {CHINESE}\n")
    small_course.commit()
    before = small_course.git("rev-parse", "student")
    done = small_course.publish()
    assert done.commit is None
    (finding,) = done.report.findings
    assert finding.place == "lessons/tiny/help.py"
    assert "solutions/tiny/tiny.qmd:35" in finding.what
    assert finding.mend.startswith("Take it out")
    assert small_course.git("rev-parse", "student") == before
