"""A replay beside the function itself, bit for bit: for test_replay.py, and for `run.py gpu`."""

import minigrad as mg
from minigrad.core.arrays import on_host
from minigrad.replay import ReplayError, record
from tests.minigrad.rules import RULES, uses
from tests.twin.programs import Machine


def bits(tensors):
    return [
        None if t is None else (t.shape, t._array.dtype, on_host(t._array).tobytes())
        for t in tensors
    ]


def both(function, leaves, data):
    """What `function` gives and leaves behind in `.grad` on each of `data`: itself, replayed."""
    replayed, found = record(function), ([], [])
    before = [leaf.detach().clone() for leaf in leaves]
    for call, into in zip((function, replayed), found, strict=True):
        for leaf, numbers in zip(leaves, before, strict=True):
            leaf.detach().copy_(numbers)  # a program may write into them
        for inputs in data:
            for leaf in leaves:
                leaf.grad = None
            results = call(*[t.clone() for t in inputs])
            into.append(bits(results) + bits([leaf.grad for leaf in leaves]))
    assert replayed.replays == len(data) - 1
    return found


SHAPE_OF_DATA = {  # refused, see below
    "x[mask]",
    "masked_select",
    "cross_entropy, smoothed, with weights (mean)",
}


def rule(name):
    """Every use of the rule, on numbers of another sign the second time."""
    dtype, last = mg.float32, 1.2 if RULES[name][2] else -0.7  # another sign, another way
    for function, leaves in uses(name):
        given_leaves = [x.detach().to(dtype).requires_grad_(x.requires_grad) for x in leaves]

        def step(*scales, function=function, leaves=given_leaves):
            out = function(*[x * s for x, s in zip(leaves, scales, strict=True)])
            seed = mg.arange(out.numel(), dtype=dtype).reshape(out.shape) + 0.5
            (out * seed).sum().backward()
            return [out.detach()]

        data = [[mg.full(x.shape, s, dtype=dtype) for x in leaves] for s in (1.0, last)]
        direct, replayed = both(step, given_leaves, data)
        assert direct == replayed


class Recorded(Machine):
    """A random program on given leaves; what it would print is not asked for."""

    def __init__(self, leaves, inputs):
        self.mg, self.pool, self.families = mg, [], 0
        self.out, self.leaves = lambda *_, **__: None, leaves
        for tensor in (*leaves, *[x.clone() for x in inputs]):
            self.keep(tensor)

    def do_hook(self, x, family, index):
        if not x.is_leaf:  # a leaf would keep its hook
            super().do_hook(x, family, index)

    def run(self, steps):
        for step in steps:
            self.attempt(self.step, *step)
        total = sum((t.sum() for t, _ in self.pool if t.requires_grad), self.leaves[0].sum())
        self.attempt(total.backward)
        return [t.detach() for t, _ in self.pool] + [total.detach()]

    def attempt(self, call, *arguments):
        try:
            call(*arguments)
        except RuntimeError as error:  # forbidden, on either way
            if isinstance(error, ReplayError):
                raise


def random_program(steps):
    """A program of tests/twin/programs.py, on three sets of numbers."""
    leaves = [mg.linspace(-1, 1, n, requires_grad=True) for n in (4, 3)]
    leaves.append(mg.linspace(-0.5, 0.7, 12).view(3, 4).detach().requires_grad_())

    def recorded(x, y):
        return Recorded(leaves, (x, y)).run(steps)

    data = [(mg.linspace(-a, 1, 4), mg.linspace(a, 2, 12).view(4, 3)) for a in (0.1, 0.9, 0.4)]
    direct, replayed = both(recorded, leaves, data)
    assert direct == replayed
