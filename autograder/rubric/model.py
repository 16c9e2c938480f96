"""What a rubric says, as frozen data.

`signs` are sign expressions over the concepts of the `Lexicon`; `autograder.review.signs` reads
them. A rubric without any is a rubric for people only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Signs = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PassRule:
    """`[pass]`: when a submission passes.

    Attributes:
        max_score: The sum of all points; None when not stated.
        total: The least total that passes; None when not stated.
        full: Grade id -> points that it must have.
        criteria: Ids of what must be true.
        vetoes_allowed: How many vetoes a submission may have and still pass.
        rule: The same in words.
    """

    max_score: float | None = None
    total: float | None = None
    full: Mapping[str, float] = field(default_factory=dict)
    criteria: tuple[str, ...] = ()
    vetoes_allowed: int = 0
    rule: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """`[[criteria]]`: what must be true of a submission; `decided_by` a machine or a person.

    Attributes:
        least: Question -> points with which it is proposed to be true.
        links: Ids of links one of which makes it so.
    """

    id: str
    line: str
    decided_by: str = "person"
    least: Mapping[str, float] = field(default_factory=dict)
    links: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """`[[parts]]`: a graded item, its points, and whether it is graded `auto` or `manual`."""

    id: str
    points: float
    graded: str
    line: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """`[[levels]]`: what earns a score.

    Attributes:
        score: In points.
        public: What learners read.
        note: What markers read.
        links: How many links an answer needs for it.
        mechanisms: How many of them must be mechanisms.
        connected: Whether cause and effect must be connected.
    """

    score: float
    public: str = ""
    note: str = ""
    links: int = 0
    mechanisms: int = 0
    connected: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """`[[questions.links]]`: one link of a question's causal chain.

    Attributes:
        line: What it is, for markers.
        mechanism: It explains; otherwise it is a remedy, a place of use and the like.
        ask: A question that leads a learner on to it without naming it.
        evidence: Ways to say it, for markers.
        signs: Ways to say it, for the machine.
    """

    id: str
    line: str
    mechanism: bool
    ask: str = ""
    evidence: tuple[str, ...] = ()
    signs: Signs = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """`[[questions.faults]]`: an error that bounds the score, e.g. a right thing overstated."""

    id: str
    cap: float
    line: str = ""
    signs: Signs = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """How a question's conclusion shows.

    Attributes:
        text: The right one, for markers.
        right: Signs of the right one.
        wrong: Signs of a wrong one, unless a chain of mechanisms stands against it.
        final: Signs of a wrong one whatever else is said.
        facts: Signs of relevant facts that are no link by themselves.
        beside: Signs of talk beside the point, e.g. what a word stands for; they count when there
            is nothing else.
        reversed: Signs of a chain told backwards, an effect as the cause of its cause.
    """

    text: str = ""
    right: Signs = ()
    wrong: Signs = ()
    final: Signs = ()
    facts: Signs = ()
    beside: Signs = ()
    reversed: Signs = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionRubric:
    """`[[questions]]`: how one free-text answer is judged.

    Attributes:
        public: What learners read.
        levels: Its own levels; empty when the rubric's hold.
        prompts: Other wordings of the question: who repeats one has said nothing.
        topic: Concepts one of which an answer to the question has.
    """

    id: str
    points: float
    links: tuple[Link, ...]
    conclusion: Conclusion
    public: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    faults: tuple[Fault, ...] = ()
    prompts: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()

    @property
    def readable(self) -> bool:
        """Whether a machine can look for any of its links."""
        return any(link.signs for link in self.links)


@dataclass(frozen=True, kw_only=True, slots=True)
class Veto:
    """`[[vetoes]]`: what fails a submission whatever its points; a person confirms it.

    Attributes:
        cost: Points that the question loses by it, as markers do.
        least: The score that this cost leaves at least, e.g. that of one clear mechanism.
    """

    id: str
    line: str
    definition: str
    example: str = ""
    not_this: str = ""
    signs: Signs = ()
    cost: float = 0.0
    least: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Lexicon:
    """`[concepts]` and `[suggest]`: the lesson's words, for the machine.

    Attributes:
        concepts: Name -> patterns of the ways to say it.
        spelling: Words whose misspellings are read as them.
        confidence: Kind of case -> share of suggestions of that kind that were right.
    """

    concepts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spelling: tuple[str, ...] = ()
    confidence: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rubric:
    """A lesson's rubric.

    Attributes:
        path: As the user knows it.
        step: Scores are multiples of it.
    """

    path: str
    lesson: str
    lang: str
    step: float
    rule: PassRule
    criteria: tuple[Criterion, ...]
    parts: tuple[Part, ...]
    levels: tuple[Level, ...]
    questions: tuple[QuestionRubric, ...]
    vetoes: tuple[Veto, ...]
    lexicon: Lexicon

    def question(self, question_id: str) -> QuestionRubric | None:
        """The question of that id, upper or lower case; None when there is none."""
        wanted = question_id.casefold()
        return next((one for one in self.questions if one.id.casefold() == wanted), None)

    def levels_of(self, question: QuestionRubric) -> tuple[Level, ...]:
        """The levels of a question, highest first."""
        levels = question.levels or self.levels
        return tuple(sorted(levels, key=lambda level: -level.score))
