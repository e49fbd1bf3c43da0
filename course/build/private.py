"""A teacher's own folder of exercises, anywhere beside the course.

    ours/31_our_topic.py    a lesson's source; exercises alone will do
    ours/cases_31.py        its cases
    ours/answers_31.py      answers right and wrong (planted.py), if there are any

It is opened whole, or refused in one sentence before anything is run. The build puts the notebooks
and what is expected into the folder; `released` says what of it a class gets.
"""

import os
import sys
import traceback
from pathlib import Path

from course.trying import cases

from . import current, exercises
from .make import BrokenSources, load
from .products import exercise_ids, products
from .project import REPOSITORY, Project, UnknownLesson

COURSES = (
    "lessons", "notebooks", "exercises", "solutions", "course", "minigrad", "whoholds", "tests",
    "benchmarks", "docs", "my",
)  # fmt: skip


def opened(folder, numbers=()):
    """(the folder as a project, its lessons), with its cases loaded; None closes what was open."""
    os.environ.pop(cases.PRIVATE, None)
    if folder is None:
        return None, []
    folder = Path(folder).resolve()
    _require_place(folder)
    project = Project(folder, private=True)
    _require_numbers(project)
    lessons = load(project)
    _load_cases(project)
    problems = [*_uncased(project, lessons), *_homeless(project, lessons)]
    if problems:
        raise BrokenSources("\n".join(problems))
    os.environ[cases.PRIVATE] = str(folder)
    wanted = {int(number) for number in numbers if number.isdigit()}
    return project, [one for one in lessons if not wanted or int(one.number) in wanted]


# --- what is refused -----------------------------------------------------------------------


def _require_place(folder):
    if not folder.is_dir():
        raise BrokenSources(
            f"{folder} is no folder: name the one that holds NN_topic.py and cases_NN.py."
        )
    for whole in REPOSITORY, Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve():
        if whole.is_relative_to(folder):
            raise BrokenSources(f"{folder} holds {whole}: give your exercises a folder of theirs.")
    for name in COURSES:
        if folder.is_relative_to(REPOSITORY / name):
            raise BrokenSources(f"{folder} lies in the course's {name}/: take a folder beside it.")


def _require_numbers(project):
    places = [REPOSITORY / name for name in ("lessons", "exercises")]
    taken = {path.name[:2] for place in places for path in place.glob("[0-9][0-9]_*")}
    free = f"{int(max(taken, default='00')) + 1:02d}"
    paths = project.sources()
    for path in paths:
        if path.name[:2] in taken:
            raise BrokenSources(
                f"{_shown(path)}:1: the number {path.name[:2]} is the course's; name yours "
                f"{free}_topic.py or higher, and its cases and its title alike"
            )
    for file in sorted(project.root.glob("cases_*.py")):
        if file.stem[6:] not in {path.name[:2] for path in paths}:
            raise BrokenSources(
                f"{_shown(file)}:1: no lesson has the number {file.stem[6:]}; name the file as "
                f"the lesson: cases_NN.py beside NN_topic.py"
            )


def _load_cases(project):
    cases.exercises()  # the course's first: then it is the teacher's id that is taken
    for file in sorted(project.root.glob("cases_[0-9][0-9].py")):
        try:
            cases.load(file)
        except SyntaxError as error:
            raise BrokenSources(f"{_shown(file)}:{error.lineno}: {error.msg}; mend it") from None
        except ModuleNotFoundError as error:
            raise BrokenSources(
                f"{_at(file, error)}: {error}; cases can import the course, and no file beside them"
            ) from None
        except Exception as error:
            own = isinstance(error, cases.Twice)  # says what to do
            said = str(error) if own else f"{type(error).__name__}: {error}; mend it"
            raise BrokenSources(f"{_at(file, error)}: {said}") from None


def _at(file, error):
    """`ours/cases_31.py:7`, the last line of the file that led to the error."""
    rows = [row for row in traceback.extract_tb(error.__traceback__) if row.filename == str(file)]
    return f"{_shown(file)}:{rows[-1].lineno if rows else 1}"


def _uncased(project, lessons):
    """An exercise without a case, or a lesson without an exercise."""
    for lesson in lessons:
        if not exercise_ids(lesson):
            yield f'{lesson.file}:1: no exercise; add a cell with exercise="id" and its card'
        for id in exercise_ids(lesson):
            if cases.lesson_of(id) != lesson.number:
                line = lesson.of("exercise", id)[0].line
                file = f"{project.root.name}/cases_{lesson.number}.py"
                yield f"{lesson.file}:{line}: the exercise {id} has no case; write one in {file}"
        yield from exercises.unchecked(lesson)


def _homeless(project, lessons):
    """A case without an exercise."""
    known = {id for lesson in lessons for id in exercise_ids(lesson)}
    for lesson in lessons:
        for id in cases.exercises().get(lesson.number, ()):
            if id not in known:
                file = project.root / f"cases_{lesson.number}.py"
                line = exercises.line_of(cases.of(id)[0])
                yield (
                    f"{_shown(file)}:{line}: {lesson.file} has no exercise {id}; "
                    f'add a cell with exercise="{id}", or rename the case\'s'
                )


def _shown(path):
    return f"{path.parent.name}/{path.name}"


# --- what is built -------------------------------------------------------------------------


def require_built(project, lessons):
    """Refuse what a class or its grader would get otherwise than the sources say."""
    for lesson in lessons:
        for why in _old(project, lesson):
            raise BrokenSources(f"{why}: `python3 run.py build --private {project.root}` makes it.")


def _old(project, lesson):
    for product in products(lesson):
        stored, missing = current.read(project, product)
        if missing:
            yield f"{project.root.name}/{product.path} is missing, or no notebook"
        elif current.other_text(stored, product):
            yield f"{project.root.name}/{product.path} is older than {lesson.file}"
    path = exercises.path(lesson, project)
    found = exercises.read(project.root / path)
    for id in exercise_ids(lesson):
        if set(found.get(id, ())) != {case.name for case in cases.of(id)}:
            yield f"{project.root.name}/{path} lacks cases of {id}, or holds others"


def released(project, lessons):
    """{name in a class's copy: the file}: nothing that solves an exercise."""
    files = {}
    for lesson in lessons:
        for folder in "notebooks", "exercises":
            name = f"{folder}/{lesson.name}.ipynb"
            files[name] = project.root / name
        files[f"course/cases/lesson_{lesson.number}.py"] = (
            project.root / f"cases_{lesson.number}.py"
        )
        path = exercises.path(lesson, project)
        files[f"course/cases/{path}"] = project.root / path
    return files


__all__ = ["BrokenSources", "UnknownLesson", "opened", "released", "require_built"]
