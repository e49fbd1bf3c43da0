"""What learners' code has done to graders, and what must come of it here: a table.

Each source is one cell. `got` is searched in the outcome of the first case, as JSON; "right" stands
for all cases right. `plain` replaces it where plain mode differs.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    source: str
    got: str = "right"
    flag: str = ""
    note: str = ""
    plain: str = ""  # what plain mode gives instead
    only: str = ""  # the mode in which it is tried


GOOD = "def total(numbers):\n    return sum(numbers)\n"


def within(*lines):
    """A correct `total` that first does this."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"import os, sys, time, signal\ndef total(numbers):\n{body}    return sum(numbers)\n"


ENDLESS = {
    "loop": Attack(within("while True: pass"), '"slow": 1'),
    "loop at the top": Attack("while True: pass", "has to run first, but it took longer than 1 s"),
    "sleep": Attack(within("time.sleep(99)"), '"slow"'),
    "loop that ignores signals": Attack(
        within(
            "for s in (2, 14, 15, 27): signal.signal(s, signal.SIG_IGN)",
            "while True: pass",
        ),
        '"slow"',
    ),
    "loop that swallows everything": Attack(
        within(
            "while True:", "    try:", "        time.sleep(9)", "    except BaseException: pass"
        ),
        '"slow"',
    ),
    "loop in an exception's text": Attack(
        "class E(Exception):\n    def __str__(self):\n        while True: pass\n"
        + within("raise E"),
        '"slow"',
    ),
    "stops itself": Attack(within("os.kill(os.getpid(), signal.SIGSTOP)"), '"slow"'),
    "waits for a lock": Attack(
        within("import threading", "a = threading.Lock()", "a.acquire()", "a.acquire()"), '"slow"'
    ),
}

ENDLESS["calls"] = Attack(  # which of these it is depends on Python's version
    within("sys.setrecursionlimit(10**9)", "f = lambda: f()", "f()"),
    "SIGSEGV|RecursionError|MemoryError|SystemError|slow",
)
ENDLESS["writes into every pipe"] = Attack(
    within(
        "while True:",
        "    for n in range(3, 50):",
        "        try: os.write(n, b'x' * 60000)",
        "        except OSError: 0",
    ),
    '"slow"',
)
ENDLESS["prints"] = Attack(within("while True: print('x' * 999)"), '"slow"')

ENDED = {
    "os._exit": Attack(within("os._exit(0)"), r"ended itself \(exit status 0\)"),
    "os._exit at the top": Attack("import os\nos._exit(3)", r"has to run first.*exit status 3"),
    "segfault": Attack(within("import ctypes", "ctypes.string_at(0)"), "signal SIGSEGV", "ctypes"),
    "abort": Attack(within("os.abort()"), "signal SIGABRT"),
    "kills itself": Attack(within("os.kill(os.getpid(), 9)"), "signal SIGKILL", "sends a signal"),
    "kills its group": Attack(within("os.killpg(0, 9)"), "signal SIGKILL"),
    "execs another program": Attack(
        within("os.execv('/bin/true', ['true'])"), r"ended itself \(exit status 0\)"
    ),
    "closes every file": Attack(within("os.closerange(0, 999)")),
    "kills its parent": Attack(
        within("os.kill(os.getppid(), 9)"), "right", "sends a signal", plain="watches over it"
    ),
    "kills all that it may": Attack(within("os.kill(-1, 9)"), "No such process", only="isolate"),
}

ERRORS = {
    "sys.exit": Attack(within("sys.exit(1)"), r'"SystemExit".*"line": 3'),
    "quit() at the top": Attack(
        "x = 1\nquit()", r"SystemExit.*cell 2 line 2", note="cell 2 line 2"
    ),
    "a syntax error": Attack("def total(x:\n  pass", r'"SyntaxError".*"code": "def total\(x:"'),
    "a null byte": Attack("x = '\0'", "null bytes"),
    "nothing defined": Attack("x = 1", '"missing": true'),
    "an unwritten stub": Attack(
        "def total(x):\n    raise NotImplementedError('not written yet')", '"missing": true'
    ),
    "no function": Attack("total = 5", "not callable"),
    "an error below the answer": Attack(GOOD + "\n1 / 0", note="ZeroDivisionError.*cell 2 line 4"),
    "an exception without a text": Attack(
        "class E(BaseException):\n    def __str__(self): raise self\n" + within("raise E"),
        '"error": "E"',
    ),
    "endless recursion": Attack(within("total(numbers)"), '"RecursionError"'),
    "input()": Attack(within("input()"), '"EOFError"'),
    "reads standard input": Attack(within("assert sys.stdin.read() == ''")),
    "get_ipython": Attack("get_ipython().ast_transformers.append(1)\n" + GOOD, "AttributeError"),
    "get_ipython for code": Attack(
        "get_ipython().system.__globals__['__builtins__']['open']('x')\n" + GOOD, "KeyError"
    ),
    "get_ipython, and nothing": Attack(
        "get_ipython().run_line_magic('matplotlib', 'inline')\nassert _ == '' and not Out\n" + GOOD
    ),
    "a cell that awaits": Attack(
        "import asyncio\nasync with asyncio.Lock():\n    await asyncio.sleep(0)\n" + GOOD
    ),
    "a cell that awaits a failure": Attack(
        GOOD + "async def fail():\n    return 1 / 0\n\nawait fail()",
        note="ZeroDivisionError.*cell 2 line 4",
    ),
}

MEMORY = {
    "10 GiB": Attack(
        within("import numpy", "numpy.zeros(10 << 27)"), r"MemoryError.*Unable to allocate 10.0 GiB"
    ),
    "a leak": Attack(
        within("kept = []", "while True: kept.append(bytearray(1 << 20))"), "MemoryError"
    ),
    "a leak in many processes": Attack(
        within(
            "for _ in range(9):",
            "    if not os.fork(): kept = b'1' * (60 << 20); time.sleep(9)",
            "time.sleep(9)",
        ),
        "used more than 256 MiB of memory",
    ),
    "a large file": Attack(
        within("open('big', 'wb').write(bytes(40 << 20))"), "OSError|File too large"
    ),
    "many large files": Attack(
        within("for n in range(9): open(f'{n}', 'wb').write(bytes(15 << 20))"),
        "No space left",
        plain="right",
    ),
    "a deep folder": Attack(within("for _ in range(400): os.mkdir('d'); os.chdir('d')")),
    "a locked folder": Attack(
        within("os.makedirs(f'{time.time()}/b'); os.chmod(os.listdir()[0], 0)")
    ),
}

PROCESSES = {
    "fork bomb": Attack(within("while True: os.fork()"), "more than 20 processes", "starts a proc"),
    "40 forks": Attack(
        within("for _ in range(40):", "    if not os.fork(): time.sleep(9)", "time.sleep(9)"),
        "more than 20 processes",
    ),
    "fork at the top": Attack("import os\nos.fork()\n" + GOOD),
    "a forked child that comes back": Attack(within("os.fork()")),
    "a child that lives on": Attack(within("if not os.fork(): time.sleep(99)")),
    "a daemon": Attack(
        within(
            "if not os.fork():",
            "    os.setsid()",
            "    if os.fork(): os._exit(0)",
            "    time.sleep(99)",
        )
    ),
    "a program in a session of its own": Attack(
        within("import subprocess", "subprocess.Popen(['sleep', '99'], start_new_session=True)"),
        flag="starts a process",
    ),
    "a daemon with no environment": Attack(
        within("if not os.fork(): os.setsid(); os.execve('/bin/sleep', ['sleep', '98.7'], {})")
    ),
    "a thread that lives on": Attack(
        within("import threading", "threading.Thread(target=time.sleep, args=(99,)).start()")
    ),
    "work at exit": Attack("import atexit, time\natexit.register(time.sleep, 99)\n" + GOOD),
}

OUTPUT = {
    "20 MB in a line": Attack(within("print('a' * 20_000_000)"), note="printed 60000 kB"),
    "50 000 prints": Attack(within("for n in range(50_000): print(n)"), note="the first 20 kB"),
    "bytes that are no text": Attack(within("os.write(1, bytes(range(256)))")),
    "no standard output": Attack(
        within("if sys.stdout: os.close(1)", "sys.stdout = None", "print('lost')")
    ),
    "half a surrogate pair": Attack(within("return '\\ud800'"), r'"value": "\?"'),
    "half a pair in an error": Attack(within("raise ValueError('\\ud800')"), r'"text": "\?"'),
    "half a pair printed": Attack(within("print('\\ud800')")),
}

PIPES = {
    "garbage on every pipe": Attack(
        within(
            "for n in range(3, 50):", "    try: os.write(n, b'{{{\\n')", "    except OSError: 0"
        ),
    ),
    "deep garbage": Attack(
        within(
            "for n in range(3, 50):",
            "    try: os.write(n, b'[' * 60000 + b'\\n')",
            "    except OSError: 0",
        ),
    ),
    "outcomes of cases to come": Attack(
        within(
            'line = b\'{"outcome": {"value": 1}}\\n\' * 3 + b\'{"done": true}\\n\'',
            "for n in range(3, 50):",
            "    try: os.write(n, line)",
            "    except OSError: 0",
        ),
    ),
    "endless steps": Attack(
        within(
            "for n in range(3, 50):",
            "    try:",
            "        for k in range(99): os.write(n, b'{\"step\": %d}\\n' % k)",
            "    except OSError: 0",
        ),
    ),
    "an outcome of another shape": Attack(
        within(
            "for n in range(3, 50):",
            '    try: os.write(n, b\'{"outcome": {"error": [1], "line": {}}}\\n\')',
            "    except OSError: 0",
        ),
    ),
}

LIES = {
    "numpy patched": Attack(
        "import numpy as np\nnp.allclose = lambda *a, **k: True\ndef total(n): return -1",
        '"value": -1',
        "replaces numpy.allclose",
    ),
    "numpy patched by setattr": Attack(
        "import numpy\nsetattr(numpy, 'all' + 'close', print)\n" + GOOD,
        flag="replaces numpy.allclose",
    ),
    "a check of its own": Attack("def check(f): return 6\ndef total(n): return -1", '"value": -1'),
    "equal to everything": Attack(
        "class E:\n    def __eq__(self, other): return True\ndef total(n): return E()",
        "an E object, expected",
    ),
    "an int of another kind": Attack(
        "class I(int):\n    def __eq__(self, other): return True\ndef total(n): return I(0)",
        "an I object",
    ),
    "a list that holds itself": Attack(within("x = []; x.append(x)", "return x"), "lists in lists"),
    "a huge list": Attack(within("return [0] * 10**7"), "10000000 items"),
    "a huge integer": Attack(within("return 10 ** 5000"), "more than 30 digits"),
    "no number": Attack(within("return float('nan')"), '"float": "nan"'),
    "the caller's frame": Attack(
        within("names = sys._getframe(1).f_locals", "return names.get('wanted', -1)"),
        '"value": -1',
        "looks into a frame of the engine or the grader",
    ),
    "the engine patched": Attack(
        "import minigrad as mg\ndef total(n):\n    mg.core.storage.book = None\n    return sum(n)",
        "cannot be changed",
        "replaces minigrad.core.storage.book",
    ),
    "a method of the engine patched": Attack(
        "import minigrad as mg\nmg.Tensor.backward = lambda self: None\n" + GOOD,
        "cannot set 'backward' attribute of immutable type",
    ),
    "the grader patched": Attack(
        within("from course.trying import run", "run.run_case = lambda *a: {'value': 1}"),
        "cannot be changed",
        "replaces course.trying.run.run_case",
    ),
    "the code of the grader patched": Attack(
        within(
            "from course.trying import plain", "plain.encode.__code__ = (lambda *a: 1).__code__"
        ),
        "cannot be changed",
        "changes encode",
    ),
    "json, os and builtins patched": Attack(
        within("import json, builtins", "json.dumps = os.write = os._exit = print"),
        flag="replaces json.dumps",
    ),
    "a gentle warning": Attack(within("import warnings; warnings.warn('careful')")),
    "another folder": Attack("import os\nos.chdir('/')\n" + GOOD),
    "display()": Attack(within("display(numbers)")),
}

ALL = ENDED | ERRORS | MEMORY | PROCESSES | OUTPUT | PIPES | LIES
