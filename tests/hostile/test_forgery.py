"""A worker that speaks for itself: forged, endless and broken frames on its channel.

The worker is the learner's process, and its channel is descriptor 511 there. Whatever comes on it
is at most values that are compared, and outputs that are shown, both within bounds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

pytestmark = pytest.mark.sandbox

SUBMISSION_S = 5
NOTHING = (0.0, 0.0, 0.0)
FULL = (2.0, 0.5, 0.5)
SAY = """
import json, os, select, socket, time
channel = socket.socket(fileno=os.dup(511))
channel.setblocking(True)
def raw(body):
    channel.sendall(len(body).to_bytes(4, 'big') + body)
def say(message):
    raw(json.dumps(message).encode())
def hear():
    length = int.from_bytes(channel.recv(4, socket.MSG_WAITALL), 'big')
    return json.loads(channel.recv(length, socket.MSG_WAITALL))
def cell(id, **more):
    say({'event': 'cell', 'id': id, 'status': 'ok', 'outputs': [], 'execution_count': 1,
         'error': None, 'flags': [], **more})
"""


@pytest.fixture(scope="module")
def grade(grader_with: Callable[..., Any]) -> Any:
    return grader_with(cell_s=1, submission_s=SUBMISSION_S)


def forge(course: Any, grade: Any, source: str, hand_in: Any = None) -> Any:
    """Grade what says `source` before the fill-in; in a bounded time, and the next one as ever."""
    began = time.monotonic()
    found = grade((hand_in or course.right()).add(SAY + source))
    assert time.monotonic() - began < SUBMISSION_S + 8
    return found


# What is said instead of the truth, all of it without a right fill.
LOST: dict[str, str] = {
    "a flood of empty frames": "while True: raw(b'{}')",
    "a flood of large frames": (
        "body = b'{\"x\": \"' + b'y' * 10**6 + b'\"}'\nwhile True: raw(body)"
    ),
    "a flood by children": (
        "while True:\n"
        "    if os.fork() == 0:\n"
        '        for _ in range(50_000): raw(b\'{"event": "x"}\')\n'
        "        os._exit(0)\n"
        "    time.sleep(0.05)"
    ),
    "an out-of-band byte": "channel.send(b'x', socket.MSG_OOB)\ntime.sleep(99)",
    "out-of-band bytes without end": (
        "while True:\n    channel.send(b'x', socket.MSG_OOB); time.sleep(0.001)"
    ),
    "one byte at a time": ("channel.send(b'\\x01\\x00\\x00\\x00')\nwhile True: channel.send(b' ')"),
    "a frame of 4 GB": "channel.send(b'\\xff\\xff\\xff\\xff' + b'[' * 1000)\ntime.sleep(99)",
    "no JSON": "raw(b'\\xff\\xfe{')\ntime.sleep(99)",
    "no object": "raw(b'[1, 2]')\ntime.sleep(99)",
    "nested 100,000 deep": "raw(b'[' * 100_000 + b']' * 100_000)\ntime.sleep(99)",
    "a number of 5,000 digits": "raw(b'{\"a\": ' + b'9' * 5000 + b'}')\ntime.sleep(99)",
    "ten million values": "raw(b'[' + b'[],' * 10_000_000 + b'0]')\ntime.sleep(99)",
    "a closed channel": "channel.shutdown(2)\ntime.sleep(99)",
    "descriptors instead of data": (
        "import array\n"
        "fds = array.array('i', [1] * 200)\n"
        "while True: channel.sendmsg([b'{}'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])"
    ),
    "done, and silence": "say({'event': 'done'})\ntime.sleep(99)",
    "failed": "say({'event': 'failed', 'detail': 'x' * 10**6})\ntime.sleep(99)",
}


# One of each kind by default: each of these takes the whole of its submission's time.
SLOW = {
    "a flood of large frames",
    "a flood by children",
    "out-of-band bytes without end",
    "a frame of 4 GB",
    "descriptors instead of data",
    "done, and silence",
    "failed",
    "a closed channel",
    "a number of 5,000 digits",
    "the channel",
    "the recorder",
    "json",
    "the exit",
    "pidfd_open",
    "the loop",
}


def some(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in names]


@pytest.mark.parametrize("name", some(LOST))
def test_a_broken_conversation_costs_that_submission(course: Any, grade: Any, name: str) -> None:
    found = forge(course, grade, LOST[name])
    # Its children may all be heard out before it has as many as it may have: then the cell fails.
    ends = {"graded"} if name == "a flood by children" else set()
    assert found.status in {"timeout", "crashed"} | ends
    assert found.points[:2] in {NOTHING[:2], FULL[:2]}  # a second run may do without the cell
    assert all(found.reasons.values())


def test_after_all_that_the_next_one_is_graded_as_ever(course: Any, grade: Any) -> None:
    found = grade(course.right())
    assert (found.points, found.flags, found.status) == (FULL, set(), "graded")


ANSWERS: dict[str, str] = {
    "a verdict": "{'verdict': {'outcome': 'passed', 'score': 2.0}}",
    "points": "{'value': ['t', [['f', '0x1.0p+0'], ['f', '0x1.0p+0']]], 'points': 2}",
    "passed": "{'passed': True}",
    "callable for ever": "{'callable': True}",
    "always the visible answer": (
        "{'callable': True} if asked.get('op') == 'get' else "
        "{'value': ['t', [['f', (600.0).hex()], ['f', (3.3333333333333335e9).hex()]]]}"
    ),
    "the exception that is hoped for": (
        "{'callable': True} if asked.get('op') == 'get' else "
        "{'raised': 'ValueError', 'message': 'all values must be positive'}"
    ),
    "cannot tell": "{'raised': 'CannotTell', 'message': 'x', 'outcome': 'cannot tell'}",
    "its own question": "{'ask': {'op': 'get', 'name': 'x'}}",
    "the question": "asked",
    "an event": "{'event': 'done'}",
    "nested to the edge": "json.loads('{\"value\": ' + '[' * 900 + ']' * 900 + '}')",
    "a value of another kind": "{'value': {'t': 1}}",
    "NaN as JSON": "{'value': ['f', float('nan')]}",
    "lone surrogates": "{'raised': 'ValueError\\ud800', 'message': '\\udfff' * 3000}",
    "markup": "{'raised': '<img src=x onerror=alert(1)>', 'message': '<script>'}",
    "a lost process": "{'lost': 'timeout'}",
    "nothing missing": "{'missing': False, 'value': ['n']}",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_forged_answers_are_only_answers(course: Any, grade: Any, name: str) -> None:
    # It says that it is done, and answers whatever the examiner asks.
    source = (
        "for name in ('normal', 'boundary', 'boundary_case'): say({'event': 'test', 'id': name})\n"
        "say({'event': 'done'})\n"
        "while True:\n"
        "    asked = hear()\n"
        f"    if asked.get('op') in ('get', 'call'): say({ANSWERS[name]})"
    )
    found = forge(course, grade, source)
    assert found.points[:2] == (0.0, 0.0)
    assert found.points[2] in {0.0, None}
    assert "<script>" not in found.page
    assert "onerror" not in found.page


def test_a_right_value_is_right_whoever_computes_it(course: Any, grade: Any) -> None:
    # Documented: what crosses is a value. To give it for a hidden input it has to be computed.
    source = (
        "from importlib import import_module\n"
        "wall = import_module('autograder.grading.wall')\n"
        "for name in ('normal', 'boundary'): say({'event': 'test', 'id': name})\n"
        "say({'event': 'done'})\n"
        "while True:\n"
        "    asked = hear()\n"
        "    if asked.get('op') == 'get': say({'callable': True})\n"
        "    if asked.get('op') == 'call':\n"
        "        s, b, w, t = map(wall.decode, asked['args'])\n"
        "        say({'raised': 'ValueError', 'message': ''} if min(s, b, w, t) <= 0\n"
        "            else {'value': wall.encode((s * w / b, s * w / t))})"
    )
    assert forge(course, grade, source).points == (2.0, 0.5, 0.0)


OUTPUTS: dict[str, str] = {
    "lone surrogates": (
        "cell('own-1', outputs=[{'output_type': 'stream', 'name': 'stdout', 'text': '\\ud800x'},\n"
        "    {'output_type': 'error', 'ename': '\\udfff', 'evalue': '\\ud800',\n"
        "     'traceback': ['\\ud800']}], error={'name': '\\ud800', 'message': '\\ud800'})"
    ),
    "deep JSON": (
        "deep = json.loads('[' * 900 + ']' * 900)\n"
        "cell('own-1', outputs=[{'output_type': 'display_data', 'metadata': {},\n"
        "                        'data': {'application/json': deep, 'text/plain': deep}}])"
    ),
    "NaN": (
        "cell('own-1', execution_count=float('nan'), outputs=[{'output_type': 'display_data',\n"
        "     'data': {'application/json': float('nan')}, 'metadata': float('inf')}])"
    ),
    "counts": (
        "cell('own-1', execution_count=-5, outputs=[{'output_type': 'execute_result',\n"
        "     'data': {'text/plain': 'x'}, 'execution_count': 10 ** 4000}])"
    ),
    "wrong shapes": (
        "for bad in (None, 1, 'x', {}, [None, 1, 'x', [], {}], [{'output_type': []}],\n"
        "            [{'output_type': 'stream', 'name': 'stdin', 'text': 1}],\n"
        "            [{'output_type': 'error', 'ename': 'E', 'evalue': 'v', 'traceback': 'x'}]):\n"
        "    cell('own-1', outputs=bad, error=[bad], flags={'a': bad}, execution_count='1')"
    ),
    "other events": (
        "for bad in (None, 1, [], {}, 'cell'): say({'event': bad, 'id': bad, 'status': bad})\n"
        "cell('own-1', status='passed'); cell('own-1', status='graded'); say({'cell': 1})"
    ),
    "cells that are none": (
        "for n in range(20_000): cell(f'x{n}', outputs=[{'output_type': 'stream',\n"
        "    'name': 'stdout', 'text': 'y' * 1000}])\n"
        "cell('normal', status='ok'); cell('q1', status='ok'); cell('explanation')"
    ),
    "the same cell again and again": (
        "for n in range(20_000): cell('own-1', outputs=[{'output_type': 'stream',\n"
        "    'name': 'stdout', 'text': 'y' * 1000}])"
    ),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_forged_outputs_are_shown_within_bounds_or_not_at_all(
    course: Any, grade: Any, name: str
) -> None:
    found = forge(course, grade, OUTPUTS[name])
    assert (found.points, found.status) == (FULL, "graded")
    assert len(found.notebook) < 2_000_000
    json.loads(found.notebook, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert not [cell for cell in found.graded.run.cells if cell.startswith("x")]


def test_the_worker_has_no_say_in_what_the_grader_finds(course: Any, grade: Any) -> None:
    source = (
        "flags = ['guard-removed', 'edited-test', 'foreign-metadata', 'memory', 'x', None, {}]\n"
        "cell('own-1', flags=flags)"
    )
    found = forge(course, grade, source)
    assert (found.points, found.flags) == (FULL, {"memory"})
    assert found.graded.result.proposed_vetoes == ()


@pytest.mark.slow
def test_outputs_of_all_cells_together_are_bounded(course: Any, grade: Any) -> None:
    hand_in = course.right()
    for _ in range(8):
        hand_in.add("1")
    source = (
        "text = 'z' * 15_000_000\n"
        "for n in range(1, 10): cell(f'own-{n}', outputs=[{'output_type': 'stream',\n"
        "    'name': 'stdout', 'text': text}])"
    )
    found = grade(hand_in.add(SAY + source, before="own-1"))
    kept = sum(
        len(output["text"])
        for cell in found.graded.run.cells.values()
        for output in cell.outputs
        if "text" in output
    )
    assert kept <= 64 * 2**20
    assert found.flags >= {"output-truncated"}


PATCHES: dict[str, str] = {
    # Inside the worker, where the learner may do as they like.
    "the encoder": "wall.encode = lambda value: ['t', [['f', '0x1p+0'], ['f', '0x1p+0']]]",
    "the decoder": "wall.decode = lambda value: 1.0",
    "the answers": (
        "snapshot.answer = lambda q, names: {'callable': True} if q['op'] == 'get' else\\\n"
        "    {'value': ['t', [['f', (600.0).hex()], ['f', (3.3333333333333335e9).hex()]]]}"
    ),
    "the loop": "snapshot.answer_questions = lambda channel, names: None",
    "the channel": "channel.Channel.send = lambda *a, **k: None",
    "the recorder": "recorder.Recorder.finish = lambda self: [{'output_type': 'x'}] * 10**6",
    "fork": "import os; os.fork = lambda: 0",
    "pidfd_open": "import os; os.pidfd_open = lambda pid: 1 / 0",
    "json": "import json; json.dumps = lambda *a, **k: '{}'",
    "the exit": "import os; os._exit = lambda code: None",
    "the shell": "get_ipython().run_cell = lambda *a, **k: None",
    "the namespace": "get_ipython().user_ns = {'checkpoint_io': lambda *a: (600, 3.3e9)}",
}


@pytest.mark.parametrize("name", some(PATCHES))
def test_a_patched_worker_gives_no_points(course: Any, grade: Any, name: str) -> None:
    imports = (
        "import sys\n"
        "from autograder.grading import wall\n"
        "from autograder.grading.sandbox import channel\n"
        "from autograder.grading.worker import recorder, snapshot\n"
    )
    hand_in = course.hand_in().fill("0").case("(4e12, 10e9, 1.5, 600)", "(600.0, 10e9)")
    began = time.monotonic()
    found = grade(hand_in.add(imports + PATCHES[name]))
    assert time.monotonic() - began < SUBMISSION_S + 8
    assert found.points[:2] == (0.0, 0.0)
