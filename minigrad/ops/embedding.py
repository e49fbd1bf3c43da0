"""embedding looks rows up: its gradient adds up, for each row, what came for its places."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import add_at
from minigrad.ops.shapes import Shown


class EmbeddingBackward0(Shown):
    """embedding saves the indices, and not one number of the weight."""

    inputs = ("weight",)
    extras = ("indices",)
    saves = {"indices": "weight"}
    argument_names = ("weight_sym_argsize_0", "padding_idx", "scale_grad_by_freq", "sparse")

    @staticmethod
    def forward(weight, indices, *arguments):
        return weight[indices.reshape(-1)].reshape(*indices.shape, weight.shape[1])

    def backward(node, grad, indices):
        rows, padding, by_frequency, _ = node.arguments
        places, width = indices.reshape(-1), grad.shape[-1]
        slopes = grad.reshape(places.size, width)
        if padding >= 0:
            slopes = np.where((places == padding)[:, None], 0, slopes)
        if by_frequency:
            slopes = slopes / totals(places, np.ones_like(slopes), rows)[places]
        return totals(places, slopes, rows)


def totals(places, slopes, rows):
    """For each row the sum of the slopes of its places."""
    total = np.zeros_like(slopes, order="C", shape=(rows, slopes.shape[1]))
    add_at(total, places, slopes)
    return total
