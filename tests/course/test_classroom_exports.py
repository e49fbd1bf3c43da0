"""What goes back is read as the platforms read it: by their rules, written down once more here."""

import csv
import io
import re
import zipfile
from dataclasses import replace

import pytest
from test_classroom_books import COLUMNS, GOOD, PART, case, exercise, record

from course import copies
from course.classroom import books, exports, platform_list, records

MOODLE_IN = """\
Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,\
Last modified (submission),Last modified (grade),Feedback comments
Participant 1204,Bob _ Lamb,bob@x.org,Submitted for grading - ,,100.00,Yes,\
"Wednesday, 3 July 2024, 10:00 AM",-,old words
Participant 1203,Ada,ada@x.org,Submitted for grading,,100.00,Yes,-,-,
Participant 1205,Cy,cy@x.org,No submission,7.00,100.00,Yes,-,-,kept
Participant 1206,"=HYPERLINK(""x"")",d@x.org,Submitted,3.00,100.00,No,-,-,locked
"""
CANVAS_IN = """\
Student,ID,SIS User ID,SIS Login ID,Section,Quiz (17),Minigrad course (18),Final Score
,,,,,Manual Posting,,
    Points Possible,,,,,10.00,50.00,(read only)
"Lamb, Bob",904,-b4,=bob,"A, B",3.00,,40
"+Ada",903,a3,ada,A,4.00,7.00,50
"""


def made(*rows):
    return books.book(rows, COLUMNS, {})


def with_rows(*own):
    """A book of [(record, what its row has besides)]."""
    book = books.book([one for one, _ in own], COLUMNS, {})
    more = {one["student"]: facts for one, facts in own}
    return replace(book, rows=[replace(row, **more[row.student]) for row in book.rows])


def table(text):
    return list(csv.reader(io.StringIO(text.removeprefix(books.BOM), newline="")))


def written(tmp_path, book, roster=None, names=()):
    """(what was said, {file: text}) with submissions under these names."""
    handed, out = tmp_path / "in", tmp_path / "out"
    for name in names or ["a"]:
        (handed / name).mkdir(parents=True, exist_ok=True)
        (handed / name / "x.ipynb").write_text("{}")
    for row in book.rows:
        copies.write(records.page(out, row.student), f"page of {row.student}")
    file = None
    if roster:
        file = tmp_path / "roster.csv"
        file.write_text(roster, "utf-8", newline="")
    said = exports.write(out, book, handed, file)
    return said, {path.name: path for path in out.iterdir() if path.is_file()}


# --- Moodle --------------------------------------------------------------------------------


def moodle_reads(text):
    """{number: (grade, comment)}, as importgradeslib.php and process_import_grades take it."""
    head, *rows = table(text)
    id, grade, _ = map(head.index, ("Identifier", "Grade", "Last modified (grade)"))
    comment = head.index("Feedback comments")
    return {row[id].removeprefix("Participant "): (row[grade], row[comment]) for row in rows}


def moodle_rows():
    roster = {row["Identifier"][-1]: row for row in csv.DictReader(io.StringIO(MOODLE_IN))}
    late = {"late": 2, "taken": 0.5, "overrides": {"freed": books.Override(None, "see <me>")}}
    locked = GOOD | {"student": "dan"}
    return with_rows(
        (GOOD, {"roster": roster["3"]}),
        (PART, {"roster": roster["4"]} | late),
        (record("cy"), {"roster": roster["5"], "handed_in": False}),
        (locked, {"roster": roster["6"]}),
    )


def test_moodles_worksheet_comes_back_with_grades_and_comments(tmp_path):
    said, files = written(tmp_path, moodle_rows(), MOODLE_IN)
    text = files["moodle.csv"].read_bytes().decode()
    found = moodle_reads(text)
    assert said == [] and "canvas.csv" not in files
    grades = {"1203": "100", "1204": "11.11", "1205": "7.00", "1206": "3.00"}
    assert {id: grade for id, (grade, _) in found.items()} == grades
    assert found["1204"][1] == (
        "old words 1 of 9 points, 11.11 %. 2 days late, 0.5 points taken off. freed: see &lt;me&gt;"
    )
    assert [found[id][1] for id in ("1205", "1206")] == ["kept", "locked"], "nothing new is said"


def test_all_else_in_the_worksheet_is_as_it_came(tmp_path):
    _, files = written(tmp_path, moodle_rows(), MOODLE_IN)
    before = table(MOODLE_IN)
    after = table(files["moodle.csv"].read_bytes().decode())
    filled = {before[0].index("Grade"), before[0].index("Feedback comments")}
    changed = {
        (cell, new)
        for old_row, new_row in zip(before, after, strict=True)
        for place, (cell, new) in enumerate(zip(old_row, new_row, strict=True))
        if cell != new and place not in filled
    }
    assert changed == {('=HYPERLINK("x")', '\'=HYPERLINK("x")')}


def test_a_comma_as_decimal_point_and_a_scale_of_words():
    book = books.book([PART], COLUMNS, {})
    assert platform_list.scaled(book, book.rows[0], "100,00") == "11,11"
    assert platform_list.scaled(book, book.rows[0], "1,000.00") == "111.11"
    assert platform_list.scaled(book, book.rows[0], "Scale: poor, good") is None
    more = replace(book.rows[0], total=12)
    assert platform_list.scaled(book, more, "100", most=1) == "100", "Moodle passes over more"


@pytest.mark.parametrize("around", ["", "class/"])
def test_without_a_worksheet_the_names_of_the_files_tell_the_numbers(tmp_path, around):
    names = [f"{around}Ada_1203_assignsubmission_file_", f"{around}Bob_1204_assignsubmission_file_"]
    book = made(GOOD | {"student": "1203"}, PART | {"student": "1204"})
    _, files = written(tmp_path, book, names=names)
    found = moodle_reads(files["moodle.csv"].read_bytes().decode())
    assert {id: grade for id, (grade, _) in found.items()} == {"1203": "9", "1204": "1"}
    assert "canvas.csv" not in files


def test_plain_names_are_nobodys_numbers(tmp_path):
    """Somebody is called 1203, and no platform said so; what a run before wrote goes away."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out/moodle.csv").write_text("of another class")
    said, files = written(tmp_path, made(GOOD | {"student": "1203"}), names=["1203"])
    assert said == [] and not {"moodle.csv", "canvas.csv"} & set(files)


# --- Canvas --------------------------------------------------------------------------------


def canvas_reads(text):
    """({id: {column: score}}, {column: possible}), as gradebook_importer.rb takes it."""
    head, *rows = table(text)
    assert "Student" in head[0] and "ID" in head[1] and len(head) > 3
    first = 3
    if re.search(r"SIS\s+User\s+ID", head[2]) and re.search(r"SIS\s+Login\s+ID", head[3]):
        first += 2
    assert "Section" in head[first - 1]
    scores, possible = {}, {}
    for row in rows:
        if "Points Possible" in row[0]:
            possible = dict(zip(head[first:], row[first:], strict=True))
        elif not all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", cell) for cell in row):
            scores[row[1]] = dict(zip(head[first:], row[first:], strict=True))
    return scores, possible


def canvas_rows():
    roster = {row["ID"]: row for row in csv.DictReader(io.StringIO(CANVAS_IN))}
    return with_rows((GOOD, {"roster": roster["903"]}), (PART, {"roster": roster["904"]}))


def test_canvas_gradebook_comes_back_with_our_column(tmp_path):
    said, files = written(tmp_path, canvas_rows(), CANVAS_IN)
    text = files["canvas.csv"].read_bytes().decode()
    scores, possible = canvas_reads(text)
    ours = "Minigrad course (18)"
    assert {id: row[ours] for id, row in scores.items()} == {"903": "50", "904": "5.56"}
    assert {id: row["Quiz (17)"] for id, row in scores.items()} == {"903": "4.00", "904": "3.00"}
    assert possible[ours] == "50.00" and "moodle.csv" not in files and said == []
    ids = [row[1:4] for row in table(text)]
    assert ids == [row[1:4] for row in table(CANVAS_IN)], "not a byte of what finds a learner"
    assert text.count("'+Ada") == 1, "a name is no formula"


def test_which_assignment_is_ours_is_asked(tmp_path):
    said, files = written(tmp_path, canvas_rows(), CANVAS_IN.replace("Minigrad", "Some"))
    assert "canvas.csv" not in files
    assert len(said) == 1 and "Delete all columns" in said[0]
    one = CANVAS_IN.replace("Minigrad", "Some").replace("Quiz (17)", "Notes")
    assert "canvas.csv" in written(tmp_path, canvas_rows(), one)[1]


def test_without_a_gradebook_the_names_of_the_files_tell_the_ids(tmp_path):
    handed, out = tmp_path / "in", tmp_path / "out"
    handed.mkdir()
    for name in "adalamb_903_55_my.zip", "bob_LATE_904_56_my.zip":
        (handed / name).write_bytes(b"")
    book = made(GOOD | {"student": "903"}, PART | {"student": "904"})
    for row in book.rows:
        copies.write(records.page(out, row.student), "page")
    assert exports.write(out, book, handed) == []
    scores, possible = canvas_reads((out / "canvas.csv").read_bytes().decode())
    assert {id: row["minigrad"] for id, row in scores.items()} == {"903": "9", "904": "1"}
    assert possible == {"minigrad": "9"}


# --- both ----------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", books.BOM])
def test_separator_and_mark_stay(tmp_path, separator, mark):
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(table(MOODLE_IN))
    _, files = written(tmp_path, moodle_rows(), mark + out.getvalue())
    text = files["moodle.csv"].read_bytes().decode()
    assert text.startswith(mark + f"Identifier{separator}Full name{separator}")


FORMULAS = "=1+1", "+1+cmd", "-cmd", "@SUM(A1)", "\t=1", "a;=1", "x\n=1", "\uff1d1"


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_moodles_is_a_formula(tmp_path, text):
    hostile = record("7", text, [text], bytes=exercise(case("c", 1), notes=[text], flags=[text]))
    own = {"overrides": {"": books.Override(None, text)}, "late": 1}
    book = with_rows((hostile, own))
    _, files = written(tmp_path, book, names=["x_7_assignsubmission_file_"])
    roster = MOODLE_IN.replace("Bob _ Lamb", '"' + text.replace('"', '""') + '"')
    (tmp_path / "two").mkdir()
    _, listed = written(tmp_path / "two", moodle_rows(), roster)
    for file in files, listed:
        _, *rows = table(file["moodle.csv"].read_bytes().decode())
        for row in rows:
            for cell in row:
                for part in re.split("[;,\n]", cell):
                    formula = part.strip().startswith(("=", "+", "-", "@", "\uff1d"))
                    assert not formula or part.strip() == "-", cell


# --- the zip of pages ----------------------------------------------------------------------


def moodle_finds(name):
    """(number, plugin, file) of a path in the zip, as importziplib.php finds them."""
    parts = name.split("/")
    if parts[-1][:1] in ".~":
        return None
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) >= 4 and info[1].isdecimal():
            return int(info[1]), "_".join(info[2:4]), "/".join([*info[4:], *parts])
    return None


HARD = ["Ada", "Bob_9_assignsubmission_file_", "../../x", ".hidden", "~a", "Ж/é", "a\u202eb", "_"]


@pytest.mark.parametrize("name", HARD)
def test_moodle_finds_whose_page_it_is(tmp_path, name):
    roster = {"Identifier": "Participant 1203"}
    book = with_rows((GOOD | {"name": name}, {"roster": roster}), (PART, {}))
    _, files = written(tmp_path, book)
    with zipfile.ZipFile(files["feedback.zip"]) as packed:
        names = set(packed.namelist())
        (page,) = names - {"bob.html"}
        assert moodle_finds(page) == (1203, "assignsubmission_file", "/minigrad.html")
        assert packed.read(page) == b"page of ada" and packed.read("bob.html") == b"page of bob"
        assert ".." not in page and "\u202e" not in page


def canvas_finds(name, anonymous):
    """(whose, file handed in) of a name in the zip, as abstract_assignment.rb infers them."""
    file = name.rpartition("/")[2]
    parts = [part for part in file.split("_") if part != "LATE"]
    if parts[-1].startswith("link") or file.startswith("._"):
        return None
    if parts[0] == "anon":
        return (anonymous[parts[1]], parts[2]) if parts[1] in anonymous else None
    numbers = [part for part in parts if part.isdecimal()][:2]
    return tuple(numbers) if len(numbers) == 2 else None


def test_canvas_finds_whose_page_it_is(tmp_path):
    handed, out = tmp_path / "in", tmp_path / "out"
    handed.mkdir()
    sent = {
        "903": "adalamb_903_55_01_names.ipynb",
        "904": "bob2_LATE_904_56_7_8_my work.zip",
        "aB3x9": "anon_LATE_aB3x9_44_04_which.ipynb",
    }
    for name in [*sent.values(), "adalamb_903_57_04_which.ipynb", "cy.ipynb"]:
        (handed / name).write_bytes(b"")
    book = made(*(GOOD | {"student": id, "name": f"_9_{id}"} for id in [*sent, "cy"]))
    for row in book.rows:
        copies.write(records.page(out, row.student), f"page of {row.student}")
    exports.write(out, book, handed)
    with zipfile.ZipFile(out / "feedback.zip") as packed:
        pages = {packed.read(name).decode(): name for name in packed.namelist()}
    assert all(name.endswith(".html") for name in pages.values())
    whose = {said: canvas_finds(name, {"aB3x9": "905"}) for said, name in pages.items()}
    assert whose == {
        "page of 903": ("903", "55"),
        "page of 904": ("904", "56"),
        "page of aB3x9": ("905", "44"),
        "page of cy": None,
    }
    assert "aB3x9" not in (out / "canvas.csv").read_text("utf-8-sig"), "that is no ID of Canvas's"


def test_the_same_pages_make_the_same_zip(tmp_path):
    zips = []
    for place, order in (("a", (GOOD, PART)), ("b", (PART, GOOD))):
        (tmp_path / place).mkdir()
        _, files = written(tmp_path / place, made(*order))
        zips.append(files["feedback.zip"].read_bytes())
    assert zips[0] == zips[1]


def test_who_handed_in_nothing_has_no_page_to_get_back(tmp_path):
    _, files = written(tmp_path, with_rows((GOOD, {}), (record("cy"), {"handed_in": False})))
    with zipfile.ZipFile(files["feedback.zip"]) as packed:
        assert packed.namelist() == ["ada.html"]
