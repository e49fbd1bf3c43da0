"""The gradebook of a thousand: its head and names stay in sight, it sorts, no other script runs."""

from dataclasses import replace

import pytest

from course.classroom import books, report
from course.classroom.books import Column

COLUMNS = [Column(f"exercise_{n:02d}", f"{1 + n // 4:02d}", 5) for n in range(40)]
EVIL = "<img src=x onerror=run()><script>run()</script>"


def learner(number):
    exercises = {
        column.exercise: {
            "points": (number * place) % 6, "of": 5, "cases": [{}], "notes": [], "flags": [],
        }
        for place, column in enumerate(COLUMNS, 1)
        if (number + place) % 9
    }  # fmt: skip
    name = EVIL if number == 500 else f"Learner {number:04d}"
    return {"student": str(number), "name": name, "notes": [], "exercises": exercises}


def made(count):
    book = books.book(map(learner, range(count)), COLUMNS, {})
    late = [replace(row, late=int(row.student) % 3) for row in book.rows]
    return report.gradebook(replace(book, rows=late))


@pytest.fixture(params=[1280, 390])
def page(browser, tmp_path, request):
    file = tmp_path / "gradebook.html"
    file.write_text(made(1000), "utf-8")
    context = browser.new_context(viewport={"width": request.param, "height": 800})
    context.set_default_timeout(120_000)  # ends as soon as it may
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(file.as_uri())
    yield page
    assert page.errors == []
    context.close()


def column(page, place):
    """The text of a column's cells, from the first learner to the last."""
    cells = f"[...document.querySelectorAll('.book tbody tr')].map(r => r.cells[{place}])"
    return page.evaluate(f"{cells}.map(c => c.textContent)")


def numbers(cells):
    return [-1 if cell in ("", "\u2013") else float(cell) for cell in cells]


def test_head_and_names_stay_in_sight(page):
    page.evaluate("document.querySelector('.wide').scrollIntoView()")
    page.evaluate("document.querySelector('.wide').scrollTo(600, 9000)")
    boxes = page.evaluate(
        """() => {
        const box = (node) => node.getBoundingClientRect();
        const wide = box(document.querySelector('.wide'));
        const names = [...document.querySelectorAll('.book tbody .who')].map(box);
        return {
            top: box(document.querySelector('.book thead')).top - wide.top,
            below: wide.bottom - box(document.querySelector('.book tfoot')).bottom,
            lefts: [...new Set(names.map((one) => Math.round(one.left - wide.left)))],
            width: names[0].width / wide.width,
            page: document.documentElement.scrollWidth - window.innerWidth,
            over: document.elementFromPoint(wide.left + 5, wide.top + 5).closest('thead') !== null,
        };
    }"""
    )
    assert abs(boxes["top"]) < 2 and boxes["over"], "the head lies above what scrolls"
    assert abs(boxes["below"]) < 20, "the class's means: at most a scroll bar below them"
    assert boxes["lefts"] == [0] and boxes["width"] < 0.5
    assert boxes["page"] <= 0, "the table scrolls, and not the page"


def test_a_click_and_a_key_sort(page):
    names = column(page, 0)
    heads = page.locator(".book [data-sort]")
    heads.nth(1).click()
    points = numbers(column(page, 1))
    assert points == sorted(points, reverse=True) and points != sorted(points)
    heads.nth(5).locator("button").focus()
    page.keyboard.press("Enter")
    assert heads.nth(5).get_attribute("aria-sort") == "descending"
    assert heads.nth(1).get_attribute("aria-sort") is None
    page.keyboard.press("Space")
    cells = numbers(column(page, 5))
    assert cells == sorted(cells) and cells[0] == -1, "what was not handed in is below 0"
    together = list(zip(cells, column(page, 0), strict=True))
    assert together == sorted(together), "learners with the same points stay in their order"
    heads.nth(0).click()
    assert column(page, 0) == names


def test_no_script_of_a_learner_runs(page):
    assert page.evaluate("typeof run") == "undefined" and page.errors == []
    tried = """document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="ran=1">');
    const s = document.createElement('script'); s.textContent = 'ran=1'; document.body.append(s);"""
    page.evaluate(tried)
    page.wait_for_timeout(100)
    assert page.evaluate("typeof ran") == "undefined", "even if it came onto the page"


def test_without_scripts_it_is_a_plain_table(browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(made(3))
    assert page.locator(".book tbody tr").count() == 3
    assert page.locator("button").count() == 0
    assert "exercise_00" in page.locator(".book thead").inner_text()
    context.close()
