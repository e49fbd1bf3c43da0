"""A section needs only the set-up cell, and a cell may be run twice.

Readers jump and press Shift-Enter again; what they see must be what the notebook shows.
"""

from . import outputs
from .child import run_branches, run_cells
from .execute import CellFailed
from .normal import uncounted


async def sections_alone(lesson, work, stored):
    """Sentences about cells that differ when only the set-up ran before their section."""
    numbers = sections(lesson)
    parts = [_without_setup(lesson, number) for number in numbers]
    where = f"{lesson.file}: its sections alone"
    sources = [[cell.source for cell in cells] for cells in parts]
    results = await run_branches(where, [lesson.setup.source], sources, work)
    problems = []
    for number, cells, found in zip(numbers, parts, results, strict=True):
        if found is None:
            raise CellFailed(f"{lesson.file}: section {number} alone: the process ended early")
        for cell, result in zip(cells, found, strict=True):
            if difference := _difference(cell, stored[cell.line], result):
                problems.append(
                    f"{lesson.file}:{cell.line}: with only the set-up cell and its own "
                    f"section before it, the cell gives {difference}"
                )
    return problems


def _without_setup(lesson, number):
    return [c for c in lesson.demos if c.section == number and c is not lesson.setup]


async def each_twice(lesson, work):
    """Sentences about cells whose second run in a row differs from the first."""
    sources = [cell.source for cell in lesson.demos for _ in (1, 2)]
    results = await run_cells(f"{lesson.file}: each cell twice", sources, work)
    problems = []
    for cell, first, second in zip(lesson.demos, results[::2], results[1::2], strict=True):
        parts = _difference(cell, first, second)
        if parts:
            problems.append(
                f"{lesson.file}:{cell.line}: run twice in a row, the cell gives {parts}"
            )
    return problems


def sections(lesson):
    """The numbers of the sections that hold code of their own."""
    return sorted({cell.section for cell in lesson.demos if cell is not lesson.setup})


def claims(cell, results):
    """What a cell's outputs say for certain: of a measured one only how it ended."""
    seen = outputs.comparable(results, uncounted)
    return [item for item in seen if "measured" not in cell.keys or item[0] == "error"]


def _difference(cell, expected, result):
    return outputs.first_difference(claims(cell, expected), claims(cell, result))
