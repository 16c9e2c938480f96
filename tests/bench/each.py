"""Execute notebooks one after the other, each in a kernel of its own, and time each.

    python -m tests.bench.each NOTEBOOK ...

prints a JSON list of seconds: nbclient and ipykernel, as every tool that runs a notebook uses them.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main(files: list[str]) -> None:
    took = []
    for name in files:
        started = time.perf_counter()
        notebook = nbformat.read(name, as_version=4)
        resources = {"metadata": {"path": str(Path(name).parent)}}
        client = NotebookClient(
            notebook, timeout=60, allow_errors=True, kernel_name="python3", resources=resources
        )
        client.execute()
        took.append(time.perf_counter() - started)
    sys.stdout.write(json.dumps(took) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
