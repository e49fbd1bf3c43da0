"""What people write, right and wrong, one cell an answer, and the proof that it is told apart.

    # %% answer="id" wrong="part of the hint it must get"    a misconception
    # %% answer="id" style="what is different"               another right way, full points
    # %% answer="id" spare="4 of 5"                          right, with something needless
    # %% answer="id" proof=true                              measured, on both engines: no hand work

The course's own stand in tests/answers; those of a teacher's folder beside its lesson.
"""

import json
from dataclasses import dataclass

from course.trying import cases
from course.trying.draw import PRACTICE
from course.trying.feedback import Feedback
from course.trying.judge import verdicts

from . import exercises
from .child import run_branches
from .outputs import message
from .products import exercise_ids, solved, stub
from .source import MARKER, SourceError, written

KINDS = "wrong", "style", "spare", "proof"
SEEDS = PRACTICE, "another"
PROBE = """
import json
from course.trying import cases as _cases
from course.trying.run import run_all as _run_all
print(json.dumps([_run_all(_cases.of({id!r}), {id}, seed) for seed in {seeds!r}]))
"""


@dataclass(frozen=True)
class Answer:
    """One answer: its exercise, its source, what kind it is and what that promises."""

    lesson: str
    exercise: str
    kind: str
    says: str
    source: str
    line: int = 0

    def __str__(self):
        return f"{self.lesson}-{self.exercise}-{self.kind}-{str(self.says)[:30]}"


def read(path, lesson):
    """The answers in a file; a SourceError for a cell that does not say what it promises."""
    text = path.read_text("utf-8")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if MARKER.match(line)]
    cells = written(text)
    found = []
    for line, cell in zip(lines, cells[len(cells) - len(lines) :], strict=True):
        keys = cell.metadata
        kinds = [kind for kind in KINDS if kind in keys]
        if cell.cell_type == "code" and "answer" in keys:
            if len(kinds) != 1:
                file = f"{path.parent.name}/{path.name}"
                raise SourceError(file, line, f"an answer says one of {', '.join(KINDS)}")
            source, says = cell.source, keys[kinds[0]]
            found.append(Answer(lesson, keys["answer"], kinds[0], says, source, line))
    return found


async def prove(lesson, work, file):
    """Sentences about answers that do not get what they should, with check's numbers and others.

    The stub gets nothing and the reference everything, whatever is planted in `file`.
    """
    place = f"{file.parent.name}/{file.name}"
    tried = [(f"{place}:{one.line}", one) for one in (read(file, "") if file.is_file() else [])]
    for id in exercise_ids(lesson):
        cell = lesson.of("exercise", id)[0]
        where = f"{lesson.file}:{cell.line}"
        tried.append((where, Answer("", id, "stub", "", stub(cell))))
        tried.append((where, Answer("", id, "style", "the reference", solved(cell))))
    branches = [[one.source, PROBE.format(id=one.exercise, seeds=SEEDS)] for _, one in tried]
    where = f"{lesson.file}: the planted answers"
    results = await run_branches(where, [lesson.setup.source], branches, work)
    wanted = [await exercises.outcomes(lesson, work, seed) for seed in SEEDS]
    known, problems = set(exercise_ids(lesson)), []
    for (where, one), outputs in zip(tried, results, strict=True):
        if one.exercise not in known:
            problems.append(f"{where}: {lesson.file} has no exercise {one.exercise}; rename it")
            continue
        problems += [f"{where}: {why}" for why in _problems(one, outputs, wanted)][:1]
    return problems


def _problems(one, outputs, wanted):
    """Why the answer breaks its word, at most once for each draw."""
    said = "".join(o["text"] for o in (outputs or [[]])[-1] if o.get("name") == "stdout")
    if not said:
        errors = [message(o) for part in outputs or [] for o in part if "ename" in o]
        yield f"the answer of {one.exercise} ends in {(errors or ['nothing'])[0]}"
        return
    for outcomes, right in zip(json.loads(said), wanted, strict=True):
        found = verdicts(cases.of(one.exercise), outcomes, right[one.exercise])
        why = _broken(one, Feedback(one.exercise, found))
        if why:
            yield f"{why}; mend the exercise, its cases or this answer"


def _broken(one, told):
    got, hint = f"{told.points} of {told.of}", (told.help or ("", "", ""))[2]
    if one.kind == "stub":
        return f"the stub of {one.exercise} gets {got} points" if told.points else ""
    if one.kind == "wrong":
        if told.passed:
            return f"this wrong answer of {one.exercise} gets all points"
        return "" if one.says in hint else f"this wrong answer is told '{hint}', not '{one.says}'"
    if one.kind == "spare":
        why = f"this answer of {one.exercise} gets {got}, not {one.says}"
        return "" if got == one.says else why
    failed = f" and fails '{told.failed.case}'" if told.failed else ""
    name = one.says if one.kind == "style" else "a proof"
    return "" if told.passed else f"{name} of {one.exercise} gets {got}{failed}"
