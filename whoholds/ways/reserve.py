"""A copy of this process from before a program ran: in copies of it, ways out are tried.

The copies have the names and the random numbers of that moment. What a program does to files or
to other machines, it does again with each trial.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import signal
import sys
import threading
import warnings

SECONDS = 60  # for each trial
SLOW = {"error": f"not done after {SECONDS} s", "slow": True}
DIED = {"error": "the process that tried it ended without an answer"}


def possible() -> str:
    """Why a program cannot be tried here, "" if it can."""
    if not hasattr(os, "fork"):
        return "this system cannot copy a process"
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if (cuda is not None and cuda.is_initialized()) or "cupy" in sys.modules:
        return "a process that has used a GPU cannot be copied"
    return ""


class Reserve:
    """A waiting copy; `trial(text)` has `look(text)` called in a copy of the copy.

    `look` gives plain data. Close it, or leave its `with` block, when no more is asked.
    """

    def __init__(self, look):
        ours, theirs = _two_ways()
        self.owner, self.asked = os.getpid(), ours
        self.child = _forked()
        if self.child == 0:
            try:
                os.setpgid(0, 0)  # a Ctrl-C is for the owner, and all copies end at once
                _close(ours)
                _silent()
                _alone()
                _wait(theirs, look)
            finally:
                os._exit(0)
        _close(theirs)
        with contextlib.suppress(OSError):  # it has done so itself
            os.setpgid(self.child, self.child)

    def trial(self, text: str) -> dict:
        """What `look(text)` gave; with "error" where it came to no end, or not in time."""
        read, write = self.asked
        _send(write, text)
        return _receive(read) or dict(DIED)

    def close(self) -> None:
        """End the copies; a second time does nothing."""
        if self.asked and os.getpid() == self.owner:
            _close(self.asked)
            os.killpg(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
        self.asked = ()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _two_ways():
    """Both ends of a talk: (what is read from, what is written to) for each side."""
    down, up = os.pipe(), os.pipe()
    return (up[0], down[1]), (down[0], up[1])


def _close(ends):
    for end in ends:
        os.close(end)


def _forked() -> int:
    with warnings.catch_warnings():
        # Python warns of a copy of a process with threads. Only this thread goes on in the copy,
        # and it uses no lock of theirs.
        warnings.simplefilter("ignore", DeprecationWarning)
        sys.stdout.flush()
        sys.stderr.flush()
        return os.fork()


def _send(end, message) -> None:
    data = json.dumps(message).encode()
    os.write(end, len(data).to_bytes(8, "big"))
    while data:
        data = data[os.write(end, data) :]


def _receive(end):
    """The next message; None when the other side is gone."""
    size = _read(end, 8)
    return json.loads(_read(end, int.from_bytes(size, "big"))) if size else None


def _read(end, size) -> bytes:
    found = b""
    while len(found) < size:
        part = os.read(end, size - len(found))
        if not part:
            return b""
        found += part
    return found


# -- in the copy --


def _wait(ends, look) -> None:
    """Try one text after the other, until nobody asks."""
    read, write = ends
    while (text := _receive(read)) is not None:
        _send(write, _tried(look, text))


def _alone() -> None:
    """PyTorch's threads are not copied, so it must not wait for them."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)


def _tried(look, text) -> dict:
    read, write = os.pipe()
    child = _forked()
    if child == 0:
        os.close(read)
        _answer(write, look, text)
    os.close(write)
    killer = threading.Timer(SECONDS, os.kill, (child, signal.SIGKILL))
    killer.start()
    answer = _receive(read)
    slow = not killer.is_alive()
    killer.cancel()
    killer.join()
    os.close(read)
    os.waitpid(child, 0)
    return answer or dict(SLOW if slow else DIED)


def _answer(end, look, text) -> None:
    """Say what `look(text)` gives, and what was printed meanwhile; nothing else of it stays."""
    printed = _silent()
    gc.disable()  # what only a cycle holds is left: it would go at a moment that nobody chose
    try:
        _send(end, {**look(text), "printed": printed.getvalue()})
    except BaseException as error:
        _send(end, {"error": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(0)


def _silent() -> io.StringIO:
    """What is printed from here on; it reaches nobody else."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in 0, 1, 2:
        os.dup2(nothing, stream)
    printed = io.StringIO()
    sys.stdout, sys.stderr = printed, io.StringIO()
    return printed
