"""Which of a learner's notebooks counts for which lesson.

What is in a file tells its lesson, then its name. Where two are of one lesson, the one where the
learner should work counts, then the one with more exercises written.
"""

import hashlib
import re
from dataclasses import astuple, dataclass, replace

from course.classroom import answers
from course.classroom.archive import clean
from course.classroom.notebook import Cell, Notebook, Unreadable, read
from course.classroom.packed import pack, unpack

NOTEBOOK = re.compile(r"(.*)\.ipynb(\.json|\.txt)?", re.IGNORECASE)


@dataclass(frozen=True)
class File:
    """One file that counts for a lesson; `notebook` is None where `notes` say why it is unread.

    Its code is held packed, and made anew for whoever asks: those of a class are all held at once.
    """

    lesson: str
    name: str
    packed: bytes | None
    digest: str
    notes: tuple[str, ...] = ()
    bare: bool = False  # it holds no exercise of its lesson

    @property
    def is_read(self) -> bool:
        return self.packed is not None

    @property
    def notebook(self) -> Notebook | None:
        if self.packed is None:
            return None
        return Notebook(tuple(Cell(*fields) for fields in unpack(self.packed)))


def packed(notebook: Notebook | None) -> bytes | None:
    """The cells that run."""
    return None if notebook is None else pack([astuple(cell) for cell in notebook.code])


@dataclass(frozen=True)
class Candidate:
    file: File
    place: int  # how far from where a learner's work should lie
    exact: bool  # named as the course names it
    written: int  # exercises with an answer that is not the stub
    held: int  # exercises of its lesson that it has at all

    @property
    def order(self):
        return self.place, -self.written, -self.held, not self.exact, _natural(self.file.name)


def candidate(parts, data, course):
    """The notebook with these bytes, found at `parts` among a learner's files."""
    name, digest = clean("/".join(parts)), hashlib.sha256(data).hexdigest()
    stem = _stem(parts[-1])
    notebook, why = _read(data, name)
    lesson = _lesson(stem, notebook, course)
    handout = course.get(lesson)
    exact = handout is not None and stem == handout.stem
    file = File(lesson, name, packed(notebook), digest, why)
    if handout is None or notebook is None:
        return Candidate(file, _place(parts), exact, 0, 0)
    if not exact:
        why = (f"expected {handout.file}, graded {clean(parts[-1])}",)
    held = set(handout.stubs) & (answers.defined(notebook) | _marked(notebook))
    written = len(handout.stubs) - len(answers.unwritten(notebook, handout.stubs))
    file = replace(file, notes=(*why, *notebook.notes))
    return Candidate(file, _place(parts), exact, written, len(held))


def _read(data, name) -> tuple[Notebook | None, tuple[str, ...]]:
    try:
        return read(data, name), ()
    except Unreadable as unreadable:
        return None, (str(unreadable),)


def _stem(name):
    """The name without its ending and without what a second upload or download puts there."""
    match = NOTEBOOK.fullmatch(name)
    stem = match[1] if match else name
    return re.sub(r"( ?\(\d+\)|-\d+|-Copy\d+)$", "", stem)


def _place(parts):
    """0 for my/exercises, 2 and 3 for folders of the course itself, else 1."""
    folders = {part.lower() for part in parts[:-1]}
    if {"my", "exercises"} <= folders:
        return 0
    return 3 if "solutions" in folders else 2 if "notebooks" in folders else 1


def _lesson(stem, notebook, course):
    """By what is in the file; by its name where the two agree or nothing is in it."""
    named = [n for n, handout in course.items() if handout.stem.lower() in stem.lower()]
    numbered = [n for n in course if re.search(rf"(?<!\d){n}(?!\d)", stem)]
    for names in (_marked(notebook), answers.defined(notebook)) if notebook else ():
        counts = {n: len(names & set(handout.stubs)) for n, handout in course.items()}
        if any(counts.values()):
            return max(counts, key=lambda n: (counts[n], n in named, n in numbered))
    return (named or numbered or [""])[0]


def _marked(notebook):
    return {cell.exercise for cell in notebook.code if cell.role == "answer"}


def choose(candidates, course):
    """(one File for each lesson, notes on the others)."""
    nearest = min((one.place for one in candidates), default=0)
    files, notes = [], []
    for lesson in course:
        own = [
            one for one in candidates if one.file.lesson == lesson and one.place <= max(1, nearest)
        ]
        if own:
            best, *rest = sorted(own, key=lambda one: one.order)
            files.append(_described(best, course[lesson]))
            notes += [_passed_over(one, best) for one in rest if _matters(one, best)]
    notes += [_foreign(one) for one in candidates if not one.file.lesson and one.place < 2]
    return files, notes


def _described(best, handout):
    if not best.file.is_read or best.held:
        return best.file
    why = f"{best.file.name} holds no exercise: hand in exercises/{handout.file} of your my/ folder"
    return replace(best.file, notes=(*best.file.notes, why), bare=True)


def _matters(one, best):
    return one.file.digest != best.file.digest and one.place == best.place


def _passed_over(one, best):
    return f"2 files for lesson {best.file.lesson}: {best.file.name} counted, {one.file.name} not"


def _foreign(one):
    why = "; ".join(one.file.notes) or f"{one.file.name} holds no exercise of this course"
    return f"{why}; left out"


def _natural(name):
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", name)]
