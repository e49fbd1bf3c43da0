"""One file that a learner takes to another machine: what was recorded, and the cells they wrote.

Loaded there, it joins what that machine has: the better of two records, and of a cell written on
both the one that is there, with the other's text below it. Loading it again changes nothing. Which
cells are the learner's is `copies`' business, what a record holds `record`'s.
"""

import hashlib
import json
from pathlib import Path

from course import copies
from course.predict import record

KIND = "minigrad-progress"
ROLE = {"role": "carried"}  # of the text that keeps the other machine's answer
OTHER = "On the other machine you had written:\n\n```python\n{}\n```"


class CannotCarry(Exception):
    """The text is one sentence with the remedy."""


# --- save ----------------------------------------------------------------------------------


def save(my, path):
    """Write the file; gives sentences. What is no such file at `path` stays."""
    path = Path(path)
    if path.exists():
        _read(path, f"{path} is there and is something else: choose another name")
    written = {name.as_posix(): _written(my, name) for name in copies.lessons(my)}
    written = {name: cells for name, cells in written.items() if cells}
    found = {"kind": KIND, "version": 1, "record": _record(my), "written": written}
    copies.write(path, json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    count = sum(len(cells) for cells in written.values())
    passed = sum(it is True for it in found["record"]["exercises"].values())
    yield (
        f"Made {path}: {len(found['record']['predictions'])} predictions, {passed} exercises "
        f"passed, {_cells(count)} of yours. Load it on the other machine."
    )


def _written(my, name):
    """[{"cell", "after"}]: the cells of the working copy that no version of the lesson has."""
    mine, base = copies.load(my / name), copies.load_base(my / ".base" / name)
    before, found, last = copies.by_id(base), [], ""
    for key, cell in copies.identified(mine["cells"], base["cells"]).items():
        if copies.is_written(cell, before.get(key)) and _is_worth(cell):
            kept = {k: cell[k] for k in ("id", "cell_type", "source", "attachments") if k in cell}
            found.append({"cell": kept, "after": last})
        last = key
    return found


def _is_worth(cell):
    return copies.source(cell).strip() and cell["metadata"].get("minigrad") != ROLE


def _record(my):
    try:
        return record.load(my)
    except record.Unreadable as error:
        raise CannotCarry(f"{error}.") from None


# --- load ----------------------------------------------------------------------------------


def load(my, path):
    """Join the file to what is in `my/`; gives sentences. A file that is not whole changes nothing.

    The notebooks first: whoever is stopped in between loads the file again.
    """
    path = Path(path)
    found = _read(path, f"{path} is no file that `save_progress` or `progress --save` made")
    own, here = _record(my), {name.as_posix(): name for name in copies.lessons(my)}
    joined = {}
    for name in found["written"].keys() & here.keys():
        mine, base = copies.load(my / name), copies.load_base(my / ".base" / name)
        joined[name] = (mine, *_join(base, mine, found["written"][name]))
    for name, (mine, notebook, brought, kept) in sorted(joined.items()):
        if notebook != mine:
            copies.replace(my, here[name], notebook)
            yield _told(name, brought, kept)
    for name in sorted(found["written"].keys() - here.keys()):
        yield f"my/{name} is not here: its cells stay in {path}."
    record.save(my, record.merged(own, found["record"]))
    yield "Your progress is that of both machines now: `progress()` shows it."


def _told(name, brought, kept):
    parts = [f"{_cells(brought)} brought"] * bool(brought)
    parts += [f"{_cells(kept)} written on both machines: yours of there stands below"] * bool(kept)
    return f"my/{name}: {', '.join(parts)}."


def _cells(count):
    return f"{count} {'cell' if count == 1 else 'cells'}"


def _join(base, mine, written):
    """(the notebook with the other machine's cells in it, how many came, how many were on both)."""
    before, cells = copies.by_id(base), copies.identified(mine["cells"], base["cells"])
    joined, brought, both = list(cells.values()), 0, 0
    for key, row in {row["cell"]["id"]: row for row in written}.items():
        cell = {**row["cell"], "metadata": before.get(key, {}).get("metadata", {})}
        here = cells.get(key)
        if here is None:
            _insert(joined, _whole(cell), row["after"])
            brought += 1
        elif copies.content(here) == copies.content(cell):
            continue
        elif not copies.is_written(here, before.get(key)):
            new = _whole({**cell, "metadata": here["metadata"]})
            joined[joined.index(here)] = new
            brought += 1
        elif (other := _quoted(cell))["id"] not in cells:
            _insert(joined, other, key)
            both += 1
    return {**mine, "cells": joined}, brought, both


def _insert(cells, cell, after):
    """Put the cell behind that of the id `after`; where that is gone, at the end."""
    place = {one["id"]: index for index, one in enumerate(cells)}
    cells.insert(place.get(after, len(cells) - 1) + 1 if after else 0, cell)


def _whole(cell):
    """The cell as nbformat has it, before anyone ran it."""
    whole = {**cell, "source": copies.source(cell).splitlines(keepends=True)}
    return (
        whole | {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else whole
    )


def _quoted(cell):
    """A cell of text with the other's in it, called the same whenever it is made."""
    text = copies.source(cell)
    text = OTHER.format(text) if cell["cell_type"] == "code" else text
    written = json.dumps([cell["id"], *copies.content(cell)])
    key = hashlib.sha256(written.encode()).hexdigest()[:12]
    quoted = {"id": key, "cell_type": "markdown", "metadata": {"minigrad": ROLE}, "source": text}
    return _whole(quoted)


# --- the file ------------------------------------------------------------------------------


def _read(path, otherwise):
    """What the file holds, whole; or CannotCarry with the sentence `otherwise`."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise CannotCarry(f"{path} is not there: give the file that you saved.") from None
    except (ValueError, RecursionError):
        raise CannotCarry(f"{otherwise}.") from None
    if not _is_ours(found):
        raise CannotCarry(f"{otherwise}.")
    return {**found, "record": record.EMPTY | found["record"]}


def _is_ours(found):
    return (
        isinstance(found, dict)
        and found.get("kind") == KIND
        and isinstance(found.get("record"), dict)
        and record.is_record(found["record"])
        and isinstance(found.get("written"), dict)
        and all(isinstance(rows, list) for rows in found["written"].values())
        and all(_is_row(row) for rows in found["written"].values() for row in rows)
    )


def _is_row(row):
    if not isinstance(row, dict) or not isinstance(row.get("cell"), dict):
        return False
    cell = row["cell"]
    known = cell.get("cell_type") in ("code", "markdown", "raw") and isinstance(cell.get("id"), str)
    whole = copies.is_cell({**cell, "metadata": {}}) and isinstance(row.get("after"), str)
    return known and whole and isinstance(cell.get("attachments", {}), dict)
