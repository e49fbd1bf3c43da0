"""A platform's list is found whatever its version calls things, and what is not done is said."""

import csv
import io
import os
import random
import zipfile

import pytest
from test_classroom_books import GOOD, PART, record
from test_classroom_exports import (
    CANVAS_IN,
    MOODLE_IN,
    canvas_reads,
    moodle_reads,
    table,
    with_rows,
    written,
)

from course.classroom import books, roster, to_moodle
from course.classroom.books import Override
from course.classroom.platform_list import decimal

BOB = "Participant 1204"


@pytest.fixture
def draw():
    return random.Random(os.environ["MINIGRAD_MOVED"])


def in_other_letters(head, draw):
    return "".join(draw.choice([letter.lower(), letter.upper()]) for letter in head)


def listed(text, changes):
    """The list with the heads changed, as text and {last part of an id: line as the roster's}."""
    head, *rows = table(text)
    head = [changes(name) for name in head]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue(), {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def moodle_class(lines, cy=None):
    """Ada has all, Bob one of nine; Cy handed in nothing, about whom the teacher may say `cy`."""
    absent = {"overrides": {"": Override(None, cy)}} if cy else {}
    return with_rows(
        (GOOD, {"roster": lines["Participant 1203"]}),
        (PART, {"roster": lines[BOB]}),
        (record("cy"), {"roster": lines["Participant 1205"], "handed_in": False, **absent}),
    )


def cells(text, heading):
    """{number: cell below this heading}."""
    head, *rows = table(text)
    place = [name.casefold() for name in head].index(heading.casefold())
    return {row[0][-4:]: row[place] for row in rows}


def moodle_csv(tmp_path, text, lines, cy=None):
    said, files = written(tmp_path, moodle_class(lines, cy), text)
    return said, files["moodle.csv"].read_bytes().decode()


# --- Moodle's maximum ----------------------------------------------------------------------


def test_the_maximum_is_found_in_every_version_and_in_any_letters(tmp_path, draw):
    forms = [lambda head: head, lambda head: {"Maximum Grade": "Maximum grade"}.get(head, head)]
    forms += [lambda head: in_other_letters(head, draw)] * 6
    for turn, form in enumerate(forms):
        (tmp_path / str(turn)).mkdir()
        text, lines = listed(MOODLE_IN.replace("100.00", "20.00"), form)
        said, back = moodle_csv(tmp_path / str(turn), text, lines)
        assert said == [], text
        assert cells(back, "Grade") == {
            "1204": "2.22",
            "1203": "20",
            "1205": "7.00",
            "1206": "3.00",
        }
        assert table(back)[0] == table(text)[0], "the headings stay as they came"


def test_without_a_maximum_no_grade_is_made_up_and_it_is_said(tmp_path):
    text, lines = listed(MOODLE_IN, lambda head: {"Maximum Grade": "Scale"}.get(head, head))
    (sentence,), back = moodle_csv(tmp_path, text, lines)
    assert "no column Maximum grade" in sentence and "Download" in sentence
    assert cells(back, "Grade") == cells(text, "Grade")
    assert cells(back, "Feedback comments")["1203"] == "9 of 9 points, 100 %."


def test_a_maximum_that_is_no_number_is_said_by_name(tmp_path):
    text, lines = listed(MOODLE_IN.replace(',100.00,Yes,"Wed', ',good,Yes,"Wed'), str)
    (sentence,), back = moodle_csv(tmp_path, text, lines)
    assert "whose maximum is no number: Bob _ Lamb." in sentence
    assert cells(back, "Grade")["1204"] == "" and cells(back, "Grade")["1203"] == "100"


def worksheet(grade, most):
    """The worksheet in which Cy has this grade of this maximum."""
    head, *rows = table(MOODLE_IN)
    own = {"Participant 1205": {head.index("Grade"): grade, head.index("Maximum Grade"): most}}
    changed = [[own.get(row[0], {}).get(i, cell) for i, cell in enumerate(row)] for row in rows]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *changed])
    return out.getvalue()


def test_a_grade_that_moodle_would_pass_over_is_said_by_name(tmp_path, draw):
    for turn in range(30):
        (tmp_path / str(turn)).mkdir()
        most, grade = draw.randrange(1, 100), draw.randrange(-20, 120) + 0.5
        cells = [f"{grade:.2f}", f"{most}.00"]
        cells = [cell.replace(".", ",") for cell in cells] if draw.random() < 0.5 else cells
        said, _ = moodle_csv(tmp_path / str(turn), *listed(worksheet(*cells), str))
        beyond = not 0 <= grade <= most
        assert [one.endswith("outside of its range: Cy.") for one in said] == [True] * beyond


def test_without_a_worksheet_it_is_said_of_what_the_grades_are(tmp_path):
    book = with_rows((GOOD | {"student": "1203"}, {}))
    said, _ = written(tmp_path, book, names=["Ada_1203_assignsubmission_file_"])
    assert len(said) == 1 and "counts out of 9" in said[0] and "grading worksheet" in said[0]


@pytest.mark.parametrize(
    "text, number",
    [("20.00", 20), ("20,00", 20), ("1,000.00", 1000), ("", None), ("-", None), ("nan", None),
     ("1.2.3", None), ("inf", None), ("Scale: 1", None)],
)  # fmt: skip
def test_a_number_is_read_with_a_comma_or_a_point(text, number):
    assert decimal(text) == number


# --- what stood in Moodle's comments -------------------------------------------------------

WORDS = ["see line 3", "good", "look", "a < b", "9 of 9", "=1+1", "good work", "twice; twice"]


def test_what_stood_there_is_kept_and_ours_is_there_once_however_often_it_comes_back(draw):
    for _ in range(400):
        old = draw.choice(["", "old words", "<p>look at 3 of 4 points</p>", "goodbye", "x\ny"])
        text = old
        for _ in range(draw.randrange(1, 5)):
            overrides = {id: Override(None, draw.choice(WORDS)) for id in draw.sample(["", "x"], 2)}
            facts = {"overrides": overrides, "late": draw.randrange(3), "taken": 0.5}
            book = with_rows((draw.choice([GOOD, PART]), facts))
            said = to_moodle.pieces(book, book.rows[0])
            text = to_moodle.behind(text, said)
            assert text == to_moodle.behind(text, said), "twice the same is once"
            assert text.startswith(old), "not a word of the teacher's is lost"
            assert text.endswith(books.harmless(" ".join(said)))
            assert len(to_moodle.OURS.findall(text)) == 1


def test_words_behind_ours_are_the_teachers_unless_we_said_them():
    first = to_moodle.behind("old", ["1 of 9 points, 11.11 %.", "see line 3"])
    again = to_moodle.behind(first + " and ask me", ["2 of 9 points, 22.22 %.", "see line 3"])
    assert again == "old and ask me 2 of 9 points, 22.22 %. see line 3"


# --- who handed in nothing -----------------------------------------------------------------


def test_a_comment_reaches_who_handed_in_nothing_in_moodle(tmp_path):
    said, files = written(
        tmp_path, moodle_class(listed(MOODLE_IN, str)[1], "where are you?"), MOODLE_IN
    )
    back = files["moodle.csv"].read_bytes().decode()
    assert said == []
    assert moodle_reads(back)["1205"] == ("7.00", "kept where are you?"), "and no grade is made up"
    with zipfile.ZipFile(files["feedback.zip"]) as packed:
        assert sum("_1205_assignsubmission_file_/" in name for name in packed.namelist()) == 1


def canvas_class(lines, bob="see me"):
    handed = {"roster": lines["903"]}
    absent = {"roster": lines["904"], "handed_in": False, "overrides": {"": Override(None, bob)}}
    return with_rows((GOOD, handed), (record("bob", "Bob"), absent))


def test_a_comment_that_canvas_cannot_take_is_said_by_name(tmp_path):
    lines = {row["ID"]: row for row in csv.DictReader(io.StringIO(CANVAS_IN))}
    said, _ = written(tmp_path, canvas_class(lines), CANVAS_IN)
    assert len(said) == 1 and said[0].endswith("write it there by hand to Bob.")
    (tmp_path / "two").mkdir()
    assert written(tmp_path / "two", canvas_class(lines, ""), CANVAS_IN)[0] == []


# --- Canvas --------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_canvas_gets_what_it_can_read(tmp_path, separator):
    lines = {row["ID"]: row for row in csv.DictReader(io.StringIO(CANVAS_IN))}
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(table(CANVAS_IN))
    _, files = written(tmp_path, canvas_class(lines, ""), out.getvalue())
    text = files["canvas.csv"].read_bytes().decode()
    between = "," if separator == "\t" else separator
    assert text.removeprefix(books.BOM).startswith(f"Student{between}ID{between}")


def two_names(text):
    """The same gradebook as Canvas exports it with the parts of the names apart."""
    head, *rows = table(text)
    made = [["LastName", "FirstName", *head[1:]]]
    for first, *rest in rows:
        last, _, own = first.partition(", ")
        made.append([last, own, *rest])
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(made)
    return out.getvalue()


def test_a_gradebook_with_last_and_first_name_is_a_roster_and_comes_back(tmp_path):
    text = two_names(CANVAS_IN)
    file = tmp_path / "gradebook.csv"
    file.write_text(text)
    found = roster.read(file)
    assert found.kind == roster.CANVAS
    assert [entry.name for entry in found.entries] == ["Lamb, Bob", "+Ada"]
    lines = {entry.ids[0]: entry.cells for entry in found.entries}
    _, files = written(tmp_path, canvas_class(lines, ""), text)
    back = table(files["canvas.csv"].read_bytes().decode())
    assert [row[2:5] for row in back] == [row[2:5] for row in table(text)]
    ours = back[0].index("Minigrad course (18)")
    assert {row[2]: row[ours] for row in back[3:]} == {"904": "", "903": "50"}


@pytest.mark.parametrize("possible", ["", "0", "0.00", "none"])
def test_without_points_possible_it_is_said_of_what_the_grades_are(tmp_path, possible):
    lines = {row["ID"]: row for row in csv.DictReader(io.StringIO(CANVAS_IN))}
    text = CANVAS_IN.replace("50.00", possible)
    (sentence,), files = written(tmp_path, canvas_class(lines, ""), text)
    assert "counts out of 9" in sentence and "Minigrad course (18)" in sentence
    scores, _ = canvas_reads(files["canvas.csv"].read_bytes().decode())
    assert scores["903"]["Minigrad course (18)"] == "9"
