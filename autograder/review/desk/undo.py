"""Taking a reviewer's last stroke back: what stood before is appended anew."""

from __future__ import annotations

import msgspec

from autograder.review.desk.decisions import newest
from autograder.review.log.events import Allocation, Criterion, Event, Mark, Veto
from autograder.review.log.logfile import now
from autograder.review.log.state import State


def undoing(state: State, by: str) -> list[Event]:
    """What takes a reviewer's last stroke back; empty when there is none."""
    return [_before(state, event, by) for event in state.undoable(by)]


def _before(state: State, event: Event, by: str) -> Event:
    earlier = state.before(event)
    if earlier is None:
        match event:
            case Mark():
                earlier = msgspec.structs.replace(event, score=None, comment="", links=None)
            case Criterion():
                earlier = msgspec.structs.replace(event, value=None)
            case Veto():
                earlier = msgspec.structs.replace(event, standing=None, reason="")
            case Allocation():
                earlier = msgspec.structs.replace(event, way="none", graders=())
            case _:
                raise TypeError(type(event))
    return msgspec.structs.replace(
        earlier,
        seq=0,
        at=now(),
        by=by,
        based_on=newest(state, event),
        undoes=event.seq,
        batch=None,
    )
