"""What a learner takes to another machine joins what is there, and nothing is lost."""

import json

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course import carry, copies
from course.predict import record

NAME = "exercises/04_which_is_freed.ipynb"
MARK = {"minigrad": {"exercise": "freed", "role": "answer"}}
LESSON = (("title", "# 04  Freed"), ("setup", "import os"), ("answer", "def freed(x): ..."))


def notebook(cells):
    kinds = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    made = [kinds[not text.startswith("#")](text, id=key) for key, text in cells]
    for cell in made:
        cell.metadata = MARK if cell.id == "answer" else {}
    return nbformat.v4.new_notebook(cells=made)


def machine(root, cells=LESSON, **found):
    """The `my/` of a machine with the lesson, the learner's cells in its copy, and a record."""
    (root / "exercises").mkdir(parents=True)
    nbformat.write(notebook(LESSON), root / NAME)
    copies.make(root)
    nbformat.write(notebook(cells), root / "my" / NAME)
    if found:
        record.save(root / "my", record.EMPTY | found)
    return root / "my"


def cells(my):
    return {cell["id"]: copies.source(cell) for cell in copies.load(my / NAME)["cells"]}


def mark(my):
    """What the cell of the answer is to the grader."""
    [answer] = [cell for cell in copies.load(my / NAME)["cells"] if cell["id"] == "answer"]
    return answer["metadata"]


def changed(**texts):
    return tuple((key, texts.get(key, text)) for key, text in LESSON)


def carried(one, other):
    """Take what is on `one` to `other`; what was said there."""
    file = one.parent / "progress.json"
    list(carry.save(one, file))
    return list(carry.load(other, file))


def everything(my):
    return {path: path.read_bytes() for path in sorted(my.rglob("*")) if path.is_file()}


def test_what_was_done_on_one_machine_is_on_the_other(tmp_path):
    own = (*changed(answer="def freed(x): return 7"), ("mine", "freed(1)"))
    there = {"exercises": {"freed": True}, "predictions": {"04.k": {"outcome": "wrong"}}}
    one, other = machine(tmp_path / "1", own, **there), machine(tmp_path / "2")
    [first, last] = carried(one, other)
    assert first == f"my/{NAME}: 2 cells brought."
    assert last.startswith("Your progress is that of both machines")
    assert cells(other) == dict(own) and list(cells(other)) == [key for key, _ in own]
    found = record.load(other)
    assert {part: found[part] for part in there} == there
    assert mark(other) == MARK


def test_what_is_said_on_saving_counts_what_is_in_the_file(tmp_path):
    found = {"exercises": {"freed": True, "held": False}, "predictions": {"04.k": {}, "04.l": {}}}
    my = machine(tmp_path, changed(answer="def freed(x): return 7"), **found)
    [said] = carry.save(my, tmp_path / "f")
    assert ": 2 predictions, 1 exercises passed, 1 cell of yours." in said


def test_a_cell_written_on_both_machines_is_there_twice(tmp_path):
    one = machine(tmp_path / "1", changed(answer="return 1"))
    other = machine(tmp_path / "2", changed(answer="return 2"))
    [said, _] = carried(one, other)
    assert said == (f"my/{NAME}: 1 cell written on both machines: yours of there stands below.")
    title, setup, answer, below = copies.load(other / NAME)["cells"]
    assert copies.source(answer) == "return 2" and below["cell_type"] == "markdown"
    assert "```python\nreturn 1\n```" in copies.source(below)
    # Taken back, the text of an answer that is there anyway stays behind.
    carried(other, one)
    assert len(cells(one)) == 4 and "return 2" in list(cells(one).values())[3]


def test_the_copy_before_is_still_there(tmp_path):
    one, other = machine(tmp_path / "1", changed(answer="return 1")), machine(tmp_path / "2")
    before = (other / NAME).read_bytes()
    carried(one, other)
    assert (other / ".before" / NAME).read_bytes() == before


def test_a_cell_that_was_deleted_here_and_written_there_comes_back(tmp_path):
    one = machine(tmp_path / "1", changed(answer="return 1"))
    other = machine(tmp_path / "2", LESSON[:2])
    carried(one, other)
    assert cells(other) == dict(changed(answer="return 1")) and mark(other) == MARK


TEXTS = st.sampled_from(["u", "v", "w", "# x"])
WRITTEN = st.dictionaries(st.sampled_from(["title", "setup", "answer", "own", "more"]), TEXTS)


@settings(deadline=None, max_examples=30)
@given(one=WRITTEN, other=WRITTEN)
def test_no_writing_is_lost_and_a_second_time_changes_nothing(tmp_path_factory, one, other):
    root = tmp_path_factory.mktemp("machines")
    here, there = (
        machine(root / str(n), (dict(LESSON) | written).items())
        for n, written in enumerate((one, other))
    )
    carried(here, there)
    after = everything(there)
    assert set(other.items()) <= set(cells(there).items()), "what was there stays"
    assert all(any(text in found for found in cells(there).values()) for text in one.values())
    assert list(carry.load(there, here.parent / "progress.json"))[:-1] == []
    assert everything(there) == after


# --- the record ----------------------------------------------------------------------------

OUTCOMES = st.sampled_from(["right", "wrong", "skipped"])
ENTRIES = st.fixed_dictionaries({"outcome": OUTCOMES, "times": st.integers(1, 3)})
STROKES = st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=2), unique_by=tuple)
IDS = st.sampled_from("abc")
RECORDS = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "predictions": st.dictionaries(IDS, ENTRIES),
        "exercises": st.dictionaries(IDS, st.booleans()),
        "tries": st.dictionaries(IDS, st.integers(0, 3)),
        "golf": st.dictionaries(IDS, STROKES),
    }
)


@given(mine=RECORDS, theirs=RECORDS)
def test_two_records_join_to_the_better_of_both(mine, theirs):
    both = record.merged(mine, theirs)
    for id in mine["exercises"] | theirs["exercises"]:
        assert both["exercises"][id] == any(r["exercises"].get(id) for r in (mine, theirs))
    for id in mine["tries"] | theirs["tries"]:
        assert both["tries"][id] == max(r["tries"].get(id, 0) for r in (mine, theirs))
    for id, entry in both["predictions"].items():
        known = [r["predictions"][id] for r in (mine, theirs) if id in r["predictions"]]
        ranks = [record.BEST.index(one["outcome"]) for one in known]
        assert record.BEST.index(entry["outcome"]) == min(ranks)
        assert entry["times"] == max(one["times"] for one in known)
    for id, strokes in both["golf"].items():
        own = mine["golf"].get(id, [])
        assert strokes[len(strokes) - len(own) :] == own, "the last one stays the last one"
        assert sorted(map(tuple, strokes)) == sorted(
            {*map(tuple, own), *map(tuple, theirs["golf"].get(id, []))}
        )
    assert record.merged(both, theirs) == record.merged(both, mine) == both


def test_what_a_later_version_added_is_kept(tmp_path):
    one = machine(tmp_path / "1", streak=3)
    other = machine(tmp_path / "2", days=[1])
    carried(one, other)
    found = record.load(other)
    assert (found["streak"], found["days"]) == (3, [1])


# --- trouble -------------------------------------------------------------------------------

GOOD = {"kind": carry.KIND, "record": {}, "written": {}}
ROW = {"after": "", "cell": {"id": "a", "cell_type": "code", "source": "1"}}
FOREIGN = {
    "empty": "",
    "cut": json.dumps(GOOD)[:-5],
    "binary": "\0\1",
    "deep": "[" * 100_000,
    "list": "[]",
    "another's": json.dumps({"cells": [], "nbformat": 4}),
    "its own record": json.dumps(record.EMPTY),
    "no record": json.dumps(GOOD | {"record": {"exercises": []}}),
    "no cells": json.dumps(GOOD | {"written": {NAME: {}}}),
    "no cell": json.dumps(GOOD | {"written": {NAME: [{}]}}),
    "no id": json.dumps(GOOD | {"written": {NAME: [{**ROW, "cell": {"source": "1"}}]}}),
    "odd source": json.dumps(
        GOOD | {"written": {NAME: [{**ROW, "cell": {**ROW["cell"], "source": 7}}]}}
    ),
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_or_broken_file_changes_nothing(tmp_path, text):
    my = machine(tmp_path / "m", changed(answer="return 1"), exercises={"freed": True})
    before = everything(my)
    (tmp_path / "file").write_text(text)
    with pytest.raises(carry.CannotCarry, match=r"is no file that .* made\.$"):
        list(carry.load(my, tmp_path / "file"))
    assert everything(my) == before


def test_a_file_that_is_not_utf8_or_not_there_is_a_sentence(tmp_path):
    my = machine(tmp_path / "m")
    (tmp_path / "file").write_bytes(b"\xff\xfe{")
    with pytest.raises(carry.CannotCarry, match="is no file that"):
        list(carry.load(my, tmp_path / "file"))
    with pytest.raises(carry.CannotCarry, match="is not there: give the file that you saved"):
        list(carry.load(my, tmp_path / "other"))


def test_a_name_in_the_file_leads_nowhere_else(tmp_path):
    my = machine(tmp_path / "m")
    names = ["../secret.ipynb", "/etc/x.ipynb", "notebooks/99_x.ipynb"]
    (tmp_path / "f").write_text(json.dumps(GOOD | {"written": {name: [ROW] for name in names}}))
    before = everything(tmp_path)
    *said, _ = carry.load(my, tmp_path / "f")
    assert len(said) == 3 and all("is not here: its cells stay in" in line for line in said)
    assert everything(tmp_path).keys() - before.keys() == {my / record.FILE}


def test_a_notebook_that_is_not_here_is_named(tmp_path):
    one, other = machine(tmp_path / "1", changed(answer="return 1")), machine(tmp_path / "2")
    (other / NAME).unlink()
    [said, _] = carried(one, other)
    assert said.startswith(f"my/{NAME} is not here: its cells stay in ")


def test_a_record_that_cannot_be_read_stops_before_anything_is_written(tmp_path):
    one, other = machine(tmp_path / "1", changed(answer="return 1")), machine(tmp_path / "2")
    (other / record.FILE).write_text("{")
    before = everything(other)
    with pytest.raises(carry.CannotCarry, match=r"my/progress.json cannot be read .*delete it\.$"):
        carried(one, other)
    assert everything(other) == before


def test_saving_replaces_no_other_file(tmp_path):
    my = machine(tmp_path / "m")
    own = my / NAME
    before = own.read_bytes()
    with pytest.raises(carry.CannotCarry, match="is something else: choose another name"):
        list(carry.save(my, own))
    assert own.read_bytes() == before
    list(carry.save(my, tmp_path / "f"))
    record.save(my, record.EMPTY | {"exercises": {"freed": True}})
    list(carry.save(my, tmp_path / "f"))  # a file of its own kind it does replace
    assert json.loads((tmp_path / "f").read_text())["record"]["exercises"] == {"freed": True}
