"""What people write, right and wrong: `tests/answers/NN_topic.py`, one cell an answer.

# %% answer="id" wrong="part of the hint it must get"    a misconception
# %% answer="id" style="what is different"               another right way, full points
# %% answer="id" spare="4 of 5"                          right, with something needless
# %% answer="id" proof=true                              measured, on both engines: no hand work
"""

from dataclasses import dataclass
from pathlib import Path

import jupytext

FOLDER = Path(__file__).resolve().parents[1] / "answers"
KINDS = "wrong", "style", "spare", "proof"


@dataclass(frozen=True)
class Answer:
    """One answer: its exercise, its source, what kind it is and what that promises."""

    lesson: str
    exercise: str
    kind: str
    says: str
    source: str

    def __str__(self):
        return f"{self.lesson}-{self.exercise}-{self.kind}-{str(self.says)[:30]}"


def answers(lesson):
    """The answers planted for a lesson, "04"."""
    found = []
    for path in sorted(FOLDER.glob(f"{lesson}_*.py")):
        for cell in jupytext.read(path, fmt="py:percent").cells:
            keys = cell.metadata
            kinds = [kind for kind in KINDS if kind in keys]
            if cell.cell_type == "code" and "answer" in keys:
                (kind,) = kinds
                found.append(Answer(lesson, keys["answer"], kind, keys[kind], cell.source))
    return found
