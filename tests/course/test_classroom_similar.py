"""Copies are found however they are disguised, and who worked alone is not named.

A class is drawn anew in each run: right answers of tests/answers, each learner's by chance.
"""

import random
import re
from itertools import count

import pytest
from answers import answers
from classroom_copiers import commented, copied, rewritten

from course.classroom import books, similar, similar_page, structure
from course.classroom.similar import SOLUTION, find

RIGHT = {}
for number in range(1, 16):
    for one in answers(f"{number:02d}"):
        if one.kind != "wrong":
            RIGHT.setdefault(one.exercise, []).append(one.source)
SEEDS = [random.randrange(10**9) for _ in range(3)]  # others each time, and in each worker


def drawn_class(draw, size):
    """{exercise: {learner: cells}} of learners who do not know of each other."""
    return {
        exercise: {f"l{n}": (draw.choice(ways),) for n in range(size) if draw.random() < 0.9}
        for exercise, ways in RIGHT.items()
    }


def copy(written, draw, source, copier, share):
    """The copier takes this share of the source's answers over, disguised; the rest is own work."""
    there = [exercise for exercise, own in written.items() if source in own]
    taken = draw.sample(there, round(share * len(there)))
    for exercise, own in written.items():
        if exercise in taken:
            own[copier] = tuple(copied(cell, draw) for cell in own[source])
        else:
            own[copier] = (draw.choice(RIGHT[exercise]),)


def named(found):
    return {frozenset((pair.left, pair.right)) for pair in found.pairs}


# --- who is found --------------------------------------------------------------------------


@pytest.mark.parametrize("place", range(len(SEEDS)))
@pytest.mark.parametrize("size", [6, 30])
def test_copiers_are_found_and_nobody_else(place, size):
    """Of 60 exercises all, four in five or three in four were copied."""
    seed = SEEDS[place]
    draw = random.Random(seed)
    written = drawn_class(draw, size)
    copiers = {"all": 1, "most": 0.8, "many": 0.75}
    for number, (copier, share) in enumerate(copiers.items()):
        copy(written, draw, f"l{number}", copier, share)
    found = named(find(written, {}))
    assert found == {frozenset((f"l{n}", copier)) for n, copier in enumerate(copiers)}, seed


@pytest.mark.parametrize("place", range(len(SEEDS)))
def test_nobody_is_named_where_nobody_copied(place):
    seed = SEEDS[place]
    for size in 2, 3, 40:
        assert named(find(drawn_class(random.Random(seed), size), {})) == set(), (seed, size)


def test_who_copied_the_solution_is_named_once():
    draw = random.Random(SEEDS[0])
    written = drawn_class(draw, 20)
    for own in written.values():
        own[SOLUTION] = own.pop("l0", (draw.choice(list(own.values()))[0],))
    for copier in "x", "y":
        copy(written, draw, SOLUTION, copier, 1)
    found = named(find(written, {}))
    assert found == {frozenset((SOLUTION, "x")), frozenset((SOLUTION, "y"))}, SEEDS[0]


def test_one_natural_answer_says_nothing():
    """Short exercises that half of the class, or a third, answers with the same words."""
    draw = random.Random(SEEDS[0])
    ways = [
        "def f(rows, columns):\n    u = 4 * rows * columns\n    return [u, 2 * u, u + rows, rows]",
        "def f(r, c):\n    return [4 * r * c, 8 * r * c, 4 * r * c + r, r]",
        "def f(a, b):\n    size = a * b\n    return [s * 4 for s in (size, 2 * size, size + a, a)]",
    ]
    for size in 5, 12, 60:
        written = {f"e{n}": {f"l{k}": (draw.choice(ways),) for k in range(size)} for n in range(60)}
        assert named(find(written, {})) == set(), (SEEDS[0], size)


def test_what_all_have_seen_does_not_count():
    draw = random.Random(SEEDS[0])
    written = {exercise: dict(own) for exercise, own in drawn_class(draw, 8).items()}
    for exercise, own in written.items():
        own["x"] = own["y"] = (RIGHT[exercise][0],)
    assert frozenset("xy") in named(find(written, {}))
    shown = {exercise: [ways[0]] for exercise, ways in RIGHT.items()}
    assert frozenset("xy") not in named(find(written, shown))


# --- rings ---------------------------------------------------------------------------------


def ring(written, draw, size, share, disguise):
    """So many learners hand in the same work, but for a few exercises; their names."""
    members = [f"l{n}" for n in range(size)]
    for exercise, own in written.items():
        given = draw.choice(RIGHT[exercise])
        for one in members:
            if draw.random() < share:
                own[one] = (disguise(given, draw),)
    return set(members)


@pytest.mark.parametrize("part", [0.1, 0.34, 0.5, 0.67, 0.9, 1])
@pytest.mark.parametrize("size", [6, 30])
def test_a_ring_of_any_size_is_found_and_nobody_else(size, part):
    """Who is of no ring may be alike with nobody; who is, hands in the others' work, commented.

    A class that copied as one does not tell what is chance: there somebody may be left out.
    """
    draw = random.Random(SEEDS[0])
    written = drawn_class(draw, size)
    members = ring(written, draw, max(3, round(size * part)), 0.97, commented)
    found = find(written, {})
    (one,) = map(set, found.rings)
    least = len(members) if part < 1 else 0.9 * len(members)
    assert one <= members and len(one) >= least, SEEDS[0]
    assert len(found.pairs) <= similar.MOST_PAIRS and set().union(*named(found)) <= members


@pytest.mark.parametrize("size", [3, 5, 15, 20, 28, 30])
def test_a_ring_of_any_size_is_found_in_disguise(size):
    draw = random.Random(SEEDS[0])
    written = drawn_class(draw, 30)
    members = ring(written, draw, size, 0.97, rewritten)
    (found,) = find(written, {}).rings
    assert set(found) <= members and len(found) > 0.9 * len(members), SEEDS[0]


def test_one_way_that_most_write_is_no_ring():
    """Two in three write what they were taught, in words and an order of their own."""
    draw = random.Random(SEEDS[0])
    written = drawn_class(draw, 30)
    for exercise, own in written.items():
        taught = draw.choice(RIGHT[exercise])
        own |= {one: (rewritten(taught, draw),) for one in own if draw.random() < 0.67}
    assert named(find(written, {})) == set(), SEEDS[0]


def test_what_all_were_given_makes_no_ring():
    """The release's own text, and the published solution, of whoever handed it in."""
    draw = random.Random(SEEDS[0])
    written = drawn_class(draw, 20)
    for exercise, own in written.items():
        own |= {f"l{n}": (RIGHT[exercise][0],) for n in range(12)}
    assert len(find(written, {}).rings[0]) == 12
    shown = {exercise: [ways[0]] for exercise, ways in RIGHT.items()}
    assert find(written, shown).rings == []
    for exercise, own in written.items():
        own[SOLUTION] = (RIGHT[exercise][0],)
    found = find(written, {})
    assert found.rings == [] and len(named(found)) == 12
    assert all(SOLUTION in pair for pair in named(found)), "each is named with it, once"


def test_rings_are_what_hangs_together():
    pairs = [set("ab"), set("cd"), set("bc"), set("xy"), set("pq"), set("qr")]
    assert similar.rings(pairs) == [tuple("abcd"), tuple("pqr")]


# --- the shape of a program ----------------------------------------------------------------


def texts(source):
    return [word for word, _ in structure.words(source)]


def test_a_disguise_leaves_the_statements():
    draw = random.Random(SEEDS[0])
    for source in (draw.choice(ways) for ways in RIGHT.values()):
        assert structure.pieces(rewritten(source, draw)) == structure.pieces(source)
    one, other = (
        structure.pieces(f"def f({a}):\n    {b} = {a}.mean()\n    {c} = g(1)\n    return {b}, {c}")
        for a, b, c in ("xyz", ("a", "mean", "g2"))
    )
    assert one == other, "a variable that has a method's name is no method"
    assert structure.pieces("x = f(1)\nreturn x") == structure.pieces("return f(1)")
    assert structure.pieces("y = x.mean()") != structure.pieces("y = x.sum()")


def test_comments_names_and_docstrings_are_no_part_of_the_shape():
    draw = random.Random(SEEDS[0])
    one = "def f(load, count):\n    '''Says.'''\n    kept = load(count)\n    return kept[0]"
    other = "import os\n\ndef f(a, b: int) -> int:\n    c: int = a(b)\n\n    return c[7]"
    assert texts(commented(one, draw)) == texts(one) == texts(other)
    assert texts(one) != texts(one.replace("load(count)", "load + count"))
    assert texts("x.clone()") != texts("x.detach()"), "what is called is part of it"
    assert texts("import numpy as n\nn.ones(2)") == texts("import numpy\nnumpy.ones(3)")
    assert texts("%matplotlib inline\nx = 1") == texts("x = 2"), "a notebook's own words"


HUGE = {
    "brackets": "x = " + "(" * 5000 + ")" * 5000,
    "a long sum": "x = " + "+".join(["1"] * 5000),
    "a long chain": "x" + ".a" * 5000,
    "many calls": "x = " + "f(" * 2000 + ")" * 2000,
    "many lines": "x = 1\n" * 2000,
    "indents": "\n".join(" " * n + "if x:" for n in range(90)) + "\n" + " " * 90 + "x",
    "not Python": "def (:",
    "a zero": "x = '\0'",
    "too long": "x = 1\n" * 20_000,
    "nothing": "",
}


@pytest.mark.parametrize("kind", HUGE)
def test_crafted_code_ends_in_no_error(kind):
    written = {f"e{n}": {"a": (HUGE[kind],), "b": (HUGE[kind],), "c": ("y",)} for n in range(3)}
    assert find(written, {}).left_out == []
    similar.shared_lines((HUGE[kind],), (HUGE[kind],))


def test_want_of_time_is_said():
    written = drawn_class(random.Random(1), 3)
    found = find(written, {}, clock=count(0, similar.SECONDS / 2).__next__)
    (sentence,) = found.left_out
    assert "Not compared, for want of time:" in sentence
    assert sentence.count(",") > 40


def test_too_many_learners_are_said(monkeypatch):
    monkeypatch.setattr(similar, "MOST_LEARNERS", 4)
    assert "Only 4 of 6" in find(drawn_class(random.Random(1), 6), {}).left_out[0]


# --- the page ------------------------------------------------------------------------------


def book_of(written):
    columns = [books.Column(exercise, "01", 4) for exercise in written]
    learners = sorted({who for own in written.values() for who in own} - {SOLUTION})
    records = [
        {
            "student": who,
            "name": f"<b>{who}",
            "notes": [],
            "exercises": {
                exercise: {"points": 0, "of": 4, "cases": [], "notes": [], "flags": []}
                for exercise in written
            },
        }
        for who in learners
    ]
    return books.book(records, columns, {})


def test_the_page_shows_both_side_by_side_with_the_same_lines_marked():
    draw = random.Random(SEEDS[0])
    written = drawn_class(draw, 12)
    copy(written, draw, "l0", "x", 1)
    copy(written, draw, "l1", SOLUTION, 1)
    found = find(written, {})
    text = similar_page.page(book_of(written), found)
    assert "&lt;b&gt;l0 and &lt;b&gt;x</h2>" in text and "<b>l0" not in text
    assert "&lt;b&gt;l1 and the published solution</h2>" in text
    assert text.count('<div class="both">') == 2 * similar_page.MOST_EXERCISES
    for details in re.findall('<div class="both">(.*?)</details>', text, re.DOTALL):
        left, right = details.split('<p class="soft">')[1:]
        assert left.count('class="marked"') and right.count('class="marked"')
    facts = similar_page.as_facts(found)
    assert {tuple(one["learners"]) for one in facts} >= {("l0", "x"), (None, "l1")}


def test_a_ring_is_one_part_of_the_page_and_of_what_is_said():
    draw = random.Random(SEEDS[0])
    written = drawn_class(draw, 20)
    ring(written, draw, 8, 0.97, commented)
    copy(written, draw, "l15", "x", 1)
    found = find(written, {})
    text = similar_page.page(book_of(written), found)
    names = "; ".join(f"&lt;b&gt;l{n}" for n in range(8))
    assert f"<h2>A ring of 8</h2><p>{names}</p>" in text
    assert text.count("<section>") == 2, "one pair of the ring, and the pair beside it"
    assert similar_page.said(found) == [
        "A ring of 8 and a pair have written alike beyond chance: look at similar.html."
    ]
    assert "in a million million." in text and "<sup>" not in text


def test_most_of_a_class_share_one_structure():
    draw = random.Random(SEEDS[0])
    written = drawn_class(draw, 9)
    ring(written, draw, 8, 1, rewritten)
    text = similar_page.page(book_of(written), find(written, {}))
    assert "<h2>8 learners share one structure</h2>" in text and "most of the class" in text


@pytest.mark.parametrize(
    "bits, words",
    [(10, "1,024"), (19.9, "524,288"), (23, "a million"), (31, "a thousand million")],
)
def test_odds_are_said_in_words(bits, words):
    assert similar_page.odds(bits) == words


def test_a_marked_line_is_one_that_the_other_has():
    one = "def f(x):\n    a = x.clone().detach()\n    return [a.sum(), a.mean(), a.max()]"
    other = "def f(y):\n    print(1)\n    return [y.sum(), y.mean(), y.max()]"
    left, right = similar.shared_lines((one,), (other,))
    assert left == [{3}] and right == [{3}]


def test_nobody_waits_who_stopped_the_run():
    found = similar_page.compared(books.book([], [], {}), {}, [], stopped=True)
    assert found.left_out and found.pairs == []
