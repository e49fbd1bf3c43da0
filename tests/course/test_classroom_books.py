"""The books say the same in every form, and what a learner wrote stays text in all of them."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from course.classroom import books, misconceptions, page, records, report

COLUMNS = [
    books.Column("bytes", "01", 4),
    books.Column("alive", "01", 2),
    books.Column("freed", "04", 3),
]
TITLES = {"01": "names objects bytes", "04": "which is freed"}


def case(name, points, of=1, hint="Views share one buffer.", got="80 B", line="line 3: h = x"):
    passed = points == of
    told = {"hint": "" if passed else hint, "line": "" if passed else line}
    return {"case": name, "points": points, "of": of, "expected": "40 B", "got": got} | told


def exercise(*cases, notes=(), flags=()):
    return {
        "points": sum(case["points"] for case in cases),
        "of": sum(case["of"] for case in cases),
        "cases": list(cases),
        "notes": list(notes),
        "flags": list(flags),
    }


def record(student="ada", name="Ada", notes=(), **exercises):
    return {
        "student": student,
        "name": name,
        "digest": "d",
        "notes": list(notes),
        "exercises": exercises,
    }


GOOD = record(
    bytes=exercise(case("small", 1), case("large", 3, 3)),
    alive=exercise(case("one", 2, 2)),
    freed=exercise(case("after", 3, 3)),
)
PART = record(
    "bob",
    "Bob",
    ["expected 01_x.ipynb, graded x.ipynb"],
    bytes=exercise(case("small", 1), case("large", 0, 3, got="1,240 B"), notes=["two cells"]),
    alive=exercise(case("one", 0, 2), notes=["two cells"], flags=["numpy was patched"]),
    freed=exercise(),
)


def book(*rows, columns=COLUMNS):
    return books.book(rows or (GOOD, PART), columns, TITLES)


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text.removeprefix(books.BOM), newline="")))


# --- numbers -------------------------------------------------------------------------------


def test_totals_of_the_csv():
    ada, bob = read_csv(books.as_csv(book()))
    assert [ada[k] for k in ("points", "of", "percent")] == ["9", "9", "100"]
    assert [bob[k] for k in ("points", "of", "percent")] == ["1", "9", "11.11"]
    assert [bob[k] for k in ("bytes", "alive", "freed")] == ["1", "0", ""], "not handed in is not 0"
    assert bob["notes"].startswith("expected 01_x.ipynb")
    assert "bytes, alive: two cells" in bob["notes"], "a note of several exercises is said once"
    assert bob["flags"] == "alive: numpy was patched"


def test_csv_and_json_say_the_same():
    rows = read_csv(books.as_csv(book()))
    data = json.loads(books.as_json(book(), seed="s"))
    assert data["seed"] == "s"
    assert data["mean_percent"] == 55.56
    for row, learner in zip(rows, data["learners"], strict=True):
        assert row["student"] == learner["student"]
        assert float(row["points"]) == learner["points"]
        assert float(row["percent"]) == learner["percent"]


def test_a_weight_multiplies_the_points():
    factors = {"alive": 0.5}
    columns = [replace(c, weight=factors.get(c.exercise, 1)) for c in COLUMNS]
    weighed = book(columns=columns)
    assert weighed.of == 8
    assert [row.total for row in weighed.rows] == [8, 1]
    assert books.book([PART], [books.Column("alive", "01", 2, 0)], {}).rows[0].percent == 0


def test_rows_are_in_the_order_of_names():
    names = [record("3", "zoe"), record("1", "Émil"), record("2", "Adam")]
    assert [row.student for row in book(*names).rows] == ["2", "1", "3"]


# --- what a learner wrote stays text -------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r\n=1",
        "  =1",
        "\uff1d1",
        "ada,=1+1",
        'a"; =1',
        "x\n=1",
    ],
)
def test_no_cell_of_the_csv_is_a_formula(text):
    hostile = record(text, text, [text], bytes=exercise(case("c", 1), notes=[text], flags=[text]))
    table = books.as_csv(book(hostile)).removeprefix(books.BOM)
    rows = list(csv.reader(io.StringIO(table, newline="")))
    assert len(rows) == 2, "one line of the file for one learner"
    for cell in rows[1]:
        for part in cell.replace(";", ",").split(","):
            assert not part.strip().startswith(("=", "+", "-", "@", "\uff1d")), cell


def test_ordinary_text_is_left_alone():
    assert (
        books.harmless("Émilie du Châtelet-Lomont (x = 3)") == "Émilie du Châtelet-Lomont (x = 3)"
    )


def test_excel_is_told_that_it_is_utf8():
    assert books.as_csv(book()).encode()[:3] == b"\xef\xbb\xbf"
    assert "\r\n" in books.as_csv(book())


EVIL = "<script>alert(1)</script>\"'&<img src=x onerror=1>"


def test_no_page_holds_what_a_learner_wrote_as_html():
    cases = case(EVIL, 0, hint=EVIL, got=EVIL, line=EVIL)
    hostile = record(EVIL, EVIL, [EVIL], bytes=exercise(cases, notes=[EVIL], flags=[EVIL]))
    made = book(hostile)
    pages = [show(made, made.rows[0]) for show in (page.learner, page.teacher)]
    pages += [report.gradebook(made), misconceptions.misconceptions(made)]
    for text in pages:
        text = text.replace(f"<script>{report.SORT}</script>", "")
        assert "<script" not in text and "<img" not in text
        assert "&lt;script&gt;" in text


def test_a_page_is_one_file_and_of_bearable_size():
    long = record(bytes=exercise(case("c" * 5000, 0, hint="h" * 9000, got="g" * 9000)))
    made = book(long)
    text = page.learner(made, made.rows[0])
    assert len(text) < 10_000
    for outside in ("://", "<link", "<script", "url(", "@import"):
        assert outside not in text


# --- a learner's page ----------------------------------------------------------------------


def learner_page(which):
    made = book()
    return page.learner(made, made.rows[which])


def test_a_page_shows_what_went_wrong_and_where():
    bob = learner_page(1)
    for said in ("1,240 B", "Views share one buffer.", "line 3: h = x", "Right: small."):
        assert said in bob, said
    for said in ("two cells", "Not handed in.", "11.11 %"):
        assert said in bob, said


def test_what_was_expected_the_flags_and_the_graders_trouble_are_the_teachers():
    made = book(GOOD, PART | {"failed": "RuntimeError: 40 B", "round": 3})
    own, all_of_it = (show(made, made.rows[1]) for show in (page.learner, page.teacher))
    for said in ("<td>40 B", "numpy was patched", "RuntimeError", "Round 3"):
        assert said in all_of_it and said not in own, said


def test_full_points_are_one_line():
    assert "<table" not in learner_page(0)
    assert learner_page(0).count("<h3>") == 3


def test_what_nobody_has_written_is_one_line():
    stub = case("small", 0, got="not written yet", hint="") | {"missing": True}
    made = book(record(bytes=exercise(stub, stub)))
    text = page.learner(made, made.rows[0])
    assert "Not written yet." in text and "<table" not in text


def test_code_in_a_hint_is_set_as_code():
    assert page.prose("is a `return` <missing>?") == "is a <code>return</code> &lt;missing&gt;?"


def test_a_weight_is_said():
    made = book(columns=[books.Column("bytes", "01", 4, 2)])
    assert "each point counts 2<" in page.learner(made, made.rows[0])


# --- the class -----------------------------------------------------------------------------


def test_the_gradebook_links_every_learner():
    text = report.gradebook(book())
    assert 'href="records/ada.html"' in text and 'href="records/bob.html"' in text
    assert "mean 55.56 %" in text and "median 55.5" in text
    assert text.count('class="look"') == 2, "bob's flag, and the key that explains it"


def test_the_histogram_counts_everybody():
    picture = report.histogram([0, 9.9, 10, 99, 100, 100])
    assert [int(n) for n in re.findall(r">(\d+)</text>", picture)] == [2, 1, 3]


def test_hints_that_differ_in_numbers_are_one():
    def said(number, hint):
        return record(str(number), "", bytes=exercise(case("small", 0, 4, hint=hint)))

    rows = [
        said(1, "12 B are counted twice"),
        said(2, "1,200 B are counted twice"),
        said(3, "1 float32 has 4 bytes"),
    ]
    first, second = misconceptions.hints(COLUMNS[0], book(*rows).rows)
    assert (first.hint, len(first.learners)) == ("12 B are counted twice", 2), (
        "no sign stands for it"
    )
    assert (second.hint, len(second.learners)) == ("1 float32 has 4 bytes", 1), "told to all alike"
    assert misconceptions.masked("1 float32 has 1,024.5 bytes of 7") == "# float32 has # bytes of #"


def test_a_hint_with_numbers_that_were_drawn_says_so_in_words():
    hints = ["12 B are counted twice", "1,200 B are counted twice"]
    rows = [record(h, "", bytes=exercise(case("small", 0, 4, hint=h))) for h in hints]
    text = misconceptions.misconceptions(book(*rows))
    assert "12 B are counted twice" in text and "# B" not in text
    assert text.count(misconceptions.DRAWN) == 1
    assert misconceptions.DRAWN not in misconceptions.misconceptions(book(rows[0]))


def test_names_with_commas_stay_apart_and_a_list_that_is_cut_says_how_many_more():
    names = [f"Lovelace, Ada {n}" for n in range(45)]
    rows = [record(f"s{n}", one, bytes=exercise(case("small", 0))) for n, one in enumerate(names)]
    text = misconceptions.misconceptions(book(*rows))
    (who,) = re.findall(r"<summary>who</summary><p>(.*?)</p>", text)
    named = who.removesuffix(" and 5 more").split("; ")
    assert len(named) == 40 and set(named) < set(names)


def test_titles_of_lessons_and_exercises_are_those_that_are_read():
    titles = TITLES | {"bytes": "A shelf of <views>"}
    made = books.book((GOOD, PART), COLUMNS, titles)
    told = "A shelf of &lt;views&gt;"
    pages = [show(made, made.rows[1]) for show in (page.learner, page.teacher)]
    for text in (*pages, misconceptions.misconceptions(made)):
        assert told in text and "names objects bytes" in text
    assert f'title="{told}"' in report.gradebook(made)


def test_a_learner_counts_once_for_a_hint():
    twice = record(bytes=exercise(case("small", 0, 2), case("large", 0, 2)))
    (told,) = misconceptions.hints(COLUMNS[0], book(twice).rows)
    assert len(told.learners) == 1 and dict(told.cases) == {"small": 1, "large": 1}


def test_the_hardest_exercise_comes_first():
    text = misconceptions.misconceptions(book())
    assert text.index("<code>alive") < text.index("<code>bytes")
    assert "All points by all who handed it in: <code>freed</code> (1 of 2)." in text


def test_an_exercise_that_nobody_handed_in_is_not_hard():
    text = misconceptions.misconceptions(book(record()))
    assert "Handed in by nobody: bytes, alive, freed." in text


def test_a_class_of_nobody():
    assert "0 learners" in report.gradebook(books.book([], COLUMNS, TITLES))
    assert "Handed in by nobody" in misconceptions.misconceptions(books.book([], COLUMNS, TITLES))


# --- records -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "student", ["../../evil", "/etc/passwd", "..", "", "a/b", "Ж", "x" * 300, "a\0b", "CON "]
)
def test_a_record_stays_in_its_folder(tmp_path, student):
    own = {"records": records.path(tmp_path, student), "learners": records.page(tmp_path, student)}
    for folder, file in own.items():
        assert file.parent == tmp_path / folder
        assert file.resolve().parent == file.parent.resolve()
        assert len(file.name) < 120 and not file.name.startswith(".")


def test_two_students_never_share_a_file():
    ids = ["a/b", "a_b", "a:b", "a b", "../a_b", "a_b.", "", "_"]
    assert len({records.stem(student) for student in ids}) == len(ids)


def test_a_record_is_kept_for_the_same_work_only(tmp_path):
    records.save(tmp_path, GOOD)
    assert records.kept(tmp_path, "ada", "d") == GOOD
    assert records.kept(tmp_path, "ada", "other") is None
    assert records.kept(tmp_path, "bob", "d") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"student": "ada"}', "null"])
def test_half_a_record_is_none(tmp_path, text):
    file = records.path(tmp_path, "ada")
    file.parent.mkdir()
    file.write_text(text)
    assert records.kept(tmp_path, "ada", "d") is None


def test_changed_work_begins_another_round():
    first = GOOD | {"work": "a", "round": 1}
    assert records.round_of("a", None) == records.round_of("a", first) == 1
    assert records.round_of("b", first) == 2
    assert records.round_of("a", {"work": "b", "round": 2}) == 3


def test_a_digest_knows_where_a_part_ends():
    assert records.digest("ab", "c") != records.digest("a", "bc")
    assert records.digest("a") == records.digest(b"a")


def test_half_characters_are_replaced():
    broken = records.clean({"n\udc80": ["\ud800", 1, None]})
    assert json.dumps(broken, ensure_ascii=False).encode()
