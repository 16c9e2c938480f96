"""What hides a div from learners, and the slips that would hide nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from autograder.model import Audience, Block, DivOpen
from autograder.source.faults import Faults

CLASS = "answer"
PROFILE = "answer"
# Class -> the attribute that names the profile it is shown for.
HIDES = {"content-visible": "when-profile", "content-hidden": "unless-profile"}
_KEYS = ("when-profile", "unless-profile")
_CLOSE = 0.75


def refuse_near_hiding(blocks: Sequence[Block], faults: Faults) -> None:
    """Add a fault for each public div that its author may believe to be hidden."""
    for block in blocks:
        if isinstance(block, DivOpen) and block.audience is Audience.PUBLIC:
            for what, mend in _slips(block):
                faults.add(block.line, what, mend)


def _slips(div: DivOpen) -> Iterator[tuple[str, str]]:
    for name in div.classes:
        meant = _meant(name, (CLASS, *HIDES))
        if meant is not None:
            yield f"The class `.{name}` hides nothing.", f"Did you mean `.{meant}`?"
    conditional = set(div.classes) & set(HIDES)
    for key, value in div.attributes.items():
        meant = _meant(key, _KEYS)
        if meant is not None:
            yield f"The attribute `{key}` hides nothing.", f"Did you mean `{meant}`?"
        if key not in _KEYS:
            continue
        if not conditional:
            yield (
                f"`{key}` hides nothing without its class.",
                f'Write `::: {{.content-visible {key}="{value}"}}`.',
            )
        if not value.strip() or _meant(value.strip(), (PROFILE,)) is not None:
            yield (
                f'`{key}="{value}"` names no profile of a lesson.',
                f'Did you mean `{key}="{PROFILE}"`?',
            )


def _meant(word: str, known: Sequence[str]) -> str | None:
    """What a word that is close to something known was to be; None for the known itself."""
    if word in known:
        return None
    close = get_close_matches(word.lower(), known, n=1, cutoff=_CLOSE)
    return close[0] if close else None
