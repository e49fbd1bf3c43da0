"""Break any one line that frees, saves, counts versions or accounts: probe.py notices."""

import os
import queue
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

import minigrad
from tests.minigrad.mutants import mutants

ENGINE = Path(minigrad.__file__).resolve().parent
SERVER = Path(__file__).with_name("probe_server.py")
WORKERS = 2
FEWEST = 40

# Broken, yet no program can tell: (file, part of the mutated line): why.
EQUIVALENT: dict = {}


class Prober:
    """A copy of the engine, in which one file at a time is replaced, and what probes it."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(ENGINE, folder / "minigrad")  # compiled files and all
        command = [sys.executable, "-B", SERVER]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.server = subprocess.Popen(command, stderr=subprocess.DEVNULL, text=True, **pipes)

    def passes(self) -> bool:
        """True if the probe finds nothing wrong with the engine as it is now."""
        print(self.folder, file=self.server.stdin, flush=True)
        return int(self.server.stdout.readline()) == 0

    def survives(self, mutant) -> bool:
        path = self.folder / "minigrad" / mutant.file
        original, times = path.read_text(), path.stat()
        try:
            path.write_text(mutant.text)
            return self.passes()
        finally:
            path.write_text(original)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # compiled: valid again


@pytest.fixture
def probers(tmp_path):
    """One for each worker, free to be taken."""
    free: queue.Queue = queue.Queue()
    made = [Prober(tmp_path / str(i)) for i in range(WORKERS)]
    for prober in made:
        free.put(prober)
    yield free
    for prober in made:
        prober.server.communicate()  # it has heard all, and ends


def survives(probers, mutant):
    prober = probers.get()
    try:
        return prober.survives(mutant)
    finally:
        probers.put(prober)


def excused(mutant):
    return [key for key in EQUIVALENT if key[0] == mutant.file and key[1] in mutant.kind]


@pytest.fixture(scope="module")
def all_mutants():
    return mutants(ENGINE)


def test_the_engine_as_it_is_passes_before_and_after_a_mutant(probers, all_mutants):
    prober = probers.get()
    assert [prober.passes(), prober.survives(all_mutants[0]), prober.passes()] == [1, 0, 1]


def test_every_mutant_is_killed(probers, all_mutants):
    tried = [m for m in all_mutants if not excused(m)]
    with ThreadPoolExecutor(WORKERS) as pool:
        lived = pool.map(partial(survives, probers), tried)
        alive = [m for m, ok in zip(tried, lived, strict=True) if ok]
    assert len(tried) >= FEWEST
    assert not alive, "\n" + "\n".join(f"{m.file}:{m.line} {m.kind}" for m in alive)


def test_no_excuse_is_stale(all_mutants):
    used = {key for m in all_mutants for key in excused(m)}
    assert used == set(EQUIVALENT)
