"""The process that the wardens of a grader are forked from: importing everything takes a second.

It takes requests from the socket that is its standard input. {"warden": settings} comes with three
descriptors, the warden's standard input, output and errors; the reply is its process id, with a
descriptor that tells its end. {"clear": true} ends whatever a warden left behind when it ended:
that falls to this process. It ends with its grader, and the wardens end with theirs.
"""

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import traceback

from course.sandbox import child, isolate, warden, watch

LARGEST = 1 << 17  # bytes of a request


def main():
    """Serve requests until the grader is gone; the first message says that this is ready."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    watch.prctl(watch.SUBREAPER, 1)
    warden.prepare()
    gc.collect()
    gc.freeze()  # the wardens' own collections then look at their own objects, and copy no memory
    begins = watch.resident(os.getpid())
    wardens: set[int] = set()
    with socket.socket(fileno=os.dup(0)) as grader:
        grader.send(b"{}")
        while True:
            request, given, _, _ = socket.recv_fds(grader, LARGEST, 3)
            if not request:
                return
            asked = json.loads(request)
            watch.reap()
            if "warden" in asked:
                asked["warden"]["limits"]["begins"] = begins
                _fork(asked["warden"], given, grader, wardens)
            else:
                clear(wardens)
                grader.send(b"{}")


def _fork(settings, given, grader, wardens):
    pid = os.fork()
    if not pid:
        _become(settings, given)
    handle = os.pidfd_open(pid)
    wardens.add(pid)
    socket.send_fds(grader, [json.dumps({"pid": pid}).encode()], [handle])
    for descriptor in (handle, *given):
        os.close(descriptor)


def _become(settings, given):
    """The warden's whole life; whatever happens, it must not go on as its parent would."""
    code = 1
    try:
        os.setsid()
        for number, descriptor in enumerate(given):
            os.dup2(descriptor, number)
        os.closerange(3, child.CLOSED)
        if settings["isolate"]:
            isolate.leave()
        warden.main(settings)
        code = 0
    except BaseException:
        with contextlib.suppress(OSError):
            traceback.print_exc(file=sys.stderr)
            sys.stderr.flush()
    finally:
        os._exit(code)


def clear(wardens, patience=5):
    """End all that is below this process but below no warden; `wardens` keeps those that live."""
    wardens &= set(watch.children(os.getpid()))
    watch.end_all(but=wardens, patience=patience)
