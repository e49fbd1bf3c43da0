"""Lesson 18: honest answers in further styles."""


# %% answer="held_with_gradient" style="a beginner: lists of True and False, two long loops, prints"
def held_with_gradient(steps):
    """[U held after forward, U held with the recorded gradient]"""
    # place 0 is a itself, place i is the tensor after i steps
    saved = [False] * (len(steps) + 1)
    number = 0
    for step in steps:
        if step == "tanh":
            saved[number + 1] = True
        elif step == "exp":
            saved[number + 1] = True
        elif step == "square":
            saved[number] = True
        elif step == "minus":
            pass
        elif step == "shift":
            pass
        number = number + 1
    saved[0] = False  # a does not count
    forward = 0
    for one in saved:
        if one:
            forward = forward + 1
    # and now back
    full = False
    more = 0
    i = len(steps) - 1
    while i >= 0:
        step = steps[i]
        if step == "tanh" or step == "exp" or step == "square":
            if full:
                more = more + 1
            full = True
        if step == "minus":
            full = True
        i = i - 1
    g = 1
    return [forward, forward + more + g]


print(held_with_gradient(["tanh"]))
print(held_with_gradient(["tanh", "minus", "square"]))
print(held_with_gradient(["shift", "exp", "shift"]))


# %% answer="held_with_gradient" style="golf: letters, a set of places, rstrip of the shifts"
def held_with_gradient(steps):
    s = "".join(t[1] for t in steps)  # tAnh eXp mInus sHift sQuare
    k = {i - (c == "q") for i, c in enumerate(s) if c in "axq"} - {-1}
    return [len(k), len(k) + 1 + sum(c in "axq" for c in s.rstrip("h")[:-1])]


# %% answer="held_with_gradient" style="classes: a node for each op, forward and backward of its own"
class Op:
    keeps_result = keeps_input = passes_on = False

    @property
    def saves(self):
        return self.keeps_result or self.keeps_input

    def forward(self, h, kept):
        result = object()
        if self.keeps_input:
            kept.add(h)
        if self.keeps_result:
            kept.add(result)
        return result

    def backward(self, gradient, kept):
        """The next gradient; None stands for one number that is expanded."""
        if self.saves and gradient is not None:
            kept.add(gradient)
        return gradient if self.passes_on else object()


class Tanh(Op):
    keeps_result = True


class Exp(Op):
    keeps_result = True


class Minus(Op):
    pass


class Shift(Op):
    passes_on = True


class Square(Op):
    keeps_input = True


KINDS = {kind.__name__.lower(): kind for kind in Op.__subclasses__()}


def held_with_gradient(steps):
    """[U held after forward, U held with the recorded gradient]"""
    ops, kept = [KINDS[step]() for step in steps], set()
    a = h = object()
    for op in ops:
        h = op.forward(h, kept)
    forward = len(kept - {a})
    gradient = None
    for op in reversed(ops):
        gradient = op.backward(gradient, kept)
    kept.add(gradient)
    return [forward, len(kept - {a})]


# %% answer="held_with_gradient" style="itertools: pairwise, accumulate from the end, sums of conditions"
from itertools import accumulate, pairwise
from operator import or_

SAVES = frozenset({"tanh", "exp", "square"})
RESULT = frozenset({"tanh", "exp"})


def held_with_gradient(steps):
    """[U held after forward, U held with the recorded gradient]"""
    pairs = pairwise((*steps, "end"))
    forward = sum(one in RESULT or after == "square" for one, after in pairs)
    above = accumulate((step != "shift" for step in reversed(steps)), or_, initial=False)
    back = sum(full and step in SAVES for full, step in zip(above, reversed(steps)))
    return [forward, forward + back + 1]


# %% answer="held_with_gradient" style="as in PyTorch: numpy masks, type hints, a dict of what autograd saves"
import numpy as np

SAVED_BY: dict[str, str] = {"tanh": "result", "exp": "result", "square": "self"}


def held_with_gradient(steps: list[str]) -> list[int]:
    """[U held after forward, U held with the recorded gradient]"""
    kinds = np.array([SAVED_BY.get(step, "") for step in steps])
    results = kinds == "result"
    inputs = np.roll(kinds == "self", -1)
    inputs[-1] = False  # what rolled around was the leaf
    n_forward = np.count_nonzero(results | inputs)
    dense = np.array([step != "shift" for step in steps])
    incoming = np.cumsum(dense[::-1])[::-1] - dense > 0
    n_backward = np.count_nonzero(incoming & (kinds != ""))
    return [n_forward, n_forward + n_backward + 1]


# %% answer="critic_step" style="a beginner: one operation a line, the norm written out"
def critic_step(points, critic):
    """Adds its gradients to the weights of the critic; returns nothing."""
    p = points.detach()
    p.requires_grad_()
    score = critic(p)
    total = score.sum()
    gradients = mg.autograd.grad(total, [p], create_graph=True)
    g = gradients[0]
    squares = g * g
    sums = squares.sum(1)
    size = sums.sqrt()
    away = size - 1
    penalty = (away * away).mean()
    loss = score.mean() + 10 * penalty
    loss.backward()


w.grad = mg.zeros(32, 32)
critic_step(x, lambda p: critic(p, 2))
print("gradient of w:", w.grad.norm().item())
print("gradient of v:", v.grad.norm().item())
w.grad, v.grad = mg.zeros(32, 32), mg.zeros(32, 1)


# %% answer="critic_step" style="golf: a walrus, the sum in grad_outputs"
def critic_step(points, critic):
    s = critic(p := points.detach().requires_grad_())
    g = mg.autograd.grad(s, p, mg.ones_like(s), create_graph=True)[0]
    (s.mean() + ((g.norm(dim=1) - 1)**2).mean()*10).backward()


# %% answer="critic_step" style="classes: a Penalty module, and a step that is an object with a call"
class Penalty(mg.nn.Module):
    """The mean of (|slope| - 1)**2, times its weight."""

    def __init__(self, weight=10.0):
        super().__init__()
        self.weight = weight

    def forward(self, slope):
        return self.weight * mg.nn.functional.mse_loss(
            slope.norm(dim=-1), mg.ones(slope.shape[0])
        )


class CriticStep:
    def __init__(self, penalty):
        self.penalty = penalty

    def slope(self, score, p):
        return mg.autograd.grad(outputs=score.sum(), inputs=p, create_graph=True)[0]

    def __call__(self, points, critic):
        p = points.detach().requires_grad_()
        score = critic(p)
        loss = score.mean() + self.penalty(self.slope(score, p))
        loss.backward()


critic_step = CriticStep(Penalty())


# %% answer="critic_step" style="functions: compose, a lambda for the penalty, backward by methodcaller"
from functools import reduce
from operator import methodcaller


def compose(*steps):
    return lambda value: reduce(lambda found, step: step(found), steps, value)


rows_norm = compose(mg.square, methodcaller("sum", 1), mg.sqrt)
penalty_of = compose(rows_norm, lambda size: size - 1, mg.square, mg.mean, lambda mean: 10 * mean)


def critic_step(points, critic):
    """Adds its gradients to the weights of the critic; returns nothing."""

    def loss_at(p):
        score = critic(p)
        (slope,) = grad(score.sum(), [p], create_graph=True)
        return score.mean() + penalty_of(slope)

    compose(methodcaller("detach"), methodcaller("requires_grad_"), loss_at, methodcaller("backward"))(
        points
    )


# %% answer="critic_step" style="as in PyTorch: backward(inputs=[p]), the .grad taken out and the ring opened, type hints"
from collections.abc import Callable

Tensor = mg.Tensor


def critic_step(points: Tensor, critic: Callable[[Tensor], Tensor]) -> None:
    """Adds its gradients to the weights of the critic; returns nothing."""
    p = points.detach().clone().requires_grad_(True)
    score = critic(p)
    score.sum().backward(inputs=[p], create_graph=True)
    slope, p.grad = p.grad, None  # this opens the ring
    gradient_penalty = (slope.norm(2, dim=1) - 1).pow(2).mean()
    loss = score.mean() + 10.0 * gradient_penalty
    loss.backward()


# %% answer="hessian_products" style="a beginner: counters, one list, retain_graph always, prints"
def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    y = loss(w)
    first = mg.autograd.grad(y, [w], create_graph=True)
    first = first[0]
    results = []
    i = 0
    while i < len(directions):
        direction = directions[i]
        second = mg.autograd.grad(first, [w], direction, retain_graph=True)
        second = second[0]
        results.append(second)
        i = i + 1
    return results


def my_loss(a):
    return (x @ a).tanh().sum()


found = hessian_products(my_loss, w, [mg.ones(32, 32), mg.zeros(32, 32)])
print(len(found), found[0].shape, found[1].norm().item())
del found


# %% answer="hessian_products" style="golf: a comprehension over one recorded gradient"
def hessian_products(loss, w, directions):
    g, = mg.autograd.grad(loss(w), w, create_graph=1)
    return [mg.autograd.grad(g, w, d, retain_graph=1)[0] for d in directions]


# %% answer="hessian_products" style="classes: a Hessian with @, made once, and closed as a context"
class Hessian:
    """Is never there; knows its product with a direction."""

    def __init__(self, loss, at):
        self.at = at
        self.loss = loss

    def __enter__(self):
        (self.slope,) = mg.autograd.grad(self.loss(self.at), [self.at], create_graph=True)
        return self

    def __exit__(self, *error):
        del self.slope

    def __matmul__(self, direction):
        (product,) = mg.autograd.grad(self.slope, [self.at], [direction], retain_graph=True)
        return product


def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    with Hessian(loss, w) as hessian:
        return [hessian @ direction for direction in directions]


# %% answer="hessian_products" style="recursion: the last direction lets the graph go; starred heads"
def each(slope, w, directions):
    match directions:
        case []:
            return []
        case [last]:
            return [*grad(slope, [w], last)]
        case [first, *rest]:
            return [*grad(slope, [w], first, retain_graph=True), *each(slope, w, rest)]


def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    return each(*grad(loss(w), [w], create_graph=True), w, list(directions))


# %% answer="hessian_products" style="as in PyTorch: double backward through (g * v).sum(), type hints, detach"
from collections.abc import Callable, Sequence

Tensor = mg.Tensor


def hvp_from_grad(g: Tensor, w: Tensor, v: Tensor) -> Tensor:
    dot = (g * v.detach()).sum()
    (hv,) = mg.autograd.grad(dot, w, retain_graph=True)
    return hv.detach()


def hessian_products(
    loss: Callable[[Tensor], Tensor], w: Tensor, directions: Sequence[Tensor]
) -> list[Tensor]:
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    with mg.enable_grad():
        value = loss(w)
        (g,) = mg.autograd.grad(value, w, create_graph=True)
        return [hvp_from_grad(g, w, v) for v in directions]


# %% answer="fast_weights" style="a beginner: two loops, one for exact and one for first order, prints"
def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""
    weights = w
    step = 0
    if exact == True:
        while step < steps:
            loss = inner(weights)
            gradients = mg.autograd.grad(loss, [weights], create_graph=True)
            gradient = gradients[0]
            change = rate * gradient
            weights = weights - change
            step = step + 1
    else:
        while step < steps:
            loss = inner(weights)
            gradients = mg.autograd.grad(loss, [weights])
            gradient = gradients[0]
            change = rate * gradient
            weights = weights - change
            step = step + 1
    return weights


start = mg.ones(3, requires_grad=True)
end = fast_weights(lambda a: (a * a).sum(), start, 0.1, 2, True)
print(end)
end.sum().backward()
print(start.grad)
del start, end


# %% answer="fast_weights" style="golf: recursion in one conditional expression"
def fast_weights(f, w, r, n, e):
    return fast_weights(f, w - r*mg.autograd.grad(f(w), w, create_graph=e)[0], r, n-1, e) if n else w


# %% answer="fast_weights" style="classes: a Descent that is iterated, with first and exact as subclasses"
class Descent:
    """First order: the slope is a constant."""

    record = False

    def __init__(self, inner, at, rate):
        self.inner, self.at, self.rate = inner, at, rate

    def slope(self):
        return mg.autograd.grad(self.inner(self.at), [self.at], create_graph=self.record)[0]

    def step(self):
        self.at = self.at - self.rate * self.slope()


class Exact(Descent):
    record = True


def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""
    descent = (Exact if exact else Descent)(inner, w, rate)
    for _ in range(steps):
        descent.step()
    return descent.at


# %% answer="fast_weights" style="functions: reduce over repeat, a step made by a closure, islice of iterate"
from functools import partial
from itertools import accumulate, islice, repeat


def descend(inner, rate, exact, weights, _):
    (slope,) = grad(inner(weights), [weights], create_graph=exact)
    return weights - slope * rate


def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""
    path = accumulate(repeat(None), partial(descend, inner, rate, exact), initial=w)
    return next(islice(path, steps, None))


# %% answer="fast_weights" style="as in PyTorch: a functional SGD with type hints, detach for first order, sub with alpha"
from collections.abc import Callable
from dataclasses import dataclass

Tensor = mg.Tensor


@dataclass(frozen=True)
class DifferentiableSGD:
    lr: float
    first_order: bool = False

    def update(self, param: Tensor, loss: Tensor) -> Tensor:
        (g,) = mg.autograd.grad(loss, param, create_graph=not self.first_order)
        if self.first_order:
            g = g.detach()
        return param.sub(g, alpha=self.lr)


def fast_weights(
    inner: Callable[[Tensor], Tensor], w: Tensor, rate: float, steps: int, exact: bool
) -> Tensor:
    """The weights after `steps` steps from w; they lead back to w."""
    optimizer = DifferentiableSGD(lr=rate, first_order=not exact)
    fast = w.clone()
    for _ in range(steps):
        fast = optimizer.update(fast, inner(fast))
    return fast


# %% answer="held_with_gradient" style="a doubly linked walk with index arithmetic, tuples returned"
def held_with_gradient(steps):
    """[U held after forward, U held with the recorded gradient]"""
    n = len(steps)
    saved = [False] * (n + 1)  # place 0 is a
    for k, s in enumerate(steps, 1):
        if s == "square":
            saved[k - 1] = True
        if s in {"tanh", "exp"}:
            saved[k] = True
    forward = sum(saved[1:])
    full, more, k = False, 1, n
    while k > 0:
        s = steps[k - 1]
        if full and s in {"tanh", "exp", "square"}:
            more += 1
        full |= s != "shift"
        k -= 1
    return forward, forward + more


# %% answer="held_with_gradient" style="namedtuple"
from collections import namedtuple
H = namedtuple("H", "forward with_g")
def held_with_gradient(steps):
    saved = set()
    for k, s in enumerate(steps):
        if s in ("tanh", "exp"): saved.add(k)
        if s == "square" and k: saved.add(k - 1)
    more, full = 1, False
    for s in reversed(steps):
        more += full and s in ("tanh", "exp", "square")
        full = full or s != "shift"
    return H(len(saved), len(saved) + more)


# %% answer="critic_step" style="norm written out with square and sqrt, retain_graph passed, grad_outputs of ones"
def critic_step(points, critic):
    """Adds its gradients to the weights of the critic; returns nothing."""
    interpolates = points.detach().clone().requires_grad_(True)
    disc = critic(interpolates)
    gradients = mg.autograd.grad(
        outputs=disc,
        inputs=interpolates,
        grad_outputs=mg.ones_like(disc),
        create_graph=True,
        retain_graph=True,
    )[0]
    gradient_penalty = ((gradients.square().sum(1).sqrt() - 1) ** 2).mean()
    (disc.mean() + 10 * gradient_penalty).backward()


# %% answer="critic_step" style="two backwards: the penalty first, then the score, retain_graph"
def critic_step(points, critic):
    """Adds its gradients to the weights of the critic; returns nothing."""
    p = points.detach().requires_grad_()
    s = critic(p)
    g, = mg.autograd.grad(s.sum(), p, create_graph=True)
    pen = (g.norm(2, dim=-1) - 1).pow(2).mean()
    loss = s.mean() + 10.0 * pen
    loss.backward()
    print(f"critic {s.mean().item():.3f} penalty {pen.item():.3f}")


# %% answer="hessian_products" style="one grad of the dot product per direction, list of lambdas"
def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    g = mg.autograd.grad(loss(w), w, create_graph=True)[0]
    times = lambda d: mg.autograd.grad(g, w, grad_outputs=d, retain_graph=True)[0].detach()
    return list(map(times, directions))


# %% answer="hessian_products" style="(g * d).sum() as a scalar, while loop, tuple returned"
def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    value = loss(w)
    (g,) = mg.autograd.grad(value, [w], create_graph=True)
    out = []
    todo = list(directions)
    while todo:
        d = todo.pop(0)
        dot = mg.sum(g * d)
        (hd,) = mg.autograd.grad(dot, [w], retain_graph=bool(todo))
        out.append(hd)
    return tuple(out)


# %% answer="hessian_products" style="autograd.functional.hvp for each direction (UNSURE: first gradient once for all)"
def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    found = []
    (g,) = mg.autograd.grad(loss(w), [w], create_graph=True)
    for i, d in enumerate(directions):
        last = i + 1 == len(directions)
        (row,) = mg.autograd.grad([g], [w], [d], retain_graph=not last)
        found.append(row)
    return found


# %% answer="hessian_products" style="list subclass / deque"
from collections import deque
def hessian_products(loss, w, directions):
    (g,) = mg.autograd.grad(loss(w), [w], create_graph=True)
    return list(deque(mg.autograd.grad(g, w, d, retain_graph=True)[0] for d in directions))


# %% answer="fast_weights" style="accumulate-free generator, sub with alpha, detach in first order"
def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""

    def descend(weights):
        loss = inner(weights)
        g = mg.autograd.grad(loss, weights, create_graph=exact)[0]
        return weights.sub(g if exact else g.detach(), alpha=rate)

    current = w
    for _ in range(steps):
        current = descend(current)
    return current


# %% answer="fast_weights" style="first order: all slopes summed, subtracted from w once (UNSURE of bytes)"
def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""
    if exact:
        for _ in range(steps):
            w = w - rate * mg.autograd.grad(inner(w), [w], create_graph=True)[0]
        return w
    point = w.detach().clone()
    for _ in range(steps):
        point.requires_grad_()
        (g,) = mg.autograd.grad(inner(point), [point])
        point = point.detach() - rate * g
    return w + (point - w.detach())


# %% answer="fast_weights" style="a checkpoint-free loop, list of iterates, w kept under another name, numpy rate"
import numpy as np


def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""
    path = [w]
    for _ in range(steps):
        loss = inner(path[-1])
        grads = mg.autograd.grad(loss, [path[-1]], create_graph=exact, retain_graph=exact)
        path[-1:] = [path[-1] - float(np.float64(rate)) * grads[0]]
    return path.pop()


# %% answer="held_with_gradient" style="two passes with enumerate and reversed, prints U with names, tries it in minigrad"
SAVES = {"tanh", "exp", "square"}


def held_with_gradient(steps):
    """[U held after forward, U held with the recorded gradient]"""
    held = set()
    for i, step in enumerate(steps):
        if step in ("tanh", "exp"):
            held.add(i)
        elif step == "square" and i > 0:
            held.add(i - 1)
    full, saved = False, 0
    for step in reversed(steps):
        saved += full and step in SAVES
        full = full or step != "shift"
    print(f"{steps}: {held = }, {saved = }")
    return [len(held), len(held) + 1 + saved]


def really(steps):
    do = {"tanh": lambda h: h.tanh(), "exp": lambda h: h.exp(), "minus": lambda h: -h, "shift": lambda h: h + 1, "square": lambda h: h * h}
    h = a = mg.full((64, 32), 0.01, requires_grad=True)
    before = mg.memory_allocated()
    for step in steps:
        h = do[step](h)
    y = h.sum()
    del h
    first = mg.memory_allocated() - before
    (g,) = grad(y, [a], create_graph=True)
    return [first / U, (mg.memory_allocated() - before) / U]


for steps in (["tanh"], ["square", "shift"], ["tanh", "minus", "square"], ["exp", "shift", "square", "minus", "tanh"]):
    print(held_with_gradient(steps), really(steps))


# %% answer="critic_step" style="mg.autograd.grad, small helper penalty, gc check at the bottom"
def penalty_of(p, score):
    (slope,) = mg.autograd.grad(score.sum(), [p], create_graph=True)
    return ((slope.norm(dim=1) - 1) ** 2).mean()


def critic_step(points, critic):
    """Adds its gradients to the weights of the critic; returns nothing."""
    p = points.detach().requires_grad_()
    score = critic(p)
    (score.mean() + 10 * penalty_of(p, score)).backward()


import gc

gc.collect()
before = mg.memory_allocated()
critic_step(x, lambda h: critic(h, 2))
print("left:", mg.memory_allocated() - before, "B; the collector finds", gc.collect() and "something" or "nothing")
w.grad.zero_(), v.grad.zero_()


# %% answer="critic_step" style="sqrt of squares by hand, grad of the set-up cell, weight of the penalty a constant, inputs named"
PENALTY = 10.0


def critic_step(points, critic, weight=PENALTY):
    """Adds its gradients to the weights of the critic; returns nothing."""
    p = points.detach().clone().requires_grad_()
    score = critic(p)
    assert score.shape[0] == p.shape[0]
    slope = grad(score, [p], mg.ones_like(score), create_graph=True)[0]
    size = (slope * slope).sum(dim=1).sqrt()
    loss = score.mean() + weight * (size - 1.0).pow(2).mean()
    loss.backward()


# %% answer="hessian_products" style="list comprehension as in hint"
def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    (slopes,) = grad(loss(w), [w], create_graph=True)
    return [grad(slopes, [w], d, retain_graph=True)[0] for d in directions]


quadratic = mg.tensor([1.0, 2.0], requires_grad=True)
print(hessian_products(lambda t: (t**3).sum(), quadratic, [mg.tensor([1.0, 0.0]), mg.tensor([0.0, 1.0])]))


# %% answer="hessian_products" style="class with a context manager that frees the graph, last direction does not retain, type hints"
from typing import Callable, Sequence


class Curvature:
    def __init__(self, loss: Callable, w):
        self.loss, self.w = loss, w

    def __enter__(self):
        (self.slopes,) = mg.autograd.grad(self.loss(self.w), [self.w], create_graph=True)
        return self

    def __exit__(self, *exc):
        del self.slopes
        return False

    def __call__(self, d, last=False):
        (product,) = mg.autograd.grad(self.slopes, [self.w], [d], retain_graph=not last)
        return product


def hessian_products(loss: Callable, w, directions: Sequence) -> list:
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    products = []
    with Curvature(loss, w) as hessian:
        for number, d in enumerate(directions, 1):
            products.append(hessian(d, last=number == len(directions)))
    return products


# %% answer="fast_weights" style="loop, assert that the caller's tensor is untouched"
def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""
    start = w
    version = start._version
    for _ in range(steps):
        (slope,) = mg.autograd.grad(inner(w), [w], create_graph=exact)
        w = w - rate * slope
    assert start._version == version
    return w


leaf = mg.tensor([1.0, -2.0], requires_grad=True)
for exact in (True, False):
    fast = fast_weights(lambda t: (t * t).sum(), leaf, 0.1, 2, exact)
    print(exact, mg.autograd.grad(fast.sum(), [leaf])[0])
del leaf, fast


# %% answer="fast_weights" style="recursion, first order on a detached leaf, two helper functions"
def true_slope(inner, w):
    return grad(inner(w), [w], create_graph=True)[0]


def constant_slope(inner, w):
    leaf = w.detach().requires_grad_()
    return grad(inner(leaf), [leaf])[0]


def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""
    if steps == 0:
        return w
    slope = (true_slope if exact else constant_slope)(inner, w)
    return fast_weights(inner, w - rate * slope, rate, steps - 1, exact)


# %% answer="critic_step" style="two backwards in one, prints all tensors, try/finally that clears p.grad"
def critic_step(points, critic):
    """Adds its gradients to the weights of the critic; returns nothing."""
    p = points.clone().detach()
    p.requires_grad = True
    try:
        score = critic(p)
        (g,) = mg.autograd.grad(outputs=score.sum(), inputs=[p], create_graph=True)
        distance = (g.norm(dim=1) - 1) ** 2
        print(score.mean(), distance.mean())
        total = score.mean() + 10 * distance.mean()
        total.backward()
    finally:
        p.grad = None


# %% answer="hessian_products" style="map with a partial, numpy finite differences at the bottom, retains always"
from functools import partial

import numpy as np


def product(slopes, w, d):
    return mg.autograd.grad(slopes, [w], grad_outputs=d, retain_graph=True)[0].detach()


def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d of `directions`, in the shape of w."""
    slopes = mg.autograd.grad(loss(w), [w], create_graph=True)[0]
    return list(map(partial(product, slopes, w), directions))


at = mg.tensor([0.3, -0.8], dtype=mg.float64, requires_grad=True)
f = lambda t: (t.tanh() * t).sum()
d = mg.tensor([1.0, 2.0], dtype=mg.float64)
(got,) = hessian_products(f, at, [d])
slope = lambda t: mg.autograd.grad(f(t), [t])[0].numpy()
up, down = ((at.detach() + e * d).requires_grad_() for e in (1e-5, -1e-5))
np.testing.assert_allclose(got.numpy(), (slope(up) - slope(down)) / 2e-5, rtol=1e-5)
del at, d, got, up, down


# %% answer="fast_weights" style="functools.reduce over range, conditional detach, prints path of weights"
from functools import reduce


def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""

    def step(now, number):
        (slope,) = mg.autograd.grad(inner(now), [now], create_graph=bool(exact))
        new = now - rate * slope
        print(f"{number}: {new}")
        return new

    return reduce(step, range(1, steps + 1), w)


# %% answer="critic_step" style="collector called and counted in the end because she does not trust herself, deepcopy of grads for a debug print"
import copy
import gc


def critic_step(points, critic):
    """Adds its gradients to the weights of the critic; returns nothing."""
    p = points.detach().requires_grad_()
    score = critic(p)
    (slope,) = mg.autograd.grad(score.sum(), [p], create_graph=True)
    loss = score.mean() + 10 * ((slope.norm(dim=1) - 1) ** 2).mean()
    loss.backward()


old = copy.deepcopy(w.grad)
before = mg.memory_allocated()
critic_step(x, lambda h: critic(h, 1))
print("changed by", (w.grad - old).abs().max().item(), "left", mg.memory_allocated() - before)
print("rings:", gc.collect())
w.grad.zero_(), v.grad.zero_()
del old


# %% answer="critic_step" style="helper functions, vector norms by sum of squares"
def gradient_of(critic, points):
    points = points.detach().requires_grad_(True)
    score = critic(points)
    (slope,) = mg.autograd.grad(score, points, mg.ones_like(score), create_graph=True)
    return score, slope


def critic_step(points, critic):
    score, slope = gradient_of(critic, points)
    penalty = (slope.pow(2).sum(1).sqrt() - 1).pow(2).mean()
    (score.mean() + 10.0 * penalty).backward()


# %% answer="hessian_products" style="a list comprehension with retain_graph only where another follows"
def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d."""
    (slope,) = mg.autograd.grad(loss(w), w, create_graph=True)
    last = len(directions) - 1
    return [
        mg.autograd.grad(slope, w, d, retain_graph=i < last)[0] for i, d in enumerate(directions)
    ]


# %% answer="fast_weights" style="recursion"
def fast_weights(inner, w, rate, steps, exact):
    """The weights after `steps` steps from w; they lead back to w."""
    if steps == 0:
        return w
    slope = mg.autograd.grad(inner(w), w, create_graph=exact)[0]
    return fast_weights(inner, w - rate * slope, rate, steps - 1, exact)


# %% answer="hessian_products" style="a thread pool that maps over the directions"
from concurrent.futures import ThreadPoolExecutor


def hessian_products(loss, w, directions):
    """[Hessian of `loss` at w, times d] for each d."""
    (slope,) = mg.autograd.grad(loss(w), [w], create_graph=True)

    def product(d):
        (found,) = mg.autograd.grad(slope, [w], d, retain_graph=True)
        return found

    with ThreadPoolExecutor(max_workers=1) as pool:
        return list(pool.map(product, directions))


# %% answer="critic_step" style="catch_warnings, a module class around the critic, asserts of isfinite"
import warnings


class Penalty(mg.nn.Module):
    def __init__(self, weight=10.0):
        super().__init__()
        self.weight = weight

    def forward(self, slope):
        size = mg.linalg.norm(slope, dim=1) if hasattr(mg, "linalg") else slope.norm(dim=1)
        assert mg.isfinite(size).all()
        return self.weight * (size - 1).square().mean()


def critic_step(points, critic):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        at = points.detach().clone().requires_grad_()
        score = critic(at)
        slope = mg.autograd.grad(score.sum(), at, create_graph=True)[0]
        loss = score.mean() + Penalty()(slope)
    loss.backward()
