"""The golden file: what PyTorch said, kept for machines that have no PyTorch.

One case per line, so that a change of one case is one line of a diff.
"""

import json
from pathlib import Path

from course import beside

PATH = Path(__file__).with_name("golden.json")
VERSION = beside.requirement().removeprefix("torch==")  # what is recorded, here and elsewhere


def load():
    if not PATH.exists():
        return {}
    return json.loads(PATH.read_text(encoding="utf-8"))["cases"]


def recorded_from():
    """The version that was asked when the file was written."""
    return json.loads(PATH.read_text(encoding="utf-8"))["torch"]


def text(cases):
    rows = [f"{json.dumps(name)}: {json.dumps(entries)}" for name, entries in cases.items()]
    return f'{{"torch": "{VERSION}", "cases": {{\n' + ",\n".join(rows) + "\n}}\n"


def save(cases):
    PATH.write_text(text(cases), encoding="utf-8")
