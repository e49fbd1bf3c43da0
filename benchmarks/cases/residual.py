"""Depth: 100 residual blocks, h + W2 relu(W1 h), forward and backward, at three widths."""

import functools
from types import SimpleNamespace

import numpy as np

from benchmarks.case import Case

DEPTH = 100


def numbers(width, batch):
    """An input, and of each block two weights (out, in) with their biases."""
    draw = np.random.default_rng(0)
    scale = np.float32(0.3 * width**-0.5)
    blocks = []
    for _ in range(DEPTH):
        first, second = draw.standard_normal((2, width, width), np.float32) * scale
        blocks.append([first, np.zeros(width, np.float32), second, np.zeros(width, np.float32)])
    return SimpleNamespace(x=draw.standard_normal((batch, width), np.float32), blocks=blocks)


def with_tensors(mg, data):
    """minigrad and PyTorch: the same lines."""
    F = mg.nn.functional
    x = mg.tensor(data.x)
    blocks = [[mg.tensor(p, requires_grad=True) for p in block] for block in data.blocks]

    def step():
        for block in blocks:
            for p in block:
                p.grad = None
        h = x
        for w1, b1, w2, b2 in blocks:
            h = h + F.linear(F.relu(F.linear(h, w1, b1)), w2, b2)
        loss = (h * h).mean()
        loss.backward()
        return loss, blocks[0][0].grad

    return step


def by_hand(np, data):
    x, blocks, ones = data.x, data.blocks, np.ones(len(data.x), np.float32)

    def forward():
        h, kept = x, []
        for w1, b1, w2, b2 in blocks:
            r = h @ w1.T
            r += b1
            np.maximum(r, 0, out=r)
            kept.append((h, r))
            change = r @ w2.T
            change += b2
            h = h + change
        return h, kept

    def step():
        h, kept = forward()
        grad, gradients = h * np.float32(2 / h.size), []
        for w1, _, w2, _ in reversed(blocks):
            before, r = kept.pop()
            inner = grad @ w2
            inner *= r > 0
            gradients.append((inner.T @ before, ones @ inner, grad.T @ r, ones @ grad))
            grad = grad + inner @ w1
        return (h * h).mean(), gradients[-1][0]

    return step


def with_autograd(autograd, data):
    np = autograd.numpy

    def loss_of(blocks):
        h = data.x
        for w1, b1, w2, b2 in blocks:
            h = h + np.dot(np.maximum(np.dot(h, w1.T) + b1, 0), w2.T) + b2
        return np.mean(h * h)

    loss_and_gradients = autograd.value_and_grad(loss_of)

    def step():
        loss, gradients = loss_and_gradients(data.blocks)
        return loss, gradients[0][0]

    return step


def with_mygrad(mygrad, data):
    from mygrad.nnet.activations import relu

    mygrad.turn_memory_guarding_off()
    blocks = [[mygrad.tensor(p) for p in block] for block in data.blocks]

    def step():
        h = data.x
        for w1, b1, w2, b2 in blocks:
            h = h + (mygrad.matmul(relu(mygrad.matmul(h, w1.T) + b1), w2.T) + b2)
        loss = (h * h).mean()
        loss.backward()
        return loss, blocks[0][0].grad

    return step


ENGINES = {
    "minigrad": with_tensors,
    "torch": with_tensors,
    "numpy": by_hand,
    "mygrad": with_mygrad,
    "autograd": with_autograd,
}
ALSO = (("minigrad", "numpy"),)


def residual(width, batch):
    title = f"residual MLP, {DEPTH} blocks, width {width}, batch {batch}"
    make = functools.partial(numbers, width, batch)
    return Case(f"residual-w{width}", title, make, ENGINES, also=ALSO)


CASES = [residual(4, batch=2), residual(64, batch=32), residual(256, batch=64)]
