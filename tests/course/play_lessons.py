"""The games of the lessons: what each `play(...)` cell gives to it, and the prose before it."""

import ast

from course.build.project import Project
from course.build.source import read_lesson


def lesson_games():
    """{lesson: (source of the program, title, all Markdown before the game)}."""
    found = {}
    for path in Project().sources():
        prose = []
        for cell in read_lesson(path).shown:
            prose += [cell.source] if cell.kind == "markdown" else []
            for call in _calls(cell):
                (program,), title = call.args, call.keywords[0].value
                found[path.stem] = program.value, title.value, "\n\n".join(prose)
    return found


def _calls(cell):
    if cell.kind == "markdown" or "play(" not in cell.source:
        return []
    calls = (node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call))
    return [call for call in calls if getattr(call.func, "id", "") == "play"]
