"""Copied text: repeats of the question, and sentences of the lesson's own answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from autograder.review.plain import Span, plain
from autograder.review.sentences import Outline

_WORD = re.compile(r"[a-z0-9]+|[^\W_]")
# A run of this many characters is no chance.
_RUN = 14
_ECHO_SHARE = 0.72
_COPY_SHARE = 0.9
_LEAST = 6
_EVERYDAY = frozenset(
    "的地得了着过吗呢吧啊是不否能可会要就才也还都又却但而且虽然即使如果那么这个种样之其以于在对从把被让使给为因所由"
    "到底究竟何怎什么问题答案关键前提情况下时候后来说讲称叫算做有没无一两二几些很更最比较"
) | frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "with",
        "and",
        "or",
        "but",
        "so",
        "that",
        "this",
        "which",
        "it",
        "is",
        "are",
        "was",
        "be",
        "been",
        "being",
        "can",
        "could",
        "may",
        "might",
        "will",
        "would",
        "should",
        "do",
        "does",
        "did",
        "not",
        "no",
        "yes",
        "if",
        "then",
        "when",
        "while",
        "how",
        "what",
        "as",
        "than",
        "there",
        "such",
        "one",
        "whether",
        "question",
        "answer",
        "because",
        "since",
        "therefore",
    ]
)
# 可以, 不能, no: what an answer says, though the question has the word.
_FEW = 4
_DENIAL = re.compile(r"[不没未非]|(?<![a-z])(?:no|not|cannot)(?![a-z])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A text that answers may repeat: its words in order, and its pairs of neighbours."""

    letters: str
    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]


def source(texts: Iterable[str], beside: Iterable[str] = ()) -> Source:
    """Make a source of texts.

    Args:
        texts: Those that count.
        beside: More that may be copied, whose single words are everybody's.
    """
    own = list(texts)
    known = [plain(text).text for text in (*own, *beside)]
    words = [_words(text) for text in known]
    pairs = frozenset(pair for one in words for pair in pairwise(one))
    return Source(
        letters="\n".join(map(_letters, known)),
        words=frozenset(word for one in words[: len(own)] for word in one),
        pairs=pairs,
    )


def echoes(text: str, outline: Outline, asked: Source) -> list[Span]:
    """The clauses that repeat the question, and say nothing else."""
    return [span for span in outline.clauses if _is_echo(text[span[0] : span[1]], asked)]


def _is_echo(clause: str, asked: Source) -> bool:
    words = _words(clause)
    if len(words) < _LEAST:
        # A few words of denial are a conclusion, wherever they stand.
        return (
            len(words) >= _FEW and not _DENIAL.search(clause) and _letters(clause) in asked.letters
        )
    pairs = list(pairwise(words))
    known = sum(1 for pair in pairs if pair in asked.pairs)
    return known >= _ECHO_SHARE * len(pairs)


def news(text: str, asked: Source) -> float:
    """The share of an answer's different words that the question does not have, 0 to 1.

    Words in which anything may be asked or said again are left out.
    """
    words = set(_words(text)) - _EVERYDAY
    return len(words - asked.words) / len(words) if words else 0.0


def copies(text: str, outline: Outline, given: Source) -> list[Span]:
    """The sentences that stand in a source nearly word for word."""
    return [span for span in outline.sentences if _is_copy(text[span[0] : span[1]], given)]


def _is_copy(sentence: str, given: Source) -> bool:
    letters = _letters(sentence)
    if len(letters) < _RUN:
        return False
    starts = range(0, len(letters) - _RUN + 1, _RUN // 2)
    known = sum(1 for at in starts if letters[at : at + _RUN] in given.letters)
    return known >= _COPY_SHARE * len(starts)


def _letters(text: str) -> str:
    return "".join(one for one in text if one.isalnum())


def _words(text: str) -> list[str]:
    """Chinese characters one by one, Latin words and numbers whole."""
    return _WORD.findall(text)
