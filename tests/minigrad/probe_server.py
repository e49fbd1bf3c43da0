"""Probes an engine of which one file is broken, named by a line of stdin; answers with exit codes.

`python probe_server.py folder`: the folder has minigrad and the probes. Each probe runs in a copy
of this process, which has numpy and the code of all files already: a third of the time. Where a
system makes no copies, each runs in a process of its own. What the probes find whole on one way
of the engine they try on the other, too.
"""

import gc
import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

SECONDS, OF_WORK = 30, 5  # then it is ended: a mutant may wait, or work, for ever
NEEDED = "copy ctypes heapq inspect numpy.random pathlib random traceback".split()
NO_PYTHON = 3  # the exit code for a file that cannot be compiled
# The first probes are about these; of what is built on them, the last ones know more.
FIRST = "minigrad/core", "minigrad/ops"


class Files:
    """Where the modules of the folder are found: compiled, in memory."""

    def __init__(self, folder: Path):
        self.folder, self.codes = folder, {}
        self.paths = {module(path.relative_to(folder)): path for path in folder.rglob("*.py")}
        for path in self.paths.values():
            self.read(path)

    def read(self, path: Path) -> None:
        self.codes[path] = compile(path.read_bytes(), path, "exec")

    def find_spec(self, name, path=None, target=None):
        if name in self.paths:
            return importlib.util.spec_from_file_location(name, self.paths[name], loader=self)
        return None

    def is_package(self, name) -> bool:
        return self.paths[name].name == "__init__.py"

    def create_module(self, spec):
        return None  # as always

    def exec_module(self, module):
        exec(self.codes[self.paths[module.__name__]], vars(module))


def module(path: Path) -> str:
    """What `import` calls the file."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def probe(files, broken: str) -> int:
    """The exit code of probed() with the file as it is on the disk now, on both ways."""
    path = files.folder / broken
    before = files.codes.get(path)
    try:
        if broken:
            files.read(path)  # here, not in the copy: memory that it needs anew is slow
        ways = ("", "1") if broken.endswith("generate.py") else ("1", "")  # to import is dear in ""
        return in_a_copy(files, broken, ways[0]) or in_a_copy(files, broken, ways[1])
    except SyntaxError:
        return NO_PYTHON
    finally:
        files.codes[path] = before


def in_a_copy(files, broken: str, plain: str) -> int:
    """The exit code of one way: with what is generated, or without."""
    os.environ["MINIGRAD_PLAIN"] = plain
    if not hasattr(os, "fork"):
        command = [sys.executable, "-B", __file__, files.folder, broken]
        return subprocess.call(command, stdout=subprocess.DEVNULL, timeout=SECONDS)
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        signal.alarm(SECONDS)
        signal.setitimer(signal.ITIMER_PROF, OF_WORK)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = probed(files, broken)
    finally:
        os._exit(code)


def probed(files, broken: str) -> int:
    """What probe.py does, here; 0 if it finds nothing wrong."""
    os.chdir(files.folder)
    sys.argv = ["probe.py", str(files.folder)]
    sys.meta_path.insert(0, files)
    probes = importlib.import_module("probe")
    probes.main(probes.PARTS if broken.startswith(FIRST) else probes.PARTS[::-1])
    return 0


def main(folder, *broken):
    files = Files(Path(folder))
    if broken:
        raise SystemExit(probed(files, *broken))
    for name in NEEDED:
        importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        print(probe(files, line.strip()), flush=True)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(*sys.argv[1:])
