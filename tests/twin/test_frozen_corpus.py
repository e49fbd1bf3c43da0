"""Programs as people post them end on minigrad as on PyTorch, but for those that are recorded.

Of those that end alike a few are drawn by chance; `python -m tests.twin.corpus` runs all.
"""

import os
import random
import subprocess
import sys

import pytest

from tests.twin import corpus
from tests.twin.mode import why_not_live

NAMES = [path.stem for path in corpus.PROGRAMS]


@pytest.fixture(scope="module", autouse=True)
def torch():
    if reason := why_not_live():
        pytest.skip(reason)


def as_recorded(names):
    command = [sys.executable, "-m", "tests.twin.corpus", *names]
    env = os.environ | {"PYTHONPATH": str(corpus.ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=corpus.ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_programs_by_chance_end_alike():
    draw = random.Random(int(os.environ["MINIGRAD_MOVED"]))
    names = draw.sample(sorted(set(NAMES) - corpus.KNOWN.keys()), 2)
    assert "2 of 2 programs end alike" in as_recorded(names)


def test_those_that_end_otherwise_still_do():
    """One that ends alike leaves OTHERWISE: all are run, a mend is seen when it is made."""
    assert f"0 of {len(corpus.KNOWN)} programs end alike" in as_recorded(corpus.KNOWN)


def test_four_of_five_programs_end_alike():
    assert set(NAMES) >= corpus.KNOWN.keys() and len(corpus.KNOWN) <= 0.2 * len(NAMES)
