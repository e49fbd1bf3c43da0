"""Exercises, tried: `check(f)` in a notebook, and a class graded with one command.

Lessons and cases use the names below; `case` marks a case, `measure` tells what a call cost,
`by_hand` asks for none.
"""

from .byhand import by_hand
from .cases import Raised, case
from .check import check
from .measure import beside, error_of, measure

__all__ = ["Raised", "beside", "by_hand", "case", "check", "error_of", "measure"]
