"""A tensor's text as a learner's lines see it while they are graded: without its numbers.

What is printed beside an answer, nobody needs; a text with numbers in it would be numbers that a
measured run took out of the engine, as a list of them is.
"""

from course.trying import lines
from minigrad import Tensor
from minigrad.ops.printing import suffixes


def hide_numbers():
    """From here on; the course's own lines see them as before."""
    whole = Tensor.__repr__

    def __repr__(tensor):
        if lines.now(2) is None:
            return whole(tensor)
        return f"tensor({', '.join(['...', f'size={tuple(tensor.shape)}', *suffixes(tensor)])})"

    setattr(Tensor, "__repr__", __repr__)  # noqa: B010, which mypy would take for a slip
