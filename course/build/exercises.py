"""An exercise is whole: a check, three hints, a why, cases; and its reference passes them all.

What the references give for `check`'s own draw is written beside the cases, so that a notebook
holds no answers and the expected values are never typed.
"""

import inspect
import json

from course.trying import cases, drawn, forms, told
from course.trying.draw import PRACTICE
from course.trying.expected import to_text
from course.trying.plain import same

from . import planted
from .child import run_cells
from .execute import CellFailed
from .outputs import message
from .products import exercise_ids, solved
from .rules import KINDS, kinds
from .write import replace_all

FEWEST, HINTS = 3, 3
PROBE = """
import json
from course.trying import cases
from course.trying.run import run_all
print(json.dumps([{{id: run_all(cases.of(id), globals()[id], seed) for id in {ids!r}}}
                  for seed in {seeds!r}]))
"""


def graded(lesson, project):
    """Whether the lesson has exercises that this project grades."""
    return bool(project.cases and exercise_ids(lesson))


def path(lesson, project):
    """Where the outcomes of the lesson's references lie, below the root."""
    return f"{project.expected}/{lesson.number}.json"


async def write_expected(lesson, work):
    """Write that file from a run of the references, before a notebook's check reads it.

    A value that is the same but for rounding stays as it was: another machine builds no other file.
    """
    given, file = await outcomes(lesson, work), work.project.root / path(lesson, work.project)
    text = to_text(_settled(given, read(file)))
    replace_all({file: text.encode()})


def read(file):
    """What the file holds, {} if that cannot be read."""
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _settled(given, stored):
    """`given` with the stored values where they are the same."""
    return {
        id: {
            name: _one_settled(outcome, stored.get(id, {}).get(name, {}))
            for name, outcome in tried.items()
        }
        for id, tried in given.items()
    }


def _one_settled(outcome, before):
    kept = "value" in before and same(before["value"], outcome["value"])
    return outcome | {"value": before["value"]} if kept else outcome


async def outcomes(lesson, work, seed=PRACTICE):
    """{exercise: {case: outcome}} of the reference solutions; a CellFailed where one fails."""
    return {
        id: {name: _kept(one) for name, one in tried.items()}
        for id, tried in (await rounds(lesson, work, [seed]))[0].items()
    }


async def rounds(lesson, work, seeds):
    """The same for each of these seeds, with all that an outcome has."""
    ids = exercise_ids(lesson)
    answers = [solved(lesson.of("exercise", id)[0]) for id in ids]
    sources = [lesson.setup.source, *answers, PROBE.format(seeds=list(seeds), ids=ids)]
    results = await run_cells(f"{lesson.file}: the references", sources, work)
    for result in results:
        for output in result:
            if output["output_type"] == "error":
                raise CellFailed(f"{lesson.file}: the references end in {message(output)}")
    found = json.loads("".join(o["text"] for o in results[-1] if o.get("name") == "stdout"))
    for id, tried in ((id, tried) for one in found for id, tried in one.items()):
        for name, outcome in tried.items():
            if "value" not in outcome:
                raise CellFailed(f"{lesson.file}: the reference of {id} fails '{name}': {outcome}")
    return found


def _kept(outcome):
    """Of a reference's outcome, what a verdict asks; of its calls each kind that came, in order."""
    keys = "value", "line", "code", "curve", "sizes"
    kept = {key: outcome[key] for key in keys if key in outcome}
    kinds: dict = {}
    for gave in filter(None, reversed(told.gaves(outcome))):
        kinds.setdefault(forms.general(gave), gave)
    return kept | ({"asked": {"gave": [*kinds.values()][::-1]}} if kinds else {})


async def prove(lesson, work):
    """Sentences about the lesson's exercises."""
    if not graded(lesson, work.project):
        return []
    problems = [*(unchecked(lesson) if work.project.private else incomplete(lesson))]
    if any(not cases.of(id) for id in exercise_ids(lesson)):
        return problems
    file = path(lesson, work.project)
    given, stored = await outcomes(lesson, work), read(work.project.root / file)
    if not stored:
        return [*problems, f"{file} is missing; run python3 run.py build {lesson.number}"]
    if not _alike(stored, given):
        problems.append(f"{file} is old; run python3 run.py build {lesson.number}")
    if work.project.private:  # those of the course have tests of their own
        answers = work.project.root / f"answers_{lesson.number}.py"
        problems += await planted.prove(lesson, work, answers)
        problems += await undrawn(lesson, work)
    return problems


async def undrawn(lesson, work):
    """Sentences about points that a guess would earn; the course's own have a test for that."""
    found = await rounds(lesson, work, [f"round {number}" for number in range(drawn.ROUNDS)])
    return [
        f"{work.project.root.name}/cases_{lesson.number}.py:{line_of(case)}: {why}"
        for id in exercise_ids(lesson)
        for case, why in drawn.undrawn(cases.of(id), [one[id] for one in found])
    ]


def line_of(case):
    return inspect.unwrap(case.run).__code__.co_firstlineno


def unchecked(lesson):
    """What a learner of a teacher's own exercises would miss: how many there are is the teacher's,
    and so are hints and kinds."""
    for id in exercise_ids(lesson):
        if not lesson.of("check", id):
            cell = lesson.of("exercise", id)[0]
            yield (
                f"{lesson.file}:{cell.line}: the exercise {id} has no check; add a cell with "
                f'check="{id}"'
            )


def incomplete(lesson):
    """What a learner would miss."""
    ids, seen = exercise_ids(lesson), set()
    yield from unchecked(lesson)
    if len(ids) < FEWEST:
        yield f"{lesson.file}: {len(ids)} exercises; a lesson has {FEWEST} or more, or none"
    for id in ids:
        cell = lesson.of("exercise", id)[0]
        seen.update(kinds(cell))
        where = f"{lesson.file}:{cell.line}: the exercise {id}"
        if not cases.of(id):
            yield f"{where} has no cases; write them in course/cases/lesson_{lesson.number}.py"
        if len(lesson.of("hint", id)) != HINTS:
            yield f"{where} has {len(lesson.of('hint', id))} hints; write {HINTS}"
        if not lesson.of("why", id):
            yield f'{where} has no why; add a markdown cell with why="{id}"'
    for kind in KINDS:
        if kind not in seen:
            yield f'{lesson.file}: no exercise has kind="{kind}"'


def _alike(stored, given):
    """Whether two files of outcomes say the same; only the values are compared."""
    if {id: set(tried) for id, tried in stored.items()} != {id: set(given[id]) for id in given}:
        return False
    return all(
        same(stored[id][name]["value"], outcome["value"])
        and stored[id][name].get("sizes") == outcome.get("sizes")
        for id, tried in given.items()
        for name, outcome in tried.items()
    )
