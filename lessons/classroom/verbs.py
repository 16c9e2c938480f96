"""What a learner calls in a cell; each prints one sentence and never a traceback."""

from __future__ import annotations

from lessons.classroom.desk import Desk, desk_here
from lessons.classroom.examples import Exercise
from lessons.classroom.hints import hinted_exercises, hints_of
from lessons.classroom.language import say
from lessons.classroom.practice import Problem, call_of, judged
from lessons.classroom.standing import standing
from lessons.classroom.verdict import Outcome, Verdict, cannot_tell


def check(name: str) -> None:
    """Say how an exercise stands, as far as the inputs tell that the lesson shows.

    Args:
        name: What the exercise's cell defines, e.g. `"checkpoint_io"`.
    """
    desk = desk_here()
    _tell(_verdict(desk, name).sentence(desk.lang))


def hint(name: str, level: int | None = None) -> None:
    """Show a hint.

    Args:
        name: The exercise.
        level: 1 is the gentlest; without it, the next one that was not shown yet.
    """
    desk = desk_here()
    hints = hints_of(desk.lesson, name, desk.lang)
    if not hints:
        _tell(_no_hints(desk, name))
        return
    wanted = desk.hinted.get(name, 0) + 1 if level is None else level
    if not isinstance(wanted, int) or wanted < 1:
        wanted = 1
    if wanted > len(hints):
        _tell(
            say(
                f"{name} 只有 {len(hints)} 级提示，都给过了：用 hint({name!r}, 1) 从头再看。",
                f"{name} has {len(hints)} hints and no more: see hint({name!r}, 1) again.",
                desk.lang,
            )
        )
        return
    desk.hinted[name] = wanted
    _tell(
        say(f"提示 {wanted}/{len(hints)}：", f"Hint {wanted}/{len(hints)}: ", desk.lang)
        + hints[wanted - 1]
    )


def predict(number: int, guess: str | None = None) -> None:
    """Write down a prediction before looking, or read it again; never scored.

    Args:
        number: Of the prediction, as the lesson counts them.
        guess: What you expect, in your own words.
    """
    desk = desk_here()
    if guess is not None and str(guess).strip():
        desk.guesses[number] = " ".join(str(guess).split())
    if number in desk.guesses:
        _tell(
            say(
                f"推测 {number}（未核对，不计分）：{desk.guesses[number]}",
                f"Prediction {number} (not checked, not scored): {desk.guesses[number]}",
                desk.lang,
            )
        )
        return
    _tell(
        say(
            f'推测 {number} 还没有写：用 predict({number}, "……") 写下一句再往下看，也可以跳过。',
            f"Prediction {number} is still open: write a sentence with "
            f'predict({number}, "...") before you read on, or skip it.',
            desk.lang,
        )
    )


def again(*answers: object, seed: int | None = None) -> None:
    """Ask a question with new numbers, or check the answers to the last one.

    Args:
        answers: The numbers that the last problem asked for; none asks the next problem.
        seed: Ask problem number `seed` instead of the next.
    """
    desk = desk_here()
    problems = getattr(desk.module("practice"), "problem", None)
    if problems is None:
        nothing = cannot_tell("这一课没有再练的题。", "this lesson has no practice problems.")
        _tell((_closed(desk) or nothing).sentence(desk.lang))
        return
    if answers and desk.problem:
        verdict = judged(desk.problem, problems(desk.problem), answers)
        if verdict.outcome is Outcome.CORRECT:
            desk.solved.add(desk.problem)
        _tell(verdict.sentence(desk.lang))
        return
    desk.problem = desk.problem + 1 if seed is None else int(seed)
    _ask(desk, problems(desk.problem))


def progress() -> None:
    """Say which parts of the lesson are done, as far as this notebook's kernel can know."""
    desk = desk_here()
    closed = _closed(desk)
    if closed is not None:
        _tell(closed.sentence(desk.lang))
        return
    _tell(standing(desk, [(one.name, _verdict(desk, one.name)) for one in _exercises(desk)]))


def _exercises(desk: Desk) -> tuple[Exercise, ...]:
    found: tuple[Exercise, ...] = getattr(desk.module("exercises"), "EXERCISES", ())
    return found


def _verdict(desk: Desk, name: str) -> Verdict:
    exercises = {one.name: one for one in _exercises(desk)}
    if name in exercises:
        return exercises[name].judge(name, desk.names)
    closed = _closed(desk)
    if closed is not None:
        return closed
    known = "、".join(exercises) or "无"
    return cannot_tell(
        f"{name} 没有当场的检查（能检查的：{known}），文字题由教师评阅。",
        f"there is no check for {name} (there is for: {', '.join(exercises) or 'none'}); "
        "a teacher reads what you write in words.",
    )


def _closed(desk: Desk) -> Verdict | None:
    """Return what to say before the notebook's first cell has told which lesson this is."""
    if desk.lesson is not None:
        return None
    return cannot_tell(
        "先运行笔记本的第一格，它说明这是哪一课。",
        "run the notebook's first cell before, it says which lesson this is.",
    )


def _no_hints(desk: Desk, name: str) -> str:
    closed, known = _closed(desk), hinted_exercises(desk.lesson)
    if closed is not None:
        return closed.sentence(desk.lang)
    return say(
        f"{name} 没有提示，有提示的是：{'、'.join(known) or '无'}。",
        f"There is no hint for {name}; there are some for: {', '.join(known) or 'none'}.",
        desk.lang,
    )


def _ask(desk: Desk, problem: Problem) -> None:
    units = [one.label for one in problem.asked]
    _tell(
        say(
            f"第 {desk.problem} 题：{problem.question[0]}求 {'、'.join(units)}，"
            f"用 {call_of(problem)} 作答，换成你算出的数。",
            f"Problem {desk.problem}: {problem.question[1]} Work out {' and '.join(units)}; "
            f"answer with {call_of(problem)}, your numbers in their places.",
            desk.lang,
        )
    )


def _tell(sentence: str) -> None:
    print(sentence)  # noqa: T201 - a cell's output is where a learner reads
