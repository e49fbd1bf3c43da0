"""`run.py release`: the course for a class, without the solutions and what they are made from.

Holds what git tracks, as it lies on the disk; the same files give the same bytes. The lab, the
checks and `submit` work in it, the build and the tests do not; its README names no such command.
A teacher's own exercises come along where they are asked for, unsolved as the course's.
"""

import re
import subprocess
from pathlib import Path

from course import copies
from course.classroom import archive

LEFT_OUT = "solutions", "lessons", "doors", "tests", "benchmarks", ".ci", ".github"
TEACHERS = (
    "docs/README.md", "docs/class.toml.md", "docs/grading.md", "docs/next_torch.md",
    "docs/private.md", "docs/teaching.md",
)  # fmt: skip
BUILDERS = (
    ".pre-commit-config.yaml", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md",
    "exercises/README.md", "notebooks/README.md",
)  # fmt: skip
README = "README.md"
CUT = "Read it in a browser", "Teach with it", "Prove it", "Speed"  # sections of it
FOLDER = "minigrad"  # that the zip unpacks to
OWN_CASES = re.compile(r"cases_\d\d\.py")  # in a teacher's own folder


class CannotRelease(Exception):
    """The text is one sentence with the remedy."""


def make(root, out, private=None):
    """Write the zip to `out`; gives the names in it, without the folder around them."""
    own = _own(private)
    tracked = {name: mode for name, mode in _tracked(root).items() if _is_for_learners(name)}
    tracked = _without_private(tracked)
    if not any(name.startswith("exercises/") for name in tracked):
        raise CannotRelease("No exercise notebook is tracked by git: build and commit them first.")
    files = {f"{FOLDER}/{name}": _for_learners(name, _bytes(root / name)) for name in tracked}
    if README in tracked:
        files[f"{FOLDER}/{README}"] = readme((root / README).read_text("utf-8")).encode()
    files |= {f"{FOLDER}/{name}": _for_learners(name, _bytes(path)) for name, path in own.items()}
    programs = {f"{FOLDER}/{name}" for name, mode in tracked.items() if mode == "100755"}
    copies.write_bytes(Path(out), archive.pack(files, programs))
    return sorted([*tracked, *own])


def _own(private):
    """{name in the zip: file} of a teacher's own exercises, as they were built and proved."""
    if private is None:
        return {}
    from course.build import private as folder  # a release without needs no tool of the build

    try:
        opened = folder.opened(private)
        folder.require_built(*opened)
    except (folder.BrokenSources, folder.UnknownLesson) as error:
        raise CannotRelease(str(error)) from None
    return folder.released(*opened)


def own_exercises():
    """What came along of the teacher's own folder that is open."""
    from course.trying import cases

    lessons = {file.stem[-2:] for file in cases.private_files()}
    known = cases.exercises()
    return [f"{id} (lesson {lesson})" for lesson in sorted(lessons) for id in known[lesson]]


def _without_private(tracked):
    """Without the folders of a teacher's own that git tracks, too: their solutions lie in them."""
    folders = {name.rpartition("/")[0] for name in tracked if OWN_CASES.fullmatch(_last(name))}
    return {
        name: mode
        for name, mode in tracked.items()
        if not any(name.startswith(f"{folder}/") for folder in folders)
    }


def _last(name):
    return name.rpartition("/")[2]


def _is_for_learners(name):
    return name.split("/")[0] not in LEFT_OUT and name not in (*TEACHERS, *BUILDERS)


def _for_learners(name, data):
    """An exercise notebook without the link to what is left out; anything else as it is."""
    is_exercise = name.startswith("exercises/") and name.endswith(".ipynb")
    return copies.SOLUTIONS.sub("", data.decode()).encode() if is_exercise else data


def readme(text):
    """The README without the sections about what is left out."""
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    heads = (section.partition("\n")[0].removeprefix("## ") for section in sections)
    return "".join(s for head, s in zip(heads, sections, strict=True) if head not in CUT)


def _tracked(root):
    """{name: mode} of the files in git's index; links and submodules are no part of a course."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--stage", "--", "."]
    try:
        done = subprocess.run(command, capture_output=True, check=True)
    except FileNotFoundError:
        raise CannotRelease("git is missing: install it, it knows what belongs to it.") from None
    except subprocess.CalledProcessError:
        raise CannotRelease(f"{root} is not a git checkout: clone the course.") from None
    rows = [row.split("\t", 1) for row in done.stdout.decode().split("\0") if row]
    modes = {name: info.split()[0] for info, name in rows}
    return {name: mode for name, mode in modes.items() if mode in ("100644", "100755")}


def _bytes(path):
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise CannotRelease(f"{path} is tracked and gone: `git restore` it.") from None
