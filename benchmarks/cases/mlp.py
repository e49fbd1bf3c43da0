"""A whole step of SGD of a multilayer perceptron: scores, cross entropy, backward, update."""

import functools
from types import SimpleNamespace

import numpy as np

from benchmarks.case import Case

RATE = 0.1


def numbers(sizes, batch):
    """Images, their classes, and a weight (out, in) and a bias for each layer."""
    draw = np.random.default_rng(0)
    layers = []
    for n, m in zip(sizes, sizes[1:], strict=False):
        weight = draw.standard_normal((m, n), np.float32) / np.float32(n**0.5)
        layers += [weight, np.zeros(m, np.float32)]
    x = draw.standard_normal((batch, sizes[0]), np.float32)
    return SimpleNamespace(x=x, labels=draw.integers(0, sizes[-1], batch), parameters=layers)


def with_tensors(mg, data):
    """minigrad and PyTorch, with functions: the same lines."""
    F = mg.nn.functional
    x, labels = mg.tensor(data.x), mg.tensor(data.labels)
    parameters = [mg.tensor(p, requires_grad=True) for p in data.parameters]
    *hidden, weight, bias = parameters

    def step():
        h = x
        for w, b in zip(hidden[::2], hidden[1::2], strict=True):
            h = F.relu(F.linear(h, w, b))
        loss = F.cross_entropy(F.linear(h, weight, bias), labels)
        loss.backward()
        with mg.no_grad():
            for p in parameters:
                p.sub_(p.grad, alpha=RATE)
                p.grad = None
        return loss

    return step


def with_modules(mg, data):
    """minigrad and PyTorch, with layers and an optimizer: the same lines."""
    nn = mg.nn
    x, labels = mg.tensor(data.x), mg.tensor(data.labels)
    layers = []
    for w, b in zip(data.parameters[::2], data.parameters[1::2], strict=True):
        linear = nn.Linear(*w.shape[::-1])
        linear.weight, linear.bias = nn.Parameter(mg.tensor(w)), nn.Parameter(mg.tensor(b))
        layers += [linear, nn.ReLU()]
    net, criterion = nn.Sequential(*layers[:-1]), nn.CrossEntropyLoss()
    optimizer = mg.optim.SGD(net.parameters(), lr=RATE)

    def step():
        optimizer.zero_grad()
        loss = criterion(net(x), labels)
        loss.backward()
        optimizer.step()
        return loss

    return step


def replayed(mg, data):
    """minigrad's own: forward and backward are recorded once, the update is not."""
    F = mg.nn.functional
    x, labels = mg.tensor(data.x), mg.tensor(data.labels)
    parameters = [mg.tensor(p, requires_grad=True) for p in data.parameters]
    *hidden, weight, bias = parameters
    optimizer = mg.optim.SGD(parameters, lr=RATE)

    @mg.replay.record
    def forward_and_backward(x, labels):
        h = x
        for w, b in zip(hidden[::2], hidden[1::2], strict=True):
            h = F.relu(F.linear(h, w, b))
        loss = F.cross_entropy(F.linear(h, weight, bias), labels)
        loss.backward()
        return loss.detach()

    def step():
        optimizer.zero_grad()
        loss = forward_and_backward(x, labels)
        optimizer.step()
        return loss

    return step


def by_hand(np, data):
    """What a patient person writes in numpy: no temporary that can be avoided in a line."""
    x, labels, parameters = data.x, data.labels, data.parameters
    weights, biases = parameters[::2], parameters[1::2]
    rows, ones = np.arange(len(x)), np.ones(len(x), np.float32)

    def scores():
        inputs = [x]
        for w, b in zip(weights, biases, strict=True):
            h = inputs[-1] @ w.T
            h += b
            inputs.append(np.maximum(h, 0, out=h) if w is not weights[-1] else h)
        return inputs

    def cross_entropy(z):
        z -= z.max(1, keepdims=True)
        grad = np.exp(z)
        total = grad.sum(1, keepdims=True)
        loss = (np.log(total[:, 0]) - z[rows, labels]).mean()
        grad /= total
        grad[rows, labels] -= 1
        grad /= len(z)
        return loss, grad

    def step():
        *inputs, z = scores()
        loss, grad = cross_entropy(z)
        for w, b in zip(weights[::-1], biases[::-1], strict=True):
            h = inputs.pop()
            for_weight, for_bias = grad.T @ h, ones @ grad
            if inputs:
                grad = grad @ w
                grad *= h > 0
            for_weight *= RATE
            for_bias *= RATE
            w -= for_weight
            b -= for_bias
        return loss

    return step


def with_autograd(autograd, data):
    np = autograd.numpy
    x, labels, parameters = data.x, data.labels, data.parameters
    rows = np.arange(len(x))

    def loss_of(parameters):
        h = x
        for w, b in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
            h = np.maximum(np.dot(h, w.T) + b, 0)
        z = np.dot(h, parameters[-2].T) + parameters[-1]
        z = z - np.max(z, axis=1, keepdims=True)
        return np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[rows, labels])

    loss_and_gradients = autograd.value_and_grad(loss_of)

    def step():
        loss, gradients = loss_and_gradients(parameters)
        for p, grad in zip(parameters, gradients, strict=True):
            p -= RATE * grad
        return loss

    return step


def with_mygrad(mygrad, data):
    from mygrad.nnet.activations import relu
    from mygrad.nnet.losses import softmax_crossentropy

    mygrad.turn_memory_guarding_off()
    parameters = [mygrad.tensor(p) for p in data.parameters]

    def step():
        h = data.x
        for w, b in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
            h = relu(mygrad.matmul(h, w.T) + b)
        scores = mygrad.matmul(h, parameters[-2].T) + parameters[-1]
        loss = softmax_crossentropy(scores, data.labels)
        loss.backward()
        for p in parameters:
            p.data -= RATE * p.grad
        return loss

    return step


ENGINES = {
    "minigrad": with_tensors,
    "minigrad nn": with_modules,
    "minigrad replay": replayed,
    "torch": with_tensors,
    "torch nn": with_modules,
    "numpy": by_hand,
    "mygrad": with_mygrad,
    "autograd": with_autograd,
}
ALSO = (
    ("minigrad nn", "torch nn"),
    ("minigrad", "numpy"),
    ("minigrad nn", "numpy"),
    ("minigrad replay", "minigrad nn"),
)


def mlp(name, *sizes, batch):
    title = f"MLP {'-'.join(map(str, sizes))}, batch {batch}, a whole step of SGD"
    return Case(name, title, functools.partial(numbers, sizes, batch), ENGINES, also=ALSO)


CASES = [mlp("mlp-small", 64, 64, 10, batch=32), mlp("mlp-medium", 784, 512, 512, 10, batch=256)]
