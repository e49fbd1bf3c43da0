"""The cells of a lesson fit together, or one sentence says which does not.

Looks at text only: nothing is run here, so a broken source is refused before any work is done.
"""

from .names import SyntaxAt, definitions_and_uses, parse, predictions, python
from .regions import BEGIN, END, STUB
from .source import SourceError

TWINNED = range(2, 13)  # lessons in which every demo is a twin or says why not
ABOUT = ("difficulty", "minutes", "kind")  # keys of an exercise
CODE_ONLY = ("twin", "solo", "raises", "measured", "exercise", "check", *ABOUT)
LESSON_ONLY = ("twin", "solo", "exercise", "check", "card", "hint", "why")
TEXTS = ("card", "hint", "why")  # keys of markdown cells
WIDEST = 75  # columns of a drawing or a program on a page, in a window of 900 pixels
KINDS = ("predict", "repair", "write", "transfer")  # of an exercise; "predict+transfer" is both
CLASHES = (
    ("twin", "solo"),
    ("raises", "measured"),
    ("exercise", "check"),
    ("card", "hint"),
    ("card", "why"),
    ("hint", "why"),
    ("exercise", "twin"),
    ("exercise", "solo"),
    ("exercise", "raises"),
    ("exercise", "measured"),
    ("check", "twin"),
    ("check", "solo"),
    ("check", "raises"),
    ("check", "measured"),
)


def validate(lesson):
    """Raise a SourceError for the first thing in `lesson` that cannot be built."""
    for cell in lesson.cells:
        _own_keys(lesson, cell)
        _regions(lesson, cell)
        _fences(lesson, cell)
    if not any(cell.kind == "code" for cell in lesson.cells):
        raise SourceError(lesson.file, 1, "no code cell; the first one is the set-up cell")
    if lesson.setup.exercise:
        _fail(lesson, lesson.setup, "the first code cell is the set-up cell, not an exercise")
    _python(lesson)
    _names(lesson)
    _ids(lesson)
    _exercises(lesson)
    _twins(lesson)


def twinned(lesson):
    """Whether each demo of the lesson must be a twin or say why not."""
    return not lesson.is_page and int(lesson.number) in TWINNED


def ids(lesson):
    """{id: cell} of everything coverage.toml may point at: `at`, predictions, exercises."""
    found: dict = {}
    for cell in lesson.cells:
        for id in _names_of(cell):
            if id in found:
                _fail(lesson, cell, f"the id '{id}' is taken by line {found[id].line}")
            found[id] = cell
    return found


def _fail(lesson, cell, sentence, line=None):
    raise SourceError(lesson.file, line or cell.line, sentence)


def _names_of(cell):
    named = [cell.keys[key] for key in ("at", "exercise") if key in cell.keys]
    return named + list(predictions(cell.source) if cell.kind == "code" else [])


def _own_keys(lesson, cell):
    allowed_only = CODE_ONLY if cell.kind == "markdown" else TEXTS
    for key in cell.keys:
        if key in allowed_only:
            _fail(lesson, cell, f"the key '{key}' does not belong on a {cell.kind} cell")
        if lesson.is_page and key in LESSON_ONLY:
            _fail(lesson, cell, f"the key '{key}' belongs in a lesson; {lesson.name} is none")
    for one, other in CLASHES:
        if one in cell.keys and other in cell.keys:
            _fail(lesson, cell, f"'{one}' and '{other}' exclude each other; keep one")
    for key in ("difficulty", "minutes"):
        if "exercise" in cell.keys and key not in cell.keys:
            _fail(lesson, cell, f"the exercise has no {key}; add {key}=N")
    for key in ABOUT:
        if key in cell.keys and "exercise" not in cell.keys:
            _fail(lesson, cell, f"the key '{key}' belongs on the cell with exercise=\"id\"")
    if cell.keys.get("difficulty", 1) not in (1, 2, 3):
        _fail(lesson, cell, f"difficulty={cell.keys['difficulty']}; it is 1, 2 or 3")
    for kind in kinds(cell):
        if kind not in KINDS:
            _fail(lesson, cell, f"the kind '{kind}'; it is {', '.join(KINDS)}, or two joined by +")
    if not 1 <= cell.keys.get("minutes", 1) <= 60:
        _fail(lesson, cell, f"minutes={cell.keys['minutes']}; it is between 1 and 60")


def kinds(cell):
    """What an exercise asks of the learner: some of KINDS."""
    return cell.keys["kind"].split("+") if "kind" in cell.keys else []


def _regions(lesson, cell):
    begun = 0
    for line, text in enumerate(cell.source.splitlines(), cell.first):
        mark = text.strip()
        if mark == STUB and not begun:
            _fail(lesson, cell, f"'{STUB}' belongs between '{BEGIN}' and '{END}'", line)
        if mark not in (BEGIN, END):
            continue
        if "exercise" not in cell.keys:
            _fail(lesson, cell, f"'{mark}' belongs in a cell with exercise=\"id\"", line)
        if mark == BEGIN and begun:
            _fail(lesson, cell, f"a second '{BEGIN}' before the '{END}' of line {begun}", line)
        if mark == END and not begun:
            _fail(lesson, cell, f"'{END}' without a '{BEGIN}' before it", line)
        if mark == BEGIN and text == mark:
            _fail(
                lesson,
                cell,
                "the solution must be inside a function, so that an unsolved "
                "notebook runs to its end",
                line,
            )
        begun = line if mark == BEGIN else 0
    if begun:
        _fail(lesson, cell, f"'{BEGIN}' without an '{END}' after it", begun)
    if "exercise" in cell.keys and BEGIN not in cell.source:
        _fail(lesson, cell, f"the exercise has no '{BEGIN}' ... '{END}'")


def _fences(lesson, cell):
    """What stands between fences must not wrap: that takes a drawing apart, and is no program."""
    fenced = False
    for line, text in enumerate(cell.source.splitlines(), cell.first):
        if cell.kind == "markdown" and text.startswith("```"):
            fenced = not fenced
        elif fenced and len(text) > WIDEST:
            problem = f"a line of {len(text)} columns; {WIDEST} fit in a window of 900 pixels"
            _fail(lesson, cell, problem, line)


def _python(lesson):
    for cell in lesson.cells:
        if cell.kind != "code" or cell.keys.get("raises") == "SyntaxError":
            continue
        try:
            parse(cell.source, plain="twin" in cell.keys)
        except SyntaxAt as error:
            _fail(lesson, cell, str(error), cell.first + error.row - 1)


def _names(lesson):
    """A name that no cell of the lesson binds is misspelt: said before a kernel gets that far."""
    code = [c for c in lesson.cells if c.kind == "code" and c.keys.get("raises") != "SyntaxError"]
    found = [(cell, *definitions_and_uses(python(cell.source))) for cell in code]
    known = {"check"}.union(*(defined for _, defined, _ in found))
    for cell, _, used in found:
        if cell.keys.get("raises") == "NameError" or "import *" in lesson.setup.source:
            continue
        for name, row in used.items():
            if name not in known:
                line = cell.first + row - 1
                _fail(lesson, cell, f"'{name}' is defined nowhere in the lesson; misspelt?", line)


def _ids(lesson):
    ids(lesson)
    for key in ("check", "card", "why"):
        values = [cell.keys[key] for cell in lesson.cells if key in cell.keys]
        for id in values:
            if values.count(id) > 1:
                _fail(lesson, lesson.of(key, id)[1], f"a second {key} for the exercise '{id}'")


def _exercises(lesson):
    known = [cell.keys["exercise"] for cell in lesson.cells if "exercise" in cell.keys]
    for cell in lesson.cells:
        if cell.exercise and cell.exercise not in known:
            key = next(key for key in ("check", *TEXTS) if key in cell.keys)
            _fail(
                lesson,
                cell,
                f'{key}="{cell.exercise}", but no cell has '
                f'exercise="{cell.exercise}"; known exercises: {", ".join(known) or "none"}',
            )
    for id in known:
        stub = lesson.of("exercise", id)[0]
        if not lesson.of("card", id):
            _fail(lesson, stub, f'the exercise has no card; add a markdown cell with card="{id}"')
        if len(lesson.of("hint", id)) > 3:
            _fail(lesson, lesson.of("hint", id)[3], f"a fourth hint for '{id}'; three at most")


def _twins(lesson):
    known = {"mg"}
    for cell in lesson.demos:
        undecided = "twin" not in cell.keys and "solo" not in cell.keys
        if undecided and cell is not lesson.setup and twinned(lesson):
            _fail(
                lesson,
                cell,
                'neither twin=true nor solo="reason"; say whether torch prints the same',
            )
        if "twin" not in cell.keys or cell.keys.get("raises") == "SyntaxError":
            continue
        defined, used = definitions_and_uses(cell.source)
        known |= defined
        for name, row in used.items():
            if name not in known:
                _fail(
                    lesson,
                    cell,
                    f"the twin cell uses '{name}', which no twin cell before it defines",
                    cell.first + row - 1,
                )
