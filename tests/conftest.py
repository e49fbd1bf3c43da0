"""What all tests share: which come first, which need installs, what one worker gets as a whole."""

import gc
import os
import secrets
import signal
import tempfile

import pytest

import course.build  # noqa: F401  before a test imports nbformat, which then imports sooner
from course.proof import header
from minigrad import gpu
from minigrad.core import modes
from tests import drawn, left_out
from tests.twin.mode import mode_line

# A suite that a shell started in the background ignores Ctrl-C, and so would all that it starts;
# several tests send one. What was restored here, a new process gets as its default.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Drawn anew in each run; pytest's workers get it from the process that starts them.
os.environ.setdefault("MINIGRAD_MOVED", str(secrets.randbelow(10**6)))


# IPython's own folder would be one below the home of whoever tests, with what is set up there, and
# where that cannot be written a warning would fail the first test that makes a shell.
if "PYTEST_XDIST_WORKER" not in os.environ:
    IPYTHON = tempfile.TemporaryDirectory(prefix="minigrad-ipython-")
    os.environ["IPYTHONDIR"] = IPYTHON.name


def pytest_addoption(parser):
    parser.addoption("--backwards", action="store_true", help="the last test first")
    every = "try all that can be called as an answer to each exercise, not some of it"
    parser.addoption("--every-answer", action="store_true", help=every)


def pytest_report_header():
    seed = os.environ["MINIGRAD_MOVED"]
    moved = f"numbers moved by the seed MINIGRAD_MOVED={seed}"
    general = ["nothing is generated: every operation goes the general way"] * modes.plain
    return [mode_line(), header.pytest_report_header(), moved, *general, *drawn.line(seed)]


def pytest_terminal_summary(terminalreporter):
    for line in left_out.lines(terminalreporter.stats):
        terminalreporter.write_line(f"left out: {line}")


@pytest.fixture(autouse=True)
def nothing_of_another_test_dies_within_this_one():
    """Its dead circles would take their bytes with them while this test counts bytes.

    What was there before is out of the collector's sight: or each collection that a test asks for
    would visit half a million objects, most of them torch's and pytest's. In the end it is enough
    to collect what is young, unless a collection in between has made some of it old.
    """
    gc.disable()
    gc.freeze()
    before = _collections_of_more_than_the_youngest()
    yield
    gc.collect(1 if _collections_of_more_than_the_youngest() == before else 2)
    gc.enable()


def _collections_of_more_than_the_youngest():
    return [generation["collections"] for generation in gc.get_stats()[1:]]


@pytest.fixture(autouse=True, scope="module")
def no_simulated_card_is_left_on():
    """It would be the GPU of all that this worker tests next."""
    yield
    assert not gpu.started


# From the longest on: what takes long and comes late has one worker for itself in the end.
LONG = (
    "exercises nbgrader gpu_command environment paths ways mutations classroom_pages schema"
    " classroom_thousand corpus growth build_check leaks reversible both_ways build_twins"
    " build_make workspace classroom_whole on_torch"
).split()
# The tests of these are about one lesson each, in brackets: two workers share a file.
BY_LESSON = "test_exercises.py", "test_points.py", "test_lab.py"


def turn(item) -> int:
    """Those in a browser first, of these the capstone; then the longest; all else after them."""
    if "browser" in item.path.parts:
        return -1 - ("[15_" in item.name)
    name = item.path.stem.removeprefix("test_")
    return LONG.index(name) if name in LONG else len(LONG)


def pytest_collection_modifyitems(config, items):
    items.sort(key=turn)
    if config.getoption("--backwards"):
        items.reverse()
    _leave_out(config, items)
    if os.environ.get("CI") == "true":
        return
    skip = pytest.mark.skip(reason="slow, it installs packages: `run.py test --ci` runs it")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


def _leave_out(config, items):
    """Leave out what was not drawn."""
    wholes, seed = {whole(item.nodeid) for item in items}, int(os.environ["MINIGRAD_MOVED"])
    left = drawn.left_out(wholes, seed, drawn.share(), drawn.among())
    config.hook.pytest_deselected(items=[item for item in items if whole(item.nodeid) in left])
    items[:] = [item for item in items if whole(item.nodeid) not in left]


def whole(nodeid: str) -> str:
    """What one worker gets as a whole: the tests of a file, or those of a lesson in it."""
    file, _, test = nodeid.partition("::")
    return file + test[test.find("[") :] if file.endswith(BY_LESSON) and "[" in test else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """`--dist loadfile`, but for the files of which a part is a whole."""
    from xdist.scheduler import LoadFileScheduling

    class ByWhole(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return whole(nodeid)

    return ByWhole(config, log) if config.getvalue("dist") == "loadfile" else None
