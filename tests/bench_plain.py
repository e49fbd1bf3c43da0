"""Cases that minigrad may be alone in, where PyTorch is not installed: by hand, in numpy.

`STEPS[case](numbers)` gives a step as an engine's would be, in float64.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from benchmarks.cases import chain, elementwise
from benchmarks.cases.conv import RATE


def products_and_sums(count):
    """Products and sums in turn, then their mean: its gradient is the product of the factors."""

    def prepare(data):
        x, factor, term = (np.float64(each) for each in (data.x, data.factor, data.term))

        def step():
            y, slope = x, 1 / x.size
            for _ in range(count // 2):
                y, slope = y * factor + term, slope * factor
            return y.mean(), slope

        return step

    return prepare


def windows(x):
    """(batch, channels, height, width, 3, 3): what each 3x3 convolution with padding 1 sees."""
    return sliding_window_view(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), (2, 3))


def convolved(x, weight):
    return np.einsum("nchwij,mcij->nmhw", windows(x), weight, optimize=True)


def convnet(data):
    """Convolutions with relu, the mean of each map, scores; then a step of SGD."""
    parameters = [np.float64(p) for p in data.parameters]
    *layers, weight, bias = parameters
    rows = np.arange(len(data.labels))

    def step():
        inputs, h = [], np.float64(data.x)
        for w, b in zip(layers[::2], layers[1::2], strict=True):
            inputs.append(h)
            h = np.maximum(convolved(h, w) + b[:, None, None], 0)
        means = h.mean((2, 3))
        scores = means @ weight.T + bias
        odds = np.exp(scores - scores.max(1, keepdims=True))
        odds /= odds.sum(1, keepdims=True)
        loss = -np.log(odds[rows, data.labels]).mean()
        wrong = odds.copy()
        wrong[rows, data.labels] -= 1
        wrong /= len(rows)
        grads = [wrong.sum(0), wrong.T @ means]
        g = (wrong @ weight)[:, :, None, None] / h[0, 0].size * np.ones_like(h)
        for w, x in zip(reversed(layers[::2]), reversed(inputs), strict=True):
            g = g * (h > 0)
            of_w = np.einsum("nmhw,nchwij->mcij", g, windows(x), optimize=True)
            grads += [g.sum((0, 2, 3)), of_w]
            g, h = convolved(g, w.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]), x
        for p, grad in zip(reversed(parameters), grads, strict=True):
            p -= RATE * grad
        return loss

    return step


STEPS = {
    "chain-scalar": products_and_sums(chain.N),
    "elementwise": products_and_sums(elementwise.N),
    "conv": convnet,
    "conv-tiny": convnet,
}
