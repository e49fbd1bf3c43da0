"""The committed notebook is what its source gives today, and all of it was run, in order."""

import json
from pathlib import Path

import nbformat

from . import outputs
from .source import number_of


def read(project, product):
    """(notebook as stored, None) or (None, one sentence)."""
    path = project.root / product.path
    number = number_of(path)
    try:
        text = path.read_text(encoding="utf-8")
        stored = nbformat.reads(text, as_version=nbformat.NO_CONVERT)
        nbformat.validate(stored)
    except FileNotFoundError:
        return None, f"{product.path} is missing; run python3 run.py build {number}"
    except (ValueError, nbformat.ValidationError, AttributeError, KeyError):
        return None, f"{product.path} is not a notebook; run python3 run.py build {number}"
    return stored, None


def differences(stored, product):
    """Sentences about where a stored notebook is not what its source gives, outputs included."""
    return _differences(stored, product, _cell)


def other_text(stored, product):
    """The same for a product that was not executed: cells and their text."""
    return _differences(stored, product, _text)


def _differences(stored, product, compare):
    again = f"run python3 run.py build {number_of(Path(product.file))}"
    new = product.notebook
    if len(stored.cells) != len(new.cells):
        return [
            f"{product.path}: {len(stored.cells)} cells, the source gives {len(new.cells)}; {again}"
        ]
    problems = []
    if _versionless(stored.metadata) != _versionless(new.metadata):
        problems.append(f"{product.path}: other notebook metadata than the build's; {again}")
    for number, (old, fresh) in enumerate(zip(stored.cells, new.cells, strict=True), 1):
        why = compare(old, fresh)
        if why:
            problems.append(f"{product.path}: cell {number} {why}; {again}")
    return problems


def _text(old, new):
    for part in ("cell_type", "source", "id", "metadata"):
        if old.get(part) != new.get(part):
            return f"has another {part.replace('_', ' ')} than the source gives"
    return None


def _cell(old, new):
    other = _text(old, new)
    if other or new.cell_type != "code":
        return other
    parts = outputs.first_difference(
        outputs.comparable(old.outputs), outputs.comparable(new.outputs)
    )
    return f"now gives {parts} in the stored notebook" if parts else None


def _versionless(metadata):
    """A checkout may be proved on another Python than the one that built it."""
    plain = json.loads(json.dumps(metadata))
    plain.get("language_info", {}).pop("version", None)
    return plain


def unexecuted(stored, product):
    """What nbval does not see: cells never run, out of order, or with the wrong kind of ending."""
    if not product.executed:
        return [
            f"{product.path}: an exercise notebook with stored outputs"
            for cell in stored.cells
            if cell.get("outputs")
        ][:1]
    problems, number = [], 0
    for cell in stored.cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type != "code" or not cell.source.strip() or "nbval-skip" in tags:
            continue
        number += 1
        count = cell.get("execution_count")
        where = f"{product.path}: code cell {number}"
        failed = any(output.output_type == "error" for output in cell.outputs)
        if count != number:
            problems.append(f"{where}: execution_count is {count}, expected {number}")
        if failed and "raises-exception" not in tags:
            problems.append(f"{where}: error without the tag raises-exception")
        if not failed and "raises-exception" in tags:
            problems.append(f"{where}: tagged raises-exception but no stored error")
    return problems
