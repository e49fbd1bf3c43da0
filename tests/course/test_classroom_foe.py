"""What a learner who knows the grader well could gain or spoil, and does not."""

import gc
import json
import os
import struct

import pytest
from sandbox_rooms import job, rooms

from course.classroom import answers, archive, inbox, marking, notebook, records
from course.classroom.senders import sender
from course.sandbox import warden
from course.sandbox.attempt import MOST, Attempt
from course.trying import cases, expected, judge, plain
from course.trying.draw import PRACTICE
from course.trying.run import run_all

linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="grading needs Linux")
short = rooms(seconds=2, cells=1, patience=2)
GOOD = "def total(numbers):\n    return sum(numbers)\n"


# --- points for nothing ---------------------------------------------------------------------

IDLE = {
    "nothing": lambda *_, **__: None,
    "what it was given": lambda *given, **__: given[0] if given else 0,
}


def points(exercise, function):
    known = cases.of(exercise)
    want = expected.of(cases.lesson_of(exercise), exercise, [case.name for case in known])
    gc.freeze()  # a recording among the cases brings the whole heap back into the collector's sight
    found = run_all(known, function, PRACTICE, 2)
    return sum(verdict.points for verdict in judge.verdicts(known, found, want))


@pytest.mark.parametrize("idle", IDLE)
def test_a_function_that_does_nothing_is_worth_nothing(idle):
    ids = [exercise for some in cases.exercises().values() for exercise in some]
    assert {id: n for id in ids if (n := points(id, IDLE[idle]))} == {}


def test_what_an_answer_costs_counts_once_something_is_right():
    value, cost = (cases.Case("e", name, None, cost=name == "cost") for name in ("value", "cost"))
    right, wrong = {"value": 1}, {"value": 2}

    def of(*outcomes):
        found = dict(zip(("value", "cost"), outcomes, strict=True))
        wanted = {"value": right, "cost": right}
        return [verdict.points for verdict in judge.verdicts([value, cost], found, wanted)]

    assert of(right, right) == [1, 1] and of(right, wrong) == [1, 0]
    assert of(wrong, right) == [0, 0]


def test_a_count_of_bytes_is_not_guessed_by_making_it_a_float():
    assert not plain.same(400_000.0, 400_004) and not plain.same([4e6], [4_000_004])
    assert plain.same(400_004.0, 400_004) and plain.same(0.1 + 0.2, 0.3)


def test_no_cost_is_less_than_nothing():
    case = cases.Case("e", "bytes", None, at_most="8")
    assert not judge.judge(case, {"value": -1}, {"value": 8}).passed


ONE, OTHER = [1.0, 1.5, 2.0], [0.0, 1.5, 2.0]
GAVE, ROUNDED, ELSE = [*ONE, True], [*ONE, False], [1.0, 1.51, 2.0, True]
RIGHT = dict.fromkeys(("came", "met", "left", "grads", "slopes"), [ONE])
RIGHT |= {
    "gave": [GAVE],
    "outside": [[0, 0, 0, 0]],
    "taken": [[0]],
    "costs": [[900, 9]],
    "holds": [[64]],
    "uncounted": [[0]],
    "lent": [[0, 0]],
    "from": [[7, 400]],
    "python": [[30_000, 20_000]],
}
GRADIENTS = "the gradients of the run"


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({}, ""),
        ({"came": [[1.00001, 1.5, 2.0]]}, ""),
        ({"came": []}, GRADIENTS),
        ({"came": [OTHER]}, GRADIENTS),
        ({"met": []}, ""),  # put there by the learner's own hand
        ({"met": [OTHER], "grads": [OTHER]}, GRADIENTS),
        ({"left": [OTHER]}, "left other values"),
        ({"left": []}, "left other values"),
        ({"gave": [ROUNDED]}, ""),
        ({"gave": [ELSE]}, "gave something else"),
        ({"gave": [None]}, "gave something else"),
        ({"gave": []}, "gave something else"),
        ({"gave": [GAVE, GAVE]}, ""),  # another way of calling itself
        ({"slopes": []}, "a walk back"),
        ({"uncounted": [[1]]}, "products of matrices were made by operations"),
        ({"holds": [[1152]]}, ""),
        ({"holds": [[1153]]}, "a call left 1153 bytes alive"),
        ({"outside": [[5000, 0, 0, 5000]]}, "5000 bytes were held where the ledger"),
        ({"outside": [[0, 0, 0, 5000]]}, ""),  # what rules had for themselves
        ({"outside": [[-9000, 0, 0, -9000]]}, "9000 bytes were held where the ledger"),
        ({"outside": [[0, 0, 5000, 0]]}, "5000 bytes were held where the ledger"),
        ({"outside": [[90, 90, 90, 90]]}, ""),
        ({"taken": [[5000]]}, "5000 bytes of values were taken"),
        ({"taken": [[90]]}, ""),
        ({"python": [[125_000, 20_000]]}, ""),
        ({"python": [[130_000, 20_000]]}, "Python held 130000 bytes"),
        ({"python": [[30_000, 106_000]]}, "Python held 106000 bytes"),
        ({"lent": [[90, 90]]}, ""),
        ({"lent": [[5000, 0]]}, "5000 bytes of the case's own were used as scratch"),
        ({"lent": [[0, 5000]]}, "5000 bytes of the case's own were used as scratch"),
        ({"from": []}, ""),
        ({"from": [[7, 900]]}, "500 bytes of values were taken"),
        ({"from": [[7, 400], [8, 100]]}, "100 bytes of values were taken"),
    ],
)
def test_a_measured_run_that_did_other_work_is_for_a_person_to_look_at(own, said):
    case = cases.Case("e", "bytes", None, at_most="8")
    wanted = {"bytes": {"value": 8, "did": RIGHT}}
    outcome = {"bytes": {"value": 8, "did": RIGHT | own}}
    found = [judge.judge(case, outcome["bytes"], wanted["bytes"])]
    flags = marking.unlike([case], found, outcome, wanted)
    assert (not flags and not said) or said in flags[0]


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ([[900, 9]], ""),
        ([[2700, 9]], ""),  # three times as much as elsewhere is honest
        ([[9000, 9]], "9.4 times as many bytes"),
        ([[100, 9]], "5.9 times as many bytes"),
        ([[900, 20]], "2.1 times as many products"),
    ],
)
def test_who_works_otherwise_in_each_measured_run_is_for_a_person_to_look_at(costs, said):
    known = [cases.Case("e", name, None, at_most="8") for name in ("bytes", "products")]
    wanted = {case.name: {"value": 8, "did": RIGHT} for case in known}
    outcomes = wanted | {"products": {"value": 8, "did": RIGHT | {"costs": costs}}}
    found = [judge.judge(case, outcomes[case.name], wanted[case.name]) for case in known]
    flags = marking.unlike(known, found, outcomes, wanted)
    assert len(flags) == bool(said) and all(said in flag for flag in flags)


# --- time and files ------------------------------------------------------------------------


@linux
def test_many_slow_cells_share_their_time(short):
    slow = [f"import time\nx{n} = time.sleep(0.3)" for n in range(9)]
    reply = short.run(job(*slow, GOOD))
    first = next(iter(reply["outcomes"].values()))
    assert "all cells together took longer than 1 s" in first["untried"]


def test_a_million_notes_are_not_compared():
    attempt = Attempt({"cells": []}, [], warden.watch.Limits(), None)
    for n in range(1000):
        attempt._hear(json.dumps({"note": f"{n}"}))
        attempt._hear(json.dumps({"flag": f"{n}"}))
    assert len(attempt.notes) == len(attempt.flags) == MOST


@linux
def test_a_link_is_removed_and_what_it_leads_to_left_alone(tmp_path):
    (tmp_path / "away").mkdir()
    (tmp_path / "away/file").touch(0o400)
    (tmp_path / "home").mkdir()
    (tmp_path / "home/link").symlink_to(tmp_path / "away")
    warden.empty(str(tmp_path / "home"))
    assert os.listdir(tmp_path / "home") == []
    assert (tmp_path / "away/file").stat().st_mode & 0o777 == 0o400


# --- zips and notebooks --------------------------------------------------------------------


def names(count):
    """A zip's own list of so many files, none of which is there."""
    fixed = struct.pack("<4B4HL2L5H2L", 20, 3, 20, *[0] * 8, 1, *[0] * 6)
    return (b"PK\1\2" + fixed + b"a") * count


def says_it_is_short(count):
    """The size that is looked for is found four bytes too late: it is that of the place."""
    some = names(count)
    return some + b"PK\5\6PK\5\6" + struct.pack("<HHLLH", count, count, len(some), 0, 0)


def says_so_elsewhere(count):
    """The end says that the list is empty; the end of zip64, which goes before, does not."""
    some = names(count)
    end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(some), 0)
    end += struct.pack("<4sLQL", b"PK\6\7", 0, len(some), 1)
    return some + end + struct.pack("<4s4H2LH", b"PK\5\6", *[0] * 7)


@pytest.mark.parametrize("lie", [says_it_is_short, says_so_elsewhere])
def test_a_list_of_files_is_refused_before_it_is_read(lie, monkeypatch):
    monkeypatch.setattr(archive.zipfile, "ZipFile", None)
    with pytest.raises(archive.Trouble, match="more than 10000 files"):
        archive.inside(lie(10_001))


def zipped(files):
    return archive.pack(files)


def handed_in(folder, files):
    for name, data in files.items():
        (folder / "eve").mkdir(parents=True, exist_ok=True)
        (folder / "eve" / name).write_bytes(data)
    (one,) = inbox.submissions(folder)
    return one


def test_zips_in_zips_hold_no_more_together(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_FILES", 10)
    inner = zipped({f"{n}.txt": b"" for n in range(6)})
    one = handed_in(tmp_path, {"x.zip": zipped({"a.zip": inner, "b.zip": inner})})
    assert any("hold more than 10 files together" in note for note in one.notes)


def test_there_are_not_more_notes_than_a_person_reads(tmp_path, monkeypatch):
    files = {"x.zip": zipped({f"{n}.ipynb": b"" for n in range(99)})}
    one = handed_in(tmp_path / "some", files)
    assert len(one.notes) == inbox.MOST_NOTES + 1
    most = inbox.MOST_NOTES
    monkeypatch.setattr(inbox, "MOST_NOTES", 1000)
    everything = len(handed_in(tmp_path / "all", files).notes)
    assert everything > 80 and one.notes[-1] == f"and {everything - most} more such notes"


def test_notebooks_that_take_long_to_read_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(inbox, "MOST_SECONDS", -1)
    one = handed_in(tmp_path, {"a.ipynb": b"{}"})
    assert "was left out: the files before it took" in one.notes[0]


def test_the_cells_of_one_notebook_are_parsed_once():
    assert answers._remembered.cache_info().maxsize >= notebook.MOST_CELLS


# --- whose it is ---------------------------------------------------------------------------


def test_a_file_name_cannot_speak_for_another_learner():
    name = "evemallory_123_456_x_999_assignsubmission_file_my.zip"
    assert sender(name, {}).student == "123"


def test_a_name_that_becomes_another_ones_id_does_not_take_it(tmp_path):
    for name in ("a b", "a-b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").touch()
    found = {one.student: one.name for one in inbox.submissions(tmp_path)}
    assert found == {"a-b": "a-b", "a-b-2": "a b"}


def test_no_student_is_called_like_the_file_of_another():
    file = records.stem("Zo\u00eb")
    assert records.stem(file) != file


# --- the grader, changed -------------------------------------------------------------------

INTO = """
import sys
from course.trying import cases, measure, plain
"""
CHANGED = {
    "a function": "plain.encode = lambda value: 1\n",
    "a default": "plain.encode.__defaults__ = (9,)\n",
    "a name before a builtin's": "plain.type = lambda value: int\n",
    "a measurement": "sys.modules[measure.__module__].Measured.peak = property(lambda self: 0)\n",
    "a case": "for c in cases.of('total'): object.__setattr__(c, 'run', lambda f, d: 1)\n",
    "a method's code": "plain.mg.Tensor.T.fget.__code__ = (lambda self: 1).__code__\n",
}
wide = rooms(seconds=9)


@linux
@pytest.mark.parametrize("name", CHANGED)
def test_a_change_of_the_grader_is_refused_or_flagged(name, wide):
    reply = wide.run(job(INTO + CHANGED[name] + GOOD))
    assert "uses course.trying.plain" in " ".join(reply["flags"])
    if name != "a case":
        for outcome in reply["outcomes"].values():
            assert "immutable" in outcome["text"] or "cannot be changed" in outcome["text"]


# --- memory that no process has --------------------------------------------------------------

UNCOUNTED = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
os.fork() or os._exit(0)
def tried(call, *given):
    return call(*given) < 0 and errno.errorcode[ctypes.get_errno()]
def total(numbers):
    text = ctypes.c_char_p
    return [
        tried(libc.memfd_create, text(b"x"), 0),
        tried(libc.shmget, 0, 4096, 0o1600),
        tried(libc.semget, 0, 9, 0o1600),
        tried(libc.msgget, 0, 0o1600),
    ]
"""


@linux
def test_memory_that_no_process_has_is_refused(wide):
    if not wide.isolate:
        pytest.skip("plain mode stops accidents only")
    reply = wide.run(job(UNCOUNTED))
    assert next(iter(reply["outcomes"].values()))["value"] == ["ENOSYS"] * 4
