"""What Python tells an audit hook of."""

from __future__ import annotations

import os
import sys
from _lsprof import Profiler
from importlib.util import cache_from_source
from types import BuiltinFunctionType

from course.sandbox.absent import ABSENT
from course.sandbox.guard import exact
from course.sandbox.guard.asker import OURS, is_file_of_ours, is_of
from course.sandbox.guard.copied import Compiled

CHANGED = "the engine and the grader cannot be changed"
EVENTS = {
    "gc.get_objects": "looks for objects through the collector",
    "gc.get_referrers": "looks for objects through the collector",
    "gc.get_referents": "looks for objects through the collector",
    "sys.settrace": "traces the grader",
    "sys.monitoring.register_callback": "traces the grader",
    "sys.addaudithook": "listens to the grader",
    "os.fork": "starts a process",
    "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a process",
    "os.exec": "starts a process",
    "os.system": "starts a process",
    "subprocess.Popen": "starts a process",
    "cpython.PyInterpreterState_New": "starts an interpreter",
    "mmap.__new__": "keeps memory that nobody counts",
    "os.kill": "sends a signal to a process",
    "os.killpg": "sends a signal to a process",
}
TOLD_ALL_THE_TIME = {"sys._getframe", "builtins.id"}
FAMILIES = {
    "ctypes": "reaches below Python with ctypes",
    "socket": "opens a network connection",
}
INNER = (  # the last two come with JupyterLab and the browser's tests
    *ABSENT, "_testcapi", "_testinternalcapi", "_xxsubinterpreters", "_interpreters",
    "_posixsubprocess", "_cffi_backend", "greenlet",
)  # fmt: skip
FRAME = "looks into a frame of the engine or the grader"
TELLERS = {"traceback", "linecache", "logging", "warnings", "inspect"}  # show where a frame is
FUNCTION = "looks into a function of the engine or the grader"
RUNS = "runs a text in the names of the engine or the grader"
RUNS_IN = "runs a text in the names of {}"
RUN_BY = {"exec", "eval"}
FILE = "opens a file of the grader or of somebody else"
# Where a path leads may change after it was looked at, by such a way.
LEADS = {"os.symlink": "makes a link to", "os.chdir": "goes to"}  # and os.fchdir
ELSEWHERE = "{} a place of the grader or of somebody else"
BELOW = "reaches below Python with {}"
SOURCES = "course/trying", "course/cases", "course/sandbox", "solutions", "lessons", "tests"
SIGNATURES = {"inspect"}
# Of /proc, what tells how large this process and the machine are.
SIZES = {"stat", "statm", "status", "smaps_rollup", "limits"}
MACHINE = {"stat", "meminfo", "vmstat", "cpuinfo", "uptime", "loadavg"}
SHOW_LINES = {"traceback", "warnings", "tracemalloc", "inspect"}  # and can do without
LINES = {"linecache", "tokenize"}


def watch(asker, root):
    root = os.path.realpath(root)
    files = [file for module in asker.ours.values() if (file := getattr(module, "__file__", None))]
    files += [*map(cache_from_source, files)]  # what Python has compiled says as much
    compiled = Compiled(asker)
    known = set(map(os.path.realpath, files))  # to be read in caches.py alone

    def is_hidden(path):
        """Whether no honest code opens it: it is of other processes, or of the grader."""
        path = exact.path(path)
        if path is None or type(path) is int:
            return path is None
        name = os.path.realpath(os.fsdecode(path))
        below = os.path.relpath(name, root)
        ours = name in known or is_source(below)  # an answer may stand there
        if _tells_sizes(*os.path.split(name)):
            return False
        return ours or name.startswith(("/proc/", "/dev/shm/")) or below.startswith(SOURCES)

    def is_way(path):
        """Whether os.open() has a folder there from which other paths (`dir_fd`) lead to what is
        hidden, or is such a path.
        """
        path = os.fsdecode(exact.path(path))
        name = os.path.realpath(path)
        return name in ("/", "/proc") or is_above(name) or path[:1] != "/" and _goes_up(path)

    def is_source(below):
        return below.startswith(OURS) and below.endswith((".py", ".pyc"))

    def look_at_opened(path, mode, frame):
        """A source of ours is opened for nobody but Python's search for a module that is not there
        yet; whoever shows lines finds none, and may go on.
        """
        if not (is_hidden(path) or mode is None and is_way(path)):
            return
        name = os.path.realpath(os.fsdecode(exact.path(path) or ""))
        below, shown = os.path.relpath(name, root), shows_lines(frame)
        late = name not in known and not below.startswith(SOURCES)
        if is_source(below) and late and (shown or asker.imports(frame)):
            return
        if shown and (name in known or is_source(below)):
            raise OSError(FILE)
        asker.see(FILE, frame)

    def shows_lines(frame):
        """Whether linecache reads it for who shows a line beside an error or a function."""
        first = frame
        while frame is not None and asker.library(frame) in LINES:
            frame = asker.caller_of(frame)
        if frame is None or frame is first:
            return False
        return asker.library(frame) in SHOW_LINES or bool(asker.place_of(frame))

    def leads_away(event, path):
        """Whether a path through there may lead to what is hidden."""
        path = exact.path(path)
        if path is None or type(path) is int:
            return True
        name = os.path.realpath(path := os.fsdecode(path))
        if is_hidden(name) or name in ("/", "/proc"):
            return True
        return event == "os.symlink" and (_goes_up(path) or is_above(name))

    def is_above(name):
        return os.path.commonpath((name, root)) == name

    def look_at_run(frame):
        """A function of a library's that runs a text in its own names was handed what does it."""
        name = asker.library(frame)
        if asker.is_ours(frame):
            asker.see(RUNS, frame, name="exec")
        elif name and not RUN_BY.intersection(frame.f_code.co_names) and not _runs_module(frame):
            asker.see(RUNS_IN.format(name), frame)

    def look_at_made(code, frame):
        if is_file_of_ours(exact.text(code.co_filename)) and not asker.is_ours(frame):
            asker.see(FUNCTION, frame)

    def heard(event, arguments):
        if event in TOLD_ALL_THE_TIME:
            return
        if event == "object.__getattr__":
            thing, name = arguments
            if name != "__code__" and asker.is_our_function(thing):
                asker.see(FUNCTION, sys._getframe(1), SIGNATURES, name)
            return
        if not asker.armed:
            return
        family = event.partition(".")[0]
        what = EVENTS.get(event) or FAMILIES.get(family)
        if what and _is_profilers(event, arguments):
            return
        if what:
            if event != "socket.__new__" or not _wakes_itself(asker, sys._getframe(1)):
                asker.see(what, sys._getframe(1), name=family)
        elif event == "exec":
            look_at_run(sys._getframe(1))
        elif event == "compile":
            compiled.look_at(arguments[0], arguments[1], sys._getframe(1))
        elif event == "function.__new__":
            look_at_made(arguments[0], sys._getframe(1))
        elif event == "open":
            look_at_opened(arguments[0], arguments[1], sys._getframe(1))
        elif event in LEADS and leads_away(event, arguments[0]):
            asker.see(ELSEWHERE.format(LEADS[event]), sys._getframe(1))
        elif event == "import":
            for inner in _inner(*arguments[:2]):
                asker.see(BELOW.format(inner), sys._getframe(1))
        elif event in ("object.__setattr__", "object.__delattr__"):
            thing, name = arguments[0], exact.text_or(arguments[1], "")
            if asker.is_librarys_function(thing):  # which the guard itself may call
                asker.see(f"changes {exact.named(thing)}", sys._getframe(1))
            elif asker.is_our_function(thing) or is_of(exact.module_of(type(thing)), OURS):
                if asker.see(f"changes {exact.named(thing)}", sys._getframe(1), name=name):
                    raise AttributeError(CHANGED)

    sys.addaudithook(heard)


def _runs_module(frame):
    """Whether an import runs a module's code, in the module's names: they are given."""
    called = frame.f_code.co_name == "_call_with_frames_removed"
    return called and len(frame.f_locals["args"]) == 2


def _is_profilers(event, arguments):
    """Whether Python's own profiler listens, from 3.12 on; it tells of times alone."""
    if event != "sys.monitoring.register_callback":
        return False
    (call,) = arguments
    return call is None or type(call) is BuiltinFunctionType and exact.is_a(call.__self__, Profiler)


def _wakes_itself(asker, frame) -> bool:
    """Whether an event loop makes the two sockets by which it does, and nothing that was handed to
    one of its methods.
    """
    while frame is not None and asker.library(frame) == "socket":
        frame = asker.caller_of(frame)
    loop = frame is not None and asker.library(frame) == "asyncio.selector_events"
    return loop and frame.f_code.co_name == "_make_self_pipe"


def _tells_sizes(folder, name):
    itself = folder == os.path.realpath("/proc/self")
    return name in SIZES if itself else folder == "/proc" and name in MACHINE


def _goes_up(path):
    return ".." in path.split("/")


def _inner(name, file):
    """Which of these modules that is: under another package's name it has its file."""
    found = {exact.text(name).rpartition(".")[2]}
    if exact.is_a(file, str):
        found.add(os.path.basename(exact.text(file)).partition(".")[0])
    return sorted(found.intersection(INNER))
