"""The learner's side: a process that runs the cells of one job, then its cases, and tells of each.

It is a fork of the warden and knows no answers. What it tells is one line of JSON after another:
{"step": n} as each cell or case begins, {"outcome": ...} of a case, {"note": ...}, {"flag": ...},
{"made": true} if the cells made tensors, and {"done": true}. Whoever reads them believes nothing.
"""

import ast
import builtins
import gc
import inspect
import json
import linecache
import os
import resource
import signal
import sys
import types
from contextlib import contextmanager, nullcontext, suppress

from course.sandbox import SETUP, caches, flags, shell, watch
from course.sandbox.quiet import Quiet
from course.trying import banned, calls, cases, lacking, lines, run, settled
from course.trying.witness import measured_calls
from minigrad.core.observer import Observer, leave
from minigrad.core.observer import watch as watch_engine

AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as a notebook does
CLOSED = 4096  # file descriptors below this are closed

_exit = os._exit  # as it is now, whatever the learner's code replaces


def work(job, todo, report, output, limits, guard):
    """Run the job's cells and the cases named `todo`, in this process; never returns."""
    try:
        tell = report.teller()
        _settle(report.descriptor, output, limits)
        _run(job, todo, tell, limits, guard)
        tell({"done": True})
        _exit(0)
    finally:
        _exit(70)


def solve(job, pipe, output, limits):
    """Run the job's solutions, the course's own, one after another; never returns.

    Nobody need be watched here, and one process for all takes half of the time.
    """
    try:
        _settle(pipe, output, limits)
        parts = job["solutions"]
        found = {part["exercise"]: _solved(part, job["seed"], limits) for part in parts}
        with os.fdopen(pipe, "w") as answers:
            answers.write(json.dumps(found))  # `dump` writes it piece by piece, in Python
        _exit(0)
    finally:
        _exit(70)


def _solved(part, seed, limits):
    """{case name: outcome} of one exercise's solution; what was measured is witnessed.

    A case that is not known to measure is run once more if it did: a witness takes a third of the
    time, and most cases have no use for it.
    """
    function, failed = _function(part, lambda message: None)
    gc.collect()
    found = {}
    for case in cases.of(part["exercise"]):
        before, witnessed = measured_calls(), case.is_cost or case.name in part["witnessed"]
        outcome = failed or _try(case, function, seed, limits, witnessed)
        if not witnessed and measured_calls() > before:
            outcome = _try(case, function, seed, limits, True)
        found[case.name] = outcome
    return found


def _settle(pipe, output, limits):
    """A session of its own, nothing open but the pipe and what it prints, and limits."""
    os.setsid()
    watch.prctl(watch.DEATH_SIGNAL, signal.SIGKILL)
    watch.prctl(watch.DUMPABLE, 1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(3, pipe)
    os.closerange(pipe + 1, CLOSED)
    streams = {"stdin": open(0, closefd=False)}
    for number, name in enumerate(("stdout", "stderr"), 1):
        streams[name] = open(number, "w", errors="backslashreplace", closefd=False)
    for name, stream in streams.items():
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    _limit(limits)


def _limit(limits):
    most = {
        resource.RLIMIT_AS: watch.address_space() + limits.memory,
        resource.RLIMIT_CPU: int(limits.seconds * 100) + 1,
        resource.RLIMIT_FSIZE: limits.file,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_NPROC: limits.tasks,
    }
    for what, limit in most.items():
        if limit is None:
            continue
        hard = resource.getrlimit(what)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(what, (limit, limit))


def _run(job, todo, tell, limits, guard):
    known = {case.name: case for case in cases.of(job["exercise"])}
    watching = Cells(tell, job.get("idle"))
    function, failed = _function(job, tell, guard, watching)
    files = [_file(cell) for cell in job["cells"] if cell["name"] != SETUP]
    for step, name in enumerate(todo, len(job["cells"])):
        tell({"step": step})
        if name != cases.BY_HAND:  # which is the first
            leave(watching)
        # All are witnessed, so that no answer can tell of which ones that is told.
        with lines.own(files):
            outcome = failed or _try(known[name], function, job["seed"], limits, True)
        _flush()
        is_asked = name in job.get("witnessed", todo)
        tell({"outcome": outcome if is_asked else _unwitnessed(outcome)})


class Cells(Observer):
    """At work from a learner's first cell on: tells if tensors are made that no call of the answer
    makes, by whatever code of the learner's, until what is worked out by hand was asked for.

    A view is a tensor, too, and so is told whoever writes or walks without making one. Refuses all
    of it if the engine is idle.
    """

    def __init__(self, tell, idle):
        self._tell, self._idle = tell, idle
        self.all = False  # whether whatever is made is a cell's
        self._told = False

    def admit(self, size):
        self._refuse(self._are_theirs())

    def born(self, storage):
        self._see(self._are_theirs())

    def made(self, tensor, owns):
        self._see(self._are_theirs())

    def writing(self, tensor):
        self._see(self._are_theirs())

    def started(self, roots, keep_graph):
        self._see(self._are_theirs())

    def replayed(self, replay):
        self._see(self._are_theirs())

    def _see(self, theirs):
        """The engine has done something."""
        self._refuse(theirs)
        if theirs:
            self._told = True
            self._tell({"made": True})

    def _refuse(self, theirs):
        if self._idle and theirs:
            raise RuntimeError("no tensor is made while these cells run")

    def _are_theirs(self):
        if self._told and not self._idle:
            return False  # nobody asks any more
        return self.all or (not calls.is_at_work() and lines.anothers(3))

    @contextmanager
    def whole(self):
        """All that is made in the block is theirs."""
        self.all = True
        try:
            yield
        finally:
            self.all = False


def _watch(cells, tell, guard):
    """From here on the learner's cells are looked at; the course's own have run."""
    for flag in flags.of_cells(cells):
        tell({"flag": flag})
    guard.arm(lambda flag: tell({"flag": flag}), map(_file, cells))


def _file(cell):
    """Its name as a file, in errors."""
    return f"<{cell['name']}>"


def _function(job, tell, guard=None, watching=None):
    """(What the cells define under the exercise's name, None), or (None, why there is nothing)."""
    names, failed = _namespace(), {"missing": True}
    own = [cell for cell in job["cells"] if cell["name"] != SETUP] if guard else []
    before, quiet = settled.Settings(), Quiet(cell["source"] for cell in own)
    for step, cell in enumerate(job["cells"]):
        tell({"step": step})
        if own and cell is own[0]:
            caches.hide_lines(banned.packages(job["exercise"]))
            _watch(own, tell, guard)
            watch_engine(watching)
        with watching.whole() if cell in own else nullcontext():
            failure = _run_cell(cell, names, quiet if cell in own else None, job.get("idle"))
        if failure:
            failed = failure
            tell({"note": f"{failure['error']}: {failure['text']}"})
    if before.put_back():
        tell({"note": settled.OPEN})
    with watching.whole() if watching else nullcontext():
        gc.collect()  # what the cells left dies before the cases, and within none
    found = [one for name, one in names.items() if type(name) is str and name == job["exercise"]]
    return (found[0], None) if found else (None, failed)


def _try(case, function, seed, limits, witnessed):
    try:
        return run.run_case(case, function, seed, limits.seconds, witnessed, limits.patience)
    except BaseException as error:  # whose own text is an error, or that hit the grader's code
        return _wordless(error)


def _unwitnessed(outcome):
    """The same without what its runs did."""
    found = {key: value for key, value in outcome.items() if key != "did"}
    return found | ({"more": [*map(_unwitnessed, found["more"])]} if "more" in found else {})


def _wordless(error):
    return {"error": type(error).__name__[:60], "text": "", "line": None, "code": ""}


def _namespace():
    """The names of a new __main__, for the cells to run in."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    names = vars(module)
    names |= {"__builtins__": builtins} | shell.names()
    return names


def _run_cell(cell, names, quiet=None, idle=False):
    """Run it; None, or the outcome that stands for its failure. A learner's own is made `quiet`.

    If the engine is idle, each statement by itself: what is tried out beside an answer fails, and
    does not matter.
    """
    file, source = _file(cell), cell["source"]
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        with lines.own([file]):
            try:
                code = quiet.quieted(source) if quiet else source
                for part in _parts(code) if quiet and idle else [code]:
                    with suppress(Exception) if quiet and idle else nullcontext():
                        _run_code(compile(part, file, "exec", AWAIT, True), names)
            except BaseException as error:
                return _failure(error, cell["name"])
    finally:
        calls.ended()
        _flush()


def _run_code(code, names):
    """Run it, in a loop of its own if it awaits something."""
    if not code.co_flags & inspect.CO_COROUTINE:
        exec(code, names)
        return
    import asyncio  # which few need

    asyncio.run(eval(code, names))  # a coroutine of theirs: nothing of ours is in it


def _parts(code):
    """Each statement of a cell, or of its tree, to be compiled by itself."""
    tree = ast.parse(code) if isinstance(code, str) else code
    return [ast.Module([part], []) for part in tree.body]


def _failure(error, name):
    try:
        found = run.failure(error)
    except BaseException:
        found = _wordless(error)
    if "error" not in found:  # the stub's own error, at the top of a cell
        return None
    if isinstance(error, SyntaxError) and error.filename == f"<{name}>":
        found |= {"text": error.msg, "line": error.lineno, "code": (error.text or "").strip()[:80]}
    line = f" line {found['line']}" if found["line"] else ""
    found["text"] = f"{found['text']} ({name}{line})".strip()
    return found | lacking.first(f"<{name}>")


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the learner's code closed or replaced it
            pass
