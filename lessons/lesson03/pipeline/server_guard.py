"""Runs a server for as long as its parent lives: it ends when standard input does.

Started as a script of its own, since a notebook's kernel may be killed at any time and would
leave the server behind. Usage: server_guard.py COMMAND [ARGUMENT...]
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

_PATIENCE_S = 4


def main(command: list[str]) -> int:
    """Start the command; stop it at the end of standard input; return its exit code."""
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603  our own server
    # Ctrl-C goes to the whole foreground group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_stop_with_parent, args=(server,), daemon=True).start()
    return server.wait()


def _stop_with_parent(server: subprocess.Popen[bytes]) -> None:
    sys.stdin.buffer.read()
    server.terminate()
    try:
        server.wait(timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        server.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
