"""However a class's files arrive, each learner has a row; each file counts or says why not."""

import io
import json
import os
import random
import sys
import zipfile
from pathlib import Path

import pytest

from course.classroom import archive, inbox
from course.classroom.handout import Handout, handouts
from course.classroom.inbox import NoSubmissions, submissions

STUB = 'def {0}(x):\n    raise NotImplementedError("{0}: not written yet")'
COURSE = {
    "04": Handout("04", "04_which_is_freed", "", {"freed": STUB.format("freed")}),
    "05": Handout("05", "05_second_time", "", {n: STUB.format(n) for n in ("again", "twice")}),
}
NAME4, NAME5 = "04_which_is_freed.ipynb", "05_second_time.ipynb"


def notebook(*functions, marked=True, body="return 1", junk=""):
    """The bytes of a notebook that answers these exercises."""
    cells = [{"cell_type": "code", "metadata": {}, "source": f"import os {junk}"}]
    for name in functions:
        mark = {"minigrad": {"exercise": name, "role": "answer"}} if marked else {}
        text = STUB.format(name) if body is None else f"def {name}(x):\n    {body}"
        cells.append({"cell_type": "code", "metadata": mark, "source": text})
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}).encode()


FREED, AGAIN = notebook("freed"), notebook("again", "twice")


def put(folder, files):
    """Write {path: bytes} below a folder; gives the folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def read(path):
    return {one.student: one for one in submissions(path, COURSE)}


def lessons(one):
    return {file.lesson: file.name for file in one.files}


# --- how a class arrives -------------------------------------------------------------------


def test_a_folder_of_folders(tmp_path):
    found = read(
        put(tmp_path, {f"ada/{NAME4}": FREED, f"ada/{NAME5}": AGAIN, f"bob/x/{NAME4}": FREED})
    )
    assert {name: lessons(one) for name, one in found.items()} == {
        "ada": {"04": NAME4, "05": NAME5},
        "bob": {"04": f"x/{NAME4}"},
    }
    assert [one.notes for one in found.values()] == [(), ()]
    assert found["ada"].file("04").notebook.code[1].exercise == "freed"
    assert found["ada"].file("06") is None


def test_a_folder_of_zips(tmp_path):
    ada = archive.pack({f"my/exercises/{NAME4}": FREED, inbox.MANIFEST: b"{}"})
    found = read(put(tmp_path, {"minigrad-ada.zip": ada, "bob.ZIP": archive.pack({NAME5: AGAIN})}))
    assert {name: list(lessons(one)) for name, one in found.items()} == {
        "ada": ["04"],
        "bob": ["05"],
    }


def test_a_folder_of_loose_notebooks(tmp_path):
    names = [
        f"ada_{NAME4}",
        "04_which_is_freed-bob.ipynb",
        "carl.ipynb",
        "dora 04.ipynb",
        "list.csv",
    ]
    found = read(put(tmp_path, {name: FREED for name in names}))
    assert sorted(found) == ["ada", "bob", "carl", "dora-04"]
    assert found["carl"].file("04").notes == (f"expected {NAME4}, graded carl.ipynb",)


MOODLE = {
    f"Ada Lovelace_123456_assignsubmission_file_/{NAME4}": FREED,
    f"Ada Lovelace_123456_assignsubmission_file_/{NAME5}": AGAIN,
    "Ada Lovelace_123456_assignsubmission_onlinetext_/onlinetext.html": b"<p>",
    "Bob_von_Neumann_77_assignsubmission_file/work.zip": archive.pack({NAME4: FREED}),
    f"José Ñandú_8_assignsubmission_file_{NAME5}": AGAIN,
    "Zoe_9_assignsubmission_onlinetext_onlinetext.html": b"<p>hello",
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("around", ["", "Homework 4/"])
def test_moodles_download(tmp_path, zipped, around):
    files = {around + name: data for name, data in MOODLE.items()}
    path = put(tmp_path / "in", files)
    if zipped:
        path = tmp_path / "Homework-4.zip"
        path.write_bytes(archive.pack(files))
    found = read(path)
    assert {i: (one.name, list(lessons(one))) for i, one in found.items()} == {
        "123456": ("Ada Lovelace", ["04", "05"]),
        "77": ("Bob_von_Neumann", ["04"]),
        "8": ("José Ñandú", ["05"]),
        "9": ("Zoe", []),
    }
    assert "no notebook found" in found["9"].notes[0]
    assert found["8"].file("05").notes == (), "the learner's own name for it is the expected one"


CANVAS = {
    f"lovelaceada_12345_67890_{NAME4}": FREED,
    "lovelaceada_12345_67891_05_second_time-2.ipynb": AGAIN,
    "hopper_LATE_222_333_minigrad-submission.zip": archive.pack({f"my/exercises/{NAME4}": FREED}),
    "hopper_222_334_report.pdf": b"%PDF",
    f"anon_LATE_aB3x9_44_{NAME4}": FREED,
}


def test_canvas_download(tmp_path):
    path = tmp_path / "submissions.zip"
    path.write_bytes(archive.pack(CANVAS))
    found = read(path)
    assert {i: (one.name, list(lessons(one)), one.notes) for i, one in found.items()} == {
        "12345": ("lovelaceada", ["04", "05"], ()),
        "222": ("hopper", ["04"], ("handed in late, says the file's name",)),
        "aB3x9": ("anonymous aB3x9", ["04"], ("handed in late, says the file's name",)),
    }
    assert all(not file.notes for one in found.values() for file in one.files)


@pytest.mark.parametrize("name", [NAME4, f"my/exercises/{NAME4}", f"exercises/{NAME4}"])
@pytest.mark.parametrize("zipped", [False, True])
def test_one_learners_own_folder_or_zip(tmp_path, name, zipped):
    path = put(tmp_path / "ada", {name: FREED, "course/x.py": b""})
    if zipped:
        path = tmp_path / "ada.zip"
        path.write_bytes(archive.pack({name: FREED, "course/x.py": b""}))
    found = read(path)
    assert {i: lessons(one) for i, one in found.items()} == {"ada": {"04": name}}


def test_one_file(tmp_path):
    put(tmp_path, {f"ada {NAME4}": FREED})
    assert list(read(tmp_path / f"ada {NAME4}")) == ["ada"]


def test_a_zipped_folder_around_a_class_is_seen_through(tmp_path):
    files = {f"class/{who}/{NAME4}": FREED for who in ("ada", "bob")}
    (tmp_path / "c.zip").write_bytes(archive.pack(files))
    assert list(read(tmp_path / "c.zip")) == ["ada", "bob"]
    one = {f"ada/week{n}/x/{name}": FREED for n, name in enumerate([NAME4, NAME5])}
    (tmp_path / "d.zip").write_bytes(archive.pack({**one, "bob/x.txt": b""}))
    assert list(read(tmp_path / "d.zip")) == ["ada", "bob"]


def test_a_checkout_in_a_zip_is_one_learner(tmp_path):
    files = {f"minigrad/{top}/{NAME4}": FREED for top in ("my/exercises", "exercises", "a", "b")}
    (tmp_path / "x.zip").write_bytes(archive.pack(files))
    assert {i: lessons(one) for i, one in read(tmp_path / "x.zip").items()} == {
        "minigrad": {"04": f"my/exercises/{NAME4}"}
    }


def test_a_learner_without_a_notebook_has_a_row(tmp_path):
    (tmp_path / "empty").mkdir()
    found = read(
        put(tmp_path, {"ada/report.pdf": b"%PDF", "bob.zip": archive.pack({}), "c.rar": b"R"})
    )
    assert {name: one.notes for name, one in found.items()} == {
        "ada": (f"no notebook found (found report.pdf): {inbox.HOW}",),
        "bob": (f"no notebook found: {inbox.HOW}",),
        "c": (f"c.rar cannot be opened here: {inbox.HOW}", f"no notebook found: {inbox.HOW}"),
        "empty": (f"no notebook found: {inbox.HOW}",),
    }


@pytest.mark.parametrize("what", ["missing", "empty folder", "no zip", "no class", "cut"])
def test_nothing_to_grade_is_one_sentence(tmp_path, what):
    path = {"no zip": tmp_path / "a.zip", "cut": tmp_path / "b.zip", "missing": tmp_path / "no"}
    (tmp_path / "a.zip").write_bytes(b"not a zip")
    (tmp_path / "b.zip").write_bytes(archive.pack({NAME4: FREED})[:-30])
    put(tmp_path / "void", {"grades.csv": b"", ".git/x": b""})
    (tmp_path / "bare").mkdir()
    path |= {"empty folder": tmp_path / "bare", "no class": tmp_path / "void"}
    with pytest.raises(NoSubmissions) as refused:
        read(path[what])
    said = str(refused.value)
    assert said.startswith(str(path[what])) and "\n" not in said
    remedy = {"no zip": "download it again", "cut": "download it again", "missing": inbox.MAY}
    assert remedy.get(what, "give the folder or zip") in said


# --- ids -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "<b>",
        "=1+2",
        "con",
        "-rf",
        "été",
        "e\u0301",
        "a" * 200,
        "$(id)",
        "\u202egnp",
        "'x'",
        "a\nb",
    ],
)
def test_an_id_can_be_a_file_name_and_a_name_can_be_shown(tmp_path, name):
    [one] = submissions(put(tmp_path, {f"{name}/{NAME4}": FREED}), COURSE)
    assert one.student and not set(one.student) & set("/\\<>:\"'|?*$()= \n\u202e")
    assert one.student[0] not in "-." and one.student.lower() != "con" and len(one.student) <= 85
    assert one.name.isprintable() and len(one.name) <= 100


def test_ids_stay_apart_on_every_disk(tmp_path):
    names = ["a b", "a-b", "A_b", "A_B", "A B", "a=b"]
    found = submissions(put(tmp_path, {f"{name}/{NAME4}": FREED for name in names}), COURSE)
    assert len({one.student.casefold() for one in found}) == 6
    assert sorted(one.name for one in found) == sorted(names)


def test_the_digest_is_that_of_the_bytes(tmp_path):
    def digest(name, **files):
        [one] = submissions(put(tmp_path / name, {f"ada/{k}": v for k, v in files.items()}), COURSE)
        return one.digest

    assert digest("a", **{NAME4: FREED}) == digest("b", **{NAME4: FREED})
    assert digest("a", **{NAME4: FREED}) != digest("c", **{NAME4: notebook("freed", junk="2")})


# --- which file counts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("homework_final(2).ipynb", FREED),
        ("homework.ipynb", notebook("freed", marked=False)),
        ("04.ipynb", notebook()),
        ("05 and 04_which_is_freed.ipynb", FREED),
        (NAME5, FREED),
        ("x.IPYNB", FREED),
        ("x.ipynb.txt", FREED),
        ("notebook.ipynb.json", FREED),
    ],
)
def test_a_wrong_name_is_graded_with_a_note(tmp_path, name, data):
    [one] = submissions(put(tmp_path, {f"ada/{name}": data}), COURSE)
    assert lessons(one) == {"04": name}
    assert f"expected {NAME4}, graded {name}" in one.files[0].notes


def test_where_the_content_leaves_it_open_the_name_tells(tmp_path):
    both = notebook("freed", "again")
    [one] = submissions(put(tmp_path, {f"ada/{NAME5}": both, "ada/04.ipynb": both}), COURSE)
    assert lessons(one) == {"04": "04.ipynb", "05": NAME5}


def test_a_notebook_of_something_else_is_left_out_aloud(tmp_path):
    [one] = submissions(put(tmp_path, {"ada/diary.ipynb": notebook("other")}), COURSE)
    assert one.files == ()
    assert one.notes == ("diary.ipynb holds no exercise of this course; left out",)


def test_the_lesson_in_place_of_its_exercises_is_named(tmp_path):
    [one] = submissions(put(tmp_path, {f"ada/{NAME4}": notebook()}), COURSE)
    assert one.file("04").notes == (
        f"{NAME4} holds no exercise: hand in exercises/{NAME4} of your my/ folder",
    )


def test_the_working_copy_counts_and_not_the_courses_own_files(tmp_path):
    mine, blank = notebook("freed", body="return 2"), notebook("freed", body=None)
    files = {
        f"my/exercises/{NAME4}": mine,
        f"my/.before/exercises/{NAME4}": FREED,
        f"my/notebooks/{NAME4}": notebook(),
        "my/notebooks/00_welcome.ipynb": notebook(),
        f"exercises/{NAME4}": blank,
        f"solutions/{NAME4}": FREED,
        f"solutions/{NAME5}": AGAIN,
        f"my/exercises/.ipynb_checkpoints/{NAME5}": AGAIN,
        f"__MACOSX/my/exercises/._{NAME5}": b"\0\5\x16",
    }
    [one] = submissions(
        put(tmp_path, {f"ada/{name}": data for name, data in files.items()}), COURSE
    )
    assert lessons(one) == {"04": f"my/exercises/{NAME4}"}
    assert one.notes == () and one.files[0].notes == ()


def test_a_folder_that_is_only_called_solutions_still_counts(tmp_path):
    [one] = submissions(put(tmp_path, {f"ada/solutions/{NAME4}": FREED}), COURSE)
    assert lessons(one) == {"04": f"solutions/{NAME4}"}


@pytest.mark.parametrize("other", ["04_which_is_freed-Copy1.ipynb", "04_which_is_freed (1).ipynb"])
def test_of_two_files_the_one_with_more_written_counts(tmp_path, other):
    stub = notebook("freed", body=None)
    [one] = submissions(put(tmp_path, {f"ada/{NAME4}": FREED, f"ada/{other}": stub}), COURSE)
    assert lessons(one) == {"04": NAME4}
    files = {f"ada/{NAME4}": stub, f"ada/{other}": FREED}
    [one] = submissions(put(tmp_path, files), COURSE)
    assert lessons(one) == {"04": other}
    assert one.notes == (f"2 files for lesson 04: {other} counted, {NAME4} not",)


def test_of_two_alike_the_expected_name_counts(tmp_path):
    files = {"ada/04.ipynb": notebook("freed", body="return 3"), f"ada/{NAME4}": FREED}
    [one] = submissions(put(tmp_path, files), COURSE)
    assert lessons(one) == {"04": NAME4} and len(one.notes) == 1
    put(tmp_path, {f"ada/²{NAME4}": FREED, "ada/04.ipynb": FREED})
    assert submissions(tmp_path, COURSE)[0].notes == (), "the same bytes twice are no matter"


def test_an_unreadable_file_keeps_its_lesson_and_says_why(tmp_path):
    files = {f"ada/{NAME4}": FREED[:-9], f"ada/{NAME5}": AGAIN, "ada/x.ipynb": b""}
    [one] = submissions(put(tmp_path, files), COURSE)
    assert lessons(one) == {"04": NAME4, "05": NAME5}
    assert one.file("04").notebook is None and "cut off" in one.file("04").notes[0]
    assert [note[:27] for note in one.notes] == ["x.ipynb: the file is empty;"]


# --- hostile files -------------------------------------------------------------------------


def bomb(size):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        with made.open(NAME4, "w", force_zip64=True) as file:
            for _ in range(size):
                file.write(b" " * 2**20)
    return buffer.getvalue()


def test_a_bomb_is_a_note_and_the_next_learner_is_read(tmp_path):
    files = {"ada.zip": bomb(64), "bob.zip": archive.pack({NAME4: FREED})}
    found = read(put(tmp_path, files))
    assert "larger than 32 MB" in found["ada"].file("04").notes[0]
    assert found["bob"].file("04").notebook


def test_many_small_bombs_end_too(tmp_path, monkeypatch):
    monkeypatch.setattr(inbox, "MOST_BYTES", 5000)
    files = {f"{n}/{NAME4}": b" " * 1000 for n in range(9)}
    found = read(put(tmp_path, {"ada.zip": archive.pack(files)}))
    assert any("all files together are too large" in note for note in found["ada"].notes)


def test_zips_within_zips_end(tmp_path):
    data = archive.pack({NAME4: FREED})
    for _ in range(2):
        data = archive.pack({"work.zip": data})
    assert lessons(read(put(tmp_path, {"ada.zip": data}))["ada"])
    data = archive.pack({"work.zip": data})
    found = read(put(tmp_path, {"ada.zip": data}))["ada"]
    assert not found.files and "zip within too many others" in found.notes[0]


def test_a_name_cannot_lead_out(tmp_path):
    names = ["../../evil.ipynb", "/etc/evil.ipynb", "C:\\evil.ipynb", "..\\evil.ipynb"]
    data = archive.pack({**dict.fromkeys(names, FREED), NAME4: FREED})
    found = read(put(tmp_path / "in", {"ada.zip": data}))["ada"]
    assert lessons(found) == {"04": f"ada.zip/{NAME4}"}
    assert [note.partition(" ")[0] for note in found.notes if "leads out of the zip" in note] == [
        "ada.zip/etc/evil.ipynb",
        "ada.zip/evil.ipynb",
    ]
    assert [path.name for path in tmp_path.rglob("*")] == ["in", "ada.zip"]


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are POSIX")
def test_links_and_pipes_are_not_followed(tmp_path):
    secret = put(tmp_path / "secret", {NAME4: FREED})
    put(tmp_path / "in", {"ada/notes.txt": b""})
    (tmp_path / "in/ada" / NAME4).symlink_to(secret / NAME4)
    (tmp_path / "in/ada/more").symlink_to(secret)
    (tmp_path / "in/bob").symlink_to(secret)
    os.mkfifo(tmp_path / "in/ada" / NAME5)
    found = read(tmp_path / "in")
    assert not found["ada"].files and not found["bob"].files
    assert sum("is a link or a device" in note for note in found["ada"].notes) == 3
    assert "is a link or a device" in found["bob"].notes[0]


def test_a_folder_that_may_not_be_read_is_a_note(tmp_path, monkeypatch):
    def refusing(path):
        if Path(path).name == "x":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    scandir = os.scandir
    put(tmp_path, {f"ada/{NAME4}": FREED, f"bob/x/{NAME4}": FREED})
    monkeypatch.setattr(os, "scandir", refusing)
    found = read(tmp_path)
    assert lessons(found["ada"]) == {"04": NAME4}
    assert found["bob"].notes[0] == "x/ cannot be read (Permission denied)"


def test_strange_names_are_no_crash(tmp_path):
    names = [
        f"²{NAME4}",
        "x" * 5000 + ".ipynb",
        "\u202e.ipynb",
        "a\nb.ipynb",
        "9" * 6000 + ".ipynb",
        "\0",
    ]
    for name in names:
        found = read(put(tmp_path, {"ada.zip": archive.pack({name: FREED})}))["ada"]
        assert all("\n" not in note and "\u202e" not in note for note in found.notes)
        assert all(file.name.isprintable() for file in found.files)


def test_every_broken_zip_is_a_note(tmp_path):
    draw, whole = random.Random(7), archive.pack({NAME4: FREED, NAME5: AGAIN, "c/d.txt": b"x"})
    for turn in range(400):
        data = bytearray(whole[: draw.randrange(len(whole))] if turn % 4 == 0 else whole)
        for _ in range(draw.randint(0, 8) if data else 0):
            data[draw.randrange(len(data))] = draw.randrange(256)
        found = read(put(tmp_path, {"ada.zip": bytes(data), "bob.zip": whole}))
        assert list(found) == ["ada", "bob"] and len(found["bob"].files) == 2
        assert all("\n" not in note for note in found["ada"].notes)


def test_the_courses_own_notebooks_are_known():
    own = handouts()
    assert own["04"].file == NAME4 and own["04"].setup and len(own["04"].stubs) >= 3
    assert all(name in stub for name, stub in own["04"].stubs.items())
