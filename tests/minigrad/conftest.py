"""What the engine's tests share: a second ledger counted by hand, a run without the collector."""

import gc
import sys
from pathlib import Path

import pytest

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

import minigrad as mg  # noqa: E402
from minigrad import gpu  # noqa: E402
from tests.minigrad.ledger import Ledger, collect  # noqa: E402


def pytest_generate_tests(metafunc):
    """Where a file says ON_GPU, its tests run on the CPU, on the stand-in, and on a real GPU.

    test_gpu.py says why, once, where there is no real one.
    """
    if getattr(metafunc.module, "ON_GPU", False):
        real = ["real"] if gpu.real() is not None else []
        metafunc.parametrize("device", ["cpu", "simulated", *real], indirect=True)


@pytest.fixture(autouse=True)
def device(request):
    """New tensors are made there while the test runs; the GPU, or None for the CPU."""
    where = getattr(request, "param", "cpu")
    if where == "cpu":
        yield None
        return
    if where == "real" and gpu.real() is None:
        pytest.skip(gpu.why_not())
    card = mg.cuda.simulate(1 << 34).start() if where == "simulated" else gpu.real()
    mg.set_default_device("cuda")
    yield card
    mg.set_default_device("cpu")
    if card.simulated:
        card.stop()


@pytest.fixture
def ledger():
    counted = Ledger()
    with counted.watching():
        yield counted


@pytest.fixture
def no_collector():
    """Reference counts alone must do: the collector sleeps while the test runs."""
    collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def fast_switches():
    """Threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def leaf():
    """A leaf of n float32 that wants a gradient: 4 n bytes."""
    return lambda *shape: mg.ones(*shape, requires_grad=True)
