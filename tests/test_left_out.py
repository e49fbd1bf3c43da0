"""The end of a run names what it did not prove at all; parts of a file can be a worker's whole."""

from types import SimpleNamespace

import pytest

from tests import left_out
from tests.conftest import whole

NO_TORCH = ("file.py", 1, "Skipped: PyTorch is not installed")


def reports(*ids, longrepr=NO_TORCH):
    return [SimpleNamespace(nodeid=id, longrepr=longrepr) for id in ids]


@pytest.mark.parametrize(
    ("passed", "skipped", "said"),
    [
        (["a.py::t"], ["a.py::u"], []),  # one of several
        (["a.py::t[1]"], ["a.py::t[2]"], []),
        ([], ["a.py::t", "a.py::u"], ["a.py"]),
        ([], ["a.py"], ["a.py"]),  # skipped before its tests were known
        (["a.py::t"], ["a.py::u[1]", "a.py::u[2]"], ["a.py::u"]),
        ([], ["a.py::u[1]", "a.py::u[2]"], ["a.py"]),  # and not once more
        (["b.py::t"], ["a.py::u", "b.py::u"], ["a.py"]),
    ],
)
def test_only_what_is_wholly_hidden_is_named(passed, skipped, said):
    stats = {"passed": reports(*passed), "skipped": reports(*skipped)}
    assert list(left_out.lines(stats)) == [f"{one}: PyTorch is not installed" for one in said]


def test_what_failed_was_not_left_out():
    for kind in "failed", "error":
        assert list(left_out.lines({kind: reports("a.py::t"), "skipped": reports("a.py::u")})) == []


def test_a_file_is_a_whole_but_where_each_lesson_is_one():
    file = "tests/course/test_exercises.py"
    assert whole("tests/a.py::t[01]") == whole("tests/a.py::u") == "tests/a.py"
    assert whole(f"{file}::t[01]") == whole(f"{file}::u[01]") != whole(f"{file}::u[02]")
