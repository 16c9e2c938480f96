"""What the live parts of a page hand to the page around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveParts:
    """The live plot and the live exercises of one lesson, ready to be placed.

    Every piece of HTML holds its own static fallback, so that it reads without JavaScript.

    Attributes:
        plot_html: Stands where the lesson's dump-time widget stands; empty when there is none.
        exercise_html: By the exercise's grade id: stands where its cell stands.
        files: Path relative to the lesson's page (POSIX form) -> content. A path may begin with
            `../live/` for what several lessons share; nothing else may leave the page's folder.
        head_html: Goes into the page's `<head>` after the page's own style sheet.
        body_html: Goes before `</body>`, after the page's own script.
        vendored: Those of `files` that are a third party's to the byte: no answer is sought there.
        warnings: What does not move and why, one sentence each.
    """

    plot_html: str = ""
    exercise_html: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    head_html: str = ""
    body_html: str = ""
    warnings: tuple[str, ...] = ()
    vendored: frozenset[str] = frozenset()
