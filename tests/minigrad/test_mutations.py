"""Break any one line that frees, saves, counts versions or accounts: probe.py notices."""

import os
import queue
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import minigrad
from tests.minigrad.mutants import mutants

ENGINE = Path(minigrad.__file__).resolve().parent
PROBE = Path(__file__).with_name("probe.py")
WORKERS = 2
FEWEST = 40

# Broken, yet no program can tell: (file, part of the mutated line): why.
EQUIVALENT: dict = {}


def passes(folder) -> bool:
    """True if the probe finds nothing wrong with the engine in `folder`."""
    try:
        run = subprocess.run(
            [sys.executable, "-B", PROBE, folder], capture_output=True, timeout=30, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return False
    return run.returncode == 0


class Copies:
    """Copies of the engine, one for each worker, in which one file at a time is replaced."""

    def __init__(self, folder):
        self.free: queue.Queue = queue.Queue()
        for i in range(WORKERS):
            copy = folder / str(i)
            shutil.copytree(ENGINE, copy / "minigrad")  # compiled files and all
            self.free.put(copy)

    def survives(self, mutant) -> bool:
        copy = self.free.get()
        path = copy / "minigrad" / mutant.file
        original, times = path.read_text(), path.stat()
        try:
            path.write_text(mutant.text)
            return passes(copy)
        finally:
            path.write_text(original)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # compiled: valid again
            self.free.put(copy)


def excused(mutant):
    return [key for key in EQUIVALENT if key[0] == mutant.file and key[1] in mutant.kind]


@pytest.fixture(scope="module")
def all_mutants():
    return mutants(ENGINE)


def test_the_engine_as_it_is_passes(tmp_path):
    assert passes(Copies(tmp_path).free.get())


def test_every_mutant_is_killed(tmp_path, all_mutants):
    copies = Copies(tmp_path)
    tried = [m for m in all_mutants if not excused(m)]
    with ThreadPoolExecutor(WORKERS) as pool:
        alive = [m for m, ok in zip(tried, pool.map(copies.survives, tried), strict=True) if ok]
    assert len(tried) >= FEWEST
    assert not alive, "\n" + "\n".join(f"{m.file}:{m.line} {m.kind}" for m in alive)


def test_no_excuse_is_stale(all_mutants):
    used = {key for m in all_mutants for key in excused(m)}
    assert used == set(EQUIVALENT)
