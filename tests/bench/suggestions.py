"""How far suggestions agree with marks: kappa, agreement, links, confusion, calibration.

    python -m tests.bench.suggestions FILE [FILE ...] [--half a|b] [--misses]

FILE holds JSON lines with id, question, answer, score, links and vetoes. The figures are about
test material that machines or the authors wrote and marked: they say nothing about agreement with
people, and belong in no README.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.project import find_project
from autograder.review.lesson import lesson_suggester
from autograder.review.records import Suggestion

STEPS = (0.0, 0.5, 1.0, 1.5, 2.0)
# So many imagined cases of the overall share keep a rare kind from 0 and 1.
SMOOTHING = 3


@dataclass(frozen=True, kw_only=True)
class Case:
    """A marked answer, and what was suggested for it."""

    marked: dict[str, Any]
    suggested: Suggestion

    @property
    def question(self) -> str:
        return str(self.marked["question"]).lower()

    @property
    def exact(self) -> bool:
        return self.suggested.score == self.marked["score"]


def cases(files: Iterable[Path], half: str | None = None) -> list[Case]:
    """Suggest for every marked answer of the files."""
    suggester = lesson_suggester(find_project(), "lesson03")
    found = []
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            marked = json.loads(line)
            if "answer" not in marked or (half and marked.get("half", half) != half):
                continue
            question = suggester.rubric.question(marked["question"])
            assert question is not None
            suggested = suggester.suggest(question, marked["answer"])
            found.append(Case(marked=marked, suggested=suggested))
    return found


def kappa(pairs: Sequence[tuple[float, float]]) -> float:
    """Quadratic-weighted kappa of (marked, suggested)."""
    if not pairs:
        return float("nan")
    n = len(pairs)
    observed = sum((a - b) ** 2 for a, b in pairs) / n
    rows, columns = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum((a - b) ** 2 * rows[a] * columns[b] for a in rows for b in columns) / (n * n)
    return 1.0 if chance == 0 else 1 - observed / chance


def told(found: Iterable[Case]) -> list[tuple[float, float]]:
    """Marked and suggested score where one was suggested."""
    return [
        (one.marked["score"], one.suggested.score)
        for one in found
        if one.suggested.score is not None
    ]


def agreement(found: Sequence[Case]) -> str:
    """One row: count, cannot tell, kappa, exact, within half a point."""
    pairs = told(found)
    exact = sum(1 for a, b in pairs if a == b) / max(1, len(pairs))
    near = sum(1 for a, b in pairs if abs(a - b) <= 0.5) / max(1, len(pairs))
    unsure = 1 - len(pairs) / len(found)
    strict = [
        (one.marked["score"], 0.0 if one.suggested.score is None else one.suggested.score)
        for one in found
    ]
    return (
        f"{len(found):5d} {unsure:12.1%} {kappa(pairs):7.3f} {exact:7.1%} {near:12.1%} "
        f"{kappa(strict):14.3f}"
    )


def links(found: Sequence[Case]) -> list[str]:
    """Precision and recall of each link."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        for link in one.suggested.links:
            due = one.marked["links"][link.id]
            kind = {(True, True): "hit", (True, False): "missed", (False, True): "false"}
            counts[f"{one.question} {link.id}"][kind.get((due, link.present), "none")] += 1
    rows = []
    for name, count in counts.items():
        hit, false, missed = count["hit"], count["false"], count["missed"]
        precision = hit / (hit + false) if hit + false else float("nan")
        recall = hit / (hit + missed) if hit + missed else float("nan")
        rows.append(f"{name:16s} {precision:9.2f} {recall:7.2f} {hit + missed:5d}")
    return rows


def confusion(found: Sequence[Case]) -> list[str]:
    """Marked score down, suggested score across; `?` cannot be told."""
    table = Counter((one.marked["score"], one.suggested.score) for one in found)
    columns = (*STEPS, None)
    return [
        f"{row:6g} " + "".join(f"{table[row, column]:6d}" for column in columns) for row in STEPS
    ]


def calibration(found: Sequence[Case]) -> list[str]:
    """For each kind of suggestion: how many, how many exact, and the share, smoothed."""
    total, exact = Counter[str](), Counter[str]()
    for one in found:
        if one.suggested.score is not None:
            total[one.suggested.case] += 1
            exact[one.suggested.case] += one.exact
    base = (sum(exact.values()) + 1) / (sum(total.values()) + 2)
    rows = []
    for case in sorted(total):
        share = (exact[case] + SMOOTHING * base) / (total[case] + SMOOTHING)
        rows.append(f"{case:16s} {total[case]:5d} {exact[case]:5d} {share:9.2f}")
    return rows


def spread(found: Sequence[Case], times: int = 1000) -> tuple[float, float]:
    """A 95 % interval of kappa by drawing the answers again, with replacement."""
    rng = random.Random(0)
    drawn = sorted(kappa(told(rng.choices(found, k=len(found)))) for _ in range(times))
    return drawn[times // 40], drawn[-times // 40]


def misses(found: Sequence[Case]) -> list[str]:
    """Every answer whose score, links or vetoes differ."""
    rows = []
    for one in found:
        due = {key for key, present in one.marked["links"].items() if present}
        got = {link.id for link in one.suggested.links if link.present}
        vetoes = set(one.marked.get("vetoes", ())), set(one.suggested.vetoes)
        if one.exact and due == got and vetoes[0] == vetoes[1]:
            continue
        rows.append(
            f"{one.marked['id']}: {one.marked['score']} -> {one.suggested.score} "
            f"({one.suggested.case}; {', '.join(one.suggested.flags)}) "
            f"missed {sorted(due - got)} false {sorted(got - due)} "
            f"vetoes {sorted(vetoes[0])} -> {sorted(vetoes[1])}\n    {one.marked['answer']}"
        )
    return rows


def report(found: Sequence[Case]) -> str:
    """All tables."""
    head = "question     n  cannot tell   kappa   exact  within half  kappa, ? as 0"
    rows = [head]
    for question in sorted({one.question for one in found}):
        own = [one for one in found if one.question == question]
        rows.append(f"{question:7s} {agreement(own)}")
    low, high = spread(found)
    rows.append(f"{'all':7s} {agreement(found)}   (kappa 95 %: {low:.3f} to {high:.3f})")
    rows += ["", "link             precision  recall     n", *links(found)]
    rows += ["", "marked" + "".join(f"{step:6g}" for step in STEPS) + "     ?", *confusion(found)]
    rows += ["", "case              n  exact  smoothed", *calibration(found)]
    worthless = [one for one in found if one.marked["score"] == 0]
    paid = sum(1 for one in worthless if one.suggested.score)
    rows += ["", f"points suggested for worthless answers: {paid} of {len(worthless)}"]
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--half", choices=["a", "b", "c", "d", "e", "f"])
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    found = cases(options.files, options.half)
    text = report(found)
    if options.misses:
        text += "\n\n" + "\n".join(misses(found))
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
