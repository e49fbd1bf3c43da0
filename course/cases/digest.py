"""One number for a whole tensor, so that the table of a check can say which of many is wrong."""

import numpy as np


def digest(tensor):
    """A positive number that moves with each element, with its place and its sign."""
    values = np.asarray(tensor.detach().numpy(), np.float64).reshape(-1)
    weights = np.linspace(1, 2, values.size)
    return float(np.sqrt((weights * (values + 1) ** 2).mean()))
