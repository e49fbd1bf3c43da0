"""Twin cells print the same under minigrad and under real PyTorch.

Both engines run the lesson's twin cells, and only those, in order in one namespace. Where torch is
absent, what it printed when the lesson was built stands in (lessons/golden/NN.json).
"""

import asyncio
import hashlib
import json
from collections import Counter

from . import outputs
from .alone import claims
from .child import run_branches, run_cells
from .execute import CellFailed
from .normal import engineless, placeless, uncounted
from .rules import twinned

SHARE = 0.6


def twins(lesson):
    """The twin cells of a lesson, in order."""
    return [cell for cell in lesson.demos if "twin" in cell.keys]


def share(lesson):
    """(twins, demos) without the set-up cell, which is neither."""
    demos = [cell for cell in lesson.demos if cell is not lesson.setup]
    return sum("twin" in cell.keys for cell in demos), len(demos)


def too_few(lesson):
    """One sentence if a lesson that must be mostly twins is not."""
    twin, demos = share(lesson)
    if twinned(lesson) and demos and twin < SHARE * demos:
        return (
            f"{lesson.file}: {twin} of {demos} demos are twins ({twin / demos:.0%}); "
            f"at least {SHARE:.0%} must be"
        )
    return None


def reasons(lesson):
    """Why cells are not twins: {reason: count}, most frequent first."""
    solo = [cell.keys["solo"] for cell in lesson.demos if "solo" in cell.keys]
    return dict(Counter(solo).most_common())


async def record(lesson, work):
    """The golden file's bytes: what torch prints now."""
    results = await _run(lesson, work, facade=work.project.facade)
    cells = _recorded(lesson, results)
    return (json.dumps({"lesson": lesson.name, "cells": cells}, indent=1) + "\n").encode()


def _recorded(lesson, results):
    return [
        {"source": _digest(cell), "prints": _told(cell, result)}
        for cell, result in zip(twins(lesson), results, strict=True)
    ]


async def torch_now(lessons, work):
    """{lesson's name: the cells of a golden file made now}; {} where torch is not installed.

    All from copies of one process, because torch takes seconds to start.
    """
    project, lessons = work.project, [lesson for lesson in lessons if twins(lesson)]
    if not lessons or project.has_torch():
        return {}
    where = f"{', '.join(lesson.file for lesson in lessons)}: twin cells under {project.torch}"
    sources = [[cell.source for cell in twins(lesson)] for lesson in lessons]
    under = {"engine": project.engine, "facade": project.facade}
    results = await run_branches(where, [], sources, work, **under)
    for lesson, result in zip(lessons, results, strict=True):
        if result is None:
            where = f"{lesson.file}: twin cells under {project.torch}"
            raise CellFailed(f"{where}: the process ended early")
    named = zip(lessons, results, strict=True)
    return {lesson.name: _recorded(lesson, result) for lesson, result in named}


def recorded_and_now(lesson, project, fresh):
    """(twin cell, what is recorded of it, what torch gives now); `fresh` is of `torch_now`."""
    golden, problem = _golden(lesson, project)
    if problem:
        raise CellFailed(problem)
    for cell, *both in zip(twins(lesson), golden, fresh, strict=True):
        yield cell, *("\n".join(f"{kind}: {text}" for kind, text in one["prints"]) for one in both)


async def prove(lesson, work, stored, torch):
    """Sentences about twins that are none; `stored` is what the notebook shows for each twin.

    `torch` is a task that gives what `torch_now` does.
    """
    if not twins(lesson):
        return []
    problems = []
    ours = await _run(lesson, work)
    for cell, shown, result in zip(twins(lesson), stored, ours, strict=True):
        parts = outputs.first_difference(claims(cell, shown), claims(cell, result))
        if parts:
            problems.append(
                f"{lesson.file}:{cell.line}: run among twin cells alone it gives {parts}; "
                "does a cell that is not a twin change what it sees?"
            )
    said = await asyncio.shield(torch)  # others wait for it too
    fresh = json.loads(json.dumps(said.get(lesson.name)))  # tuples become lists
    return problems + _against_torch(lesson, work.project, ours, fresh)


def _against_torch(lesson, project, ours, fresh):
    golden, problem = _golden(lesson, project)
    if problem:
        return [problem]
    problems = []
    for cell, result, said in zip(twins(lesson), ours, fresh or golden, strict=True):
        parts = outputs.first_difference([tuple(i) for i in said["prints"]], _told(cell, result))
        if parts:
            problems.append(f"{lesson.file}:{cell.line}: minigrad gives {parts} under torch")
    if fresh and fresh != golden:
        problems.append(
            f"{_file(lesson, project)} is not what torch prints now; "
            f"run python3 run.py build {lesson.number}"
        )
    return problems


def _golden(lesson, project):
    """(cells, None) or (None, why the golden file cannot stand in for torch)."""
    file, again = _file(lesson, project), f"run python3 run.py build {lesson.number} with torch"
    try:
        cells = json.loads(project.golden(lesson).read_text(encoding="utf-8"))["cells"]
        digests = [cell["source"] for cell in cells]
    except FileNotFoundError:
        return None, f"{file} is missing; {again}"
    except (ValueError, KeyError, TypeError) as error:
        return None, f"{file} cannot be read ({type(error).__name__}); {again}"
    if digests != [_digest(cell) for cell in twins(lesson)]:
        return None, f"{file} was recorded from other twin cells; {again}"
    return cells, None


def _file(lesson, project):
    return project.golden(lesson).relative_to(project.root).as_posix()


def _told(cell, result):
    """What both engines must share: prints, values, the error's class and message, warnings.

    HTML and pictures are left out: a value that has them says the same in its text.
    """
    seen = []
    for output in outputs.clean(result):
        kind = output["output_type"]
        if kind == "error":
            seen.append(("error", placeless(outputs.message(output))))
        elif kind == "stream" and output["name"] == "stderr":
            text = placeless(output["text"])
            seen += [("warning", line) for line in outputs.warnings_in(text)]
        else:
            seen += outputs.comparable([output], engineless)
    kinds = ("error",) if "measured" in cell.keys else ("stdout", "text", "error", "warning")
    return [(kind, uncounted(text)) for kind, text in seen if kind in kinds]


async def _run(lesson, work, facade=None):
    cells, project = twins(lesson), work.project
    where = f"{lesson.file}: twin cells under {project.torch if facade else project.engine}"
    sources = [cell.source for cell in cells]
    results = await run_cells(where, sources, work, project.engine, facade)
    if len(results) != len(cells):
        raise CellFailed(f"{where}: {len(results)} of {len(cells)} cells answered")
    return results


def _digest(cell):
    return hashlib.sha1(cell.source.encode()).hexdigest()[:12]
