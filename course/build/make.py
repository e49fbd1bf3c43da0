"""From sources to files: read, refuse, run, write. `check.py` shares all of it but the writing."""

import asyncio
import time
from dataclasses import replace

from . import budget, exercises, golf, links, tables, twins
from .execute import CellFailed, execute
from .outline import outline
from .products import paths, products
from .project import work_on
from .rules import ids, validate
from .source import SourceError, read_lesson
from .write import WriteError, replace_all, to_bytes


class BrokenSources(ValueError):
    """Sources that cannot be built, one sentence each."""


def load(project, numbers=()):
    """The lessons asked for, all valid; raises BrokenSources before anything is run.

    All are read, for each says something of the others: its neighbours, minutes, who asked what.
    """
    asked = set(project.sources(numbers))
    lessons, broken, beside = _read(project.sources(), asked)
    wanted = [lesson for lesson in lessons if lesson.name in {path.stem for path in asked}]
    broken += _shared_ids(wanted)
    if broken:
        raise BrokenSources("\n".join(broken))
    whole = outline(lessons, project.coverage, whole=not beside)
    wanted = [replace(lesson, outline=whole) for lesson in wanted]
    broken = [sentence for lesson in wanted for sentence in links.problems(lesson)]
    if broken:
        raise BrokenSources("\n".join([*broken, *beside]))
    return wanted


def _read(paths, asked):
    """(lessons, what is wrong with those asked for, what is wrong with their neighbours)."""
    lessons: list = []
    broken: list = []
    beside: list = []
    for path in paths:
        try:
            lesson = read_lesson(path)
            if path in asked:
                validate(lesson)
            lessons.append(lesson)
        except SourceError as error:  # a broken neighbour is no reason to stop
            (broken if path in asked else beside).append(str(error))
    return lessons, broken, beside


def _shared_ids(lessons):
    taken: dict = {}
    for lesson in lessons:
        for id, cell in ids(lesson).items():
            if id in taken:
                yield f"{lesson.file}:{cell.line}: the id '{id}' is taken by {taken[id]}"
            taken.setdefault(id, lesson.file)


async def assemble(lesson, work):
    """The lesson's products, executed."""
    made = products(lesson)
    async with asyncio.TaskGroup() as group:
        for product in made:
            if product.executed:
                group.create_task(execute(product, lesson, work))
    return made


async def build(project, numbers, say):
    """Write the notebooks of the lessons; gives the number of problems."""
    lessons = load(project, numbers)
    if not project.private or any(map(twins.twins, lessons)):
        say(twins_note(project))
    with work_on(project) as work:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_build_one(lesson, work, say)) for lesson in lessons]
    done = [one for one, task in zip(lessons, tasks, strict=True) if task.result()]
    for path in stale(project, done):  # what failed keeps its old files
        path.unlink()
        say(f"removed {path.relative_to(project.root)}: no source gives it")
    for name in tables.write(project, lessons[0].outline):
        say(f"{name}: table of lessons written anew")
    return len(lessons) - len(done)


async def _build_one(lesson, work, say):
    """Whether the lesson was built."""
    start, built = time.perf_counter(), False
    try:
        files = await _files(lesson, work)
        changed = replace_all(files)
        news = f"{len(changed)} of {len(files)} files changed"
        say(f"{summary(lesson)} {news}, {time.perf_counter() - start:.1f} s")
        built = True
    except* (CellFailed, WriteError) as group:
        say(f"{lesson.name}: not built\n" + "\n".join(f"  {e}" for e in leaves(group)))
    return built


def stale(project, lessons):
    """Generated files that no source gives; of other lessons only the names are known."""
    kept = {path for lesson in lessons for path in paths(lesson)}
    kept |= {exercises.path(one, project) for one in lessons if exercises.graded(one, project)}
    kept |= {golf.path(one) for one in lessons if golf.played(one, project)}
    kept |= {
        project.golden(lesson).relative_to(project.root).as_posix()
        for lesson in lessons
        if twins.twins(lesson)
    }
    return project.stale(kept, [lesson.name for lesson in lessons])


async def _files(lesson, work):
    """{path: bytes} of everything the lesson gives, its golden file too where torch is there."""
    if exercises.graded(lesson, work.project):
        await exercises.write_expected(lesson, work)
    if golf.played(lesson, work.project):
        await golf.write_known(lesson, work)
    made = await assemble(lesson, work)
    files = {work.project.root / one.path: to_bytes(one.notebook) for one in made}
    if twins.twins(lesson) and work.project.has_torch() is None:
        files[work.project.golden(lesson)] = await twins.record(lesson, work)
    return files


def leaves(group):
    """The exceptions in a group, however deep."""
    for error in group.exceptions:
        yield from leaves(error) if isinstance(error, BaseExceptionGroup) else (error,)


def summary(lesson):
    """One line of counts."""
    counted = budget.size(lesson)
    if lesson.is_page:
        return f"{lesson.name:<16} a page, sections {counted.sections}, code cells {counted.cells}:"
    twin, demos = twins.share(lesson)
    part = f" ({twin / demos:.0%})" if demos else ""
    return (
        f"{lesson.name:<16} {counted.minutes:>2} min ({counted.sitting} with the "
        f"experiments), sections {counted.sections}, "
        f"code cells {counted.cells}, twins {twin} of {demos}{part}, "
        f"exercises {counted.exercises} ({counted.working} min):"
    )


def twins_note(project):
    """One line: what the twin cells are compared with."""
    why_not = project.has_torch()
    if why_not:
        return f"twin cells: against the recorded golden files ({why_not})"
    return f"twin cells: live against {project.torch}"
