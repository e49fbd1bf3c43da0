"""One number for a whole tensor, so that the table of a check can say which of many is wrong."""

import numpy as np


def digest(tensor):
    """A number that moves with each element, with its place and its sign.

    Were it a mean alone, what is wrong here and there would nearly cancel, and pass for rounding.
    """
    values = np.asarray(tensor.detach().numpy(), np.float64).reshape(-1)
    signs = np.cos(np.arange(values.size) ** 2.0)  # in no order that a mistake might have
    return float((4 * np.linalg.norm(values) + signs @ values) / np.sqrt(max(values.size, 1)))
