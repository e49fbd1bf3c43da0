"""Fifty ways to hand in something else than work, and what each is worth all the same.

Each spoils the first exercise of lesson 01 of a learner whose other work is right, or the files.
"""

import json

from classroom_made import (
    HALF,
    LESSONS,
    SOLVED,
    STUB,
    cell,
    file_name,
    hand_in,
    ids,
    notebook,
    solved,
)

FIRST = ids("01")[0]
HEAD = "def {id}(layers, size):\n"
LOST = 4  # points of an exercise
LESSON = 4 * len(ids("01"))

# What stands in the cell of the first exercise; it is worth nothing.
WORTHLESS = {
    "empty": "",
    "pass": HEAD + "    pass",
    "syntax": HEAD + "    return (",
    "exit": HEAD + "    import sys\n    sys.exit(0)",
    "quit": HEAD + "    raise SystemExit('bye')",
    "os_exit": HEAD + "    import os\n    os._exit(0)",
    "os_exit_top": "import os\nos._exit(0)\n" + HEAD + "    return 1",
    "segfault": HEAD + "    import ctypes\n    ctypes.string_at(0)",
    "killed": HEAD + "    import os\n    os.kill(os.getpid(), 9)",
    "kill_group": HEAD + "    import os\n    os.killpg(0, 9)",
    "interrupt": HEAD + "    raise KeyboardInterrupt",
    "base": HEAD + "    raise BaseException('no')",
    "recursion": HEAD + "    return {id}(layers, size)",
    "loop": HEAD + "    while True:\n        pass",
    "loop_deaf": HEAD
    + "    import signal\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
    + "    while True:\n        pass",
    "loop_except": HEAD
    + "    while True:\n        try:\n            while True: pass\n"
    + "        except BaseException:\n            pass",
    "memory": HEAD + "    return len(bytearray(10 << 30))",
    "leak": HEAD + "    kept = []\n    while True:\n        kept.append(bytearray(1 << 24))",
    "forks": HEAD + "    import os, time\n    while os.fork():\n        pass\n    time.sleep(60)",
    "lying": "class Same:\n    def __eq__(self, other):\n        return True\n"
    + HEAD
    + "    return Same()",
    "lying_int": "class Same(int):\n    def __eq__(self, other):\n        return True\n"
    + "    __hash__ = int.__hash__\n"
    + HEAD
    + "    return Same(1)",
    "huge": HEAD + "    return 'x' * 50_000_000",
    "deep": HEAD + "    x = []\n    for _ in range(100_000):\n        x = [x]\n    return x",
    "cyclic": HEAD + "    x = []\n    x.append(x)\n    return x",
    "nan": HEAD + "    return float('nan')",
    "not_a_function": "{id} = 3",
    "a_lambda_that_raises": "{id} = lambda *a: 1 / 0",
    "judge_patched": "import course.trying.judge as judge\n"
    + "judge._right = lambda *a: True\n"
    + HEAD
    + "    return 1",
    "plain_patched": "from course.trying import plain\nplain.same = lambda *a: True\n"
    + HEAD
    + "    return 1",
    "frames": HEAD
    + "    import sys\n    frame = sys._getframe()\n    found = 0\n    while frame:\n"
    + "        found = frame.f_locals.get('want', found)\n        frame = frame.f_back\n"
    + "    return found",
    "pipe": HEAD
    + "    import os\n    for fd in range(3, 64):\n        try:\n"
    + "            os.write(fd, b'{\"outcome\": {\"value\": 1}}\\n')\n"
    + "        except OSError:\n            pass\n    return 1",
    "closed": HEAD + "    import os\n    os.closerange(0, 64)\n    return 1",
    "formula": HEAD + "    raise ValueError('=HYPERLINK(\"http://x\")')",
    "html": HEAD + "    raise ValueError('<script>alert(1)</script>')",
    "surrogate": HEAD + "    return '\\ud800'",
}  # fmt: skip
# What looks odd and is right all the same.
ALL_POINTS = {
    "magics": "%matplotlib inline\n!ls\n" + SOLVED,
    "warns": "import warnings\nwarnings.warn('careful')\n" + SOLVED,
    "prints": SOLVED.replace("    x = ", "    print('x' * 2_000_000)\n    x = ", 1),
    "chdir": "import os\nos.chdir('/')\n" + SOLVED,
    "thread": "import threading, time\n"
    + "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    + SOLVED,
    "daemon": "import subprocess\nsubprocess.Popen(['sleep', '60'], start_new_session=True)\n"
    + SOLVED,
    "deletes": "import glob, os\nfor f in glob.glob('*'):\n    os.unlink(f)\n" + SOLVED,
}


def write_hostile(folder, count=50):
    """{learner: points they must get}; each learner is a folder in `folder`."""
    points = {}
    for number, (name, spoil, lost) in enumerate(_all()[:count]):
        learner = f"hostile_{number:02d}_{name}"
        hand_in(folder / learner, everything())
        spoil(folder / learner)
        points[learner] = LESSON * len(LESSONS) - lost
    return points


def everything():
    return {id: source for lesson in LESSONS for id, source in solved(lesson).items()}


def _all():
    """[(name, what spoils a learner's folder, points lost)]."""
    found = [(name, _answer(source), LOST) for name, source in WORTHLESS.items()]
    found += [(name, _answer(source), 0) for name, source in ALL_POINTS.items()]
    whole = LESSON
    return found + [
        ("half", _answer(HALF), LOST - 1),
        ("stub", _answer(STUB), LOST),
        ("twice", _with(cell(HALF.replace("{id}", FIRST), FIRST, "answer")), LOST - 1),
        ("no_marks", _stripped, 0),
        ("truncated", _bytes(lambda data: data[: len(data) // 2]), whole),
        ("empty_file", _bytes(lambda data: b""), whole),
        ("conflict", _bytes(lambda data: b"<<<<<<< HEAD\n" + data), whole),
        ("bom", _bytes(lambda data: b"\xef\xbb\xbf" + data), 0),
        ("binary", _bytes(lambda data: bytes(range(256)) * 99), whole),
        ("renamed", _renamed, 0),
        ("gone", _gone, whole),
        ("nested", _bytes(lambda data: b"[" * 200_000), whole),
    ]


def _answer(source):
    def spoil(folder):
        data = notebook("01", everything() | {FIRST: source})
        (folder / file_name("01")).write_text(json.dumps(data), "utf-8")

    return spoil


def _with(extra):
    def spoil(folder):
        data = notebook("01", everything())
        data["cells"].append(extra)
        (folder / file_name("01")).write_text(json.dumps(data), "utf-8")

    return spoil


def _bytes(change):
    def spoil(folder):
        file = folder / file_name("01")
        file.write_bytes(change(file.read_bytes()))

    return spoil


def _stripped(folder):
    data = notebook("01", everything())
    data["cells"] = [one | {"metadata": {}} for one in data["cells"]]
    (folder / file_name("01")).write_text(json.dumps(data), "utf-8")


def _renamed(folder):
    (folder / file_name("01")).rename(folder / "homework_final(2).ipynb")


def _gone(folder):
    (folder / file_name("01")).unlink()
