"""What a job may use, and the end of all its processes: they are found in /proc, below the warden.

Linux only. Orphans fall to the warden (it asks for that), so whatever a learner's code starts stays
below it, in a session of its own or not.
"""

import ctypes
import os
import resource
import signal
import time
from dataclasses import dataclass

from course.trying.stopwatch import PATIENCE

MIB = 1 << 20
PAGE = resource.getpagesize()
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
SUBREAPER, DEATH_SIGNAL, DUMPABLE = 36, 1, 4  # options of prctl(2)


@dataclass(frozen=True)
class Limits:
    """For one job. `seconds` are those of a single cell or case; a Stopwatch counts them."""

    seconds: float = 5
    patience: float = PATIENCE
    cells: float = 20  # seconds of all cells of an exercise together
    memory: int = 1024 * MIB  # beyond what the warden itself has
    begins: int = 0  # bytes that are no learner's: of a new fork some are counted only once used
    processes: int = 20
    tasks: int | None = None  # processes and threads that the kernel allows the user
    file: int = 16 * MIB
    output: int = 20_000  # bytes kept of what is printed
    line: int = MIB  # of one outcome
    strikes: int = 2  # crashes and time-outs, then the other cases are not tried


def prctl(option, value):
    """Set an attribute of this process; one that the kernel does not know is left out."""
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def below(pid):
    """The ids of all processes under this one, dead ones too that nobody has waited for."""
    found, seen = list(children(pid)), set()
    while found:
        one = found.pop()
        if one not in seen:
            seen.add(one)
            found += children(one)
    return seen


def children(pid):
    """The ids of the processes that this one started, or that fell to it."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return
    for task in tasks:
        yield from map(int, _read(f"/proc/{pid}/task/{task}/children").split())


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:  # it has just ended, or it is another user's
        return b""


def resident(pid):
    """Bytes of memory that the process has in use."""
    words = _read(f"/proc/{pid}/statm").split()
    return int(words[1]) * PAGE if words else 0


def worked(pids):
    """Seconds of the processor that these took, and those of their own that have ended."""
    parts = [_read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[11:15] for pid in pids]
    return sum(int(ticks) for own in parts for ticks in own) / TICKS


def address_space():
    """Bytes that this process has reserved, used or not."""
    return int(_read("/proc/self/statm").split()[0]) * PAGE


def excess(pids, limits, base):
    """A sentence, once these processes are too many or too large; each began with `base`."""
    if len(pids) > limits.processes:
        return f"it started more than {limits.processes} processes and was stopped"
    if sum(max(0, resident(pid) - base) for pid in pids) > limits.memory:
        return f"it used more than {_size(limits.memory)} of memory and was stopped"
    return None


def _size(count):
    return f"{count / (1024 * MIB):g} GiB" if count >= 1024 * MIB else f"{count // MIB} MiB"


def end_all(first=None, patience=5, but=frozenset()):
    """End every process below this one, with the session of `first` at once; False if some live on.

    Those of its children that are named in `but` are left alone, and all below them. Again and
    again: what is born while it counts is found the next time.
    """
    if first:
        end(first, os.killpg)
    late = time.monotonic() + patience
    while True:
        mine = set(children(os.getpid())) - but
        pids = mine.union(*map(below, mine))
        for pid in pids:
            end(pid)
        reap()
        if not pids or time.monotonic() > late:
            return not pids
        time.sleep(0.001)


def end(pid, how=os.kill):
    try:
        how(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def status(pid):
    """How the process ended, or None while it runs."""
    try:
        ended, found = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return found if ended else None


def reap():
    """Wait for whoever has ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
