"""What the exercise notebooks import: `check`, of course.trying."""

from course.trying import check

__all__ = ["check"]
