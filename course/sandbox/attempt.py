"""One child, followed to its end: what it sends is checked, how long and how large it is watched.

The warden's side of `child.py`.
"""

import json
import os
import select
import signal
import time

from course.sandbox import child, watch
from course.sandbox.report import Report
from course.trying import alike, calls
from course.trying.stopwatch import Stopwatch

TICK = 0.02  # seconds between two looks at memory and processes
GRACE = 0.5  # the child stops a case by itself first, and can then say more
MOST = 40  # notes, and flags, of a job
MOST_SENT = 20  # times the longest line
GARBLED = "it wrote where only the grader writes; this case does not count"


class Attempt:
    """The job's cells, then the cases `todo`; `stopped` is the outcome at which it broke off."""

    def __init__(self, job, todo, limits, guard):
        self.job, self.todo, self.limits = job, todo, limits
        self._guard = guard
        self.steps = [cell["name"] for cell in job["cells"]] + todo
        self.at = -1
        self.outcomes: dict[str, dict] = {}
        self.notes: list[str] = []
        self.flags: list[str] = []
        self.made = False  # whether the cells made tensors
        self.output, self.printed = b"", 0
        self.done, self.stopped = False, None
        self._rest, self._sent = b"", 0
        self._all = self._this = self._stopwatch()

    @property
    def in_cells(self):
        return self.at < len(self.job["cells"])

    @property
    def name(self):
        """Of the cell or case that it is at."""
        return self.steps[max(self.at, 0)]

    def run(self):
        """Fork, follow the child, and leave no process of its behind."""
        self._report, (printed, output) = Report(), os.pipe()
        base, pid = max(self.limits.begins, watch.resident(os.getpid())), os.fork()
        if not pid:
            child.work(self.job, self.todo, self._report, output, self.limits, self._guard)
        self._report.listen()
        os.close(output)
        os.set_blocking(printed, False)
        try:
            self._follow(pid, printed, base)
        finally:
            if not watch.end_all(pid):
                self.notes.append("some of its processes could not be ended")
            self._print(printed, 100)
            self._hear_all()  # of flags told as it ended
            self._report.close()
            os.close(printed)

    def _follow(self, pid, printed, base):
        bell = self._report.bell
        look, pipes = time.monotonic() + TICK, [0, bell, printed]
        while not (self.done or self.stopped):
            ready = select.select(pipes, [], [], TICK)[0]
            if 0 in ready:
                raise SystemExit  # a grader sends nothing meanwhile: it has ended
            if printed in ready and not self._print(printed):
                pipes.remove(printed)
            if bell in ready and _take(bell) == b"":
                pipes.remove(bell)  # it has ended, or closed what it does not know
                look = 0.0
            self._hear_all()
            if time.monotonic() > look and not (self.done or self.stopped):
                self._look(pid, base)
                look = time.monotonic() + TICK

    def _stopwatch(self):
        """Of all that runs below the warden."""
        return Stopwatch(lambda: watch.worked(watch.below(os.getpid())), self.limits.patience)

    def _look(self, pid, base):
        """Is it too large, too slow, or gone?"""
        there = watch.below(os.getpid())
        if len(there) > 1:
            self._flag("starts a process")
        sentence = watch.excess(there, self.limits, base)
        status = watch.status(pid)
        if status is not None:
            self._hear_all()
            self.stopped = self.stopped or (None if self.done else {"ended": _ending(status)})
        elif sentence:
            self.stopped = {"ended": sentence}
        else:
            self.stopped = self._overdue()

    def _overdue(self):
        if self.in_cells and self._all.seconds() > self.limits.cells:  # they may be thousands
            return {"ended": f"all cells together took longer than {self.limits.cells:g} s"}
        if self._this.seconds() > self.limits.seconds + GRACE:
            return {"slow": self.limits.seconds}
        return None

    def _print(self, printed, times=1):
        """Take what was printed and keep the beginning; False at the end of the pipe."""
        for _ in range(times):
            data = _take(printed)
            if not data:
                return data is None
            self.printed += len(data)
            self.output += data[: self.limits.output - len(self.output)]
        return True

    def _hear_all(self):
        """Take what the child has told since the last time."""
        data, too_much = self._report.take()
        self._sent += len(data)
        *whole, self._rest = (self._rest + data).split(b"\n")
        longest = max(len(self._rest), *map(len, [b"", *whole]), self._sent // MOST_SENT)
        if too_much or longest > self.limits.line:
            too_long = f"it sent back more than {self.limits.line >> 10} KiB"
            self.stopped = self.stopped or {"ended": too_long}
        for line in whole:
            self._hear(line)

    def _flag(self, text):
        if not any(text in flag for flag in self.flags):
            _add(self.flags, text)

    def _hear(self, line):
        try:
            ((kind, value),) = json.loads(line).items()
            if kind in ("flag", "note") or not (self.stopped or self.done):
                _HEARD[kind](self, value)
        except Exception:  # whatever is wrong with it: nobody but a learner's code writes such
            self.outcomes.pop(self.name, None)
            self.stopped = {"ended": GARBLED}

    def _step(self, number):
        _demand(number == self.at + 1 and number < len(self.steps))
        self.at, self._this = number, self._stopwatch()

    def _outcome(self, outcome):
        _demand(not self.in_cells and self.name not in self.outcomes)
        self.outcomes[self.name] = shaped(outcome)
        if "slow" in outcome:
            self.stopped = outcome  # its process is in no state to go on

    def _made(self, value):
        self.made = True

    def _done(self, value):
        _demand(len(self.outcomes) == len(self.todo))
        self.done = True


_HEARD = {
    "step": Attempt._step,
    "outcome": Attempt._outcome,
    "done": Attempt._done,
    "made": Attempt._made,
    "note": lambda attempt, text: _add(attempt.notes, text),
    "flag": lambda attempt, text: _add(attempt.flags, text),
}
KINDS = {"value": object, "error": str, "missing": bool, "slow": int | float}
TEXTS = "error", "text", "code", "when", "lacking", "where"


def _add(texts, text):
    """A few are enough for a person, and a million would take the warden hours to compare."""
    if len(texts) < MOST:
        texts.append(str(text)[:400])


def shaped(outcome):
    """What belongs to an outcome, and nothing else; raises ValueError if it is none."""
    more = outcome.get("more", [])
    _demand(isinstance(more, list) and len(more) < MOST)
    found = [_shaped(one) for one in more]
    return _shaped(outcome) | ({"more": found} if found else {})


def _shaped(outcome):
    """The same of one draw."""
    kind = next((kind for kind in KINDS if kind in outcome), None)
    _demand(kind is not None and isinstance(outcome[kind], KINDS[kind]))
    keys = kind, *TEXTS[1:], "line", "curve", "sizes", "alive", "asked", "did"
    kept = {key: outcome[key] for key in keys if key in outcome}
    _demand(isinstance(kept.get("line"), int | None))
    _demand(isinstance(kept.get("curve", []), list))
    _demand("did" not in kept or alike.is_told(kept["did"]))
    _demand(calls.is_asked(kept.get("asked", {})) and _is_alive(kept.get("alive", [])))
    texts = {key: kept[key] for key in TEXTS if key in kept}
    _demand(all(isinstance(text, str) for text in texts.values()))
    return kept | {key: text[:400] for key, text in texts.items()}


def _is_alive(rows):
    kinds = int | None, str, int, int
    return isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == 4 and all(map(isinstance, row, kinds)) for row in rows
    )


def _demand(true):
    if not true:
        raise ValueError


def _take(pipe):
    """Some bytes; b"" at the end of the pipe, None when it is empty for now."""
    try:
        return os.read(pipe, 1 << 16)
    except BlockingIOError:
        return None


def _ending(status):
    if not os.WIFSIGNALED(status):
        return f"the program ended itself (exit status {os.WEXITSTATUS(status)})"
    number = os.WTERMSIG(status)
    known = number in {known.value for known in signal.Signals}
    return f"the program was ended by signal {signal.Signals(number).name if known else number}"
