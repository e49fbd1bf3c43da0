"""similar.html: pairs of learners who wrote alike, with the code of both side by side.

For the teacher alone, and a reason to look, no proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from course.classroom import answers, notebook, syllabus
from course.classroom.books import Book
from course.classroom.handout import Handout
from course.classroom.naming import PEOPLE
from course.classroom.packed import Packed
from course.classroom.page import CODE_CSS, document, lines, numbered, paragraphs, text
from course.classroom.similar import SOLUTION, Cells, Found, Pair, find, shared_lines

PUBLISHED = "the published solution"
SHOWN = 40  # pairs
MOST_EXERCISES = 5  # of a pair
CSS = """
.both { display: grid; grid-template-columns: 1fr 1fr; gap: 0 14px; }
.both > div { min-width: 0; } .both table { width: 100%; }
@media (max-width: 600px) { .both { grid-template-columns: 1fr; } }
section { break-inside: avoid; }
"""
Written = dict[str, dict[str, Cells]]


class Answers(Mapping[str, dict[str, Cells]]):
    """{exercise: {learner: cells}} of a class; what is asked for is made, and held by nobody."""

    def __init__(self, code: Mapping[str, Packed], exercises: Iterable[str]):
        self.code, self._exercises = code, list(exercises)
        self.published: dict[str, Cells] = {}

    def __getitem__(self, exercise: str) -> dict[str, Cells]:
        own = {one: tuple(c[exercise]) for one, c in self.code.items() if exercise in c}
        if exercise in self.published:
            own[SOLUTION] = self.published[exercise]
        return own

    def __iter__(self) -> Iterator[str]:
        return iter(self._exercises)

    def __len__(self) -> int:
        return len(self._exercises)


def compared(
    book: Book, code: Mapping[str, Packed], lessons: list[Handout], stopped: bool = False
) -> Found:
    """What was found; nobody waits who stopped the run."""
    if stopped:
        return Found(left_out=["Nobody was compared: the run was stopped."])
    written = Answers(
        {row.student: code[row.student] for row in book.rows},
        [column.exercise for column in book.columns],
    )
    shown = {}
    for lesson in lessons:
        seen, published = seen_by_all(lesson), syllabus.solution(lesson)
        for exercise in lesson.stubs:
            shown[exercise] = seen
            cells, _ = answers.cells_for(published, exercise, lesson.setup)
            own = tuple(cell["source"] for cell in cells if cell["name"] != answers.SETUP)
            written.published[exercise] = own
    return find(written, shown)


def seen_by_all(lesson: Handout) -> list[str]:
    """The code that a lesson shows, and that of its exercise notebook, the stubs among it."""
    files = [lesson.home / folder / lesson.file for folder in ("exercises", "notebooks")]
    return [
        cell.source
        for file in files
        if file.exists()
        for cell in notebook.read(file.read_bytes(), file.name).code
    ]


def said(found: Found) -> list[str]:
    """Sentences for the end of a run."""
    parts = [f"a ring of {len(ring)}" for ring in found.rings]
    count = len(found.pairs) - len(within(found))
    parts += ["a pair" if count == 1 else f"{count} pairs"] * bool(count)
    have = "has" if len(parts) == 1 and count < 2 else "have"
    sentence = f"{' and '.join(parts)} {have} written alike beyond chance: look at similar.html."
    return [sentence[0].upper() + sentence[1:]] * bool(parts)


def within(found: Found) -> list[Pair]:
    """The pairs of which both are of a ring."""
    return [p for p in found.pairs if any({p.left, p.right} <= set(ring) for ring in found.rings)]


def as_facts(found: Found) -> list[dict]:
    """The pairs as data; the published solution is null."""
    return [
        {
            "learners": [pair.left or None, pair.right or None],
            "bits": pair.bits,
            "both_wrote": pair.wrote,
            "alike": [one.exercise for one in pair.alike],
        }
        for pair in found.pairs
    ]


def page(book: Book, found: Found) -> str:
    return document("Similar: minigrad", CODE_CSS + CSS, _page(book, found))


def _page(book: Book, found: Found) -> Iterable[str]:
    names = {row.student: row.called for row in book.rows} | {SOLUTION: PUBLISHED}
    yield "<h1>Who wrote alike</h1>"
    yield (
        '<p class="soft">Pairs whose programs have the same shape in more exercises than chance '
        "explains, whatever their names, comments and lines are, or most of whose longer answers "
        "have the same statements, in whatever order and under whatever names. What the lessons "
        "show does not count. A reason to look, and no proof: two who learned together write "
        'alike, too. <a href="gradebook.html">Gradebook</a></p>'
    )
    yield from paragraphs("note", found.left_out)
    if not found.pairs and not found.left_out:
        yield "<p>No two learners wrote alike beyond chance.</p>"
    inner = within(found)
    for ring in found.rings:
        most = 2 * len(ring) > len(book.rows)
        yield from _ring(ring, [p for p in inner if p.left in ring], names, found.written, most)
    apart = [pair for pair in found.pairs if pair not in inner]
    for pair in apart[:SHOWN]:
        yield from _pair(pair, names, found.written)
    if len(apart) > SHOWN:
        yield f'<p class="soft">{len(apart) - SHOWN} more pairs are in grades.json.</p>'


MANY = "These are most of the class: they worked together, or all were shown one way. "


def _ring(
    ring, pairs: list[Pair], names: dict[str, str], written: Written, most: bool
) -> Iterable[str]:
    """Who is in it, whether these are `most` of the class, and the pair that is most alike."""
    everybody = PEOPLE.join(text(names[who]) for who in ring)
    head = f"{len(ring)} learners share one structure" if most else f"A ring of {len(ring)}"
    yield f"<h2>{head}</h2><p>{everybody}</p>"
    yield (
        f'<p class="soft">{MANY * most}Each of them wrote alike with another of them. Below are '
        "the two who are most alike.</p>"
    )
    yield from (part for pair in pairs[:1] for part in _pair(pair, names, written))


def _pair(pair: Pair, names: dict[str, str], written: Written) -> Iterable[str]:
    left, right = sorted((pair.left, pair.right), key=lambda who: (who == SOLUTION, who))
    yield f"<section><h2>{text(names[left])} and {text(names[right])}</h2>"
    yield (
        f'<p class="soft">Alike in {len(pair.alike)} of the {pair.wrote} exercises in which both '
        f"have something of their own. By chance, at most one pair in {odds(pair.bits)}.</p>"
    )
    for one in pair.alike[:MOST_EXERCISES]:
        both = written[one.exercise][left], written[one.exercise][right]
        yield (
            f"<details><summary><code>{text(one.exercise)}</code>, {100 * one.share:.0f} % of the "
            'shorter one</summary><div class="both">'
        )
        marked = shared_lines(*both, one.common)
        for who, cells, found in zip((left, right), both, marked, strict=True):
            yield f'<div><p class="soft">{text(names[who])}</p>'
            yield from (lines(numbered(c), m) for c, m in zip(cells, found, strict=True))
            yield "</div>"
        yield "</div></details>"
    if more := [text(one.exercise) for one in pair.alike[MOST_EXERCISES:]]:
        yield f'<p class="soft">Also {", ".join(more)}.</p>'
    yield "</section>"


def odds(bits: float) -> str:
    """2 to the power of the bits, in words."""
    for power, word in ((40, "a million million"), (30, "a thousand million"), (20, "a million")):
        if bits >= power:
            return word
    return f"{2 ** int(bits):,}"
