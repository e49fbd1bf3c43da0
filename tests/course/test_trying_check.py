"""`check(f)` in a notebook: a table, one hint, a record of it, and never a stack dump."""

import json
import re
import sys

import pytest

import minigrad as mg
from course.trying import expected
from course.trying.check import CheckFailed, check


def held_by_chain(steps, rows, columns):
    unit = rows * columns * 4
    held = {len(steps) - 1} | {i for i, step in enumerate(steps) if step in ("tanh", "exp")}
    return unit * len(held | {i - 1 for i, s in enumerate(steps) if s == "square"} - {-1}), unit


right = held_by_chain


def wrong(steps, rows, columns):
    return len(steps) * rows * columns * 4, 0


def stub(steps, rows, columns):
    raise NotImplementedError("held_by_chain: not written yet")


wrong.__name__ = stub.__name__ = "held_by_chain"


def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    copies = [y.detach().clone() for _ in range(4)]
    loss = (y * y * mg.ones(*y.shape)).sum()
    loss.backward()
    log.append(loss.item() + 0 * len(copies))


@pytest.fixture
def my(tmp_path, monkeypatch):
    """The learner's working copies, and a notebook that runs in them."""
    (tmp_path / "my" / ".base").mkdir(parents=True)
    (tmp_path / "my" / "exercises").mkdir()
    monkeypatch.chdir(tmp_path / "my" / "exercises")
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    return tmp_path / "my"


def progress(my):
    return json.loads((my / "progress.json").read_text())


def test_a_wrong_answer_gets_a_table_and_one_hint(capsys):
    assert check(wrong) is None
    text = capsys.readouterr().out
    assert text.startswith("held_by_chain: 0 of 4 cases, 0 of 5 points")
    assert text.count("Hint: ") == 1 and "Traceback" not in text


def test_a_pass_is_recorded_and_stays(my, capsys):
    check(wrong)
    assert progress(my)["exercises"] == {"held_by_chain": False}
    check(right)
    check(wrong)
    assert progress(my)["exercises"] == {"held_by_chain": True}
    assert progress(my)["tries"] == {"held_by_chain": 3}


def test_the_solution_is_offered_after_a_pass_or_three_tries(my, capsys):
    def offered(f):
        check(f)
        return "solutions/04_which_is_freed.ipynb" in capsys.readouterr().out

    assert [offered(f) for f in (wrong, wrong, wrong, wrong)] == [False, False, True, True]
    assert offered(right)


def test_a_stub_counts_as_no_try(my, capsys):
    check(stub)
    assert capsys.readouterr().out.startswith("held_by_chain: not written yet\nWrite")
    assert not (my / "progress.json").exists()


THINGS = {"number": 3, "None": None, "nameless": lambda: 0, "len": len, "text": "held_by_chain"}


@pytest.mark.parametrize("thing", THINGS.values(), ids=THINGS)
def test_what_is_no_exercise_is_a_sentence(thing, capsys):
    check(thing)
    assert capsys.readouterr().out.startswith("No exercise is called ")


def test_missing_outcomes_are_a_sentence_with_the_remedy(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(expected, "FOLDER", tmp_path)
    expected._read.cache_clear()
    check(right)
    assert "`python3 run.py build 04` makes them" in capsys.readouterr().out
    (tmp_path / "04.json").write_text('{"held_by_chain": {"an old case": {"value": 1}}}')
    check(right)
    assert "`python3 run.py build 04` makes them" in capsys.readouterr().out
    expected._read.cache_clear()


def test_the_curve_of_bytes_stands_beside_the_wanted_peak(monkeypatch):
    said = []
    monkeypatch.setattr(sys.modules[check.__module__], "_say", said.append)
    check(forgetful_step)
    feedback, picture = said
    assert not feedback.passed and set(picture.series) == {"yours", "most allowed"}
    mine, wanted = (max(n for _, n in picture.series[name]) for name in ("yours", "most allowed"))
    assert mine > wanted and "line " in repr(picture)
    check(right)
    assert len(said) == 3  # no picture for what passed


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_one_or_two_points_are_a_sentence_and_no_chart(monkeypatch, lines):
    module, said = sys.modules[check.__module__], []
    monkeypatch.setattr(module, "_say", said.append)
    run_all = module.run_all

    def few(*arguments):
        found = run_all(*arguments)
        for one in found.values():
            one["curve"] = [[3 + i, 40_960] for i in range(lines)]
        return found

    monkeypatch.setattr(module, "run_all", few)
    check(forgetful_step)
    if lines == 3:
        assert set(said[1].series) == {"yours", "most allowed"}
        return
    held = ", ".join(f"40,960 B on line {3 + i}" for i in range(lines))
    first = f"The most bytes on each line while `forgetful_step` runs: {held}. At most "
    assert said[1].startswith(first)
    assert re.search(r"\. At most [\d,]+ B are allowed\.$", said[1])


def test_under_nbgrader_it_gives_points_and_writes_no_record(my, monkeypatch, capsys):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert (check(wrong), check(right), check(stub)) == (0, 5, 0)
    assert capsys.readouterr().err == "" and not (my / "progress.json").exists()


def test_nbgraders_validate_gets_one_error_without_a_stack(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert check(right) is None
    with pytest.raises(CheckFailed) as error:
        check(wrong)
    assert error.value._render_traceback_() == [str(error.value)] and "Hint: " in str(error.value)


def test_an_answer_without_a_name_of_its_own_is_found_by_its_variable(capsys):
    names = {"check": check, "held_by_chain": lambda *asked: right(*asked)}
    exec("check(held_by_chain)", names)
    assert capsys.readouterr().out.startswith("held_by_chain: every case passed")


def test_the_failure_can_be_worked_out_by_hand(capsys):
    check(wrong)
    assert "\n  held_by_chain(['" in capsys.readouterr().out
