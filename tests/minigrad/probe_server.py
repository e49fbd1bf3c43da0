"""Probes the engine in each folder that a line of stdin names; answers with the exit codes.

Each in a copy of this process, which has numpy already: half of the time. Where a system makes no
copies, each in a process of its own.
"""

import gc
import importlib
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path

PROBE = Path(__file__).with_name("probe.py")
SECONDS = 30


def probe(folder):
    if not hasattr(os, "fork"):
        command = [sys.executable, "-B", PROBE, folder]
        return subprocess.call(command, stdout=subprocess.DEVNULL, timeout=SECONDS)
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        signal.alarm(SECONDS)  # it ends a probe that a mutant keeps busy for ever
        code = copied(folder)
    finally:
        os._exit(code)


def copied(folder):
    """probe.py as if it was called with `folder`; 0 if it finds nothing wrong."""
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.argv = [str(PROBE), folder]
    sys.path[0] = str(PROBE.parent)
    runpy.run_path(str(PROBE), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    for module in "ctypes", "inspect", "numpy.random", "random", "traceback":
        importlib.import_module(module)
    gc.freeze()
    for line in sys.stdin:
        print(probe(line.strip()), flush=True)
