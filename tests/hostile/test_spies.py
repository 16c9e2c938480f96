"""Learners who look for the tests, for others, for the grader: nothing of them is there to read.

Each prints all it finds into its own feedback, and that is what is searched.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.sandbox

FULL = (2.0, 0.5, 0.5)
MARK = "left-by-another-7f3a"


@pytest.fixture(scope="module")
def grade(grader_with: Callable[..., Any]) -> Any:
    return grader_with(cell_s=4, submission_s=16)


def secrets_in(course: Any, text: str) -> list[str]:
    return [secret for secret in course.secrets if secret in text]


LOOKS: dict[str, str] = {
    "history": "print(In, Out, get_ipython().history_manager.input_hist_raw)",
    "frames": (
        "import sys\n"
        "frame = sys._getframe()\n"
        "while frame: print(frame.f_code.co_filename, frame.f_locals.keys()); frame = frame.f_back"
    ),
    "steps still to run": (
        "import sys\n"
        "frame = sys._getframe()\n"
        "while frame: print({k: repr(v)[:9000] for k, v in frame.f_locals.items()\n"
        "    if k in ('start', 'steps', 'step', 'source')}); frame = frame.f_back"
    ),
    "objects": (
        "import gc\n"
        "seen = [o for o in gc.get_objects() if isinstance(o, (list, dict, tuple))]\n"
        "print([x for o in seen for x in (o.values() if isinstance(o, dict) else o)\n"
        "       if type(x) is str and ('assert' in x or 'HIDDEN' in x or 'CannotTell(' in x)][:99])"
    ),
    "memory": (
        "import re\n"
        "with open('/proc/self/mem', 'rb', 0) as memory:\n"
        "    for line in open('/proc/self/maps'):\n"
        "        low, high = (int(x, 16) for x in line.split()[0].split('-'))\n"
        "        if ' rw' not in line or high - low > 2**26: continue\n"
        "        try: memory.seek(low); data = memory.read(high - low)\n"
        "        except OSError: continue\n"
        "        for found in re.findall(rb'BEGIN HIDD[E]N.{200}', data, re.S)[:5]: print(found)\n"
        "print('read')"
    ),
    "other processes": (
        "import os\n"
        "for pid in os.listdir('/proc'):\n"
        "    if not pid.isdigit(): continue\n"
        "    for name in ('cmdline', 'environ', 'maps', 'stack', 'cwd', 'fd'):\n"
        "        try: print(pid, open(f'/proc/{pid}/{name}', 'rb').read(20_000))\n"
        "        except OSError as error: print(pid, name, error.strerror)"
    ),
    "every file": (
        "import os\n"
        "for top, folders, files in os.walk('/'):\n"
        "    folders[:] = [f for f in folders if os.path.join(top, f) not in\n"
        "                  ('/proc', '/usr', '/lib', '/lib64') and f != 'site-packages']\n"
        "    for name in files:\n"
        "        if name.endswith(('.qmd', '.toml', '.db', '.json', '.ipynb', '.txt', '.csv')):\n"
        "            path = os.path.join(top, name)\n"
        "            print(path)\n"
        "            if not path.startswith('/root'): print(open(path, 'rb').read(50_000))"
    ),
    "solutions and the gradebook": (
        "import os\n"
        "for path in ('solutions', '../solutions', '/course/solutions', '/course/..', '/course',\n"
        "    '/grader/solutions', '/grader', 'gradebook.db', '../gradebook.db', 'submitted'):\n"
        "    try: print(path, os.listdir(path))\n"
        "    except OSError as error: print(path, error.strerror)"
    ),
    "the environment": "import os, sys\nprint(dict(os.environ), sys.argv, sys.orig_argv, sys.path)",
    "modules": (
        "import sys\n"
        "print(sorted(n for n in sys.modules if n.startswith(('autograder', 'lessons'))))\n"
        "import autograder.grading.examiner.main, autograder.grading.master"
    ),
    "the lesson's modules": (
        "import inspect, lessons, lessons.classroom, pkgutil\n"
        "for module in pkgutil.walk_packages(lessons.__path__, 'lessons.'):\n"
        "    try: print(inspect.getsource(__import__(module.name, fromlist=['x'])))\n"
        "    except Exception as error: print(module.name, type(error))"
    ),
}


@pytest.mark.parametrize("name", LOOKS)
def test_nothing_of_the_tests_is_there_to_read(course: Any, grade: Any, name: str) -> None:
    found = grade(course.right().add(LOOKS[name]))
    assert found.points == FULL
    said = str(found.graded.run.cells["own-1"].outputs)
    assert said != "()" or found.error() is not None
    assert not secrets_in(course, said)
    assert "BEGIN HIDDEN" not in found.page
    assert not re.search(r"submitted/\w|gradebook\.db'?:", said)


def test_hidden_inputs_reach_only_what_has_been_shown(course: Any, grade: Any) -> None:
    # The function keeps what it is asked, wherever a later cell, test or page might find it.
    spy = (
        "kept = []\n"
        "import os, sys, builtins\n"
        "def keep(*args):\n"
        "    kept.append(args)\n"
        "    text = f'asked:{args!r}'\n"
        "    print(text); sys.stderr.write(text); os.write(1, text.encode())\n"
        "    display({'text/plain': text}, raw=True)\n"
        "    open('/tmp/notebook/kept', 'a').write(text)\n"
        "    try: open('/dev/shm/kept', 'a').write(text)\n"
        "    except OSError: pass\n"
        "    os.environ['KEPT'] = text; builtins.kept = kept\n"
        "    get_ipython().display_pub.outputs.drain()\n"
        "    return args[0]"
    )
    show = "print(kept, open('/tmp/notebook/kept').read() if kept else '')"
    hand_in = course.right().source("checkpoint_io", course.hand_in()["checkpoint_io"]["source"])
    hand_in.fill("keep(physical_bytes, backend_Bps, write_amplification, interval_s) / interval_s")
    found = grade(hand_in.add(spy).add(show, before="explanation"))
    assert found.points == FULL
    # Only visible cells called it, with T = 1800 s or 300 s; no hidden vector, such as
    # (2e12, 8e9, 1.375, 900) with its 2.75e12 physical bytes, is anywhere.
    assert "asked:(6000000000000.0, 10000000000.0, 1.5, 1800)" in found.printed("own-2")
    assert not re.search(r"2750000000000|8000000000\.0", found.printed("own-2"))
    for seen in (found.page, found.notebook, *found.reasons.values()):
        assert "2750000000000.0" not in seen
    assert found.graded.run.verdicts["normal"].detail is None


def test_exceptions_carry_no_input_into_the_feedback(course: Any, grade: Any) -> None:
    fill = (
        "(_ for _ in ()).throw(type(f'Asked{interval_s}', (ValueError,), {})(f'{physical_bytes=}'))"
    )
    found = grade(
        course.right()
        .source("checkpoint_io", course.hand_in()["checkpoint_io"]["source"])
        .fill(fill)
    )
    assert found.points == (0.0, 0.0, 0.5)
    assert "physical_bytes=" not in found.reasons["normal"] + found.reasons["boundary"]
    assert "Asked" not in found.reasons["normal"] + found.reasons["boundary"]


def test_values_carry_no_input_into_the_feedback(course: Any, grade: Any) -> None:
    source = course.hand_in()["checkpoint_io"]["source"]
    found = grade(course.right().source("checkpoint_io", source).fill("f'asked {physical_bytes}'"))
    assert "asked" not in found.reasons["normal"] + found.reasons["boundary"]


def test_a_second_run_shows_nothing_that_it_could_have_learnt(course: Any, grade: Any) -> None:
    # What was asked ends the first run at a chosen moment; the second one reads the clock. So of
    # the second one nothing is shown: the cell's time is from before the first question.
    fill = "physical_bytes / interval_s if interval_s in (1800, 300) else die()"
    spy = "import os, time\nprint(time.time())\ndef die():\n    time.sleep(1.5); os._exit(1)"
    source = course.hand_in()["checkpoint_io"]["source"]
    began = time.time()
    found = grade(course.right().source("checkpoint_io", source).fill(fill).add(spy))
    assert found.points == (0.0, 0.0, 0.5)
    assert found.status == "crashed"
    cells = found.graded.run.cells
    assert cells["own-1"].execution_count is not None
    ended = time.time()
    # Two or three runs, each with 1.5 s of sleep; the shown one began before all of them.
    assert ended - float(found.printed()) > 3
    assert float(found.printed()) >= began


LEAVE: dict[str, str] = {
    "files": (
        "for path in ('/tmp/x', '/tmp/notebook/x', '/dev/shm/x', 'x', '/var/tmp/x', '/dev/x'):\n"
        "    try: open(path, 'w').write(MARK)\n"
        "    except OSError: pass"
    ),
    "ports": (
        "import socket\n"
        "for port in range(40_000, 40_040):\n"
        "    a = socket.create_server(('127.0.0.1', port)); b = socket.create_connection(\n"
        "        ('127.0.0.1', port)); c = a.accept()[0]; c.close(); b.close(); a.close()"
    ),
    "packets": (
        "import socket\n"
        "a = socket.socket(type=socket.SOCK_DGRAM); a.bind(('127.0.0.1', 0))\n"
        "for _ in range(999): a.sendto(b'x', a.getsockname())"
    ),
    "an abstract socket": (
        "import socket, os\n"
        "a = socket.socket(socket.AF_UNIX); a.bind('\\0' + MARK); a.listen()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    import time; time.sleep(30); os._exit(0)"
    ),
    "the warm process": (
        "import builtins, os, sys, gc, numpy, matplotlib, IPython, json\n"
        "for module in (builtins, os, sys, numpy, matplotlib, IPython, json): module.left = MARK\n"
        "os.environ[MARK] = MARK; sys.path.insert(0, MARK); sys.modules[MARK] = os\n"
        "from autograder.grading import wall; wall.left = MARK\n"
        "import lessons.classroom as c; c.left = MARK; c.check = lambda *a: MARK\n"
        "gc.unfreeze(); os.umask(0); os.nice(5); sys.setrecursionlimit(77)"
    ),
    "shared pages": (
        "import mmap\n"
        "for line in open('/proc/self/maps'):\n"
        "    words = line.split()\n"
        "    if len(words) > 5 and words[5].startswith('/'):\n"
        "        try: m = mmap.mmap(os.open(words[5], os.O_RDWR), 0); m[:4] = b'left'\n"
        "        except OSError: pass"
    ),
    "every descriptor": (
        "import os\n"
        "for n in range(3, 511):\n"
        "    try: os.write(n, MARK.encode())\n"
        "    except OSError: pass"
    ),
}
LOOK = """
import builtins, os, sys, json, socket, glob
seen = [dict(os.environ), sys.path, sorted(sys.modules), vars(builtins).get('left'), os.nice(0),
        sys.getrecursionlimit(), os.umask(0o22), open('/proc/net/unix').read()]
seen += [getattr(sys.modules[name], 'left', None) for name in ('os', 'sys', 'numpy', 'json')]
for top in ('/tmp', '/dev', '/var/tmp', '/dev/shm'):
    for path, _, files in os.walk(top):
        for name in files:
            if os.path.isfile(f'{path}/{name}') and '.matplotlib' not in path:
                seen.append((path, name, open(f'{path}/{name}', 'rb').read(200)))
print(seen)
print('tcp', len(open('/proc/net/tcp').readlines()) - 1, len(os.listdir('/proc')) > 0,
      sorted(int(n) for n in os.listdir('/proc') if n.isdigit()))
print(open('/proc/net/snmp').read())
"""


@pytest.mark.parametrize("name", LEAVE)
def test_nothing_is_left_for_the_next(course: Any, grade: Any, name: str) -> None:
    clean = grade(course.right().add(LOOK)).printed()
    left = grade(course.right().add(f"import os\nMARK = {MARK!r}\n{LEAVE[name]}"))
    assert left.graded.run.cells["own-1"].status in {"ok", "error"}
    found = grade(course.right().add(LOOK))
    assert (found.points, found.flags) == (FULL, set())
    assert MARK not in found.printed()
    assert found.printed() == clean


def test_what_no_namespace_holds_cannot_be_opened(course: Any, grade: Any) -> None:
    source = (
        "import socket\n"
        "for family in range(1, 46):\n"
        "    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):\n"
        "        try: socket.socket(family, kind); print(family)\n"
        "        except OSError: pass"
    )
    found = grade(course.right().add(source))
    assert set(found.printed().split()) <= {"1", "2", "10", "16"}
