"""A step of SGD of a small convnet: 3x3 convolutions with relu, the mean of each map, scores."""

import functools
from types import SimpleNamespace

import numpy as np

from benchmarks.case import Case

RATE = 0.1
CLASSES = 10


def numbers(channels, batch, side):
    """Images, their classes, and a weight and a bias for each layer."""
    draw = np.random.default_rng(0)
    parameters = []
    for n, m in zip(channels, channels[1:], strict=False):
        weight = draw.standard_normal((m, n, 3, 3), np.float32) / np.float32((9 * n) ** 0.5)
        parameters += [weight, np.zeros(m, np.float32)]
    parameters += [draw.standard_normal((CLASSES, channels[-1]), np.float32)]
    parameters += [np.zeros(CLASSES, np.float32)]
    x = draw.standard_normal((batch, channels[0], side, side), np.float32)
    return SimpleNamespace(x=x, labels=draw.integers(0, CLASSES, batch), parameters=parameters)


def with_tensors(mg, data):
    """minigrad and PyTorch: the same lines."""
    F = mg.nn.functional
    x, labels = mg.tensor(data.x), mg.tensor(data.labels)
    parameters = [mg.tensor(p, requires_grad=True) for p in data.parameters]
    *convolutions, weight, bias = parameters

    def step():
        h = x
        for w, b in zip(convolutions[::2], convolutions[1::2], strict=True):
            h = F.relu(F.conv2d(h, w, b, padding=1))
        loss = F.cross_entropy(F.linear(h.mean((2, 3)), weight, bias), labels)
        loss.backward()
        with mg.no_grad():
            for p in parameters:
                p.sub_(p.grad, alpha=RATE)
                p.grad = None
        return loss

    return step


def with_mygrad(mygrad, data):
    from mygrad.nnet.activations import relu
    from mygrad.nnet.layers import conv_nd
    from mygrad.nnet.losses import softmax_crossentropy

    mygrad.turn_memory_guarding_off()
    parameters = [mygrad.tensor(p) for p in data.parameters]
    *convolutions, weight, bias = parameters

    def step():
        h = data.x
        for w, b in zip(convolutions[::2], convolutions[1::2], strict=True):
            h = relu(conv_nd(h, w, stride=1, padding=1) + b.reshape(1, -1, 1, 1))
        scores = mygrad.matmul(h.mean(axis=(2, 3)), weight.T) + bias
        loss = softmax_crossentropy(scores, data.labels)
        loss.backward()
        for p in parameters:
            p.data -= RATE * p.grad
        return loss

    return step


ENGINES = {
    "minigrad": with_tensors,
    "torch": with_tensors,
    "mygrad": with_mygrad,
}
ALSO = (("minigrad", "mygrad"),)


def conv(name, *channels, batch, side):
    title = f"convnet {'-'.join(map(str, channels))}, batch {batch}, {side} x {side}, a step of SGD"
    return Case(name, title, functools.partial(numbers, channels, batch, side), ENGINES, also=ALSO)


CASES = [
    conv("conv", 3, 16, 16, batch=32, side=32),
    conv("conv-tiny", 1, 8, 8, batch=8, side=8),
]
