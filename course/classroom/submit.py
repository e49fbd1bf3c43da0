"""`run.py submit`: the learner's exercises as one zip, small and readable by the grader.

Outputs stay behind: they may hold more than the learner wants to hand in, and weigh most.
"""

import json
import re
import tomllib
from pathlib import Path

from course import copies
from course.classroom import answers, archive, notebook
from course.classroom.handout import handouts
from course.classroom.inbox import MANIFEST

FOLDER = Path("my/exercises")


class NothingToSubmit(Exception):
    """No exercise has a working copy; the text is one sentence with the remedy."""


def make(root, name=""):
    """Write the zip; gives its path. `name` is the learner's, for the file's name."""
    found = _notebooks(root)
    files = {f"{FOLDER.as_posix()}/{file}": text.encode() for file, text in found.items()}
    manifest = {"course": _version(root), "name": name, "notebooks": sorted(found)}
    files[MANIFEST] = (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()
    path = root / "my" / f"minigrad-{_slug(name) or 'submission'}.zip"
    copies.write_bytes(path, archive.pack(files))
    return path


def unsolved(root):
    """{file: [exercises without an answer]} of all exercise notebooks of the course."""
    found = _notebooks(root)
    missing = {}
    for handout in handouts(root).values():
        text = found.get(handout.file, '{"cells": []}')
        own = notebook.read(text.encode(), handout.file)
        missing[handout.file] = answers.unwritten(own, handout.stubs)
    return {file: names for file, names in missing.items() if names}


def _notebooks(root):
    """{file: its text without outputs} of the working copies."""
    paths = sorted((root / FOLDER).glob("[!.]*.ipynb"))
    if not paths:
        raise NothingToSubmit(
            f"{FOLDER}/ holds no notebook: `python3 run.py lab` makes your working copies there."
        )
    return {path.name: copies.dump(copies.cleared(copies.load(path))) for path in paths}


def _version(root):
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def _slug(name):
    return re.sub(r"\W+", "-", name).strip("-")[:60]
