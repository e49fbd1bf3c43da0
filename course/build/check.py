"""The proofs: what is committed is current, was run, stands alone, and PyTorch agrees.

Nothing is written here. Each problem is one sentence that names the file, the line and the remedy.
"""

import asyncio
import time

from . import alone, budget, coverage, current, exercises, golf, tables, twins
from .execute import CellFailed
from .make import assemble, leaves, load, stale, summary, twins_note
from .project import work_on
from .rules import ids


async def check(project, numbers, say, seed=None, collector=None):
    """Prove the lessons; gives the number of problems.

    With a `seed` notebooks and references run as on another processor, and must give what is
    stored all the same; sections alone, cells twice and twins run as on this one beside them. With
    a `collector` Python's comes after so many new objects, but in the notebooks.
    """
    lessons = load(project, numbers)
    if not project.private or any(map(twins.twins, lessons)):
        say(twins_note(project))
    if seed is not None:
        say(f"numbers moved as --jitter {seed} says")
    with work_on(project, seed, collector) as work:
        torch = asyncio.create_task(twins.torch_now(lessons, work.unmoved))
        async with asyncio.TaskGroup() as group:
            # From the last one on: it computes longest, and must not be alone in the end.
            proofs = [_check_one(lesson, work, say, torch) for lesson in reversed(lessons)]
            tasks = [group.create_task(proof) for proof in proofs]
        await asyncio.wait([torch])  # what it could not do, the lessons have said
    problems = sum(task.result() for task in tasks)
    built = {lesson.number: ids(lesson) for lesson in (load(project) if numbers else lessons)}
    rest = [] if project.private else [*coverage.gaps(project, built)]
    rest += _stale(project, lessons)
    rest += tables.stale(project, lessons[0].outline)
    for sentence in rest:
        say(f"  problem: {sentence}")
    problems += len(rest)
    count = f"{len(lessons)} lesson{'s'[: len(lessons) != 1]}"
    say(f"{count}: {problems} problem{'s'[: problems != 1]}" if problems else f"{count} proved")
    return problems


def _stale(project, lessons):
    for path in stale(project, lessons):
        yield f"{path.relative_to(project.root)}: no source gives it; run python3 run.py build"


async def _check_one(lesson, work, say, torch):
    start = time.perf_counter()
    try:
        problems = await _prove(lesson, work, torch)
    except* CellFailed as group:
        problems = [str(error) for error in leaves(group)]
    verdict = f"{len(problems)} problem{'s'[: len(problems) != 1]}" if problems else "ok"
    lines = [f"{summary(lesson)} {verdict}, {time.perf_counter() - start:.1f} s"]
    lines += [f"  problem: {problem}" for problem in problems]
    lines += [f"  warning: {warning}" for warning in budget.warnings(lesson)]
    lines += [
        f"  not a twin: {reason} ({count} cell{'s'[: count != 1]})"
        for reason, count in twins.reasons(lesson).items()
    ]
    measured = sum("measured" in cell.keys for cell in lesson.demos)
    lines += [f"  ~measured, not compared: {measured} cell{'s'[: measured != 1]}"] * bool(measured)
    say("\n".join(lines))
    return len(problems)


async def _prove(lesson, work, torch):
    problems = [*budget.problems(lesson), *filter(None, [twins.too_few(lesson)])]
    made = await assemble(lesson, work)
    for product in made:
        problems += _committed(product, work.project)
    stored = {origin.line: cell.outputs for cell, origin in made[0].code()}
    shown = [stored[cell.line] for cell in twins.twins(lesson)]
    here = work.unmoved
    async with asyncio.TaskGroup() as group:
        jobs = [
            alone.sections_alone(lesson, here, stored),
            alone.each_twice(lesson, here),
            twins.prove(lesson, here, shown, torch),
            exercises.prove(lesson, work),
            golf.prove(lesson, work),
        ]
        tasks = [group.create_task(job) for job in jobs]
    return problems + [problem for task in tasks for problem in task.result()]


def _committed(product, project):
    stored, missing = current.read(project, product)
    if missing:
        return [missing]
    return current.differences(stored, product) + current.unexecuted(stored, product)
