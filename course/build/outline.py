"""What a notebook may say of the others: who stands before and after, how long, who asked what.

Takes lessons as they were read; gives words and links. Which cells they go into is `products.py`'s.
"""

import hashlib
import re
import tomllib
from dataclasses import dataclass

from . import budget
from .rules import ids

THREADS = "threads"  # the page on which the five threads stand
THREAD = re.compile(r"Thread (\d{3})\b")
HEADING = re.compile(r"## +(.+)")


@dataclass(frozen=True)
class Outline:
    """All lessons in order, the pages beside them, and the entries of coverage.toml."""

    lessons: tuple = ()
    pages: tuple = ()
    questions: tuple = ()
    whole: bool = True  # every source could be read

    def named(self, number):
        """The lesson with this number; a ValueError that names those that are there."""
        for lesson in self.lessons:
            if lesson.number == number:
                return lesson
        known = ", ".join(lesson.number for lesson in self.lessons)
        raise ValueError(f"there is no lesson '{number}'; the lessons are {known}")

    def beside(self, lesson):
        """(the lesson before, the lesson after), None where none is."""
        names = [one.name for one in self.lessons]
        if lesson.name not in names:
            return None, None
        around = [None, *self.lessons, None]
        place = names.index(lesson.name)
        return around[place], around[place + 2]

    @property
    def threads(self):
        """{"003": where it stands on the page of threads, a file and a place in it}."""
        places = {}
        for page in (page for page in self.pages if page.name == THREADS):
            for section, title in headings(page).items():
                if match := THREAD.match(title):
                    places[match[1]] = f"{page.name}.ipynb{fragment(page, section)}"
        return places


def outline(lessons, coverage, whole=True):
    """The outline of everything that was read; `coverage` is the path of coverage.toml."""
    asked = _entries(coverage)
    pages = tuple(lesson for lesson in lessons if lesson.is_page)
    return Outline(tuple(one for one in lessons if not one.is_page), pages, asked, whole)


def _entries(path):
    """What is wrong with the file is `coverage.py`'s to say."""
    try:
        return tuple(tomllib.loads(path.read_text(encoding="utf-8")).get("question", ()))
    except (FileNotFoundError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return ()


def headings(lesson):
    """{section: its heading}, as written."""
    opening = [cell for cell in lesson.shown if cell.kind == "markdown"]
    found = {cell.section: HEADING.match(cell.source) for cell in reversed(opening)}
    return {section: match[1].strip() for section, match in sorted(found.items()) if match}


def cell_id(lesson, place, index):
    """The id of a notebook's cell: the same for the same place."""
    return hashlib.sha1(f"{lesson.name}/{place}/{index}".encode()).hexdigest()[:12]


def fragment(lesson, section):
    """What leads to a section, behind the lesson's file; "" for what stands before the first one.

    By its first cell: JupyterLab finds no heading with a character that an address must encode,
    and none that is not yet drawn.
    """
    return f"#cell-id={cell_id(lesson, f'notebooks/{section}', 0)}" if section else ""


def sections(lesson, names):
    """The sections of the lesson in which the cells with these ids stand, exercises left out."""
    cells = ids(lesson)
    return sorted({cells[id].section for id in names if id in cells and not cells[id].exercise})


def minutes(outline, parts, exercises=False):
    """Minutes of `parts`: "03", "01-08", or "04.2", lesson 04 to the end of its section 2."""
    return sum(_part(outline, part, exercises) for part in parts.replace(",", " ").split())


def _part(outline, part, exercises):
    first, _, last = part.partition("-")
    if last:
        wanted = [one for one in outline.lessons if first <= one.number <= last]
        outline.named(first), outline.named(last)
    else:
        wanted = [_until(outline, *part.partition(".")[::2])]
    counted = [budget.size(lesson) for lesson in wanted]
    return sum(one.sitting + (one.working if exercises else 0) for one in counted)


def _until(outline, number, section):
    return budget.until(outline.named(number), int(section)) if section else outline.named(number)


def to_five(minutes):
    """An estimate as it is told everywhere: to five minutes."""
    return max(5, 5 * round(minutes / 5))


def about(minutes):
    """`minutes` as one says it: to five minutes, or to half an hour from two hours on."""
    if minutes < 100:
        return f"{to_five(minutes)} minutes"
    halves = round(minutes / 30)
    hours = f"{halves // 2}{'½' if halves % 2 else ''}"
    return f"{hours} hours"
