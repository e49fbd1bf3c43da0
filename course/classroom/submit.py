"""`run.py submit`: the learner's exercises as one zip, small and readable by the grader.

Outputs stay behind: they may hold more than the learner wants to hand in, and weigh most. `root` is
the course, `home` the folder in which `my/` lies: the course's own where it is left out.
"""

import json
import re
import tomllib
from importlib import metadata
from pathlib import Path

from course import copies
from course.classroom import answers, archive, notebook
from course.classroom.handout import handouts
from course.classroom.inbox import MANIFEST

FOLDER = Path("my/exercises")


class NothingToSubmit(Exception):
    """No exercise has a working copy; the text is one sentence with the remedy."""


def submit(root, name="", home=None, say=print):
    """Make the zip, and say what is not solved yet; gives the zip's path."""
    missing = unsolved(root, home)
    path = make(root, name, home)
    known = {handout.file: handout for handout in handouts(root).values()}
    begun = {file: ids for file, ids in missing.items() if set(ids) != set(known[file].stubs)}
    for file, exercises in begun.items():
        say(f"not solved yet in {file}: {', '.join(exercises)}")
    if others := [known[file].lesson for file in missing if file not in begun]:
        say(f"exercises not begun: lesson{'s'[: len(others) != 1]} {', '.join(others)}")
    say(f"Made my/{path.name} from what you have saved: hand in this file.")
    return path


def make(root, name="", home=None):
    """Write the zip; gives its path. `name` is the learner's, for the file's name."""
    found = _notebooks(root, home)
    files = {f"{FOLDER.as_posix()}/{file}": text.encode() for file, text in found.items()}
    manifest = {"course": _version(root), "name": name, "notebooks": sorted(found)}
    files[MANIFEST] = (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()
    path = (home or root) / "my" / f"minigrad-{_slug(name) or 'submission'}.zip"
    copies.write_bytes(path, archive.pack(files))
    return path


def unsolved(root, home=None):
    """{file: [exercises without an answer]} of all exercise notebooks of the course."""
    found = _notebooks(root, home)
    missing = {}
    for handout in handouts(root).values():
        text = found.get(handout.file, '{"cells": []}')
        own = notebook.read(text.encode(), handout.file)
        missing[handout.file] = answers.unwritten(own, handout.stubs)
    return {file: names for file, names in missing.items() if names}


def _notebooks(root, home):
    """{file: its text without outputs} of the working copies."""
    paths = sorted(((home or root) / FOLDER).glob("[!.]*.ipynb"))
    if not paths:
        how = "python3 run.py lab" if home in (None, root) else "course.here.start()"
        raise NothingToSubmit(f"{FOLDER}/ holds no notebook: `{how}` makes your working copies.")
    return {path.name: copies.dump(copies.cleared(copies.load(path))) for path in paths}


def _version(root):
    project = root / "pyproject.toml"
    if not project.is_file():  # installed from a zip or a wheel
        return metadata.version("minigrad-course")
    return tomllib.loads(project.read_text("utf-8"))["project"]["version"]


def _slug(name):
    return re.sub(r"\W+", "-", name).strip("-")[:60]
