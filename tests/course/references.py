"""The course's own solutions, run in this process as a learner's answers would be."""

import linecache
from functools import cache

from course.build.products import exercise_ids, solved
from tests.loaded import COURSE

LESSONS = {lesson.number: lesson for lesson in COURSE if exercise_ids(lesson)}
EXERCISES = [(number, id) for number, lesson in LESSONS.items() for id in exercise_ids(lesson)]


def defined(number, id, source):
    """What the source defines under that name, after the lesson's set-up cell."""
    names: dict = {"__name__": "__main__"}
    for part, text in (("set-up", LESSONS[number].setup.source), (f"answer {id}", source)):
        file = f"<{part}>"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        exec(compile(text, file, "exec", dont_inherit=True), names)
    return names[id]


@cache
def reference(number, id):
    cell = LESSONS[number].of("exercise", id)[0]
    return defined(number, id, solved(cell))
