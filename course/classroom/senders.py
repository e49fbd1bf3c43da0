"""Whose file it is, by its name alone: Moodle's, Canvas's, `run.py submit`'s, or a plain one."""

import re
from dataclasses import dataclass

from course.classroom.archive import clean

MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)", re.DOTALL
)
CANVAS = re.compile(
    r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_(?P<submission>\d+)_(?P<file>.+)", re.DOTALL
)
ANONYMOUS = re.compile(r"anon(?P<late>_LATE)?_(?P<id>[A-Za-z0-9]{5})_\d+_(?P<file>.+)", re.DOTALL)
ENDING = re.compile(r"\.(zip|ipynb|ipynb\.json|ipynb\.txt|rar|7z|tar|tar\.gz|tgz|gz)$", re.I)
OURS = re.compile(r"minigrad-(?P<name>.+)")
TAKEN = {"con", "prn", "aux", "nul"}  # names of devices on Windows


@dataclass(frozen=True)
class Sender:
    key: tuple[str, str]
    student: str  # safe as the name of a file
    name: str
    file: str = ""  # what the learner called it, where the name holds both
    late: bool = False
    listed: bool = False  # named by a learning platform

    @property
    def notes(self):
        return ["handed in late, says the file's name"] if self.late else []


def sender(text, course):
    """The sender of a file or folder called `text`; `course` is {lesson: Handout}."""
    # Canvas first: the end is the learner's own, and could look like Moodle's with another's id
    found = CANVAS.fullmatch(text) or ANONYMOUS.fullmatch(text) or MOODLE.fullmatch(text)
    if not found:
        name = _plain(text, course)
        return Sender(("plain", name), safe(name), clean(name))
    parts = found.groupdict()
    name = parts.get("name") or f"anonymous {parts['id']}"
    late, file = bool(parts.get("late")), parts["file"]
    return Sender(("listed", parts["id"]), parts["id"], clean(name), file, late, True)


def safe(text):
    """The text as the name of a file, on any system."""
    kept = "".join(c if c.isalnum() or c in "._-" else "-" for c in text).strip("-.")[:80]
    return f"{kept or 'unnamed'}-" if not kept or kept.lower() in TAKEN else kept


def _plain(text, course):
    """The learner's part of a name that may also tell the lesson."""
    name = ENDING.sub("", text)
    for handout in course.values():
        name = re.sub(rf"[ _-]*{re.escape(handout.stem)}[ _-]*", " ", name, flags=re.I)
    ours = OURS.fullmatch(name.strip())
    return ours["name"] if ours else name.strip() or text
