"""A roster is read as the platform writes it; everybody on it has a row, whoever handed in nothing.

Rosters are drawn: who is in the class, who handed in, the order of the columns, what is between the
cells, and how the file begins.
"""

import csv
import io
import os
import random
import unicodedata

import pytest
from classroom_made import hand_in
from classroom_run import FULL, LESSONS, points

from course.classroom import roster
from course.classroom.inbox import Submission
from course.classroom.klass import Klass
from course.classroom.learners import Learners
from course.classroom.records import stem
from course.classroom.senders import safe
from course.classroom.tables import BadFile

FIRST = ["Ada", "Zoë", "Émile", "Jean-Luc", "María José", "O'Brian", "Jürgen", "Ольга", "王"]
LAST = ["Lovelace", "van der Waals", "Müller", "Straße", "Nguyễn", "İnan", "Smith", "Ødegård"]


@pytest.fixture
def draw():
    return random.Random(os.environ["MINIGRAD_MOVED"])


def people(draw, count=12):
    """{id: (first name, last name)}; the name of one is nobody else's."""
    names = draw.sample([(first, last) for first in FIRST for last in LAST], count)
    return dict(zip(map(str, draw.sample(range(10_000, 99_999), count)), names, strict=True))


def email(id):
    return f"s{id}@example.org"


def moodle(id, name):
    return {
        "Identifier": f"Participant {id}",
        "Full name": " ".join(name),
        "ID number": f"m{id}",
        "Email address": email(id),
        "Status": "Submitted for grading - ",
        "Grade": "",
        "Maximum Grade": "100.00",
        "Grade can be changed": "Yes",
        "Last modified (submission)": "Tuesday, 1 December 2026, 11:05 PM",
        "Last modified (grade)": "-",
        "Feedback comments": "one; two, three\nfour",
    }


def canvas(id, name):
    return {
        "Student": f"{name[1]}, {name[0]}",
        "ID": id,
        "SIS User ID": str(int(id) + 1),  # the Canvas id of somebody else, perhaps
        "SIS Login ID": f"l{id}",
        "Section": "One, and Two",
        "minigrad (4711)": "",
        "Current Score": "80",
    }


def plain(id, name):
    return {"student": f"p{id}", "name": " ".join(name), "email": email(id), "handed_in": ""}


FORMATS = {"moodle": moodle, "canvas": canvas, "plain": plain}
KEYS = {"moodle": "Identifier", "canvas": "ID", "plain": "student"}


def written(file, lines, draw):
    """The lines as a CSV of whatever kind."""
    heads = list(lines[0])
    draw.shuffle(heads)
    draw.shuffle(lines)
    out = io.StringIO()
    between = draw.choice(",;\t")
    quoting = draw.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
    end = draw.choice(["\n", "\r\n"])
    write = csv.DictWriter(out, heads, delimiter=between, quoting=quoting, lineterminator=end)
    write.writeheader()
    write.writerows(lines)
    text = out.getvalue() + draw.choice(["", end, between * (len(heads) - 1) + end])
    file.write_bytes(text.encode(draw.choice(["utf-8", "utf-8-sig", "utf-16"])))
    return file


def handed_in(kind, id, name, draw):
    """A submission of this learner as the inbox gives it, found by one way or another."""
    full = " ".join(name)
    if kind == "moodle":
        return Submission(id, draw.choice([full, "anonymous"]), listed=True)
    if kind == "canvas":
        return Submission(id, f"{name[1]}{name[0]}".lower().replace(" ", ""), listed=True)
    way = draw.choice([f"p{id}", f"P{id}", full.upper(), unicodedata.normalize("NFD", full),
                       f"{name[1]}, {name[0]}", email(id)])  # fmt: skip
    return Submission(safe(way), way)


@pytest.mark.parametrize("turn", range(8))
@pytest.mark.parametrize("kind", FORMATS)
def test_whoever_handed_in_is_found_and_the_rest_has_a_row(tmp_path, draw, kind, turn):
    draw.seed(f"{draw.random()} {turn}")
    everybody = people(draw)
    lines = {id: FORMATS[kind](id, name) for id, name in everybody.items()}
    file = written(tmp_path / "roster.csv", list(lines.values()), draw)
    there = draw.sample(sorted(everybody), draw.randrange(len(everybody) + 1))
    ours = {id: handed_in(kind, id, everybody[id], draw) for id in there}
    stranger = Submission("7", "Nobody Known", listed=kind != "plain")
    found = Learners(Klass(roster=file), [*ours.values(), stranger])
    assert found.kind == kind
    for id, one in ours.items():
        known = found.known(one.student)
        assert known.handed_in and known.roster == lines[id] and not known.remarks
    absent = found.absent([])
    left = {found.known(student).roster[KEYS[kind]] for student in absent}
    assert left == {line[KEYS[kind]] for id, line in lines.items() if id not in there}
    assert all(record["notes"] == ["handed in nothing"] for record in absent.values())
    assert not any(found.known(student).handed_in for student in absent)
    assert found.known("7").remarks == ("on no line of the roster (roster.csv)",)
    assert not {stem(student) for student in absent} & {stem(one.student) for one in ours.values()}


def test_a_number_of_a_platform_is_no_other_number(tmp_path, draw):
    """Canvas's id of who has left the class can be the university's id of somebody in it."""
    lines = [canvas("100", ("Ada", "Lovelace")) | {"SIS User ID": "200"}]
    file = written(tmp_path / "roster.csv", lines, draw)
    found = Learners(Klass(roster=file), [Submission("200", "byronanne", listed=True)])
    assert found.known("200").remarks and list(found.absent([])) == ["100"]


def test_two_of_one_name_are_found_by_id_only(tmp_path, draw):
    lines = [plain(id, ("Ada", "Lovelace")) for id in ("1", "2")]
    file = written(tmp_path / "roster.csv", lines, draw)
    handed = [Submission("p1", "p1"), Submission("Ada-Lovelace", "Ada Lovelace")]
    found = Learners(Klass(roster=file), handed)
    assert found.known("p1").roster["student"] == "p1"
    assert found.known("Ada-Lovelace").roster["student"] == "p2", "the other is taken"
    alone = Learners(Klass(roster=file), handed[1:])
    assert alone.known("Ada-Lovelace").remarks and len(alone.absent([])) == 2


def test_two_who_could_be_one_line_are_neither(tmp_path, draw):
    file = written(tmp_path / "roster.csv", [plain("1", ("Ada", "Lovelace"))], draw)
    found = Learners(Klass(roster=file), [Submission("p1", "p1"), Submission("P1-2", "P1")])
    assert found.known("p1").remarks and found.known("P1-2").remarks
    (row,) = found.absent([])
    assert row not in ("p1", "P1-2"), "a row of its own, and nobody's file"


def test_lines_of_canvas_that_are_nobody(tmp_path):
    file = tmp_path / "roster.csv"
    heads = "Student,ID,SIS User ID,SIS Login ID,Section,minigrad (4711)\n"
    odd = ',,,,,Manual Posting\n    Points Possible,,,,,100\n"Student, Test",9,,x,One,\n'
    file.write_text(heads + odd + '"Lovelace, Ada",7,u,l,One,\n')
    assert [entry.ids[0] for entry in roster.read(file).entries] == ["7"]


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("a,b\n1,2\n", "is no roster: it needs the headings"),
        ("", "is no roster"),
        ("Identifiant,Nom complet\nParticipant 1,Ada\n", "in English"),
        ("student,name\n", "holds no learner"),
        ("student,name\nada,Ada\nbob,Bob\nADA,Ada\n", "lines 2 and 4 are both ADA"),
        ("student,name\nada,Lovelace, Ada\n", "line 2 has 3 cells under 2 headings"),
        ("student,name\nada,\"" + "x" * 200_000 + "\"\n", "line 2 is not CSV"),
        (b"student,name\nzo\xeb,Zo\xeb\n", "save it as CSV UTF-8"),
    ],
)  # fmt: skip
def test_a_mistake_is_a_sentence(tmp_path, text, sentence):
    file = tmp_path / "roster.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadFile, match=sentence) as told:
        roster.read(file)
    assert str(told.value).endswith(".") and "\n" not in str(told.value)


# --- in the whole command ------------------------------------------------------------------


def test_the_books_have_everybody(run, handed, tmp_path):
    text = "student,name,email\nada,Ada L.,a@x\nbob,,\ndora,=Dora,d@x\n"
    (tmp_path / "roster.csv").write_text(text)
    (tmp_path / "class.toml").write_text('[roster]\nfile = "roster.csv"\n')
    code, rows = run(klass=tmp_path / "class.toml", fail_under=10)
    assert points(rows) == {"ada": 24, "bob": 6, "cleo": 20, "dora": 0}
    assert [row["handed_in"] for row in rows.values()] == ["no", "yes", "yes", "yes"]
    assert list(rows) == ["dora", "ada", "bob", "cleo"], "in the order of their names"
    assert rows["dora"]["notes"] == "handed in nothing" and rows["dora"]["name"] == "'=Dora"
    assert rows["ada"]["name"] == "Ada L." and rows["bob"]["name"] == "bob"
    assert "on no line of the roster" in rows["cleo"]["notes"]
    assert "handed in nothing" in (run.out / "learners/dora.html").read_text("utf-8")
    assert "no line" not in (run.out / "learners/cleo.html").read_text("utf-8")
    assert code == 1 and "1 below 10 %: =Dora." in run.said.out
    assert "4 learners, 1 handed in nothing" in run.said.out
    assert "1 handed in nothing: =Dora." in run.said.out
    assert "could not be graded" not in run.said.out
    assert "1 on no line of the roster (roster.csv): cleo." in run.said.out
    hand_in(handed / "dora", FULL, LESSONS)
    assert points(run(klass=tmp_path / "class.toml")[1])["dora"] == 24
