"""A process that saves twice and tells its largest resident size (Linux); see pipeline.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from lessons.lesson03.pipeline import S3Address, Saver
from lessons.lesson03.pipeline.saver import SaveOptions
from tests.bench.pipeline import state_of


def peak_bytes() -> int:
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmHWM in /proc/self/status")


def main() -> None:
    told = json.load(sys.stdin)
    store = S3Address(**told["store"]).open()
    store.put("warm/up", b"x")  # the client's own threads and tables
    before = peak_bytes()
    state = state_of(told["size"])
    with_state = peak_bytes()
    folder = Path(told["folder"])
    options = SaveOptions(keep=None)
    with Saver(
        rank=0, ranks=1, node=folder, store=store, attempt="memory", options=options
    ) as saver:
        for step in (1, 2):
            saver.save(step, state).wait(timeout_s=240)
    seen = {"with_state_bytes": with_state - before, "peak_bytes": peak_bytes() - before}
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main()
