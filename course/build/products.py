"""One source, three notebooks: the lesson, its exercises unsolved, and the same solved.

Text in, notebooks out: nothing is run here. A product with nothing in it is not made.
"""

import platform
import re
from dataclasses import dataclass, replace

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from . import links
from .names import only_predictions
from .outline import cell_id
from .project import FOLDERS
from .regions import BEGIN, STUB, parts, stub_of
from .rules import kinds

RUNGS = ("a nudge", "the approach", "almost the code")


@dataclass(frozen=True)
class Product:
    """A notebook, where it belongs, and the source cell behind each of its cells (or None)."""

    folder: str
    file: str
    notebook: NotebookNode
    origins: list

    @property
    def path(self):
        return f"{self.folder}/{self.file}"

    @property
    def executed(self):
        """Exercises are stored without outputs."""
        return self.folder != "exercises"

    def code(self):
        """(notebook cell, source cell) for each code cell in order."""
        pairs = zip(self.notebook.cells, self.origins, strict=True)
        return [(cell, origin) for cell, origin in pairs if cell.cell_type == "code"]


def products(lesson):
    """The notebooks of a lesson, not yet executed."""
    made = [_lesson_notebook(lesson)]
    if exercise_ids(lesson):
        made += [_exercise_notebook(lesson), _solution_notebook(lesson)]
    return made


def paths(lesson):
    """Where the notebooks of a lesson lie, below the root."""
    folders = FOLDERS if exercise_ids(lesson) else FOLDERS[:1]
    return [f"{folder}/{lesson.name}.ipynb" for folder in folders]


def exercise_ids(lesson):
    """The ids of the lesson's exercises, in order."""
    return [cell.keys["exercise"] for cell in lesson.cells if "exercise" in cell.keys]


def stub(cell):
    """What the learner gets in place of a reference solution."""
    return stub_of(cell.source, cell.keys["exercise"])


def solved(cell):
    """The reference solution: the same lines without stubs and markers."""
    kept = (line for part, lines in parts(cell.source) if part != STUB for line in lines)
    return "\n".join(line for line in kept if line.strip() != BEGIN)


def _lesson_notebook(lesson):
    draft = _Draft(lesson, "notebooks")
    pending = []
    for cell in lesson.cells:
        if "exercise" in cell.keys:
            pending.append(cell)
        elif cell.exercise is None:
            _link(draft, pending)
            draft.add(cell, _headed(lesson, cell))
    _link(draft, pending)
    draft.way()
    return draft.product()


def _headed(lesson, cell):
    """The cell's text; that of the first cell with minutes and neighbours below its title."""
    if cell is not lesson.cells[0] or lesson.is_page or lesson.outline is None:
        return cell.source
    title, _, rest = cell.source.partition("\n")
    return f"{title}\n\n{links.head(lesson)}\n\n{rest.strip()}".rstrip()


def _link(draft, pending):
    """Exercises are not in the lesson; one cell says where the ones of this place are."""
    if not pending:
        return
    count = "Exercise" if len(pending) == 1 else f"{len(pending)} exercises"
    rows = [f"**{count}** in [exercises/{draft.file}](../exercises/{draft.file}):", ""]
    for cell in pending:
        rows.append(f"- {_card_title(draft.lesson, cell.keys['exercise'])} ({_effort(cell)})")
    draft.add(None, "\n".join(rows))
    pending.clear()


def exercise_source(lesson):
    """The exercise notebook with its solutions and their markers still in it.

    It stands alone: in a class nothing lies beside it that a link could lead to.
    """
    return _exercise_notebook(replace(lesson, outline=None), body=lambda cell: cell.source)


def _exercise_notebook(lesson, body=stub):
    draft = _Draft(lesson, "exercises")
    ids = exercise_ids(lesson)
    count = "One exercise" if len(ids) == 1 else f"{len(ids)} exercises"
    draft.add(
        None,
        f"# {lesson.number}  {lesson.title}: exercises\n\n{count} for the lesson "
        f"[{lesson.title}](../notebooks/{draft.file}). Replace each `raise "
        "NotImplementedError`, run the cell, then run the check below it. "
        "Stuck? The hints open one by one.",
    )
    draft.add(lesson.setup, _with_check(lesson))
    for id in ids:
        _exercise(draft, id, body)
        hints = lesson.of("hint", id)
        if hints:
            draft.add(hints[0], _ladder(hints), role="hints")
    draft.way()
    return draft.product()


def _solution_notebook(lesson):
    draft = _Draft(lesson, "solutions")
    draft.add(
        None,
        f"# {lesson.number}  {lesson.title}: solutions\n\nOne way to solve each "
        f"exercise of [exercises/{draft.file}](../exercises/{draft.file}).",
    )
    draft.add(lesson.setup, _with_check(lesson))
    for id in exercise_ids(lesson):
        _exercise(draft, id, solved)
        for why in lesson.of("why", id):
            draft.add(why, why.source, role="why")
    draft.way()
    return draft.product()


def _with_check(lesson):
    """The set-up cell, and what the check cells call."""
    if not any("check" in cell.keys for cell in lesson.cells):
        return lesson.setup.source
    return f"{lesson.setup.source}\n\nfrom course.grade import check"


def _exercise(draft, id, body):
    cell = draft.lesson.of("exercise", id)[0]
    card = draft.lesson.of("card", id)[0]
    draft.add(card, _with_effort(card.source, cell), role="card")
    draft.add(cell, body(cell), role="answer")
    for check in draft.lesson.of("check", id):
        draft.add(check, check.source, role="check")


def _with_effort(card, cell):
    head, _, rest = card.partition("\n")
    if not head.startswith("#"):
        head, rest = f"### {cell.keys['exercise']}", card
    return f"{head}\n\n*{_effort(cell)}*\n\n{rest.strip()}".rstrip()


def _effort(cell):
    minutes = cell.keys["minutes"]
    kind = "".join(f"{kind}, " for kind in kinds(cell))
    plural = "s"[: minutes > 1]
    return f"{kind}difficulty {cell.keys['difficulty']} of 3, about {minutes} minute{plural}"


def _card_title(lesson, id):
    head = lesson.of("card", id)[0].source.partition("\n")[0]
    return re.sub(r"^#+\s*", "", head) if head.startswith("#") else f"`{id}`"


def _ladder(hints):
    """Each hint opens inside the one before it. Blank lines keep the Markdown in them alive."""
    text = ""
    for rung, hint in reversed(list(zip(RUNGS, hints, strict=False))):
        inner = f"\n\n{text}" if text else ""
        number = RUNGS.index(rung) + 1
        text = (
            f"<details><summary>Hint {number}: {rung}</summary>\n\n"
            f"{hint.source}{inner}\n\n</details>"
        )
    return text


class _Draft:
    """A notebook being put together."""

    def __init__(self, lesson, folder):
        self.lesson, self.folder, self.file = lesson, folder, f"{lesson.name}.ipynb"
        self.cells, self.origins, self.places = [], [], {}

    def add(self, origin, text, role=None):
        kind = origin.kind if origin and role != "hints" else "markdown"
        make = new_code_cell if kind == "code" else new_markdown_cell
        if kind == "markdown":
            text = links.dressed(text, self.lesson, self.folder)
        cell = make(source=text, metadata=_metadata(origin, role), id=self._id(origin, role))
        self.cells.append(cell)
        self.origins.append(origin)

    def way(self):
        """The last cell: the way to the notebooks beside this one."""
        text = links.way(self.lesson, self.folder)
        if text:
            self.add(None, text)

    def _id(self, origin, role):
        """The same for the same place; an exercise's own cells keep theirs wherever they move."""
        if role:
            place, index = f"{origin.exercise}/{role}", 0
        else:
            place = f"{self.folder}/{origin.section if origin else 'made'}"
            index = self.places[place] = self.places.get(place, -1) + 1
        return cell_id(self.lesson, place, index)

    def product(self):
        metadata = {"kernelspec": kernelspec(), "language_info": language_info()}
        notebook = new_notebook(cells=self.cells, metadata=metadata)
        notebook.nbformat_minor = 5
        return Product(self.folder, self.file, notebook, self.origins)


def _metadata(origin, role):
    data: dict = {}
    tags = []
    if role:
        data["minigrad"] = {"exercise": origin.exercise, "role": role}
        data["deletable"] = False
        if role != "answer":
            data["editable"] = False
    elif origin and "at" in origin.keys:
        data["minigrad"] = {"at": origin.keys["at"]}
    if origin and origin.kind == "code" and only_predictions(origin.source):
        data["jupyter"] = {"source_hidden": True}
    if origin and "raises" in origin.keys:
        tags.append("raises-exception")
    if origin and "measured" in origin.keys:
        tags.append("nbval-ignore-output")
    return data | ({"tags": tags} if tags else {})


def kernelspec():
    """Exactly ipykernel's own: any other name makes JupyterLab open the notebook as modified."""
    return {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def language_info():
    """What an ipykernel of this Python reports, for the same reason."""
    return {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": platform.python_version(),
    }
