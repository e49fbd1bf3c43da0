"""A class's submissions, however they arrive: who handed in which notebook for which lesson.

A folder of folders, of zips or of loose notebooks, or the one zip that Moodle or Canvas makes.
Every learner gets a row and every file that does not count a sentence; no learner's file ends
the reading, none is believed, and nothing is written.
"""

import hashlib
import re
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from course.classroom import archive
from course.classroom.archive import Trouble, clean
from course.classroom.choice import NOTEBOOK, File, candidate, choose
from course.classroom.handout import handouts
from course.classroom.naming import row
from course.classroom.notebook import LARGEST
from course.classroom.senders import sender

MANIFEST = "minigrad-submission.json"
OTHER_ARCHIVE = re.compile(r".*\.(rar|7z|tar|tgz|t?gz|bz2|xz)", re.IGNORECASE)
LARGEST_ZIP = 256 * 2**20
MOST_BYTES = 512 * 2**20  # that are read of one learner's files
MOST_SECONDS = 60  # that it takes to read one learner's notebooks
MOST_NOTES = 40  # of one learner
OWN_FOLDERS = {"my", "exercises"}
DEEPEST = 3  # zips within zips
MAY = "see to it that you may read it"
HOW = "hand in the zip that `python3 run.py submit` makes"


class NoSubmissions(Exception):
    """There is nothing to grade; the text is one sentence with the remedy."""


@dataclass(frozen=True)
class Submission:
    """One learner: at most one file for each lesson. `student` can be the name of a file."""

    student: str
    name: str
    files: tuple[File, ...] = ()
    notes: tuple[str, ...] = ()
    listed: bool = False  # `student` is the id that a learning platform gave
    late: bool = False  # says the name of a file
    unread: tuple[str, ...] = ()  # lessons of files that could not be read, "" if it is not known
    bare: tuple[str, ...] = ()  # lessons whose file holds no exercise

    def file(self, lesson):
        return next((file for file in self.files if file.lesson == lesson), None)

    @property
    def digest(self):
        """The same for the same bytes handed in."""
        text = "".join(f"{file.lesson} {file.digest}\n" for file in self.files)
        return hashlib.sha256(text.encode()).hexdigest()


def submissions(path, course=None):
    """The submissions in a folder or a zip, in the order of their ids.

    `course` is {lesson: Handout}, by default this course's own.
    """
    path, course = Path(path), course or handouts()
    try:
        with archive.opened(path) as entries:
            groups = _by_sender(entries, path, course)
            found = [_submission(who, files, course) for who, files in groups]
    except (OSError, Trouble) as error:
        why = error if isinstance(error, Trouble) else f"cannot be read ({error.strerror}): {MAY}"
        raise NoSubmissions(f"{path} {why}.") from None
    if not found:
        raise NoSubmissions(
            f"{path} holds no submissions: give the folder or zip with the learners' files."
        )
    return _with_own_ids(found)


# --- who -----------------------------------------------------------------------------------


def _by_sender(entries, path, course):
    """[(Sender, entries)], one for each learner."""
    if _is_one(entries, course):
        return [(sender(path.name, course), entries)]
    groups: dict = {}
    for entry in _unwrapped(entries, course):
        who = sender(entry.parts[0], course)
        if _is_loose_junk(entry, who):
            continue
        if len(entry.parts) == 1:  # Moodle and Canvas put the learner's name before the file's
            entry = replace(entry, parts=(who.file or entry.name,))
        else:
            entry = replace(entry, parts=entry.parts[1:])
        first, files = groups.setdefault(who.key, (who, []))
        files.append(entry)
        groups[who.key] = (replace(first, late=first.late or who.late), files)
    return list(groups.values())


def _is_one(entries, course):
    """Whether this is what one learner handed in: names at its top as the course has them."""
    known = {handout.file for handout in course.values()} | {MANIFEST}
    tops = {entry.parts[0] for entry in entries}
    folders = {entry.parts[0] for entry in entries if len(entry.parts) > 1}
    return bool(tops & known or folders & OWN_FOLDERS)


def _unwrapped(entries, course):
    """Without the one folder around a class, as a zip of a folder has it."""
    whole = {len(entry.parts) > 1 and entry.parts[0] for entry in entries}
    if len(whole) > 1 or False in whole or sender(min(whole, default=""), course).listed:
        return entries
    inner = [replace(entry, parts=entry.parts[1:]) for entry in entries]
    handed_in = {e.parts[0] for e in inner if len(e.parts) > 1 or _is_zip(e.name)}
    listed = any(sender(entry.parts[0], course).listed for entry in inner)
    class_of = len(handed_in) > 1 and not _is_one(inner, course)
    return inner if listed or class_of else entries


def _is_loose_junk(entry, who):
    """A list, a picture or the like beside the learners' own."""
    name = entry.name
    handed_in = NOTEBOOK.fullmatch(name) or OTHER_ARCHIVE.fullmatch(name) or _is_zip(name)
    return len(entry.parts) == 1 and not (handed_in or who.listed)


def _with_own_ids(found):
    """Ids that stay apart as file names, also where capitals are the same as small letters.

    Whose name is the id itself has it, whatever another's name is turned into.
    """
    taken: set = set()
    made = []
    for one in sorted(found, key=lambda one: (one.student != one.name, one.student)):
        student, count = one.student, 1
        while student.casefold() in taken:
            count += 1
            student = f"{one.student}-{count}"
        taken.add(student.casefold())
        made.append(replace(one, student=student))
    return sorted(made, key=lambda one: one.student)


# --- what ----------------------------------------------------------------------------------


@dataclass
class _Bag:
    """What was found in one learner's files so far."""

    course: dict
    notebooks: list = field(default_factory=list)  # candidates
    others: list = field(default_factory=list)  # names
    notes: list = field(default_factory=list)
    left: int = field(default_factory=lambda: MOST_BYTES)
    zipped: int = 0  # files in zips within zips
    spent: float = 0  # seconds of the processor

    def read(self, entry, most):
        data = entry.read(most) if self.left > 0 else b""
        self.left -= len(data)
        if self.left <= 0:
            raise Trouble("was left out: all files together are too large")
        return data

    def add(self, entry):
        """The notebook among the candidates; odd Python takes seconds to parse."""
        if self.spent > MOST_SECONDS:
            raise Trouble(f"was left out: the files before it took {MOST_SECONDS} s to read")
        began = time.thread_time()
        self.notebooks.append(candidate(entry.parts, self.read(entry, LARGEST), self.course))
        self.spent += time.thread_time() - began


def _submission(who, entries, course):
    bag = _Bag(course)
    _fill(bag, entries)
    files, notes = choose(bag.notebooks, course)
    notes = [*who.notes, *bag.notes, *notes]
    if not bag.notebooks:
        notes.append(_nothing_found(bag))
    unread = {one.file.lesson for one in bag.notebooks if not one.file.is_read}
    unread |= {""} if bag.notes else set()
    bare = tuple(file.lesson for file in files if file.bare)
    return Submission(
        who.student,
        who.name,
        tuple(files),
        _few(notes),
        who.listed,
        who.late,
        tuple(sorted(unread)),
        bare,
    )


def _few(notes):
    """Each once, and not more than a person can read."""
    own = list(dict.fromkeys(notes))
    more = [f"and {len(own) - MOST_NOTES} more such notes"] if len(own) > MOST_NOTES else []
    return tuple(own[:MOST_NOTES] + more)


def _fill(bag, entries, depth=1):
    for entry in entries:
        name, shown = entry.name, clean("/".join(entry.parts))
        try:
            if NOTEBOOK.fullmatch(name):
                bag.add(entry)
            elif _is_zip(name):
                _fill(bag, _inside(bag, entry, depth), depth + 1)
            elif OTHER_ARCHIVE.fullmatch(name):
                raise Trouble(f"cannot be opened here: {HOW}")
            elif name != MANIFEST:
                bag.others += [clean(name)] if name else []
                entry.read(0)  # a folder that may not be looked into says so
        except Trouble as trouble:
            bag.notes.append(f"{shown or 'the folder'} {trouble}")


def _is_zip(name):
    return name.lower().endswith(".zip")


def _inside(bag, entry, depth):
    if depth > DEEPEST:
        raise Trouble(f"is a zip within too many others: {HOW}")
    data = bag.read(entry, LARGEST_ZIP)
    if len(data) > LARGEST_ZIP:
        raise Trouble(f"is larger than {LARGEST_ZIP // 2**20} MB: hand in the notebooks only")
    found = archive.inside(data)
    bag.zipped += len(found)
    if bag.zipped > archive.MOST_FILES:
        raise Trouble(f"was left out: the zips hold more than {archive.MOST_FILES} files together")
    return [inner.below(entry.parts) for inner in found]


def _nothing_found(bag):
    found = row(bag.others, 5)
    return f"no notebook found{f' (found {found})' if found else ''}: {HOW}"
