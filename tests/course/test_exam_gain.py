"""The gain compares first choices of the two forms, and says what it cannot compare."""

import json

import pytest

from course import exam
from course.exam.gain import Gain


def record(a="", b=""):
    """A record from two strings, a letter for each card: r right, w wrong, s skipped, - open."""
    words = {"r": "right", "w": "wrong", "s": "skipped"}
    return {
        f"{prefix}{n}": {"outcome": words[letter], "choice": "x", "times": 1}
        for prefix, letters in (("00.a", a), ("16.b", b))
        for n, letter in enumerate(letters, 1)
        if letter != "-"
    }


def said(a="", b=""):
    return Gain(record(a, b)).sentences()


def test_two_whole_forms():
    lines = said("rrrrwwwwww", "rrrrrrrrww")
    assert (
        lines[0]
        == "All ten concepts answered in both forms: **4** right before, **8** right after."
    )
    assert lines[1] == "Normalised gain: **67%** (+4 of the 6 that you lacked)."
    assert lines[2] == (
        "Worth another look: lesson 05 (who survives a second backward, a backward that fails is "
        "half done)."
    )


def test_only_concepts_with_a_choice_in_both_count():
    lines = said("rwws------", "rrwrr-----")
    assert (
        lines[0]
        == "3 of 10 concepts answered in both forms: **1** right before, **2** right after."
    )
    assert lines[1] == "Normalised gain: **50%** (+1 of the 2 that you lacked)."


def test_who_skipped_form_a_has_form_b_alone():
    for a in ("", "ssssssssss"):
        assert said(a, "rrrrrrrrrw")[0] == (
            "You skipped form A, so there is nothing to compare with. Form B: 9 of 10 right."
        )


def test_two_forms_that_never_meet():
    assert said("rr--------", "--rw------")[0] == (
        "No concept was answered in both forms, so there is nothing to compare with. "
        "Form B: 1 of 2 right."
    )


@pytest.mark.parametrize("b", ["", "ssssssssss"])
def test_form_b_is_open(b):
    assert said("rrrrrrrrrr", b) == [
        "Form B is still open: lock its ten cards, then run this cell again."
    ]


def test_nothing_was_missing():
    lines = said("rrrrrrrrrr", "rrrrrrrrrr")
    assert lines[1:] == ["Nothing was missing before, so there is no gain to count."]


def test_a_loss_is_told_as_one():
    assert said("rrrrrwwwww", "rrrrwwwwww")[1] == (
        "Normalised gain: **-20%** (-1 of the 5 that you lacked)."
    )


def test_the_table_has_each_concept_and_both_choices():
    rows = repr(Gain(record("rws", "wr"))).splitlines()
    assert rows[0] == "What you gained" and rows[1].split() == [
        "concept", "before", "(A)", "after", "(B)",
    ]  # fmt: skip
    assert [row.split()[-2:] for row in rows[2:6]] == [
        ["right", "wrong"], ["wrong", "right"], ["skipped", "-"], ["-", "-"],
    ]  # fmt: skip
    page = Gain(record("rws", "wr"))._repr_html_()
    assert page.count("<tr>") == 11 and "**" not in page


def test_it_reads_the_learners_own_record(tmp_path, monkeypatch):
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    my = tmp_path / "my"
    (my / ".base").mkdir(parents=True)
    (my / "progress.json").write_text(json.dumps({"predictions": record("w" * 10, "r" * 10)}))
    monkeypatch.chdir(my)
    assert "Normalised gain: 100%" in repr(exam.gain())
    (my / "progress.json").write_text("{")
    assert repr(exam.gain()).startswith("What you gained\nmy/progress.json cannot be read")
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    assert repr(exam.gain()) == "What you gained\nNothing is recorded yet."
    monkeypatch.delenv("MINIGRAD_REVEAL")
    monkeypatch.chdir(tmp_path)
    assert "records nothing" in repr(exam.gain())
