"""What a run draws: each of the tests in turn, none of the quick ones left out."""

import random
from pathlib import Path

import pytest

from tests import drawn

ROOT = Path(__file__).parents[1]
WHOLES = [f"tests/browser/test_{n}.py" for n in range(20)] + [
    f"tests/course/test_exercises.py[{n:02}]" for n in range(15)
]
QUICK = ["tests/minigrad/test_tensor.py", "tests/test_docs.py"]


@pytest.mark.parametrize("one_in", [1, 2, 6, 7])
def test_as_many_runs_in_a_row_have_had_all(one_in):
    start, seen = random.randrange(10**6), []
    for seed in range(start, start + one_in):
        left = drawn.left_out([*WHOLES, *QUICK], seed, one_in)
        assert not left & {*QUICK}
        seen += {*WHOLES} - left
        assert abs(sum(whole not in left for whole in WHOLES[:20]) - 20 / one_in) < 1, "of a folder"
    assert sorted(seen) == sorted(WHOLES)


def test_of_all_files_each_is_drawn_as_often():
    seed, all_files = random.randrange(10**6), ["tests/test_docs.py", *QUICK, *WHOLES]
    runs = [{*all_files} - drawn.left_out(all_files, seed + turn, 2, "") for turn in range(2)]
    assert not runs[0] & runs[1] and runs[0] | runs[1] == {*all_files}
    assert abs(len(runs[0]) - len(runs[1])) < 2


def test_what_is_said_to_take_long_is_there():
    assert [name for name in drawn.LONG if not (ROOT / name).exists()] == []


def test_what_comes_first_is_there_too(pytestconfig):
    first = pytestconfig.pluginmanager.get_plugin(str(ROOT / "tests/conftest.py")).LONG
    names = [path.stem.removeprefix("test_") for path in (ROOT / "tests").rglob("test_*.py")]
    assert [name for name in first if name not in names] == []


def test_a_run_says_what_it_left_out(monkeypatch):
    monkeypatch.setenv("MINIGRAD_DRAW", "6")
    assert "of what takes minutes 1 in 6" in drawn.line("5")[0]
    monkeypatch.setenv("MINIGRAD_DRAW_FROM", "all")
    assert "of all files 1 in 6" in drawn.line("5")[0]
    monkeypatch.delenv("MINIGRAD_DRAW")
    assert drawn.line("5") == []
