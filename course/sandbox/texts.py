"""Texts as a learner's lines see them while they are graded: of a tensor without its numbers, of a
large array with few.

What is printed beside an answer, nobody needs; a text with numbers in it would be numbers that a
measured run took out of the engine, as a list of them is. It takes time and memory besides.
"""

import numpy as np

from course.trying import lines
from minigrad import Tensor
from minigrad.ops.printing import suffixes

MANY = 64  # elements of an array


def hide_numbers():
    """From here on; the course's own lines see a tensor's as before."""
    np.set_printoptions(threshold=MANY, edgeitems=1)
    whole = Tensor.__repr__

    def __repr__(tensor):
        if lines.now(2) is None:
            return whole(tensor)
        return f"tensor({', '.join(['...', f'size={tuple(tensor.shape)}', *suffixes(tensor)])})"

    setattr(Tensor, "__repr__", __repr__)  # noqa: B010, which mypy would take for a slip
