"""Tables that other programs export: which encoding, which delimiter, and where each cell stands.

Every cell knows its place in the text, so that one column can be written anew and all else kept to
the byte.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.errors import UsageError

_DELIMITERS = (",", ";", "\t")
_PLAIN = {delimiter: re.compile(rf"[^{delimiter}\r\n]*") for delimiter in _DELIMITERS}
_MAX_BYTES = 64 * 1024 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = {b"PK\x03\x04": "an Excel workbook or zip", b"\xd0\xcf\x11\xe0": "an old Excel workbook"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One cell: its value, and where its raw text (quotes included) stands in the table's text."""

    value: str
    start: int
    end: int

    @property
    def quoted(self) -> bool:
        """Whether quotes stand around it."""
        return self.end - self.start > len(self.value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One record; `line` is the line (1-based) on which it begins."""

    line: int
    cells: tuple[Cell, ...]

    @property
    def values(self) -> list[str]:
        """The cells' values, without the space around them."""
        return [cell.value.strip() for cell in self.cells]


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table as it was read.

    Attributes:
        text: All of it, without the byte order mark.
        bom: The byte order mark that stood before it, or nothing.
        encoding: Python's name of the encoding.
        rows: Its records, empty lines left out.
    """

    text: str
    bom: bytes
    encoding: str
    delimiter: str
    rows: tuple[Row, ...]

    def encoded(self, text: str) -> bytes:
        """Another text in the same encoding, with the same byte order mark."""
        return self.bom + text.encode(self.encoding)


def read_table(raw: bytes, name: str) -> Table:
    """Read a CSV that a spreadsheet or a learning platform wrote.

    Encoding: what the byte order mark says; else UTF-16 when every other byte of the beginning is
    null; else UTF-8 when it is valid, then GB18030 (GBK), then Windows-1252. Delimiter: the one of
    `,` `;` and tab that the header has most of, or what Excel's first line `sep=` says.

    Args:
        raw: The file.
        name: The file's name, for messages.

    Raises:
        UsageError: It is no such table.
    """
    kind = next((kind for magic, kind in _MAGIC.items() if raw.startswith(magic)), None)
    if kind is not None:
        raise UsageError(f"{name}: is {kind}, not a CSV. Save it as CSV first.")
    if len(raw) > _MAX_BYTES:
        raise UsageError(f"{name}: is larger than {_MAX_BYTES // 2**20} MB. Name the right file.")
    bom, encoding = _encoding(raw)
    try:
        text = raw[len(bom) :].decode(encoding)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"{name}: is no text in UTF-8, GBK or UTF-16. Save it as CSV UTF-8.")
    start, delimiter = _declared(text)
    if delimiter is None:
        delimiter = _sniffed(text, name)
    rows = [row for row in _records(text, start, delimiter, name) if any(row.values)]
    if not rows:
        raise UsageError(f"{name}: is empty. Name the table with the students.")
    return Table(text=text, bom=bom, encoding=encoding, delimiter=delimiter, rows=tuple(rows))


def written(value: str, delimiter: str, *, quoted: bool = False) -> str:
    """A value as a cell's raw text (RFC 4180)."""
    if quoted or any(mark in value for mark in (delimiter, '"', "\n", "\r")):
        return '"' + value.replace('"', '""') + '"'
    return value


def _encoding(raw: bytes) -> tuple[bytes, str]:
    for bom, encoding in _BOMS:
        if raw.startswith(bom):
            return bom, encoding
    head = raw[:200]
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        others = head[offset::2]
        # A header in Chinese has few null bytes, a delimiter always one.
        if b"\0" in others and b"\0" not in head[1 - offset :: 2]:
            return b"", encoding
    for encoding in ("utf-8", "gb18030"):
        try:
            if raw.decode(encoding).encode(encoding) == raw:
                return b"", encoding
        except UnicodeDecodeError:
            continue
    return b"", "cp1252"


def _declared(text: str) -> tuple[int, str | None]:
    """Excel's first line `sep=;`: where the table begins after it, and the delimiter."""
    head, newline, _ = text.partition("\n")
    line = head.rstrip("\r").strip('"')
    if newline and line.lower().startswith("sep=") and line[4:] in _DELIMITERS:
        return len(head) + 1, line[4:]
    return 0, None


def _sniffed(text: str, name: str) -> str:
    counts: dict[str, int] = {}
    for delimiter in _DELIMITERS:
        try:
            header = next(iter(_records(text, 0, delimiter, name, limit=1)), None)
        except UsageError:  # a quote that only the right delimiter puts in its place
            header = None
        counts[delimiter] = len(header.cells) if header else 0
    return max(_DELIMITERS, key=lambda delimiter: counts[delimiter])


def _records(
    text: str, start: int, delimiter: str, name: str, limit: int | None = None
) -> Sequence[Row]:
    rows: list[Row] = []
    line = 1 + text.count("\n", 0, start)
    position, end = start, len(text)
    while position < end and (limit is None or len(rows) < limit):
        first, cells = position, []
        while True:
            cell = _cell(text, position, delimiter, f"{name}:{line}")
            cells.append(cell)
            position = cell.end
            if position < end and text[position] == delimiter:
                position += 1
                continue
            break
        if text.startswith("\r\n", position):
            position += 2
        elif position < end:
            position += 1
        rows.append(Row(line=line, cells=tuple(cells)))
        line += _lines(text[first:position])
    return rows


def _lines(text: str) -> int:
    return text.count("\n") + text.replace("\r\n", "").count("\r")


def _cell(text: str, start: int, delimiter: str, where: str) -> Cell:
    pieces, position = [], start
    if text.startswith('"', start):
        position += 1
        while True:
            quote = text.find('"', position)
            if quote < 0:
                raise UsageError(f"{where}: a quoted cell has no closing quote. Mend that line.")
            pieces.append(text[position:quote])
            position = quote + 1
            if not text.startswith('"', position):
                break
            pieces.append('"')
            position += 1
    rest = position
    position = _PLAIN[delimiter].match(text, rest).end()  # type: ignore[union-attr]  # matches ""
    pieces.append(text[rest:position])
    return Cell(value="".join(pieces), start=start, end=position)
