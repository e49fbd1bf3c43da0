"""Texts as a learner's lines see them while they are graded: of a tensor without its numbers, and
of an array of more than a few.

What is printed beside an answer, nobody needs; a text with numbers in it would be numbers that a
measured run took out of the engine, as a list of them is. It takes time and memory besides: NumPy
copies what it prints, and these bytes would be a call's.
"""

from importlib import import_module

import numpy as np

from course.trying import lines
from minigrad import Tensor
from minigrad.ops.printing import suffixes

FEW = 8  # elements of an array: what NumPy needs to print them are fewer bytes than are hidden


def hide_numbers():
    """From here on; the course's own lines see a tensor's as before."""
    _hide_arrays()
    whole = Tensor.__repr__

    def __repr__(tensor):
        if lines.now(2) is None:
            return whole(tensor)
        return f"tensor({', '.join(['...', f'size={tuple(tensor.shape)}', *suffixes(tensor)])})"

    setattr(Tensor, "__repr__", __repr__)  # noqa: B010, which mypy would take for a slip


def _hide_arrays():
    """Each text of one comes through this function of NumPy's."""
    printing = import_module("numpy._core.arrayprint")
    whole = printing._array2string

    def _array2string(array, *given, **named):
        return "..." if array.size > FEW else whole(array, *given, **named)

    np.set_printoptions(threshold=FEW)  # then it says the shape beside them
    setattr(printing, "_array2string", _array2string)  # noqa: B010, as above
