"""What a learner and a teacher see: nothing hidden, nothing said twice, each what is theirs."""

import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_classroom_books import COLUMNS, PART, TITLES, case, exercise, record

from course.classroom import books, misconceptions, page, report
from course.classroom.visible import MOST_MARKS, visible

# --- nothing hidden ------------------------------------------------------------------------

TRICKS = st.sampled_from(
    "\u202e\u202d\u2066\u2067\u2068\u200b\u200c\u200d\u200e\u2060\ufeff\u00ad\u0300\u0489\u20dd"
    "\u034f\u115f\u3164\u2028\u2029\x1b\x07\x00\x85\ue000\U000e0041\U0001f600aé,א"
)
WORDS = (
    "Émilie du Châtelet",
    "שלום",
    "می‌خواهم",
    "नमस्ते",
    "Nguyễn Thị",
    "李小龍",
    "x = 1\n\ty",
    "e\u0301",
)


@given(st.text(st.one_of(TRICKS, st.characters(codec="utf-8")), max_size=60))
def test_nothing_that_cannot_be_seen_is_left(text):
    shown = visible(text)
    signs = [c for c in shown if c not in "\n\t\u200c\u200d"]
    assert not [c for c in signs if unicodedata.category(c) in ("Cc", "Cf", "Co", "Cn", "Zl", "Zp")]
    runs = re.split(
        "x", "".join("m" if unicodedata.category(c) in ("Mn", "Me") else "x" for c in shown)
    )
    assert max(map(len, runs)) <= MOST_MARKS
    for joiner in re.finditer("[\u200c\u200d]", shown):
        around = shown[joiner.start() - 1] + shown[joiner.end()]
        assert all(c >= "\u0600" and unicodedata.category(c)[0] in "LM" for c in around)


@pytest.mark.parametrize("text", WORDS)
def test_ordinary_writing_of_any_language_is_left_alone(text):
    assert visible(text) == text


def test_what_was_hidden_is_written_out():
    assert visible("ada\u202egpj.exe") == "ada\\u202egpj.exe"
    assert visible("e" + 100 * "\u0301") == "e\u0301\u0301\u0301[\\u0301 and 96 more]"
    assert visible("a\u200db") == "a\\u200db"


HIDDEN = "x\u202ey\u200bz" + 50 * "\u0301"


def pages_of(*rows, **facts):
    book = books.book(rows, COLUMNS, TITLES)
    book = replace(book, rows=[replace(row, **facts) for row in book.rows])
    return [show(book, book.rows[0]) for show in (page.learner, page.teacher)]


def test_no_page_holds_what_cannot_be_seen():
    cases = case(HIDDEN, 0, hint=HIDDEN, got=HIDDEN, line=HIDDEN) | {"call": HIDDEN}
    told = exercise(cases, notes=[HIDDEN], flags=[HIDDEN])
    told["code"] = [{"name": HIDDEN, "source": HIDDEN}]
    hostile = record(HIDDEN, HIDDEN, [HIDDEN], bytes=told)
    overrides = {"bytes": books.Override(1, HIDDEN), "": books.Override(None, HIDDEN)}
    made = books.book([hostile], COLUMNS, TITLES)
    pages = [*pages_of(hostile, overrides=overrides, remarks=(HIDDEN,))]
    pages += [report.gradebook(made), misconceptions.misconceptions(made)]
    for text in pages:
        assert "\\u202e" in text and "\u202e" not in text and "\u200b" not in text
        assert 4 * "\u0301" not in text


# --- nothing twice -------------------------------------------------------------------------


def test_forty_equal_notes_are_one():
    noisy = record(notes=["left out"] * 40, bytes=exercise(case("c", 0), notes=["two cells"] * 40))
    for text in pages_of(noisy):
        assert text.count("left out") == 1 and text.count("two cells") == 1
        assert text.count("(40 times)") == 2


def test_many_notes_end_in_their_number():
    noisy = record(notes=[f"note {n}" for n in range(40)])
    assert "and 28 more" in pages_of(noisy)[0]


def test_a_note_about_all_exercises_is_said_once():
    told = {column.exercise: exercise(case("c", 0), notes=["two cells"]) for column in COLUMNS}
    for text in pages_of(record(**told)):
        assert text.count("two cells") == 1
        assert "bytes, alive, freed: two cells" in text


# --- to each what is theirs ----------------------------------------------------------------

SOURCE = "import os\n\n\ndef freed(x):\n    gc.collect()\n    return '<b>'\n"


def flagged():
    told = exercise(case("c", 0), flags=["cell 3 line 5: calls the garbage collector"])
    told["code"] = [{"name": "cell 2", "source": "y = 1"}, {"name": "cell 3", "source": SOURCE}]
    return record(freed=told)


def test_the_code_is_the_teachers_with_the_flagged_line_marked():
    own, whole = pages_of(flagged())
    assert "gc.collect" not in own and "calls the garbage" not in own
    assert re.findall(r'<tr class="marked"><td>(\d+)<td>(.*?)</tr>', whole) == [
        ("5", "    gc.collect()")
    ]
    assert "&#x27;&lt;b&gt;&#x27;" in whole
    assert re.findall(r"<details( open)?><summary>(.*?)</summary>", whole) == [
        ("", "cell 2"), (" open", "cell 3"),
    ]  # fmt: skip


def test_the_code_on_a_page_has_an_end():
    told = exercise(case("c", 0))
    told["code"] = [{"name": "cell 1", "source": "x\n" * 10_000}]
    whole = pages_of(record(freed=told))[1]
    assert whole.count("<tr><td>") < 500 and "9600 more lines are not shown." in whole


def test_a_comment_and_points_by_hand_are_on_both_pages():
    overrides = {
        "bytes": books.Override(3, "well <argued>"),
        "freed": books.Override(None, "see me"),
        "": books.Override(8, "for the talk"),
    }
    known = {"bob": books.Known(overrides=overrides)}
    book = books.book([PART], COLUMNS, TITLES, known=known)
    for show in page.learner, page.teacher:
        text = show(book, book.rows[0])
        assert "Set by hand: 3 of 4. well &lt;argued&gt;" in text
        assert '<p class="said">see me</p>' in text, "an exercise that was not handed in, too"
        assert "Set by hand: 8 of 9. for the talk" in text
        assert "8 of 9 points" in text


def test_late_days_are_said():
    own, whole = pages_of(PART, late=2, taken=0.5)
    for text in own, whole:
        assert "2 days late: 0.5 points taken off." in text
    assert "days late" not in pages_of(PART)[0]


def test_the_rounds_so_far_are_on_both_pages():
    rounds = [
        {"round": n, "date": f"2026-11-0{n}T10:00:00", "points": n, "of": 9, "work": "secret"}
        for n in range(1, 10)
    ]
    own, whole = pages_of(PART | {"history": rounds})
    for text in own, whole:
        assert "<tr><td>round 9<td>2026-11-09<td>9 of 9</tr>" in text
        assert "round 1<td>" not in text and "secret" not in text
    assert "<td>round 1" not in pages_of(PART | {"history": rounds[:1]})[0], "no history yet"


def test_the_points_of_rounds_and_lessons_say_what_they_are():
    rounds = [{"round": n, "date": "2026", "points": n, "of": 9, "work": "w"} for n in (1, 2)]
    columns = [replace(COLUMNS[0], weight=2), replace(COLUMNS[1], weight=0), COLUMNS[2]]
    made = books.book([PART | {"history": rounds}], columns, TITLES)
    for show in page.learner, page.teacher:
        text = show(made, made.rows[0])
        assert page.EARNED in text, "points of a round are not those of the page's head"
        assert "1 of 4, each point counts 2</b>" in text and "0 of 2, does not count</b>" in text
        assert "bytes<b>2 of 8</b></h2>" in text, "the lessons' points add up to the head's"


def test_what_is_right_and_waits_is_not_red_and_said_once():
    waits = case("cost", 0, got="0 bytes: all right; counts once 'c' is right, too") | {
        "waits": True, "hint": "This counts once 'c' is right."
    }  # fmt: skip
    for text in pages_of(record(bytes=exercise(case("c", 0), waits))):
        assert '<span class="waits">0 bytes: all right; counts once' in text
        assert text.count("ounts once") == 1 and text.count('<span class="got">') == 1


def test_points_by_hand_below_what_was_earned_are_told_to_the_teacher():
    better = record(bytes=exercise(case("c", 4, 4)))
    for points, told in ((3, True), (4, False), (None, False)):
        known = {"ada": books.Known(overrides={"bytes": books.Override(points, "slip")})}
        book = books.book([better], COLUMNS, TITLES, known=known)
        own, whole = (show(book, book.rows[0]) for show in (page.learner, page.teacher))
        assert (books.LOWERED in book.rows[0].remarks) == told == (books.LOWERED in whole)
        assert books.LOWERED not in own and "Earned by the work" not in own
        assert ("Earned by the work: 4." in whole) == (points is not None)
    known = {"ada": books.Known(overrides={"": books.Override(2, "")})}
    assert books.LOWERED in books.book([better], COLUMNS, TITLES, known=known).rows[0].remarks


def test_remarks_are_the_teachers():
    own, whole = pages_of(PART, remarks=("on no line of the roster",))
    assert "on no line" in whole and "on no line" not in own


@given(st.lists(st.sampled_from(["x = 1", "    y", "", " ", "\t"]), max_size=30))
def test_code_is_shown_with_its_blank_lines(own):
    shown = page.numbered("\n".join(own))
    assert all(own[number - 1] == line for number, line in shown)
    full = [n for n, line in enumerate(own, 1) if line.strip()]
    assert [n for n, line in shown if line.strip()] == full, "no line of code is lost"
    for before, after in zip(full, full[1:], strict=False):
        between = [n for n, _ in shown if before < n < after]
        assert len(between) == min(after - before - 1, page.BLANK_LINES)
    assert not shown or (shown[0][0], shown[-1][0]) == (full[0], full[-1])
