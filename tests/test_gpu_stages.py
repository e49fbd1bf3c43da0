"""What `run.py gpu` does only where there is a card, as far as it can be tried without one."""

import sys
from types import SimpleNamespace

import pytest

from benchmarks.cases import CASES
from benchmarks.gpu import __main__ as command
from benchmarks.gpu import engines
from benchmarks.gpu.place import Place
from benchmarks.gpu.row import FAILED, LEFT_OUT, PASSED
from benchmarks.gpu.stages import facts, ops, suite, timing
from course.twin.facade import Facade
from tests.minigrad import on_card


@pytest.fixture
def place():
    """A place that takes the stand-in for a card."""
    found = Place(True, 60.0)
    found.simulated = False
    yield found
    found.card.stop()


# -- the clocks --


class Event:
    """An event of a stream whose clock is `now`, in milliseconds."""

    now = 0.0

    def __init__(self, enable_timing=False):
        self.at, self.waited = None, False

    def record(self):
        self.at = Event.now

    def synchronize(self):
        self.waited = True

    def elapsed_time(self, end):
        assert end.waited, "the card may still be at work"
        return end.at - self.at


def step():
    Event.now += 250.0


@pytest.mark.parametrize(("name", "clock"), [("cupy", "cupy_clock"), ("torch", "torch_clock")])
def test_a_step_is_timed_between_two_events_in_seconds(name, clock, monkeypatch):
    cuda = SimpleNamespace(Event=Event, get_elapsed_time=Event.elapsed_time)
    monkeypatch.setitem(sys.modules, name, SimpleNamespace(cuda=cuda))
    assert getattr(timing, clock)()(step) == 0.25


def test_each_engine_has_a_row_and_each_pair_a_ratio():
    found = {"minigrad": [2e-3] * 3, "torch": [1e-3] * 3}
    rows = {row.group: row.detail for row in timing.figures(CASES["chain"], found)}
    assert rows == {
        "chain: minigrad": "2,000 us a step",
        "chain: torch": "1,000 us a step",
        "chain: minigrad over torch": "2.00 (2.00 to 2.00)",
    }


def test_a_case_is_timed_whole_and_an_engine_that_fails_is_told(place, monkeypatch):
    monkeypatch.setattr(timing, "event_clocks", lambda names: timing.host_clocks())
    monkeypatch.setattr(timing, "ROUNDS", 2)
    monkeypatch.setattr(timing, "SECONDS", 0.0)
    rows = list(timing.of_case(place, CASES["chain"], with_torch=False))
    groups = {row.group for row in rows if row.outcome == PASSED}
    assert "chain: minigrad" in groups and "chain: minigrad replay over minigrad" in groups
    monkeypatch.setattr(timing, "event_clocks", lambda names: 1 / 0)
    (row,) = timing.of_case(place, CASES["chain"], with_torch=False)
    assert (row.outcome, row.detail) == (FAILED, "ZeroDivisionError: division by zero")


# -- what is asked of the card, of pytest, of PyTorch --


def test_the_facts_of_a_card(place):
    runtime = SimpleNamespace(driverGetVersion=lambda: 13010, runtimeGetVersion=lambda: 12090)
    cupy = SimpleNamespace(__version__="14.2.0", cuda=SimpleNamespace(runtime=runtime))
    card = SimpleNamespace(cupy=cupy, free_and_total=lambda: (1 << 30, 3 << 31))
    assert facts.of_card(card) == {
        "CuPy": "14.2.0",
        "CUDA of the driver": "13.1",
        "CUDA of CuPy": "12.9",
        "GiB of the card, free and all": "1.0, 6.0",
    }


def test_what_pytest_finds_is_a_row_each(tmp_path):
    path = tmp_path / "test_some.py"
    path.write_text(
        "import pytest\n"
        "def test_real_one(): pass\n"
        "def test_real_two(): assert 1 == 2\n"
        "def test_real_three(): pytest.skip('no')\n"
        "def test_on_a_gpu_real(): pass\n"
    )
    rows = list(suite.ran([path], suite.WHICH))
    assert [row.outcome for row in rows] == [PASSED, FAILED, LEFT_OUT]
    assert "assert 1 == 2" in rows[1].detail and rows[1].name.endswith("test_real_two")


def test_pytest_that_cannot_start_is_a_row(tmp_path):
    (row,) = suite.ran([tmp_path / "test_not_there.py"], "real")
    assert row.outcome == FAILED


def test_what_needs_no_pytest_is_not_run_twice():
    names = [path.name for path in suite.files()[0]]
    assert {"test_gradients.py", "test_replay.py", "test_nn.py", "test_checkpoint.py"} <= {*names}
    for word in suite.DONE:  # a name that has gone would run twice and unseen
        assert any(word in text for text in texts_of_tests())


def texts_of_tests():
    return [path.read_text("utf-8") for path in suite.ROOT.glob("tests/minigrad/test_*.py")]


def test_pytorchs_bytes_are_asked_for_without_its_workspaces():
    held = {"tensors": 1024, "workspace": 8519680}
    torch = SimpleNamespace(
        __name__="torch",
        __doc__="",
        _C=SimpleNamespace(_cuda_clearCublasWorkspaces=lambda: held.update(workspace=0)),
        cuda=SimpleNamespace(
            __name__="torch.cuda", __doc__="", memory_allocated=lambda: sum(held.values())
        ),
    )
    assert engines.on_cuda(torch).memory_allocated() == 1024


def test_what_each_engine_says_of_two_devices_is_kept(place):
    torch = pytest.importorskip("torch")

    def ones(*shape, device):  # `meta` is the second device that PyTorch has without a card
        return torch.ones(*shape, device="meta" if device == "cuda" else device)

    rows = list(ops.errors(place, Facade(torch, ones=ones), "devices"))
    assert [row.name for row in rows] == [*on_card.MIXED]
    assert all(row.figures["minigrad"].startswith(ops.SAME_WORDS) for row in rows)
    assert rows[0].outcome == FAILED and "expected device meta" in rows[0].figures["PyTorch"]


# -- the files --

FACTS = {"device": "C 9", "date": "2026-11-22"}


@pytest.mark.parametrize(
    ("given", "files"),
    [
        ({}, ["c-9.json", "c-9.md"]),
        ({"stages": ["checks"]}, ["c-9-part.json", "c-9-part.md"]),
        ({"share": 0.5}, ["c-9-part.json", "c-9-part.md"]),
        ({"simulate": True}, []),
        ({"simulate": True, "out": "OUT"}, ["c-9-part.json", "c-9-part.md"]),
    ],
)
def test_a_simulated_run_or_a_part_is_no_record(given, files, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    given = given | ({"out": str(tmp_path)} if "out" in given else {})
    paths = command.written(command.Options(**given), FACTS, {})
    assert [path.name for path in paths] == files == sorted(p.name for p in tmp_path.iterdir())
