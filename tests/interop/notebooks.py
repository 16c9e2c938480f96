"""Notebooks of all kinds, as lists of code cells: name -> cells."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "last expression": ["1 + 1", "_ + 1", "Out[1], In[1], _1, __"],
    "semicolon and None": ["3;", "None", "x = 5\nx"],
    "print": ["print('a', end='')\nprint('b')\nprint('c', flush=True)"],
    "stdout and stderr": [
        "import sys\nprint('o1')\nprint('e1', file=sys.stderr)\nprint('o2')\nsys.stderr.write('e2')"
    ],
    "write and flush": ["import sys\nsys.stdout.write('no newline')\nsys.stdout.flush()\n7"],
    "carriage return": ["for n in range(3):\n    print(f'\\r{n}', end='')"],
    "unicode": ["print('写出时间 600 s ✓')\n'λ' * 3"],
    "long list": ["list(range(2000))"],
    "long string": ["'x' * 500"],
    "dict and set": ["{'b': 1, 'a': {2, 3}}", "{(1, 2): [3, 4]}"],
    "pretty class": [
        "class P:\n    def _repr_pretty_(self, p, cycle):\n        p.text('pretty!')\nP()"
    ],
    "html": ["class H:\n    def _repr_html_(self):\n        return '<b>h</b>'\nH()"],
    "markdown and latex": [
        "from IPython.display import HTML, Latex, Markdown, display\n"
        "display(Markdown('**m**'), Latex('$x$'), HTML('<i>h</i>'))"
    ],
    "json and svg": [
        "from IPython.display import JSON, SVG, display\n"
        "display(JSON({'a': 1}))\ndisplay(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>'))"
    ],
    "mimebundle": [
        "class M:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n"
        "        return {'text/plain': 'p', 'application/x-own': 'o'}\nM()"
    ],
    "display metadata": [
        "from IPython.display import display\n"
        "display({'text/plain': 'p'}, metadata={'k': 1}, raw=True)"
    ],
    "display update": [
        "from IPython.display import display\nh = display('first', display_id=True)\n"
        "h.update('second')\nprint('done')"
    ],
    "update from a later cell": [
        "from IPython.display import display\nh = display('first', display_id='later')",
        "h.update('second')",
    ],
    "clear_output": [
        "from IPython.display import clear_output\nprint('gone')\nclear_output()\nprint('stays')"
    ],
    "clear_output(wait)": [
        "from IPython.display import clear_output\n"
        "for n in range(3):\n    clear_output(wait=True)\n    print(n)"
    ],
    "traceback": ["def f(x):\n    return 1 / x\nf(0)"],
    "chained error": [
        "try:\n    {}['k']\nexcept KeyError as error:\n    raise ValueError('bad') from error"
    ],
    "syntax error": ["x = = 1"],
    "indentation error": ["if True:\nprint(1)"],
    "name error then on": ["undefined", "print('still runs')"],
    "assertion": ["assert 1 == 2, 'one is not two'"],
    "own exception": ["class Mine(Exception):\n    pass\nraise Mine('说明')"],
    "system exit": ["import sys\nsys.exit(2)", "1"],
    "keyboard interrupt": ["raise KeyboardInterrupt"],
    "recursion": ["def f(): return f()\ntry:\n    f()\nexcept RecursionError as e:\n    print(e)"],
    "warning": ["import warnings\nwarnings.warn('careful')\nprint('after')"],
    "input": ["input('name? ')"],
    "getpass": ["import getpass\ngetpass.getpass()"],
    "top-level await": [
        "import asyncio\nawait asyncio.sleep(0)\nprint('awaited')",
        "await asyncio.sleep(0, 5)",
    ],
    "async for": [
        "async def g():\n    for n in range(3):\n        yield n\nasync for n in g():\n    print(n)"
    ],
    "running loop": ["import asyncio\ntype(asyncio.get_event_loop()).__mro__[-1]"],
    "asyncio.run": ["import asyncio\nasync def f():\n    return 1\nasyncio.run(f())"],
    "line magics": ["%precision 3\n3.14159265", "where = %pwd\nwhere == __import__('os').getcwd()"],
    "cell magics": ["%%capture out\nprint('caught')", "out.stdout"],
    "writefile": ["%%writefile note.txt\nhello", "open('note.txt').read()"],
    "shell": ["!echo shell", "files = !echo a; echo b\nfiles", "_exit_code"],
    "bash": ["%%bash\necho one\necho two >&2"],
    "env magic": ["%env OWN_NAME=5", "import os\nos.environ['OWN_NAME']"],
    "unknown magic": ["%no_such_magic", "%%no_such_cell_magic\n1"],
    "help": ["def f(x):\n    'Says x.'\nf?"],
    "who": ["a = 1\n%who_ls"],
    "timeit quiet": ["%%time\npass"],
    "matplotlib inline": [
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2], [3, 4])\nplt.show()"
    ],
    "figure as value": [
        "from matplotlib.figure import Figure\nf = Figure(figsize=(1, 1))\nf.subplots()\nf"
    ],
    "axes as value": ["import matplotlib.pyplot as plt\nplt.plot([1])"],
    "figure at the end": [
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(figsize=(1, 1))"
    ],
    "numpy": ["import numpy as np\nnp.arange(6).reshape(2, 3)", "np.float64(2) / 3"],
    "numpy warning": ["import numpy as np\nnp.array([1.0]) / 0"],
    "random seeded": ["import random\nrandom.seed(4)\nrandom.random()"],
    "widget": [
        "import ipywidgets as w\ns = w.IntSlider(value=3)\ns",
        "s.value = 5\ns.value",
    ],
    "widget output": [
        "import ipywidgets as w\nfrom IPython.display import display\no = w.Output()\n"
        "display(o)\nwith o:\n    print('inside')\nprint('outside')"
    ],
    "interact": [
        "from ipywidgets import interact\n@interact(x=(0, 5))\ndef f(x=2):\n    print('x', x)"
    ],
    "subprocess": [
        "import subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', 'print(\"child\")'])\nprint('parent')"
    ],
    "os.write": ["import os\nos.write(1, b'raw\\n')\nprint('after')"],
    "logging": ["import logging\nlogging.warning('logged')"],
    "threads": [
        "import threading\nt = threading.Thread(target=print, args=('from a thread',))\n"
        "t.start()\nt.join()"
    ],
    "generator": ["def g():\n    yield 1\nnext(g())", "sum(n for n in range(4))"],
    "names": ["__name__", "__builtins__.len([1])"],
    "dataclass": ["from dataclasses import dataclass\n@dataclass\nclass D:\n    x: int\nD(1)"],
    "empty": ["", "# only a comment", "'end'"],
    "exit": ["exit", "'after exit'"],
    "get_ipython": ["get_ipython().run_cell('2 + 2').result", "get_ipython().execution_count"],
    "inspect source": ["def f():\n    return 41\nimport inspect\nprint(inspect.getsource(f))"],
    "sys.stdout": ["import sys\nsys.stdout.isatty(), sys.stdout.encoding, sys.stdin.isatty()"],
}
