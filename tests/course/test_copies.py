"""An update brings what is new and keeps what the learner wrote, whatever happens on the way."""

import errno
import json
import os
import random

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course import copies

NAME = "notebooks/01_names.ipynb"


def code(key, text, **more):
    return {
        "cell_type": "code",
        "id": key,
        "metadata": {},
        "source": text,
        "outputs": [{"output_type": "stream", "name": "stdout", "text": text}],
        "execution_count": 1,
    } | more


def prose(key, text):
    return {"cell_type": "markdown", "id": key, "metadata": {}, "source": text}


def notebook(*cells):
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}


LESSON = [prose("t", "# Names"), code("a", "a = 1"), code("b", "b = 2"), code("c", "c = 3")]


@pytest.fixture
def root(tmp_path):
    put(tmp_path / NAME, LESSON)
    put(tmp_path / "exercises/01_names.ipynb", [code("x", "def f(): raise NotImplementedError")])
    copies.make(tmp_path)
    return tmp_path


def put(path, cells):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps(notebook(*cells)), encoding="utf-8")


def cells_of(root, name=NAME):
    return copies.load(root / "my" / name)["cells"]


def texts(root):
    return [copies.source(cell) for cell in cells_of(root)]


def updated(root):
    said = []
    fine = copies.update(root, said.append)
    return fine, said


# --- make ----------------------------------------------------------------------------------


def test_copies_mirror_the_folders_and_spoil_nothing(root):
    assert texts(root) == ["# Names", "a = 1", "b = 2", "c = 3"]
    assert (root / "my/exercises/01_names.ipynb").exists()
    for cell in cells_of(root)[1:]:
        assert cell["outputs"] == [] and cell["execution_count"] is None
    nbformat.validate(nbformat.read(root / "my" / NAME, as_version=4))


def test_copies_have_the_bytes_nbformat_writes(root, tmp_path):
    path = root / "my" / NAME
    nbformat.write(nbformat.read(path, as_version=4), tmp_path / "again.ipynb")
    assert (tmp_path / "again.ipynb").read_bytes() == path.read_bytes()


def test_a_copy_is_made_once(root):
    put(root / "my" / NAME, [code("a", "mine")])
    assert copies.make(root) == []
    assert texts(root) == ["mine"]


def test_a_deleted_copy_comes_back_fresh(root):
    (root / "my" / NAME).unlink()
    assert copies.make(root) == [root / "my" / NAME]


def test_a_new_lesson_version_is_noticed(root):
    assert copies.outdated(root) == []
    put(root / NAME, [*LESSON, prose("d", "new")])
    assert [str(name) for name in copies.outdated(root)] == [NAME]


# --- update --------------------------------------------------------------------------------


def test_nothing_new_changes_nothing(root):
    ran = notebook(*LESSON, code("z", "mine"))
    ran["metadata"] = {"language_info": {"name": "python", "version": "3.99"}}
    (root / "my" / NAME).write_text(json.dumps(ran))
    before = (root / "my" / NAME).read_bytes()
    assert updated(root) == (True, [])
    assert (root / "my" / NAME).read_bytes() == before


def test_untouched_cells_follow_the_lesson(root):
    put(root / "my" / NAME, LESSON)  # run, not written in
    put(root / NAME, [LESSON[0], code("a", "a = 10"), code("new", "n = 0"), LESSON[3]])
    assert updated(root) == (True, [f"my/{NAME}: new version, you had changed nothing."])
    assert texts(root) == ["# Names", "a = 10", "n = 0", "c = 3"]
    assert cells_of(root)[1]["outputs"] == [], "an output of the old cell would be a lie"
    assert cells_of(root)[3]["outputs"], "what did not change keeps what it printed"


def test_a_changed_cell_stays_the_learners(root):
    put(root / "my" / NAME, [LESSON[0], code("a", "my answer"), *LESSON[2:]])
    put(root / NAME, [LESSON[0], code("a", "a = 10"), code("b", "b = 20"), LESSON[3]])
    assert updated(root) == (True, [f"my/{NAME}: new version, 1 cell of yours kept."])
    assert texts(root) == ["# Names", "my answer", "b = 20", "c = 3"]
    assert cells_of(root)[1]["outputs"], "its output is the learner's too"


def test_a_changed_cell_the_lesson_drops_stays(root):
    put(root / "my" / NAME, [*LESSON[:2], code("b", "my answer"), LESSON[3]])
    put(root / NAME, [*LESSON[:2], LESSON[3]])
    updated(root)
    assert texts(root) == ["# Names", "a = 1", "my answer", "c = 3"]


def test_added_cells_stay_behind_the_cell_they_followed(root):
    own = [code("p", "own 1"), code("q", "own 2"), prose("r", "own 3")]
    put(root / "my" / NAME, [own[2], *LESSON[:3], *own[:2], LESSON[3]])
    put(root / NAME, [code("new", "n = 0"), *LESSON])
    assert updated(root)[1] == [f"my/{NAME}: new version, 3 cells of yours kept."]
    assert texts(root) == [
        "own 3", "n = 0", "# Names", "a = 1", "b = 2", "own 1", "own 2", "c = 3"
    ]  # fmt: skip


def test_a_deleted_cell_stays_deleted(root):
    put(root / "my" / NAME, [LESSON[0], *LESSON[2:]])
    put(root / NAME, [LESSON[0], code("a", "a = 10"), *LESSON[2:]])
    updated(root)
    assert texts(root) == ["# Names", "b = 2", "c = 3"]


def test_an_image_pasted_into_prose_is_writing(root):
    pasted = prose("t", "# Names") | {"attachments": {"i.png": {"image/png": "AAAA"}}}
    put(root / "my" / NAME, [pasted, *LESSON[1:]])
    put(root / NAME, [prose("t", "# Names, again"), *LESSON[1:]])
    updated(root)
    assert cells_of(root)[0]["attachments"]


def test_marks_follow_the_lesson(root):
    put(root / "my" / NAME, [LESSON[0], code("a", "my answer"), *LESSON[2:]])
    put(root / NAME, [LESSON[0], code("a", "a = 10", metadata={"tags": ["x"]}), *LESSON[2:]])
    updated(root)
    assert cells_of(root)[1]["metadata"] == {"tags": ["x"]}


def test_two_updates_in_a_row_keep_the_answer(root):
    put(root / "my" / NAME, [LESSON[0], code("a", "my answer"), *LESSON[2:]])
    for number in 10, 20:
        put(root / NAME, [LESSON[0], code("a", f"a = {number}"), code("b", f"b = {number}")])
        updated(root)
    assert texts(root) == ["# Names", "my answer", "b = 20"]


def without_ids(cells):
    return [{key: value for key, value in cell.items() if key != "id"} for cell in cells]


def test_lost_ids_are_found_again_by_their_text(root):
    changed = [LESSON[0], code("a", "my answer"), *LESSON[2:]]
    put(root / "my" / NAME, without_ids(changed))
    put(root / NAME, [*LESSON[:2], code("b", "b = 20"), LESSON[3]])
    updated(root)
    assert texts(root) == ["# Names", "my answer", "b = 20", "c = 3"]


def test_a_cell_pasted_again_without_an_id_is_a_second_cell(root):
    put(root / "my" / NAME, [*LESSON, *without_ids([code("a", "a = 1")])])
    put(root / NAME, [*LESSON[:3], code("c", "c = 30")])
    updated(root)
    assert texts(root) == ["# Names", "a = 1", "b = 2", "c = 30", "a = 1"]


def test_a_doubled_id_loses_no_cell(root):
    put(root / "my" / NAME, [*LESSON, code("c", "pasted twice")])
    put(root / NAME, [*LESSON[:3], code("c", "c = 30")])
    updated(root)
    assert texts(root) == ["# Names", "a = 1", "b = 2", "c = 30", "pasted twice"]


def test_without_a_base_everything_different_is_kept(root):
    (root / "my/.base" / NAME).unlink()
    put(root / "my" / NAME, [LESSON[0], code("a", "my answer"), *LESSON[2:]])
    put(root / NAME, [LESSON[0], code("a", "a = 10"), *LESSON[2:], code("new", "n = 0")])
    updated(root)
    assert texts(root) == ["# Names", "my answer", "b = 2", "c = 3", "n = 0"]


def test_what_is_new_comes_and_what_was_deleted_stays_away(root):
    """Any of several lessons may be new, deleted by the learner, changed, or as it was."""
    draw = random.Random(os.environ["MINIGRAD_MOVED"])
    for turn in range(40):
        name = f"{draw.choice(copies.FOLDERS)}/{turn + 10}_more.ipynb"
        put(root / name, LESSON)
        kind = draw.choice(["new", "deleted", "changed", "as it was"])
        wanted = [f"my/{name}: new."] if kind == "new" else []
        if kind != "new":
            copies.make(root)
        if kind == "deleted":
            (root / "my" / name).unlink()
        if kind == "changed":
            put(root / name, [*LESSON, prose("d", "new")])
            wanted = [f"my/{name}: new version, you had changed nothing."]
        assert updated(root) == (True, wanted)
        assert (root / "my" / name).exists() is (kind != "deleted")
        assert updated(root) == (True, [])
        if kind == "deleted":
            (root / name).unlink()  # or the next make brings it back


def test_an_update_before_the_first_start_makes_nothing(tmp_path):
    put(tmp_path / NAME, LESSON)
    assert updated(tmp_path) == (True, []) and not (tmp_path / "my").exists()


def test_a_lesson_that_is_gone_leaves_its_copy(root):
    (root / NAME).unlink()
    assert updated(root) == (True, [])
    assert texts(root)


SOURCES = st.sampled_from(["u", "v", "w"])
VERSIONS = st.lists(st.tuples(st.sampled_from("abcde"), SOURCES), unique_by=lambda cell: cell[0])


@settings(deadline=None)
@given(base=VERSIONS, mine=VERSIONS, new=VERSIONS)
def test_no_writing_is_ever_lost(base, mine, new):
    def as_notebook(version):
        return copies.cleared(notebook(*(code(key, [text]) for key, text in version)))

    merged, _ = copies.merge(*map(as_notebook, (base, mine, new)))
    result = {cell["id"]: copies.source(cell) for cell in merged["cells"]}
    assert len(result) == len(merged["cells"])
    for key, text in mine:
        if (key, text) not in base:
            assert result[key] == text
    for key, text in new:
        if (key, text) not in mine and key not in dict(mine) and key not in dict(base):
            assert result[key] == text
    again, _ = copies.merge(as_notebook(new), merged, as_notebook(new))
    assert again == merged


# --- trouble -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"nbformat": 3, "cells": []}', '{"nbformat": 4, "cells": [{}]}', "\0"],
)
def test_a_broken_copy_is_left_alone_with_a_sentence(root, text):
    (root / "my" / NAME).write_text(text)
    put(root / NAME, LESSON[:1])
    put(root / "exercises/01_names.ipynb", [code("x", "def f(x): raise NotImplementedError")])
    fine, said = updated(root)
    assert not fine
    assert (root / "my" / NAME).read_text() == text
    assert said[0].startswith(str(root / "my" / NAME)) and said[0].endswith("; left alone.")
    assert said[1].startswith("my/exercises/01_names.ipynb: new version"), "the rest goes on"


def test_a_copy_in_a_foreign_encoding_is_left_alone(root):
    (root / "my" / NAME).write_bytes(b"\xff\xfe{")
    assert updated(root)[0] is False


@pytest.mark.parametrize("function", ["replace", "fsync"])
def test_a_full_disk_leaves_the_old_file_and_no_other(root, function, monkeypatch):
    put(root / "my" / NAME, [LESSON[0], code("a", "my answer")])
    put(root / NAME, [*LESSON, prose("d", "new")])
    before = (root / "my" / NAME).read_bytes()
    monkeypatch.setattr(os, function, full_disk)
    with pytest.raises(OSError, match="No space left"):
        updated(root)
    assert (root / "my" / NAME).read_bytes() == before
    assert not list((root / "my").rglob("*.tmp"))


def full_disk(*args):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_the_learners_file_is_replaced_in_one_step(root, monkeypatch):
    put(root / "my" / NAME, [LESSON[0], code("a", "my answer")])
    put(root / NAME, [*LESSON, prose("d", "new")])
    before = (root / "my" / NAME).read_bytes()
    replace = os.replace

    def full_at_last(draft, path):
        (full_disk if path == root / "my" / NAME else replace)(draft, path)

    monkeypatch.setattr(os, "replace", full_at_last)
    with pytest.raises(OSError, match="No space left"):
        updated(root)
    assert (root / "my" / NAME).read_bytes() == before


def test_an_update_cut_in_the_middle_is_finished_by_the_next(root, monkeypatch):
    put(root / "my" / NAME, [LESSON[0], code("a", "my answer"), *LESSON[2:]])
    put(root / NAME, [LESSON[0], code("a", "a = 10"), code("b", "b = 20"), LESSON[3]])
    write = copies.write

    def cut(path, text):
        if ".base" in path.parts:
            raise KeyboardInterrupt
        write(path, text)

    with monkeypatch.context() as patch:
        patch.setattr(copies, "write", cut)
        with pytest.raises(KeyboardInterrupt):
            updated(root)
    updated(root)
    put(root / NAME, [LESSON[0], code("a", "a = 100"), code("b", "b = 200"), LESSON[3]])
    updated(root)
    assert texts(root) == ["# Names", "my answer", "b = 200", "c = 3"]


def test_the_copy_before_the_update_is_still_there(root):
    put(root / "my" / NAME, [LESSON[0], code("a", "my answer")])
    before = (root / "my" / NAME).read_bytes()
    put(root / NAME, [prose("t", "# Names, again"), LESSON[1]])
    updated(root)
    assert (root / "my/.before" / NAME).read_bytes() == before


def test_a_linked_copy_stays_a_link(root, tmp_path):
    elsewhere = tmp_path / "elsewhere.ipynb"
    (root / "my" / NAME).rename(elsewhere)
    (root / "my" / NAME).symlink_to(elsewhere)
    put(root / NAME, [LESSON[0], code("a", "a = 10"), *LESSON[2:]])
    updated(root)
    assert (root / "my" / NAME).is_symlink() and "a = 10" in elsewhere.read_text()
