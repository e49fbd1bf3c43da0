"""The exercises as an nbgrader source set: the same cells, with the marks that nbgrader reads.

    python3 run.py build --nbgrader CLASS     writes CLASS/nbgrader_config.py and CLASS/source/

docs/grading.md has the commands that follow. A check cell's points are those of its cases, and its
value under autograde is what was reached, so that nbgrader gives partial credit. Nothing here
imports nbgrader but its own preprocessor, which needs nothing of the build's tools.
"""

from pathlib import Path

from course.trying import cases

from .make import load
from .products import exercise_ids, exercise_source
from .write import replace_all, to_bytes

CONFIG = '''"""For a class on nbgrader: written by `python3 run.py build --nbgrader`, not by hand.

minigrad must be installed where nbgrader runs: docs/grading.md of the course says how.
"""

c = get_config()  # noqa: F821  (nbgrader gives it)
c.CourseDirectory.course_id = "minigrad"
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "course.build.nbgrader_stubs.Stubs",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Execute.timeout = 60
c.OverwriteCells.add_missing_cells = True
'''


def write(project, out):
    """Write the source set below `out`; gives the names of its assignments."""
    lessons = [lesson for lesson in load(project) if exercise_ids(lesson)]
    files = {Path(out) / "nbgrader_config.py": CONFIG.encode()}
    for lesson in lessons:
        product = exercise_source(lesson)
        for cell in product.notebook.cells:
            _mark(cell)
        place = Path(out) / "source" / lesson.name / product.file
        files[place] = to_bytes(product.notebook)
    replace_all(files)
    return [lesson.name for lesson in lessons]


def _mark(cell):
    """nbgrader's own metadata on a cell of ours."""
    ours = cell.metadata.get("minigrad", {})
    if ours.get("role") == "answer":
        cell.metadata["nbgrader"] = _metadata(ours["exercise"], solution=True)
    if ours.get("role") == "check":
        points = sum(case.points for case in cases.of(ours["exercise"]))
        cell.metadata["nbgrader"] = _metadata(
            f"check_{ours['exercise']}", grade=True, locked=True, points=points
        )


def _metadata(id, **more):
    return {
        "grade": False, "grade_id": id, "locked": False, "schema_version": 3, "solution": False,
        "task": False, **more,
    }  # fmt: skip
