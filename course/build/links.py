"""The lines that lead from a notebook to the others, and words that become links by themselves.

Paths are relative, and hold in the working copies too: `my/` mirrors the folders.
"""

import re

from . import budget, tables
from .outline import about, fragment, minutes, sections

PLACE = re.compile(r"\[(\d\d)\], section (\d+)\b")  # of another lesson, as 00 names them
MENTION = re.compile(r"\b([Tt]hreads?)(\s+)(\d{3}(?:(?:,|,?\s+and|\s+or)\s+\d{3})*)\b")
# Code, links and their targets, and headings stay as they are.
KEPT = re.compile(
    r"(^```[\s\S]*?^```|`[^`\n]*`|\[[^\]]*\]\([^)]*\)|^#.*$|^\[[^\]]*\]:.*$)", re.MULTILINE
)
ASKED = re.compile(r"^\{(asked|put right): (\d{3})\}$", re.MULTILINE)
TIME = re.compile(r"\{time(,? with exercises)?: ([\d., -]+)\}")
TABLE = "{lessons}"
FIELD = re.compile(r"\{(?:asked|put right|time|lessons)[^}]*\}")  # what no pattern has filled
FIELDS = (
    "known are {time: 00 01-08 09.2}, {time, with exercises: 01-08}, {lessons}, {asked: 003}, "
    "{put right: 003}"
)
KIND = {"asked": "question", "put right": "correction"}
DOT = " · "


def to(folder, lesson, target="notebooks"):
    """The path from a notebook in `folder` to the lesson's notebook in `target`."""
    return f"{to_folder(folder, target)}{lesson.name}.ipynb"


def to_folder(folder, target="notebooks"):
    """The path from `folder` to `target`, to be followed by a file's name."""
    return "" if folder == target else f"../{target}/"


def head(lesson):
    """Below a lesson's title: how long it takes, and where else to go."""
    counted = budget.size(lesson)
    time = f"About {about(counted.sitting)}"
    if counted.exercises:
        time += f", then {about(counted.working)} of exercises"
    return DOT.join([f"*{time}*", *_way(lesson, "notebooks")])


def way(lesson, folder):
    """`back · exercises · next`, for a notebook of the lesson in `folder`; "" where nothing is."""
    return DOT.join(_way(lesson, folder))


def _way(lesson, folder):
    if lesson.outline is None or lesson.is_page:
        return []
    before, after = lesson.outline.beside(lesson)
    links = []
    if before and folder == "notebooks":
        links.append(f"[← {before.number} {before.title}]({to(folder, before)})")
    links += _own(lesson, folder)
    if after:
        links.append(f"[{after.number} {after.title} →]({to(folder, after)})")
    return links


def _own(lesson, folder):
    """Links to the lesson's other notebooks."""
    if not budget.size(lesson).exercises:
        return []
    words = {"notebooks": f"lesson {lesson.number}", "exercises": "exercises"}
    if folder == "exercises":  # who reads the lesson needs no solutions yet
        words["solutions"] = "solutions"
    others = [target for target in words if target != folder]
    return [f"[{words[target]}]({to(folder, lesson, target)})" for target in others]


def dressed(text, lesson, folder):
    """The Markdown with its fields filled; threads and sections that it mentions are links."""
    if lesson.outline is None:
        return text
    text = ASKED.sub(lambda match: _entries(lesson.outline, folder, *match.groups()), text)
    if TABLE in text:
        text = text.replace(TABLE, tables.lessons(lesson.outline, to_folder(folder)))
    text = TIME.sub(lambda match: _time(lesson.outline, *match.groups()), text)
    text = PLACE.sub(lambda match: _section(lesson.outline, folder, *match.groups()), text)
    places = lesson.outline.threads
    parts = KEPT.split(text)
    parts[::2] = [_linked(part, places, folder) for part in parts[::2]]
    return "".join(parts)


def problems(lesson):
    """Sentences about fields that name a lesson or a thread that is not there."""
    for cell in lesson.cells:
        if cell.kind != "markdown":
            continue
        try:
            text = dressed(cell.source, lesson, "notebooks")
        except ValueError as error:
            yield f"{lesson.file}:{cell.line}: {error}"
            continue
        for field in FIELD.findall(text):
            yield f"{lesson.file}:{cell.line}: unknown field '{field}'; {FIELDS}"


def _time(outline, exercises, parts):
    return f"about {about(minutes(outline, parts, bool(exercises)))}"


def _linked(text, places, folder):
    """`thread 003` as a link; of `threads 000 and 004` each number is one."""

    def link(words, number):
        return f"[{words}]({to_folder(folder)}{places[number]})" if number in places else words

    def one(match):
        word, blank, numbers = match.groups()
        if numbers.isdigit():
            return link(word + blank + numbers, numbers)
        return word + blank + re.sub(r"\d{3}", lambda found: link(found[0], found[0]), numbers)

    return MENTION.sub(one, text)


def _entries(outline, folder, field, thread):
    """One line for each question or correction of the thread, and where the course has it."""
    if thread not in outline.threads:
        raise ValueError(f"there is no thread '{thread}'; {_known(outline.threads)}")
    rows = [
        f"- {_plain(entry['text'])} {_where(outline, folder, entry)}"
        for entry in outline.questions
        if entry["thread"] == thread and entry["kind"] == KIND[field]
    ]
    return "\n".join(rows)


def _section(outline, folder, number, section):
    """The link to a section of a lesson."""
    lesson = outline.named(number)
    return _places(number, {section: f"{to(folder, lesson)}{fragment(lesson, section)}"})


def _known(threads):
    return f"the page of threads has {', '.join(threads) or 'none'}"


def _where(outline, folder, entry):
    """`[05, section 2](...)`, or `05, sections [2](...), [4](...)`, for each lesson it names."""
    places = []
    for number in entry["lessons"].split():
        lesson = outline.named(number)
        found = {
            section: f"{to(folder, lesson)}{fragment(lesson, section)}"
            for section in sections(lesson, entry["cell"].split())
        }
        places.append(_places(number, found))
    return "; ".join(filter(None, places))


def _places(number, found):
    if len(found) > 1:
        return f"{number}, sections {', '.join(f'[{s}]({path})' for s, path in found.items())}"
    return "".join(f"[{number}, section {s}]({path})" for s, path in found.items())


def _plain(text):
    """A sentence of coverage.toml as Markdown: `_saved_` is a name there, not emphasis."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([_*<])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)
