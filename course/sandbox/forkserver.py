"""The process that the wardens of a grader are forked from: importing everything takes a second.

It takes requests from the socket that is its standard input. {"warden": settings} comes with four
descriptors: the warden's standard input, output and errors, and one that stays open as long as it
lives; the reply has its process id. {"ended": id} waits for the end of that one, and ends whatever
it left behind: that falls to this process. Each reply has the number of its request. This process
ends with its grader, and the wardens end with theirs.
"""

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import time
import traceback

from course.sandbox import child, isolate, warden, watch

LARGEST = 1 << 17  # bytes of a request
ALIVE = 3  # the descriptor that a warden holds open


def main():
    """Serve requests until the grader is gone; the first message says that this is ready."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    watch.prctl(watch.SUBREAPER, 1)
    warden.prepare()
    isolate.python()
    gc.collect()
    gc.freeze()  # the wardens' own collections then look at their own objects, and copy no memory
    begins = watch.resident(os.getpid())
    wardens: set[int] = set()
    with socket.socket(fileno=os.dup(0)) as grader:
        grader.send(b'{"number": 0}')
        while True:
            request, given, _, _ = socket.recv_fds(grader, LARGEST, ALIVE + 1)
            if not request:
                return
            asked = json.loads(request)
            watch.reap()
            reply = {"number": asked["number"]}
            if "warden" in asked:
                asked["warden"]["limits"]["begins"] = begins
                reply["pid"] = _fork(asked["warden"], given)
                wardens.add(reply["pid"])
            else:
                wardens.discard(asked["ended"])
                clear(asked["ended"], wardens)
            grader.send(json.dumps(reply).encode())


def _fork(settings, given):
    """The process id of a new warden."""
    pid = os.fork()
    if not pid:
        _become(settings, given)
    for descriptor in given:
        os.close(descriptor)
    return pid


def _become(settings, given):
    """The warden's whole life; whatever happens, it must not go on as its parent would."""
    code = 1
    try:
        os.setsid()
        for number, descriptor in enumerate(given):
            os.dup2(descriptor, number)
        os.closerange(ALIVE + 1, child.CLOSED)
        if settings["isolate"]:
            isolate.leave(ALIVE)
        warden.main(settings)
        code = 0
    except BaseException:
        with contextlib.suppress(OSError):
            traceback.print_exc(file=sys.stderr)
            sys.stderr.flush()
    finally:
        os._exit(code)


def clear(warden, wardens, patience=5):
    """Wait for the end of a warden, then end all that is below this process, but for the others.

    Its descriptors are closed before what it leaves behind falls to this process.
    """
    late = time.monotonic() + patience
    while watch.status(warden) is None and time.monotonic() < late:
        time.sleep(0.001)
    watch.end_all(but=wardens, patience=patience)
