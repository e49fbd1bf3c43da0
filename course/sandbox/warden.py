"""One process for one submission: it forks a child for each job, and is a fork of `forkserver`.

It reads a job a line and answers with a line. A child that crashes or takes too long is followed
by another one, which goes on at the next case. A room for the course's own solutions gets jobs of
another kind, and no learner's.
"""

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from course.sandbox import absent, caches, child, isolate, texts, uncaught, watch
from course.sandbox.attempt import MOST, Attempt
from course.sandbox.guard import Guard, copied, nameless
from course.trying import banned, cases, lines
from minigrad import gpu

NEEDED = (  # by the set-up cells of the lessons; a child need not import them again
    "course.attempt", "course.bytes_along", "course.chains", "course.code_of", "course.data",
    "course.exam", "course.grade", "course.job", "course.kept_graphs", "course.lesson",
    "course.on_torch", "course.pictures", "course.pictures.pool", "course.predict",
    "course.stored_twin", "course.tiny_gpu", "course.training_step", "course.transformer",
    "course.twins_on_digits", "encodings.cp437", "minigrad.gpu.card",
    "whoholds.on_minigrad", "whoholds.step",
)  # fmt: skip
OFTEN = (  # by learners alone
    "asyncio", "doctest", "decimal", "fractions", "calendar", "timeit", "gzip", "matplotlib.pyplot",
    "numpy.testing",
)  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]


class Job:
    """All cases of an exercise, with as many children as that takes.

    If the engine is to be "idle" while the cells run, only the case for pencil and paper. If some
    are named as "witnessed", it is told of these alone what their run did.
    """

    def __init__(self, job, limits, home, guard):
        self.job, self.limits, self.home, self.guard = job, limits, home, guard
        names = [case.name for case in cases.of(job["exercise"])]
        by_hand = [name for name in names if name == cases.BY_HAND]
        # First, so that no other case's engine can fill a table for it.
        self.names = by_hand if job.get("idle") else list(dict.fromkeys(by_hand + names))
        self.outcomes: dict[str, dict] = {}
        self.notes: list[str] = []
        self.flags: list[str] = []
        self.made = False
        self.output, self.printed = b"", 0

    def run(self):
        """The reply."""
        strikes = 0
        while len(self.outcomes) < len(self.names):
            if strikes == self.limits.strikes:
                self._give_up(f"{strikes} cases before this one crashed or took too long")
                break
            strikes += self._attempt()
        empty(self.home)
        return self._reply()

    def _attempt(self):
        """Whether a child had to be stopped."""
        todo = [name for name in self.names if name not in self.outcomes]
        empty(self.home)
        attempt = Attempt(self.job, todo, self.limits, self.guard)
        folder = os.path.join(self.home, "work")
        os.mkdir(folder)
        os.chdir(folder)
        try:
            attempt.run()
        finally:
            os.chdir("/")
        self._take(attempt)
        if attempt.stopped:
            self._stopped(attempt)
        return bool(attempt.stopped)

    def _take(self, attempt):
        self.outcomes |= attempt.outcomes
        self.notes += [note for note in attempt.notes if note not in self.notes]
        self.flags += [flag for flag in attempt.flags if flag not in self.flags]
        self.made = self.made or attempt.made
        self.output = (self.output + attempt.output)[: self.limits.output]
        self.printed += attempt.printed

    def _stopped(self, attempt):
        """Say what became of the cell or case at which a child broke off."""
        why = attempt.stopped.get("ended") or f"it took longer than {self.limits.seconds:g} s"
        if attempt.in_cells:
            self.notes.append(f"{attempt.name}: {why}")
            self._give_up(f"{attempt.name} has to run first, but {why}")
        self.outcomes.setdefault(attempt.name, attempt.stopped)

    def _give_up(self, why):
        for name in self.names:
            self.outcomes.setdefault(name, {"untried": why})

    def _reply(self):
        if self.printed > self.limits.output:
            kept, size = self.limits.output // 1000, self.printed // 1000
            self.notes.append(f"it printed {size} kB; the first {kept} kB are kept")
        return {
            "outcomes": {name: self.outcomes[name] for name in self.names},
            "notes": self.notes[:MOST],
            "flags": self.flags[:MOST],
            "made": self.made,
            "output": self.output.decode("utf-8", "replace"),
        }


class Solutions:
    """All cases of many exercises, on the course's own solutions, in one child."""

    def __init__(self, job, limits):
        self.job, self.limits = job, limits
        self.names = [c.name for part in job["solutions"] for c in cases.of(part["exercise"])]

    def run(self):
        """The reply; {} for outcomes where the child did not come to its end."""
        (results, theirs), nowhere = os.pipe(), os.open(os.devnull, os.O_WRONLY)
        pid = os.fork()
        if not pid:
            child.solve(self.job, theirs, nowhere, self.limits)
        os.close(theirs)
        os.close(nowhere)
        with os.fdopen(results, "rb") as pipe:
            text = pipe.read()
        whole = os.waitpid(pid, 0)[1] == 0
        return {"outcomes": json.loads(text) if whole else {}}


def empty(folder):
    """Remove all that is in the folder, however deep, whatever its permissions."""
    try:
        os.rmdir(os.path.join(folder, "work"))
    except OSError:
        pass
    entries = [os.path.join(folder, name) for name in os.listdir(folder)]
    if entries:
        own = [path for path in entries if not os.path.islink(path)]  # chmod would follow it
        for tool in (["chmod", "-R", "u+rwX", "--", *own], ["rm", "-rf", "--", *entries]):
            subprocess.run(tool, stderr=subprocess.DEVNULL, check=False)


def prepare():
    """Import, once for all wardens, what their jobs need, and set what holds for each."""
    for name in (*NEEDED, *OFTEN):
        import_module(name)
    if find_spec("cupy"):  # whose driver does not outlive a fork
        os.environ["MINIGRAD_BACKEND"] = "numpy"
    gpu.real()  # decides whether there is a card, before a learner can put a cupy there
    cases.exercises()
    absent.put()
    caches.fill()
    copied.known()
    texts.hide_numbers()
    uncaught.print_without_lines()
    banned.know()
    nameless.hide()
    lines.know_modules(True)  # else each child would, and copy the memory of all modules for it
    sys.dont_write_bytecode = True  # from here on nothing is written for the sake of others
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ.pop("PYTHONPYCACHEPREFIX", None)


def main(settings):
    """Serve the jobs that come on standard input, until it ends."""
    watch.prctl(watch.SUBREAPER, 1)
    for path in settings["load"]:
        cases.load(path)
    if settings["load"]:
        nameless.hide([Path(path).stem for path in settings["load"]])
        lines.know_modules(True)
        banned.know()
    home = settings["home"]
    if settings["isolate"]:
        isolate.enter(home, settings["hide"])
        home = isolate.HOME
    os.environ |= {"HOME": home, "TMPDIR": home}
    tempfile.tempdir = None  # found anew
    limits, guard = watch.Limits(**settings["limits"]), Guard(ROOT)
    gc.collect()
    gc.freeze()  # a child's own collections then look at its own objects, and copy no memory
    watch.prctl(watch.DUMPABLE, 0)  # no learner's process may look into this one
    try:
        _serve(
            lambda job: (
                Solutions(job, limits) if "solutions" in job else Job(job, limits, home, guard)
            )
        )
    finally:  # a grader that was killed cannot do it
        shutil.rmtree(home, ignore_errors=True)


def _serve(make):
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        _say(answers, {"ready": True})
        for line in _lines(0):
            job = make(json.loads(line))
            _say(answers, {"cases": job.names})  # then the grader knows them, whatever happens
            _say(answers, job.run())


def _lines(pipe):
    """Line after line, nothing read ahead: during a job the pipe tells if the grader ended."""
    rest = b""
    while data := os.read(pipe, 1 << 16):
        *whole, rest = (rest + data).split(b"\n")
        yield from whole


def _say(answers, reply):
    text = json.dumps(reply, ensure_ascii=False)  # then no half of a surrogate pair gets through
    answers.write(text.encode("utf-8", "replace") + b"\n")
    answers.flush()
