"""The grammar of a cell: source -> AST, or one sentence that says where and what is wrong.

Python's own message is not shown: learners of a Chinese course meet full-width punctuation first,
and "invalid character" does not say which key to press.
"""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings

from autograder.grading.phrases import say

MAX_SOURCE_CHARS = 100_000
"""Characters of a cell that are parsed; longer cells are refused with a sentence."""

_MAGIC = re.compile(r"[%!?]")
_INVALID = re.compile(r"invalid (?:non-printable )?character .*U\+([0-9A-F]+)")
_HALVES = {
    "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "、": ",", "。": ".", "《": "<", "》": ">",
    "【": "[", "】": "]", "〔": "(", "〕": ")", "×": "*", "÷": "/", "−": "-", "–": "-", "—": "-",
    "≤": "<=", "≥": ">=", "≠": "!=", "·": "*", "…": "...",
}  # fmt: skip
_QUOTES = "“”„‘’＂＇"
_RULES = (
    (re.compile(r"unterminated|EOL while|EOF while scanning triple"), "string-open"),
    (re.compile(r"was never closed"), "bracket-open"),
    (re.compile(r"unmatched"), "bracket-extra"),
    (re.compile(r"closing parenthesis .* does not match"), "bracket-wrong"),
    (re.compile(r"expected ':'"), "colon"),
    (re.compile(r"too many nested|too many statically nested"), "nested"),
)


class UnparsableError(Exception):
    """A cell's source is no Python.

    Attributes:
        key: Which sentence says so (autograder.grading.phrases).
        line: 1-based.
        column: 1-based, in characters.
    """

    def __init__(self, key: str, line: int, column: int, **values: object) -> None:
        self.key = key
        self.line = line
        self.column = column
        self._values = values
        super().__init__(key)

    def sentence(self, lang: str) -> str:
        """Return the sentence for the learner."""
        return say(lang, self.key, line=self.line, column=self.column, **self._values)


def tidy(source: str) -> str:
    """Return the source with LF line ends, without a BOM and without leading magic lines.

    Lines stay where they are: a leading `%%time` becomes an empty line.
    """
    lines = source.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines):
        text = line.strip()
        if text and not text.startswith("#") and not _MAGIC.match(text):
            break
        if _MAGIC.match(text):
            lines[number] = ""
    return "\n".join(lines)


def parse(source: str) -> ast.Module:
    """Parse a tidy cell, IPython's line magics at the left margin left out.

    Raises:
        UnparsableError: With the line and character of the fault.
    """
    if len(source) > MAX_SOURCE_CHARS:
        raise UnparsableError("too-long", 1, 1, chars=len(source), cap=MAX_SOURCE_CHARS)
    try:
        return _parse(source)
    except UnparsableError:
        if not any(_MAGIC.match(line) for line in source.split("\n")):
            raise
    # Only after a failure: `%` at the margin may also continue an expression.
    return _parse("\n".join("" if _MAGIC.match(line) else line for line in source.split("\n")))


def compile_error(source: str) -> str | None:
    """Return Python's message why a parsable cell does not compile, None when it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            compile(source, "<cell>", "exec", flags=flags, dont_inherit=True)
    except SyntaxError as error:
        return error.msg
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:
        return type(error).__name__
    return None


def _parse(source: str) -> ast.Module:
    nul = source.find("\0")
    if nul >= 0:
        raise UnparsableError("null", *_position(source, nul))
    try:
        with warnings.catch_warnings():  # a learner's "\d" must not print to the grader
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        raise _explained(error, source) from None
    except (RecursionError, MemoryError):  # deep nesting; 3.11's parser says MemoryError
        raise UnparsableError("nested", *_deepest(source)) from None
    except UnicodeEncodeError as error:
        code = f"U+{ord(source[error.start]):04X}"
        raise UnparsableError(
            "invisible-char", *_position(source, error.start), code=code
        ) from None
    except (ValueError, OverflowError):
        raise UnparsableError("syntax", 1, 1) from None


def _explained(error: SyntaxError, source: str) -> UnparsableError:
    line, column = error.lineno or 1, max(error.offset or 1, 1)
    text = source.split("\n")[line - 1] if line <= source.count("\n") + 1 else ""
    invalid = _INVALID.search(error.msg)
    if invalid:
        return _bad_character(line, column, chr(int(invalid[1], 16)))
    after = text[column : column + 1]
    if error.msg.endswith(" literal") and after > "\x7f" and not f"a{after}".isidentifier():
        # Python 3.11.2 blames the number before a character that is none of Python's.
        return _bad_character(line, column + 1, after)
    if isinstance(error, TabError):
        return UnparsableError("tabs", line, _margin(text))
    if isinstance(error, IndentationError):
        mixed = "\t" in source and " " in text[: _margin(text) - 1] + " "
        return UnparsableError("tabs" if mixed and "\t" in text else "indent", line, _margin(text))
    key = next((key for pattern, key in _RULES if pattern.search(error.msg)), "syntax")
    if key == "string-open":
        for at, char in enumerate(text):
            if at >= column - 1 and char in _QUOTES:
                return _bad_character(line, at + 1, char)
    return UnparsableError(key, line, column, char=text[column - 1 : column])


def _bad_character(line: int, column: int, char: str) -> UnparsableError:
    code = f"U+{ord(char):04X}"
    if not char.isprintable() or char.isspace():
        return UnparsableError("invisible-char", line, column, code=code)
    half = _HALVES.get(char) or unicodedata.normalize("NFKC", char)
    if half == char or not half.isascii():
        return UnparsableError("bad-char", line, column, char=char, code=code)
    wide = unicodedata.east_asian_width(char) in "FWA"
    return UnparsableError(
        "fullwidth" if wide else "foreign-char", line, column, char=char, half=half, code=code
    )


def _margin(text: str) -> int:
    """Return the 1-based column of the first character after the indentation."""
    return len(text) - len(text.lstrip()) + 1


def _position(source: str, index: int) -> tuple[int, int]:
    head = source[:index]
    return head.count("\n") + 1, index - (head.rfind("\n") + 1) + 1


def _deepest(source: str) -> tuple[int, int]:
    """Return where the longest line starts: deep nesting is long, and Python does not say where."""
    lines = source.split("\n")
    number = max(range(len(lines)), key=lambda at: len(lines[at]))
    return number + 1, _margin(lines[number])
