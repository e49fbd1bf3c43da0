"""A working copy is the lesson plus what the learner did to it, and an update merges the two.

`my/` mirrors the folders it copies, so that every link between notebooks also works there;
`my/.base/` holds each lesson as it was last copied, which is what makes "changed by the learner"
decidable. It lies in `home`, which is the course's own folder unless another is given. Knows
notebooks as plain JSON and cells by their id; refuses to know what is in them.
"""

from __future__ import annotations

import copy
import json
import os
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

FOLDERS = "notebooks", "exercises", "solutions"
SOLUTIONS = re.compile(r" · \[solutions\]\([^)]*\)")  # the link below an exercise notebook
TO_THE_CODE = re.compile(r"\[([^]]*)\]\(\.\./course/[^)]*\)")
Cell = dict
Notebook = dict


class BrokenNotebook(Exception):
    """The file is no notebook that can be merged; the text says why."""


# --- what run.py asks for ------------------------------------------------------------------


def make(root: Path, home: Path | None = None) -> list[Path]:
    """Copy every lesson that has no working copy yet; returns the copies made."""
    made, home = [], home or root
    for name in lessons(root):
        mine = home / "my" / name
        if not mine.exists():
            copy_one(root, name, home)
            made.append(mine)
    return made


def outdated(root: Path, home: Path | None = None) -> list[Path]:
    """The lessons that changed since they were copied."""
    return [name for name in lessons(root) if is_outdated(root, name, home or root)]


def is_outdated(root: Path, name: Path, home: Path) -> bool:
    base = home / "my" / ".base" / name
    if not (home / "my" / name).exists():
        return False
    return not base.exists() or base.read_text("utf-8") != dump(original(root, name, home))


def update(root: Path, say: Callable[[str], None], home: Path | None = None) -> bool:
    """Bring each new lesson version into its copy; False when one had to be left alone."""
    fine = True
    for name in lessons(root):
        try:
            sentence = update_one(root, name, home or root)
        except BrokenNotebook as error:
            sentence, fine = f"{error}; left alone.", False
        if sentence:
            say(sentence)
    return fine


def update_one(root: Path, name: Path, home: Path) -> str:
    mine, base = home / "my" / name, home / "my" / ".base" / name
    if not mine.exists():
        return "" if base.exists() else added(root, name, home)  # `lab` makes what was deleted
    new, learner = original(root, name, home), load(mine)
    if not is_outdated(root, name, home):
        return ""
    merged, kept = merge(load_base(base), learner, new)
    # The copy first: if we are stopped in between, the next update comes to the same result.
    if merged != learner:
        replace(home / "my", name, merged)
    write(base, dump(new))
    return described(Path("my") / name, merged != learner, kept)


def added(root: Path, name: Path, home: Path) -> str:
    """Copy a lesson that the course did not have before, for whoever has begun."""
    if not (home / "my" / ".base").is_dir():
        return ""
    copy_one(root, name, home)
    return f"{Path('my') / name}: new."


def copy_one(root: Path, name: Path, home: Path) -> None:
    text = dump(original(root, name, home))
    write(home / "my" / name, text)
    write(home / "my" / ".base" / name, text)


def replace(my: Path, name: Path, notebook: Notebook) -> None:
    """Write a working copy anew; the one before stays in `my/.before/`."""
    write(my / ".before" / name, (my / name).read_text("utf-8"))
    write(my / name, dump(notebook))


def described(path: Path, changed: bool, kept: int) -> str:
    if not changed:
        return ""
    cells = f"{kept} {'cell' if kept == 1 else 'cells'} of yours kept"
    return f"{path}: new version, {cells if kept else 'you had changed nothing'}."


def lessons(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((root / folder).glob("*.ipynb")):
            yield path.relative_to(root)


# --- the merge -----------------------------------------------------------------------------


def merge(base: Notebook, mine: Notebook, new: Notebook) -> tuple[Notebook, int]:
    """The new lesson with the learner's cells in it, and how many cells are the learner's."""
    before, after = by_id(base), by_id(new)
    theirs = identified(mine["cells"], base["cells"])
    written = {k for k, cell in theirs.items() if is_written(cell, before.get(k), after.get(k))}
    cells = [
        chosen(cell, theirs.get(key), key in written)
        for key, cell in after.items()
        if key in theirs or key not in before  # a cell the learner deleted stays deleted
    ]
    insert_own(cells, theirs, [key for key in theirs if key in written and key not in after])
    return {**new, "cells": cells}, len(written)


def is_written(cell: Cell, *versions: Cell | None) -> bool:
    """Whether a cell of the copy holds something that no version of the lesson holds."""
    return all(version is None or content(cell) != content(version) for version in versions)


def chosen(new: Cell, mine: Cell | None, written: bool) -> Cell:
    if mine is None:
        return new
    if written:
        # The lesson's marks (locked, exercise id) follow the lesson; the writing stays.
        return {**mine, "metadata": new["metadata"]}
    return {**mine, "metadata": new["metadata"]} if content(mine) == content(new) else new


def insert_own(cells: list[Cell], theirs: dict[str, Cell], own: list[str]) -> None:
    """Put each cell of the learner's behind the cell it followed in the copy."""
    order = list(theirs)
    for key in own:
        place = {cell["id"]: index for index, cell in enumerate(cells)}
        earlier = (place[k] for k in reversed(order[: order.index(key)]) if k in place)
        cells.insert(next(earlier, -1) + 1, theirs[key])


def identified(cells: list[Cell], base: list[Cell]) -> dict[str, Cell]:
    """Cells by id; one whose id was lost or doubled gets its own back when its text tells."""
    taken = {cell.get("id") for cell in cells}
    lost = {json.dumps(content(cell)): cell["id"] for cell in base if cell["id"] not in taken}
    found: dict[str, Cell] = {}
    for cell in cells:
        key = cell.get("id")
        if not key or key in found:
            key = lost.pop(json.dumps(content(cell)), uuid.uuid4().hex[:8])
        found[key] = {**cell, "id": key}
    return found


def by_id(notebook: Notebook) -> dict[str, Cell]:
    return {cell["id"]: cell for cell in notebook["cells"]}


def content(cell: Cell) -> list:
    """What makes a cell changed: running it does not."""
    return [cell["cell_type"], source(cell), cell.get("attachments") or {}]


def source(cell: Cell) -> str:
    return "".join(cell["source"])


# --- files ---------------------------------------------------------------------------------


def load(path: Path) -> Notebook:
    try:
        notebook = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise BrokenNotebook(f"{path} is not a notebook ({error})") from None
    if not is_notebook(notebook):
        raise BrokenNotebook(f"{path} is not a notebook of format 4")
    for cell in notebook["cells"]:
        cell["source"] = source(cell).splitlines(keepends=True)
    return notebook


def load_base(path: Path) -> Notebook:
    """Without a base nothing can be told from the learner's own writing, so all of it is kept."""
    try:
        return load(path)
    except (OSError, BrokenNotebook):
        return {"cells": []}


def is_notebook(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.get("nbformat") == 4
        and isinstance(value.get("cells"), list)
        and all(is_cell(cell) for cell in value["cells"])
    )


def is_cell(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("cell_type"), str):
        return False
    lines = value.get("source")
    text = isinstance(lines, str) or (
        isinstance(lines, list) and all(isinstance(line, str) for line in lines)
    )
    return text and isinstance(value.get("metadata"), dict)


def original(root: Path, name: Path, home: Path | None = None) -> Notebook:
    """What the working copy of a lesson begins as.

    `my/` mirrors the folders of notebooks, and of nothing else: a link to a file of the course has
    one step more to go, and away from the course there is nothing that it could lead to.
    """
    notebook = cleared(load(root / name))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            if home in (None, root):
                text = text.replace("](../course/", "](../../course/")
            else:
                text = TO_THE_CODE.sub(r"\1", SOLUTIONS.sub("", text))
            cell["source"] = text.splitlines(keepends=True)
    return notebook


def cleared(notebook: Notebook) -> Notebook:
    """The notebook as it is before anyone ran it."""
    notebook = copy.deepcopy(notebook)
    for number, cell in enumerate(notebook["cells"]):
        cell.setdefault("id", f"cell-{number}")
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return notebook


def dump(notebook: Notebook) -> str:
    """The bytes nbformat would write."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def write(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_changed(path: Path, text: str) -> bool:
    """Write it, unless that is what the file holds; whether it was written."""
    data = text.encode()
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass
    write_bytes(path, data)
    return True


def drafts(folder: Path) -> list[Path]:
    """What a process left that was ended in the middle of writing."""
    return list(folder.glob(".*.tmp"))


def discard_drafts(folder: Path) -> None:
    for draft in drafts(folder):
        draft.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Replace the file in one step: whatever happens, the old one or the new one is there."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(draft, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
