"""Whether learners' code can be contained on this machine: tried, not guessed.

For `course doctor`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.grading.sandbox import bubblewrap
from autograder.grading.sandbox.box import Sandbox
from autograder.grading.sandbox.channel import ChannelError

_ANSWER_S = 30.0
_REPORT = "Report it with this output of `course doctor`."
_SLOW = "Grading works as safely, with half a second more for each submission."
_STEPS = [{"kind": "cell", "id": "probe", "source": "print(6 * 7)"}]


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """What starting a sandbox showed.

    Attributes:
        works: A learner's cell ran in it.
        bubblewrap: The program used, None when there is none.
        nested: Whether namespaces within the sandbox are allowed, which makes grading fast.
        control_groups: `v1` or `v2`, None where no group can be made.
        held: What limits each kind of use.
        start_s: From nothing to the first cell's output.
        cause: Why it does not work, or only slowly; None when all is well.
        remedy: What helps, None when nothing has to.
        profile: The AppArmor profile that would help, None when none is needed.
    """

    works: bool
    bubblewrap: Path | None = None
    nested: bool = False
    control_groups: str | None = None
    held: Mapping[str, str] = field(default_factory=dict)
    start_s: float | None = None
    cause: str | None = None
    remedy: str | None = None
    profile: str | None = None

    @property
    def summary(self) -> str:
        """What was found, in a line."""
        groups = f"cgroup {self.control_groups}" if self.control_groups else "no cgroup"
        started = "" if self.start_s is None else f", first cell after {self.start_s:.1f} s"
        return f"{self.bubblewrap or 'no bubblewrap'}, {groups}{started}"


def probe() -> Probe:
    """Start a sandbox and run a cell in it."""
    binary: Path | None = None
    began = time.monotonic()
    try:
        binary = bubblewrap.find()
        with Sandbox() as box:
            worker = box.start_worker()
            worker.send({"op": "start", "steps": _STEPS})
            outputs = worker.receive(_ANSWER_S).get("outputs")
            start_s = time.monotonic() - began
            worker.close()
    except bubblewrap.NoSandbox as missing:
        return _broken(binary, missing.cause, missing.remedy)
    except ChannelError as error:
        return _broken(binary, f"The sandbox starts, but runs nothing: {error}.", _REPORT)
    if outputs != [{"output_type": "stream", "name": "stdout", "text": "42\n"}]:
        return _broken(binary, f"The sandbox starts, but a cell gave {outputs!r}.", _REPORT)
    groups = [word for text in box.held.values() for word in text.split() if word in {"v1", "v2"}]
    cold = box.cold_because
    return Probe(
        works=True,
        bubblewrap=binary,
        nested=cold is None,
        control_groups=groups[0] if groups else None,
        held=dict(box.held),
        start_s=start_s,
        cause=None if cold is None else f"No namespaces within the sandbox ({cold}).",
        remedy=None if cold is None else _SLOW,
    )


def _broken(binary: Path | None, cause: str, remedy: str) -> Probe:
    profile = None if binary is None else bubblewrap.apparmor_profile(binary)
    return Probe(works=False, bubblewrap=binary, cause=cause, remedy=remedy, profile=profile)
