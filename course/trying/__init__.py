"""An exercise, tried: cases, what comes of them, and `check(f)`, which shows it in a notebook.

Lessons and cases use the names below; `case` marks a case, `measure` tells what a call cost,
`by_hand` asks for none; `differs` compares as the table does.
"""

from course.trying.byhand import by_hand
from course.trying.cases import Raised, any_form, beyond, case, naming
from course.trying.caught import caught
from course.trying.check import check
from course.trying.measure import beside, error_of, gone, measure, newborn
from course.trying.plain import differs

__all__ = [
    "Raised", "any_form", "beside", "beyond", "by_hand", "case", "caught", "check", "differs",
    "error_of", "gone", "measure", "naming", "newborn",
]  # fmt: skip
