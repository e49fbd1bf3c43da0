"""Exercises, tried: `check(f)` in a notebook, and a class graded with one command.

Lessons and cases use the names below; `case` marks a case, `measure` tells what a call cost,
`by_hand` asks for none; `differs` compares as the table does.
"""

from .byhand import by_hand
from .cases import Raised, any_form, beyond, case, naming
from .caught import caught
from .check import check
from .measure import beside, error_of, measure
from .plain import differs

__all__ = [
    "Raised", "any_form", "beside", "beyond", "by_hand", "case", "caught", "check", "differs",
    "error_of", "measure", "naming",
]  # fmt: skip
