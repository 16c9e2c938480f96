"""Reading an answer: what is found in it, before anything is judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from autograder.review.concepts import Concepts, Occurrence, compile_concepts
from autograder.review.copying import Source, copies, echoes, news
from autograder.review.plain import Plain, Span, plain
from autograder.review.polarity import negator
from autograder.review.sentences import Outline, outline
from autograder.review.shape import enumerations, reported
from autograder.review.signs import Found, Sign, look_for, read_sign
from autograder.review.spelling import Speller, speller
from autograder.review.talk import empty_talk
from autograder.rubric import QuestionRubric, Rubric

MOST_READ = 5_000
"""Characters of an answer that are read; more is no answer to a question of two points."""


# Who says a thing more often adds nothing but time.
_MOST_TIMES = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class Signs:
    """The compiled signs of one question: link id, fault id or kind of conclusion -> signs."""

    links: Mapping[str, tuple[Sign, ...]]
    faults: Mapping[str, tuple[Sign, ...]]
    conclusion: Mapping[str, tuple[Sign, ...]]
    vetoes: Mapping[str, tuple[Sign, ...]]
    topic: tuple[str, ...]
    presupposed: bool = False

    @property
    def names(self) -> frozenset[str]:
        """Every concept that they ask for."""
        groups = (self.links, self.faults, self.conclusion, self.vetoes)
        signs = (sign for group in groups for found in group.values() for sign in found)
        return frozenset(name for sign in signs for name in sign.names) | frozenset(self.topic)


@dataclass(frozen=True, kw_only=True, slots=True)
class Vocabulary:
    """What a rubric teaches the reader, compiled once."""

    concepts: Concepts
    speller: Speller
    questions: Mapping[str, Signs]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What is found in an answer.

    Attributes:
        plain: The answer in plain form.
        outline: Its sentences and clauses.
        echo: Spans that repeat the question.
        talk: Spans that only say that everything matters.
        copied: Spans that stand in the reference.
        misspelt: Whether words were read as others.
        long: Whether it was not read to its end.
        links: Link id -> the signs found for it, asserted ones first.
        faults: Ids of the faults found.
        conclusion: Kinds of conclusion found.
        vetoes: Ids of the vetoes found.
        news: The share of its words that are not the question's.
        topical: Whether it is about the question's subject at all.
        presupposed: Whether the question itself draws the right conclusion.
    """

    plain: Plain
    outline: Outline
    echo: tuple[Span, ...]
    talk: tuple[Span, ...]
    copied: tuple[Span, ...]
    misspelt: bool
    long: bool
    links: Mapping[str, tuple[Found, ...]]
    faults: tuple[str, ...]
    conclusion: Mapping[str, tuple[Found, ...]]
    vetoes: tuple[str, ...]
    news: float
    topical: bool
    presupposed: bool = False

    def without(self, spans: Iterable[Span]) -> str:
        """The plain text without some spans."""
        pieces, done = [], 0
        for start, end in sorted(spans):
            pieces.append(self.plain.text[done:start])
            done = max(done, end)
        return "".join((*pieces, self.plain.text[done:]))


def vocabulary(rubric: Rubric) -> Vocabulary:
    """Compile a rubric's concepts and signs.

    Raises:
        CourseError: A pattern or a sign is none, or names a concept that there is not.
    """
    concepts = compile_concepts(rubric.path, rubric.lexicon.concepts)
    return Vocabulary(
        concepts=concepts,
        speller=speller(rubric.lexicon.spelling),
        questions={
            one.id: _presuming(_signs(one, rubric), one, concepts) for one in rubric.questions
        },
    )


def _signs(question: QuestionRubric, rubric: Rubric) -> Signs:
    def read(texts: Iterable[str]) -> tuple[Sign, ...]:
        return tuple(read_sign(text, rubric.path, rubric.lexicon.concepts) for text in texts)

    said = question.conclusion
    kinds = {
        "right": said.right,
        "wrong": said.wrong,
        "final": said.final,
        "facts": said.facts,
        "beside": said.beside,
        "reversed": said.reversed,
    }
    return Signs(
        links={link.id: read(link.signs) for link in question.links},
        faults={fault.id: read(fault.signs) for fault in question.faults},
        conclusion={kind: read(texts) for kind, texts in kinds.items()},
        vetoes={veto.id: read(veto.signs) for veto in rubric.vetoes},
        topic=tuple(name for sign in read(question.topic) for name in sign.names),
    )


def _presuming(signs: Signs, question: QuestionRubric, concepts: Concepts) -> Signs:
    """The signs, with whether one of the question's own wordings draws the conclusion."""
    for prompt in question.prompts:
        text = plain(prompt).text
        lines = outline(text)
        found = _occurrences(text, lines, concepts, signs.names)
        for sign in signs.conclusion["right"]:
            one = look_for(sign, found, lines, text)
            if one is not None and not one.denied:
                return replace(signs, presupposed=True)
    return signs


def read_answer(
    answer: str, words: Vocabulary, signs: Signs, asked: Source, given: Source
) -> Reading:
    """Read one answer.

    Args:
        answer: As given.
        words: The rubric's vocabulary.
        signs: Those of the question.
        asked: The question's wordings.
        given: The lesson's reference answers.
    """
    raw = plain(answer, MOST_READ)
    text = words.speller.mend(raw)
    lines = outline(text.text)
    found = _occurrences(text.text, lines, words.concepts, signs.names)
    echo = tuple(echoes(text.text, lines, asked))
    talk = tuple(empty_talk(text.text, lines))
    nothing = (*echo, *talk, *enumerations(text.text, lines), *reported(text.text))

    def look(wanted: Mapping[str, tuple[Sign, ...]]) -> dict[str, tuple[Found, ...]]:
        seen = {
            key: [one for one in (look_for(sign, found, lines, text.text) for sign in each) if one]
            for key, each in wanted.items()
        }
        return {key: _worth(each, nothing) for key, each in seen.items()}

    conclusion = look(signs.conclusion)
    return Reading(
        plain=text,
        outline=lines,
        echo=echo,
        talk=talk,
        copied=tuple(copies(text.text, lines, given)),
        misspelt=text.text != raw.text,
        long=len(answer) > MOST_READ,
        links=look(signs.links),
        faults=_asserted(look(signs.faults)),
        conclusion=conclusion,
        vetoes=_asserted(look(signs.vetoes)),
        news=news(text.text, asked),
        topical=any(found[name] for name in signs.topic),
        presupposed=signs.presupposed,
    )


def _occurrences(
    text: str, lines: Outline, concepts: Concepts, names: frozenset[str]
) -> dict[str, list[Occurrence]]:
    return {
        name: [
            Occurrence(concept=name, span=span, negator=negator(text, lines, span))
            for span in concepts.spans(name, text)[:_MOST_TIMES]
        ]
        for name in sorted(names)
    }


def _worth(found: Sequence[Found], nothing: Sequence[Span]) -> tuple[Found, ...]:
    """Those that are not wholly within text that says nothing; asserted ones first."""
    kept = [one for one in found if not all(_within(span, nothing) for span in one.spans)]
    return tuple(sorted(kept, key=lambda one: one.denied))


def _within(span: Span, others: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


def _asserted(found: Mapping[str, Sequence[Found]]) -> tuple[str, ...]:
    return tuple(key for key, each in found.items() if any(not one.denied for one in each))
