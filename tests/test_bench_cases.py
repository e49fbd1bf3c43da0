"""Only what computes the same is compared: each case, with every engine that is installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import bars, peaks
from benchmarks.cases import CASES
from benchmarks.child import ROOT, environment, installed
from benchmarks.pair import Differ, agree

NAMES = [name for name, case in CASES.items() if not case.long]


@pytest.fixture(scope="module")
def losses():
    """{case: {engine: what its steps return}}."""
    command = [sys.executable, Path(__file__).with_name("bench_losses.py"), *NAMES]
    settings = environment() | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", NAMES)
def test_the_engines_agree(name, losses):
    assert "minigrad" in " ".join(losses[name]) and len(losses[name]) > 1
    agree(losses[name])


def test_a_step_of_sgd_moves_the_loss(losses):
    for name in "mlp-small", "mlp-medium", "conv", "conv-tiny":
        (first,), (second,), *_ = losses[name]["minigrad"]
        assert abs(second - first) > 0.01


def test_engines_that_differ_are_refused_in_a_sentence():
    alike = {"minigrad": [[1.0, 5.0], [0.5, 4.0]], "torch": [[1.0001, 5.0], [0.5, 4.0]]}
    agree(alike)
    alike["numpy"] = [[1.0, 5.0], [0.5, 4.1]]
    with pytest.raises(Differ, match=r"^step 2 gives .* with minigrad, but .* with numpy$"):
        agree(alike)


def test_every_bar_is_of_a_pair_that_is_measured():
    pairs = {(case.name, *pair) for case in CASES.values() for pair in case.pairs}
    assert set(bars.RATIOS) <= pairs


def test_every_pair_names_engines_of_its_case():
    for case in CASES.values():
        assert {name for pair in case.pairs for name in pair} <= set(case.engines)


def test_the_same_numbers_come_to_every_engine():
    for case in map(CASES.get, ("chain", "mlp-small", "conv-tiny", "residual-w4")):
        one, other = vars(case.numbers()), vars(case.numbers())
        assert str(one) == str(other)


@pytest.mark.parametrize("engine", ["minigrad", "torch"])
def test_a_peak_is_counted_without_a_clock(engine):
    """40 products and sums in turn: the saved input, the running sum, its gradient."""
    if not installed(engine):
        pytest.skip(f"{engine} is not installed")
    peak = peaks.peak(CASES["elementwise"], engine)
    assert peak == peaks.peak(CASES["elementwise"], engine)
    assert 2 * 4_000_000 <= peak <= 4 * 4_000_000
