"""The map of memory golf: what the known ways cost, measured and stored, so that it holds no way.

Their code lies in `lessons/ways/golf_NN.py`, which neither a class nor a learner's code gets: a
known way is an answer.
"""

import json

from .child import run_cells
from .execute import CellFailed
from .outputs import message
from .write import replace_all

PROBE = """
import json
from course.trying import golf
print(json.dumps({
    id: {name: golf.stroke(golf.of(id), way) for name, way in ways.items()}
    for id, ways in WAYS.items()
}))
"""


def path(lesson):
    """Where the points of the lesson's known ways lie, below the root."""
    return f"course/cases/known/{lesson.number}.json"


def source(lesson, project):
    """The file with the known ways; most lessons have none."""
    return project.root / "lessons" / "ways" / f"golf_{lesson.number}.py"


def played(lesson, project):
    """Whether an exercise of the lesson has a map."""
    return bool(project.cases) and source(lesson, project).is_file()


async def write_known(lesson, work):
    """Write that file from a run of the ways, before a notebook's check reads it."""
    file = work.project.root / path(lesson)
    replace_all({file: _text(await points(lesson, work)).encode()})


async def points(lesson, work):
    """{exercise: {name: [products, bytes]}}; a CellFailed where a way is not right."""
    file = source(lesson, work.project)
    where = f"lessons/ways/{file.name}"
    results = await run_cells(where, [file.read_text("utf-8"), PROBE], work)
    outputs = [output for result in results for output in result]
    for output in outputs:
        if output["output_type"] == "error":
            raise CellFailed(f"{where}: {message(output)}")
    found = json.loads("".join(o["text"] for o in outputs if o.get("name") == "stdout"))
    for name, (*_, why) in (way for ways in found.values() for way in ways.items()):
        if why:
            raise CellFailed(f"{where}: '{name}' is no way to play: {why}")
    return {id: {name: point[:2] for name, point in ways.items()} for id, ways in found.items()}


def _text(found):
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


async def prove(lesson, work):
    """A sentence where what is stored is not what the ways cost."""
    if not played(lesson, work.project):
        return []
    text, file = _text(await points(lesson, work)), work.project.root / path(lesson)
    if file.is_file() and file.read_text("utf-8") == text:
        return []
    how = "old" if file.is_file() else "missing"
    return [f"{path(lesson)} is {how}; run python3 run.py build {lesson.number}"]
