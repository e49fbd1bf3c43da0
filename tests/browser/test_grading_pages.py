"""The teacher's and the learners' pages on a phone: nothing is cut, and no column is squeezed."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from course.classroom import books, misconceptions, page

sys.path.append(str(Path(__file__).parents[1] / "course"))
from test_classroom_books import COLUMNS, PART, TITLES, case, exercise, record  # noqa: E402

LONG = "[684972, 684972, 1369944, 1369944, 684972, 686880, 1908]"
HINT = "`del t` takes one arrow away. Does something on the shelf still lead to the tensor?"
WIDE = case("lines 1 to 7, and what stays", 0, 4, hint=HINT, got=f"wrong: {LONG}")
ROUNDS = [{"round": n, "date": "2026-11-01", "points": n, "of": 9, "work": "w"} for n in (1, 2)]
SOURCE = "def bytes(rows):\n    return [" + ", ".join(["rows * 4"] * 30) + "]\n"


def pages():
    told = exercise(WIDE | {"expected": LONG}, flags=["cell 3 line 2: opens a file"])
    told["code"] = [{"name": "cell 3", "source": SOURCE}]
    rows = [record(bytes=told) | {"history": ROUNDS}, PART]
    columns = [replace(one, weight=2) for one in COLUMNS]
    titles = TITLES | {"bytes": "A shelf of views that is long to say, in PyTorch"}
    book = books.book(rows, columns, titles)
    yield "misconceptions", misconceptions.misconceptions(book)
    yield "learner", page.learner(book, book.rows[0])
    yield "teacher", page.teacher(book, book.rows[0])


@pytest.mark.parametrize("width", [390, 900, 1280])
@pytest.mark.parametrize("kind", ["misconceptions", "learner", "teacher"])
def test_nothing_is_cut_and_no_cell_is_narrow(browser, width, kind):
    shown = browser.new_page(viewport={"width": width, "height": 800})
    shown.set_content(dict(pages())[kind])
    found = shown.evaluate(
        """() => {
        const all = [...document.querySelectorAll('body *')];
        const seen = (node) => node.getClientRects().length > 0;
        const box = (node) => node.getBoundingClientRect();
        const cells = [...document.querySelectorAll('.cases td, .told td')].filter(seen);
        const heads = [...document.querySelectorAll('h3')];
        return {
            over: document.documentElement.scrollWidth - innerWidth,
            cut: all.filter(n => seen(n) && box(n).right > innerWidth + 1).map(n => n.tagName),
            narrow: cells.map(n => n.textContent.length > 30 ? box(n).width : 999),
            apart: heads.every(h => [...h.children].every(n => box(n).bottom <= box(h).bottom + 1)),
        };
    }"""
    )
    assert found["over"] <= 0 and found["cut"] == [] and found["apart"]
    assert min(found["narrow"]) > 150, "a column of a few letters is no text"
    shown.close()
