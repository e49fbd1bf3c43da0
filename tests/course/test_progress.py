"""What is recorded, where, and what never is; and what the table makes of it."""

import json
import os

import nbformat
import pytest

from course import copies
from course.predict import predict, progress, record, record_exercise
from course.predict.live import verdict

OPTIONS = {"a": "no", "b": "yes"}


def card(id="01.view", answer="b", **more):
    return predict(id, "Which?", OPTIONS, run=lambda: answer, **more)


def lock(index, id="01.view", **more):
    """Lock an option as a live card does; the sentence below the verdict."""
    return verdict(card(id, **more), {"type": "lock", "choice": index})[0]["note"]


def skip(id="01.view"):
    return verdict(card(id), {"type": "skip"})[0]["note"]


def notebook(*cells):
    made = [nbformat.v4.new_markdown_cell(cells[0])]
    made += [nbformat.v4.new_code_cell(source) for source in cells[1:]]
    return nbformat.v4.new_notebook(cells=made)


def ask(*ids, form=""):
    more = f', form="{form}"' if form else ""
    return "\n".join(f'predict("{id}", "?", options, run=f{more})' for id in ids)


@pytest.fixture
def my(tmp_path, monkeypatch):
    """A learner's copies of three lessons, with the notebook's folder as the current one."""
    monkeypatch.delenv("MINIGRAD_REVEAL", raising=False)
    lessons = {
        "00_welcome": notebook("# 00  Welcome", ask("00.dels"), ask("00.a1", "00.a2", form="A")),
        "01_names": notebook("# 01  Names", "x = 1", ask("01.view", "01.peak")),
        "02_graph": notebook("# 02  The graph", ask("02.left")),
    }
    for name, made in lessons.items():
        path = tmp_path / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(made, path)
    copies.make(tmp_path)
    monkeypatch.chdir(tmp_path / "my/notebooks")
    return tmp_path / "my"


def recorded(my):
    return json.loads((my / "progress.json").read_text("utf-8"))


# --- the record ----------------------------------------------------------------------------


def test_the_first_choice_counts(my):
    assert lock(0) == "" and lock(1) == ""
    entry = {"outcome": "wrong", "choice": "a", "times": 2}
    assert recorded(my)["predictions"] == {"01.view": entry}


def test_a_skip_is_a_skip_also_after_the_right_choice_followed(my):
    skip(), lock(1)
    assert recorded(my)["predictions"]["01.view"]["outcome"] == "skipped"


def test_an_inventory_card_is_recorded_under_its_form(my):
    lock(1, "00.a1", form="A")
    entry = {"outcome": "right", "choice": "b", "times": 1, "form": "A"}
    assert recorded(my)["predictions"] == {"00.a1": entry}


def test_what_is_no_choice_is_not_recorded(my):
    assert verdict(card(), {"type": "lock", "choice": 9}) == (None, "That is none of the options.")
    assert not (my / "progress.json").exists()


def test_an_exercise_once_passed_stays_passed(my):
    record_exercise("freed", False)
    assert recorded(my)["exercises"] == {"freed": False}
    record_exercise("freed", True), record_exercise("freed", False)
    assert recorded(my)["exercises"] == {"freed": True}


def test_nothing_is_written_by_the_build_nor_outside_the_copies(my, tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    assert lock(1) == ""
    monkeypatch.delenv("MINIGRAD_REVEAL")
    monkeypatch.chdir(tmp_path / "notebooks")
    assert lock(1) == "" and record_exercise("freed", True) == ""
    (tmp_path / "other/my").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "other/my")  # somebody's folder that happens to be called so
    assert lock(1) == ""
    (tmp_path / "other/.base").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert lock(1) == ""
    assert list(tmp_path.rglob("progress.json")) == []


@pytest.mark.parametrize("text", ["{", "[]", '{"predictions": []}', '{"predictions": {"a": 1}}'])
def test_a_broken_file_is_one_sentence_and_is_left_alone(my, text):
    (my / "progress.json").write_text(text)
    note = lock(1)
    assert note.startswith("Not recorded: my/progress.json ") and note.count(".") == 2
    assert note.endswith("nothing more is recorded until you rename or delete it.")
    assert (my / "progress.json").read_text() == text
    assert "my/progress.json" in repr(progress())


@pytest.mark.skipif(os.name != "posix", reason="a folder in the file's place")
def test_an_unwritable_file_is_one_sentence(my, monkeypatch):
    def full(path, text):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(record, "write", full)
    sentence = "Not recorded: my/progress.json cannot be written (No space left on device)."
    assert lock(1) == sentence


def test_the_file_is_replaced_in_one_step(my, monkeypatch):
    lock(1)
    before = recorded(my)

    def die(*args):
        raise OSError("the machine stops here")

    monkeypatch.setattr(copies.os, "replace", die)
    assert lock(1, "01.peak").startswith("Not recorded")
    assert recorded(my) == before and sorted(p.name for p in my.glob(".*")) == [".base"]


def test_what_a_later_version_added_is_kept(my):
    (my / "progress.json").write_text('{"streak": 3}')
    lock(1)
    assert recorded(my)["streak"] == 3 and "01.view" in recorded(my)["predictions"]


# --- the table -----------------------------------------------------------------------------


def test_the_table_counts_lesson_by_lesson(my):
    lock(1, "00.dels"), lock(0, "01.view"), skip("01.peak")
    assert repr(progress()).splitlines() == [
        "Your progress",
        "lesson         predicted  right at once  skipped  exercises",
        "00  Welcome    1 of 1     1              0        -",
        "01  Names      1 of 2     0              1        -",
        "02  The graph  0 of 1     -              -        -",
        "Form A (the questions of lesson 00): 0 of 2 right, 2 still open.",
        "Next: lesson 02, The graph.",
    ]


def test_next_is_the_first_open_lesson_from_the_furthest_one_begun(my):
    def following():
        return repr(progress()).splitlines()[-1]

    assert following() == "Next: lesson 00, Welcome."
    lock(1, "01.view")
    assert following() == "Next: lesson 01, Names."
    lock(1, "02.left")
    assert following() == "Next: lesson 00, Welcome."
    lock(1, "00.dels"), lock(1, "01.peak")
    assert following() == "All done."


def test_two_complete_forms_show_the_gain(my):
    last = notebook("# 16  Exam", ask("16.b1", "16.b2", form="B"))
    nbformat.write(last, my / "notebooks/16_exam.ipynb")
    lock(1, "00.a1", form="A"), lock(0, "00.a2", form="A"), lock(1, "16.b1", form="B")
    assert "What you gained" not in repr(progress())
    lock(1, "16.b2", form="B")
    assert repr(progress()).splitlines()[-4:-1] == [
        "Form A (the questions of lesson 00): 1 of 2 right.",
        "Form B (the questions of lesson 16): 2 of 2 right.",
        "What you gained: +1.",
    ]


def test_exercises_are_counted_from_the_exercise_notebook(my):
    cells = [
        nbformat.v4.new_code_cell("pass", metadata={"minigrad": {"exercise": id, "role": role}})
        for id in ("freed", "held")
        for role in ("card", "answer")
    ]
    (my / "exercises").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=cells), my / "exercises/01_names.ipynb")
    record_exercise("freed", True), record_exercise("held", False)
    assert "01  Names      0 of 2     -              -        1 of 2" in repr(progress())


def test_the_page_links_to_the_lessons_and_escapes_their_titles(my):
    odd = notebook("# 03  <b>Odd</b>", ask("03.x"))
    nbformat.write(odd, my / "notebooks/03_odd.ipynb")
    page = progress()._repr_html_()
    assert '<a href="03_odd.ipynb">03</a>' in page and "&lt;b&gt;Odd" in page


def test_a_lesson_that_cannot_be_read_is_left_out(my):
    (my / "notebooks/01_names.ipynb").write_text("{")
    (my / "notebooks/02_graph.ipynb").write_text("[]")
    assert "00  Welcome" in repr(progress()) and "01  " not in repr(progress())


def test_the_build_sees_the_same_empty_table_always(my, monkeypatch):
    lock(1)
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    assert repr(progress()) == "Your progress\nNothing is recorded yet."
    assert "<table" not in progress()._repr_html_()


def test_a_copy_that_records_nothing_says_so(my, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "`python3 run.py lab` opens the one that does." in repr(progress())
