"""The score counts every card of the exam at its first choice, and says what is still open."""

import json
from pathlib import Path

from course import exam
from course.build.names import predictions
from course.build.source import read_lesson
from course.exam.score import PARTS, Score, ids

LESSON = read_lesson(Path(__file__).parents[2] / "lessons/16_exam.py")


def record(**parts):
    """A record from a string for each part: r right, w wrong, s skipped, - open."""
    words = {"r": "right", "w": "wrong", "s": "skipped"}
    return {
        id: {"outcome": words[letter], "choice": "x", "times": 1}
        for part, letters in parts.items()
        for id, letter in zip(ids(part), letters, strict=True)
        if letter != "-"
    }


def test_every_card_of_the_exam_counts_once():
    asked = [id for cell in LESSON.demos for id in predictions(cell.source)]
    assert sorted(asked) == sorted(id for part in PARTS for id in ids(part))


def test_it_counts_part_by_part():
    found = Score(record(curves="rrrrrwws", snippets="rw---", ideas="r" * 10))
    assert found.rows == [("curves", 5, 8, 0), ("snippets", 1, 5, 3), ("ideas", 10, 10, 0)]
    assert found.sentences() == ["Your score: **16** of 23. 3 are still open."]
    lines = repr(found).splitlines()
    assert lines[0].split("  ")[-1].strip() == "open" and lines[2].split() == ["snippets", *"153"]
    assert lines[-1] == "Your score: 16 of 23. 3 are still open."
    page = found._repr_html_()
    assert page.count("<tr>") == 4 and "<strong>16</strong> of 23" in page


def test_a_single_card_is_open():
    found = Score(record(curves="r" * 8, snippets="rrrr-", ideas="r" * 10))
    assert found.sentences() == ["Your score: **22** of 23. 1 is still open."]


def test_a_finished_exam_says_no_more():
    found = Score(record(curves="w" * 8, snippets="w" * 5, ideas="w" * 10))
    assert found.sentences() == ["Your score: **0** of 23."]


def test_it_reads_the_learners_own_record(tmp_path, monkeypatch):
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    my = tmp_path / "my"
    (my / ".base").mkdir(parents=True)
    found = record(curves="r-------", snippets="r----", ideas="-" * 10)
    (my / "progress.json").write_text(json.dumps({"predictions": found}))
    monkeypatch.chdir(my)
    assert "Your score: 2 of 23. 21 are still open." in repr(exam.score())
    (my / "progress.json").write_text("{")
    assert repr(exam.score()).startswith("my/progress.json cannot be read")
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    assert repr(exam.score()) == "Nothing is recorded yet."
    monkeypatch.delenv("MINIGRAD_REVEAL")
    monkeypatch.chdir(tmp_path)
    assert "records nothing" in repr(exam.score())
