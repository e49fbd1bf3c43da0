"""Work done in copies of this process, where nothing outside of a copy can be changed.

What is tried may be any function of ours: some end processes, remove files, mount. A copy refuses
that, and whatever else becomes of it ends with it.
"""

import fcntl
import json
import os
import resource
import select
import signal
import sys

AWAY = 900  # the number of a copy's pipe: small numbers are tried as arguments
MEMORY = 1 << 30  # bytes beyond what this process has
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
REFUSED = (
    "ctypes.", "fcntl.", "os.", "shutil.", "signal.", "socket.", "subprocess.", "syslog.",
    "tempfile.", "webbrowser.",
)  # fmt: skip
ALLOWED = "os.listdir", "os.scandir", "os.walk", "os.fwalk"


class Forbidden(BaseException):
    """No `except Exception` of what is tried goes on after it."""


def in_copies(items, work, seconds):
    """Yield (item, what `work` gave as JSON data, or None where its copy ended or took too long).

    One copy after another does the items in their order; each goes on where the last one broke off.
    """
    at = 0
    while at < len(items):
        pid, pipe = _start(items, work, at)
        try:
            for number, gave in _said(pipe, seconds):
                yield items[number], gave
                at = number + 1
        finally:
            os.close(pipe)
            _end(pid)
        if at < len(items):
            yield items[at], None
            at += 1


def _start(items, work, at):
    pipe, theirs = os.pipe()
    pid = os.fork()
    if pid:
        os.close(theirs)
        return pid, pipe
    write, leave = os.write, os._exit
    try:
        os.setsid()
        theirs = fcntl.fcntl(theirs, fcntl.F_DUPFD, AWAY)
        os.closerange(3, AWAY)
        _shut()
        for number in range(at, len(items)):
            data = (json.dumps([number, work(items[number])]) + "\n").encode()
            while data:
                data = data[write(theirs, data) :]
    finally:
        leave(0)


def _said(pipe, seconds):
    """The lines of a copy, until it ends or says nothing for so long."""
    rest = b""
    while select.select([pipe], [], [], seconds)[0]:
        data = os.read(pipe, 1 << 16)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        yield from map(json.loads, lines)


def _end(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:  # it has not begun, or it has ended
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _shut():
    """From now on nothing outside of this process can be changed by it."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    most = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.dont_write_bytecode = True
    sys.addaudithook(_refuse)


def _refuse(event, arguments):
    if event == "open":
        if isinstance(arguments[2], int) and arguments[2] & WRITES:
            raise Forbidden(event)
    elif event.startswith(REFUSED) and event not in ALLOWED:
        raise Forbidden(event)
