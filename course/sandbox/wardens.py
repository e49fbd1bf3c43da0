"""The grader's side of `forkserver`: starts it, asks it for wardens, and ends them.

Rooms of one kind have one fork server, which lives as long as this process.
"""

import atexit
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading

from course.sandbox import watch
from course.sandbox.forkserver import LARGEST

BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv.pop()); "
    "from course.sandbox.forkserver import main; main()"
)
START = 300  # seconds for a fork server to be ready, on a loaded machine too


class Gone(Exception):
    """The fork server does not answer; the text says how that showed."""


class Warden:
    """A process for one room: what it reads and writes, and its end."""

    def __init__(self, paths, environment, settings):
        jobs, self.jobs = os.pipe()
        self.answers, answers = os.pipe()
        self.alive, alive = os.pipe()  # readable once the process has ended
        self.errors = tempfile.TemporaryFile()
        theirs = jobs, answers, self.errors.fileno(), alive
        try:
            self.server, self.pid = _forked(paths, environment, settings, theirs)
        except BaseException:
            self._close()
            raise
        finally:
            for descriptor in (jobs, answers, alive):
                os.close(descriptor)

    def said(self):
        """The last line that it wrote to its standard error."""
        return _last_line(self.errors)

    def end(self, patience):
        """End it and all that it started; it has so many seconds to do so by itself."""
        os.close(self.jobs)
        self.jobs = -1
        if not _readable(self.alive, patience):
            watch.end(self.pid)
            _readable(self.alive, START)
        try:
            self.server.ask({"ended": self.pid})
        except Gone:
            pass  # then nobody is left to ask; the next warden is another server's
        finally:
            self._close()

    def _close(self):
        for descriptor in (self.jobs, self.answers, self.alive):
            if descriptor >= 0:
                os.close(descriptor)
        self.errors.close()


class Server:
    """One fork server: a process, and the socket to it."""

    def __init__(self, paths, environment):
        self.lock, self.number = threading.Lock(), 0  # of requests so far
        self.wire, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.errors = tempfile.TemporaryFile()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-c", BOOT, json.dumps(paths)],
                cwd="/",
                env=environment,
                stdin=theirs.fileno(),
                stdout=self.errors,
                stderr=self.errors,
                start_new_session=True,  # Ctrl-C is for the grader
            )
        try:
            self._hear()
        except BaseException:
            self.close()
            raise

    def ask(self, request, descriptors=()):
        """The reply; the descriptors go with the request."""
        with self.lock:
            self.number += 1
            text = json.dumps(request | {"number": self.number})
            try:
                socket.send_fds(self.wire, [text.encode()], descriptors)
            except OSError as error:
                raise Gone(str(error)) from None
            return self._hear()

    def _hear(self):
        if not _readable(self.wire.fileno(), START):
            raise Gone("it said nothing any more")
        text = self.wire.recv(LARGEST)
        if not text:
            self.process.wait()
            raise Gone(_last_line(self.errors) or "it is gone")
        reply = json.loads(text)
        # After a Ctrl-C there may be a reply that nobody has waited for.
        return reply if reply["number"] == self.number else self._hear()

    def close(self):
        """End it; the wardens that it made have their own graders to wait for."""
        self.wire.close()
        self.process.kill()
        self.process.wait()
        self.errors.close()


_servers: dict[str, Server] = {}
_starting = threading.Lock()


def _forked(paths, environment, settings, descriptors):
    """(server, process id) of a new warden.

    A server that somebody has ended is followed by another one, once.
    """
    for last in (False, True):
        server = _server(paths, environment)
        try:
            return server, server.ask({"warden": settings}, descriptors)["pid"]
        except Gone:
            _forget(server)
            if last:
                raise


def _server(paths, environment):
    key = json.dumps([os.getpid(), paths, environment], sort_keys=True)
    with _starting:
        if key not in _servers:
            _servers[key] = Server(paths, environment)
        return _servers[key]


def _forget(server):
    with _starting:
        for key in [key for key, one in _servers.items() if one is server]:
            del _servers[key]
    server.close()


@atexit.register
def _end():
    for server in _servers.values():
        server.close()


def _last_line(file):
    file.seek(0)
    lines = file.read()[-4000:].decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


def _readable(descriptor, seconds):
    return bool(select.select([descriptor], [], [], seconds)[0])
