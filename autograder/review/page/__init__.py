"""The reviewing page: a Jupyter Server extension, alone or inside a running Jupyter."""

from __future__ import annotations

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from autograder.review.page.app import ReviewApp  # noqa: PLC0415  (Jupyter asks when it is time)

    return [{"module": "autograder.review.page.app", "app": ReviewApp}]
