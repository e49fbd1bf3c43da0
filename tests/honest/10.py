"""Lesson 10: honest answers in further styles."""


# %% answer="HonestCheckpoint" style="copies made by a helper, grads gathered by a generator"
def fresh(tensors):
    for t in tensors:
        copy = t.detach()
        if t.requires_grad:
            copy.requires_grad_()
        yield copy


class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.save_for_backward(*tensors)
        ctx.run = run
        with mg.no_grad():
            result = run(*tensors)
        return result

    @staticmethod
    def backward(ctx, grad):
        args = list(fresh(ctx.saved_tensors))
        with mg.enable_grad():
            again = ctx.run(*args)
        again.backward(grad)
        del again
        grads = [getattr(a, "grad", None) for a in args]
        return (None, *grads)


# %% answer="HonestCheckpoint" style="set_grad_enabled with try and finally, zip with needs_input_grad"
class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        needs = ctx.needs_input_grad[1:]
        leaves = []
        for tensor, need in zip(ctx.saved_tensors, needs):
            leaf = tensor.detach()
            leaf.requires_grad = bool(need)
            leaves.append(leaf)
        before = mg.is_grad_enabled()
        mg.set_grad_enabled(True)
        try:
            y = ctx.run(*leaves)
        finally:
            mg.set_grad_enabled(before)
        wanted = [leaf for leaf, need in zip(leaves, needs) if need]
        grads = list(mg.autograd.grad(outputs=y, inputs=wanted, grad_outputs=grad))
        return None, *(grads.pop(0) if need else None for need in needs)


# %% answer="deepest_net" style="a generator of candidates, sorted with a key, namedtuple"
from typing import NamedTuple


class Candidate(NamedTuple):
    depth: int
    every: int


def candidates(saves, budget):
    for every in range(1, budget + 1):
        segments = budget - 3 - saves * every
        if segments >= 1:
            yield Candidate(segments * every, every)


def deepest_net(saves, budget):
    """[depth, every]: both are at least 1, or both 0 where not even one block fits."""
    ordered = sorted(candidates(saves, budget), key=lambda c: (-c.depth, c.every))
    return list(ordered[0]) if ordered else [0, 0]


print([deepest_net(2, b) for b in range(1, 20)])


# %% answer="deepest_net" style="calculus: the vertex of the parabola, then its neighbours"
from math import floor


def deepest_net(saves, budget):
    """[depth, every]: both are at least 1, or both 0 where not even one block fits."""
    B = budget - 3

    def depth(k):
        return k * (B - k * saves)

    k0 = floor(B / (2 * saves))  # d/dk (kB - k^2 s) = 0
    best = [0, 0]
    for k in (k0 - 1, k0, k0 + 1, k0 + 2):
        if k >= 1 and depth(k) > best[0]:
            best = [depth(k), k]
    return best


assert deepest_net(2, 3) == [0, 0]


# %% answer="deepest_net" style="numpy argmax over all spacings"
import numpy as np


def deepest_net(saves, budget):
    """[depth, every]: both are at least 1, or both 0 where not even one block fits."""
    every = np.arange(0, max(budget, 1))
    depth = every * (budget - 3 - every * saves)
    i = int(np.argmax(depth))  # the first of the largest
    return [int(depth[i]), int(every[i])]


# %% answer="checkpoint_runs" style="itertools.dropwhile from the back, Counter arithmetic"
from collections import Counter
from itertools import dropwhile


def without_end(steps):
    return list(dropwhile(lambda step: step != "tanh", reversed(steps)))


def checkpoint_runs(segments, backwards):
    """{"tanh": how often in all, "shift": how often in all}"""
    c = Counter({"tanh": 0, "shift": 0})
    for segment in segments:
        c.update(segment)
        for _ in range(backwards):
            c.update(without_end(segment))
    return dict(c)


assert checkpoint_runs([["tanh", "shift"], ["tanh"]], 1) == {"tanh": 4, "shift": 1}


# %% answer="checkpoint_runs" style="comprehension with sum, a nested function, no loop"
def checkpoint_runs(segments, backwards):
    """{"tanh": how often in all, "shift": how often in all}"""

    def last_tanh(s):
        return len(s) - s[::-1].index("tanh") if "tanh" in s else 0

    return {
        name: sum(
            s.count(name) + backwards * s[: last_tanh(s)].count(name) for s in segments
        )
        for name in ("tanh", "shift")
    }


# %% answer="checkpoint_runs" style="a simulated program with an early stop by exception"
class Enough(Exception):
    pass


def stretch(steps, runs, stop_after):
    done = 0
    for step in steps:
        if done >= stop_after:
            raise Enough
        runs[step] += 1
        done += step == "tanh"


def checkpoint_runs(segments, backwards):
    """{"tanh": how often in all, "shift": how often in all}"""
    runs = {"tanh": 0, "shift": 0}
    for steps in segments:
        stretch(steps, runs, float("inf"))
    for i in range(backwards):
        for steps in segments[::-1]:
            try:
                stretch(steps, runs, steps.count("tanh"))
            except Enough:
                pass
    return runs


# %% answer="SameDice" style="a contextmanager of one's own that borrows the dice, ExitStack"
from contextlib import ExitStack, contextmanager


@contextmanager
def dice(state):
    now = mg.get_rng_state()
    mg.set_rng_state(state)
    try:
        yield now
    finally:
        mg.set_rng_state(now)


class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        ctx.run = run
        ctx.dice = mg.get_rng_state()
        ctx.save_for_backward(h)
        return ctx.run(h)

    @staticmethod
    def backward(ctx, grad):
        with ExitStack() as stack:
            stack.enter_context(dice(ctx.dice))
            stack.enter_context(mg.enable_grad())
            (h,) = ctx.saved_tensors
            h = h.detach()
            h.requires_grad_()
            y = ctx.run(h)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" style="a NamedTuple of what is remembered, walrus, one-letter names"
from typing import Any, NamedTuple


class Memo(NamedTuple):
    f: Any
    s: Any


class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        ctx.memo = Memo(run, mg.get_rng_state())
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        f, s = ctx.memo
        (x := ctx.saved_tensors[0].detach()).requires_grad_()
        t = mg.get_rng_state()
        mg.set_rng_state(s)
        with mg.enable_grad():
            y = f(x)
        mg.set_rng_state(t)
        y.backward(grad)
        return None, x.grad


# %% answer="memory_golf" style="a dataclass Segment with __call__, math.sqrt, print of the plan"
import math
from dataclasses import dataclass


@dataclass
class Segment:
    blocks: list
    last: bool = False

    def __call__(self, h):
        for block in self.blocks:
            h = block(h)
        return h

    def run(self, h):
        return self(h) if self.last else ready(self, h, way=False)


def plan(blocks):
    size = max(1, round(math.sqrt(len(blocks) / 2)))
    parts = [Segment(list(blocks[i : i + size])) for i in range(0, len(blocks), size)]
    if parts:
        parts[-1].last = True
    return parts


def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    for part in plan(blocks):
        x = part.run(x)
    return x


print([len(part.blocks) for part in plan(blocks)])


# %% answer="memory_golf" style="closure factory and a peak formula searched by min"
def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    n = len(blocks)

    def peak(k):
        return -(-n // k) + 2 * k

    k = min(range(1, n + 1), key=peak)

    def between(a, b):
        def segment(h):
            for i in range(a, b):
                h = blocks[i](h)
            return h

        return segment

    a = 0
    while a < n:
        b = min(a + k, n)
        f = between(a, b)
        x = f(x) if b == n else ready(f, x, way=False)
        a = b
    return x


# %% answer="HonestCheckpoint" style="y.backward on detached leaves, enable_grad as decorator, grads read off"
class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run_function = run
        ctx.save_for_backward(*tensors)
        with mg.no_grad():
            outputs = run(*tensors)
        return outputs

    @staticmethod
    @mg.enable_grad()
    def backward(ctx, grad):
        inputs = []
        for t, needs in zip(ctx.saved_tensors, ctx.needs_input_grad[1:]):
            d = t.detach()
            d.requires_grad = needs
            inputs.append(d)
        ctx.run_function(*inputs).backward(grad)
        return (None,) + tuple(i.grad for i in inputs)


# %% answer="HonestCheckpoint" style="vjp-like closure, dict of gradients by position, set_grad_enabled(True)"
class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        copies = tuple(t.detach() for t in ctx.saved_tensors)
        wanted = [i for i, needs in enumerate(ctx.needs_input_grad[1:]) if needs]
        for i in wanted:
            copies[i].requires_grad_()
        with mg.set_grad_enabled(True):
            y = ctx.run(*copies)
        found = dict(zip(wanted, mg.autograd.grad(y, [copies[i] for i in wanted], grad_outputs=grad)))
        return (None, *map(found.get, range(len(copies))))


# %% answer="deepest_net" style="brute force over depth and spacing with a peak function, while loops"
def peak_of(saves, depth, every):
    inputs = depth // every  # one of them is x
    y, seed, gradient = 1, 1, 1
    return inputs + every * saves + y + seed + gradient


def deepest_net(saves, budget):
    """[depth, every]: both are at least 1, or both 0 where not even one block fits."""
    best_depth, best_every = 0, 0
    every = 1
    while every <= budget:
        depth = every
        while peak_of(saves, depth, every) <= budget:
            if depth > best_depth:
                best_depth, best_every = depth, every
            depth += every
        every += 1
    return best_depth, best_every


# %% answer="deepest_net" style="numpy grid, argmax, ints of numpy returned"
import numpy as np


def deepest_net(saves, budget):
    """[depth, every]: both are at least 1, or both 0 where not even one block fits."""
    every = np.arange(1, max(budget, 2))
    segments = budget - 3 - every * saves
    depth = np.where(segments > 0, segments * every, 0)
    best = depth.argmax()
    return [depth[best], every[best] if depth[best] else 0]


# %% answer="deepest_net" style="namedtuple"
from collections import namedtuple
Net = namedtuple("Net", "depth every")
def deepest_net(saves, budget):
    best = Net(0, 0)
    for k in range(1, budget):
        d = (budget - 3 - k * saves) * k
        if d > best.depth:
            best = Net(d, k)
    return best


# %% answer="checkpoint_runs" style="runs the snippet with minigrad and its own checkpoint"
def checkpoint_runs(segments, backwards):
    """{"tanh": how often in all, "shift": how often in all}"""
    runs = {"tanh": 0, "shift": 0}

    def stretch(h, steps):
        for step in steps:
            runs[step] += 1
            h = h.tanh() if step == "tanh" else h + 1
        return h

    h = mg.ones(4, requires_grad=True)
    for steps in segments:
        h = mg.utils.checkpoint.checkpoint(stretch, h, steps, use_reentrant=False)
    for i in range(backwards):
        h.sum().backward(retain_graph=True)
    return runs


# %% answer="checkpoint_runs" style="Counter with update, rindex through a joined string, Counter returned"
from collections import Counter


def checkpoint_runs(segments, backwards):
    """{"tanh": how often in all, "shift": how often in all}"""
    count = Counter({"tanh": 0, "shift": 0})
    for seg in segments:
        count.update(seg)
        text = "".join(s[0] for s in seg)
        again = seg[: text.rfind("t") + 1]
        for _ in range(backwards):
            count.update(again)
    return count


# %% answer="SameDice" style="autograd.grad, try and finally around the borrowed dice, PyTorch names"
class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        ctx.run = run
        ctx.rng_state = mg.get_rng_state()
        ctx.save_for_backward(h)
        with mg.no_grad():
            return run(h)

    @staticmethod
    def backward(ctx, grad):
        (saved,) = ctx.saved_tensors
        leaf = saved.detach().clone().requires_grad_(True)
        current = mg.get_rng_state()
        try:
            mg.set_rng_state(ctx.rng_state)
            with mg.enable_grad():
                out = ctx.run(leaf)
        finally:
            mg.set_rng_state(current)
        out.backward(grad)
        return None, leaf.grad


# %% answer="memory_golf" style="recursion with Sequential of lambdas, ceil of the square root"
import math


def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    k = max(1, round(math.sqrt(len(blocks) / 2)))
    head, tail = blocks[:k], blocks[k:]

    def run(h, part=tuple(head)):
        for b in part:
            h = b(h)
        return h

    if not tail:
        return run(x)
    return rest(ready(run, x, way=False), tail, k)


def rest(h, blocks, k):
    def run(h):
        for b in blocks[:k]:
            h = b(h)
        return h

    if len(blocks) <= k:
        return run(h)
    return rest(ready(run, h, way=False), blocks[k:], k)


# %% answer="HonestCheckpoint" style="list comprehensions and an iterator over gradients, print of which want one"
class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        again = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
        with mg.enable_grad():
            y = ctx.run(*again)
        wanting = [t for t in again if t.requires_grad]
        found = iter(mg.autograd.grad(y, wanting, grad))
        grads = [next(found) if t.requires_grad else None for t in again]
        print("gradients:", [g is not None for g in grads])
        return None, *grads


a, b = mg.full((4, 4), 0.5), mg.full((4, 4), 0.1, requires_grad=True)
HonestCheckpoint.apply(lambda a, b: (a @ b).tanh(), a, b).sum().backward()
assert b.grad is not None and a.grad is None
del a, b


# %% answer="HonestCheckpoint" style="helper in a cell before, dict by position, ctx.needs_input_grad, itertools.compress"
from itertools import compress


def cut_off(tensors, wants):
    """fresh leaves on the same bytes"""
    leaves = []
    for t, want in zip(tensors, wants):
        leaf = t.detach()
        if want:
            leaf.requires_grad_()
        leaves.append(leaf)
    return leaves


# ==== next cell
class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.save_for_backward(*tensors)
        ctx.run = run
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        _, *wants = ctx.needs_input_grad
        leaves = cut_off(ctx.saved_tensors, wants)
        with mg.enable_grad():
            result = ctx.run(*leaves)
        places = list(compress(range(len(leaves)), wants))
        grads = dict(zip(places, mg.autograd.grad(result, [leaves[i] for i in places], grad)))
        return (None, *map(grads.get, range(len(leaves))))


# %% answer="deepest_net" style="max with a key over a generator, walrus, prints the winner"
def deepest_net(saves, budget):
    """[depth, every]: both are at least 1, or both 0 where not even one block fits."""
    # peak = segments (inputs, x among them) + y + seed + saves * every + 1 gradient
    plans = (
        (segments * every, every)
        for every in range(1, budget + 1)
        if (segments := budget - 3 - saves * every) >= 1
    )
    depth, every = max(plans, key=lambda plan: (plan[0], -plan[1]), default=(0, 0))
    print(f"{saves=} {budget=}: {depth=} {every=}")
    return [depth, every]


def peak_of(depth, every, saves):
    def run(h):
        for _ in range(saves * every):
            h = h.tanh()
        return h

    h = data = mg.full((64, 8), 0.1, requires_grad=True)
    before = mg.memory_allocated() - h.nbytes
    for _ in range(depth // every):
        h = ready(run, h, False)
    seed = mg.ones(64, 8)
    mg.reset_peak_memory_stats()
    h.backward(seed)
    return (mg.max_memory_allocated() - before) / h.nbytes


d, e = deepest_net(2, 16)
print("with minigrad:", peak_of(d, e, 2), "U")


# %% answer="checkpoint_runs" style="Counter arithmetic, slices up to the last tanh with reversed index"
from collections import Counter


def up_to_last_tanh(steps):
    n = len(steps)
    return steps[: n - steps[::-1].index("tanh")] if "tanh" in steps else []


def checkpoint_runs(segments, backwards):
    """{"tanh": how often in all, "shift": how often in all}"""
    runs = Counter({"tanh": 0, "shift": 0})
    for steps in segments:
        runs.update(steps)
        for _ in range(backwards):
            runs.update(up_to_last_tanh(steps))
    return dict(runs)


assert checkpoint_runs([["tanh", "shift"], ["tanh"]], 1) == {"tanh": 4, "shift": 1}


# %% answer="SameDice" style="three edits in the given code, comments"
class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        ctx.dice = mg.get_rng_state()      # 1. before, not after
        ctx.run = run
        ctx.save_for_backward(h)           # 2. so that backward lets go of it
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        now = mg.get_rng_state()
        mg.set_rng_state(ctx.dice)
        h = h.detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)              # 3. as if nothing had been thrown
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" style="context manager of her own with try/finally for the random state"
from contextlib import contextmanager


@contextmanager
def dice_as(state):
    now = mg.get_rng_state()
    mg.set_rng_state(state)
    try:
        yield
    finally:
        mg.set_rng_state(now)


class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        leaf = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad(), dice_as(ctx.dice):
            y = ctx.run(leaf)
        y.backward(grad)
        grad_for_h, leaf.grad = leaf.grad, None
        return None, grad_for_h


# %% answer="memory_golf" style="equal segments, closure factory, math.sqrt"
import math


def stretch(part):
    def run(h):
        for block in part:
            h = block(h)
        return h

    return run


def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    every = max(1, round(math.sqrt(len(blocks) / 2)))
    h = x
    for first in range(0, len(blocks), every):
        h = ready(stretch(blocks[first : first + every]), h, way=False)
    return h


# %% answer="memory_golf" style="unequal segments planned by a small search, functools.reduce, lru_cache, itertools"
from functools import lru_cache, reduce
from itertools import accumulate, count, pairwise


@lru_cache
def plan(n):
    """lengths of the segments: the first may be long, the last meets all kept inputs"""
    for peak in count(3):
        lengths, left = [], n
        kept = 1
        while left and (peak - kept) // 2 > 0:
            lengths.append(min(left, (peak - kept) // 2))
            left -= lengths[-1]
            kept += 1
        if not left:
            print(f"{n} blocks: {lengths}, about {peak} U")
            return tuple(lengths)


def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    def piece(first, last):
        return lambda h: reduce(lambda h, block: block(h), blocks[first:last], h)

    ends = accumulate(plan(len(blocks)), initial=0)
    return reduce(lambda h, ab: ready(piece(*ab), h, way=False), pairwise(ends), x)


# %% answer="HonestCheckpoint" style="prints all tensors, try/finally to clear lists, zip with strict"
class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        print("forward", [tuple(t.shape) for t in tensors])
        ctx.run = run
        ctx.save_for_backward(*tensors)
        y = run(*tensors)
        return y

    @staticmethod
    def backward(ctx, grad):
        print("backward", grad)
        wants, leaves, inputs = [], [], []
        for t in ctx.saved_tensors:
            d = t.detach()
            if t.requires_grad:
                d.requires_grad_()
                leaves.append(d)
            wants.append(t.requires_grad)
            inputs.append(d)
        try:
            with mg.enable_grad():
                y = ctx.run(*inputs)
            grads = list(mg.autograd.grad(y, leaves, grad))
        finally:
            inputs.clear()
        result = [None]
        for want in wants:
            result.append(grads.pop(0) if want else None)
        return tuple(result)


# %% answer="SameDice" style="autograd-free backward with the old names kept, comments of a diff, seeds random too"
import random

random.seed(0)


class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        # - ctx.run, ctx.h = run, h
        ctx.run = run
        ctx.save_for_backward(h)
        ctx.dice = mg.get_rng_state()  # + moved up
        y = run(h)
        return y

    @staticmethod
    def backward(ctx, grad):
        afterwards = mg.get_rng_state()  # +
        mg.set_rng_state(ctx.dice)
        try:
            h = ctx.saved_tensors[0].detach().requires_grad_()
            with mg.enable_grad():
                y = ctx.run(h)
        finally:
            mg.set_rng_state(afterwards)  # +
        print(f"{y.shape = } {grad.shape = }")
        y.backward(grad)
        return None, h.grad


# %% answer="memory_golf" style="last segment bare as in the lesson, generator of segments, __name__ guard"
import math


def in_a_row(blocks):
    # like segment of the set-up cell, which wants blocks with a number
    def run(h):
        for block in blocks:
            h = block(h)
        return h

    return run


def segments_of(blocks, every):
    for first in range(0, len(blocks), every):
        yield in_a_row(blocks[first : first + every])


def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    every = max(1, round(math.sqrt(len(blocks) / 2)))
    *most, last = segments_of(blocks, every)
    for part in most:
        x = ready(part, x, way=False)
    return last(x)


if __name__ == "__main__":
    y = memory_golf(x, blocks)
    print(y.shape, mg.allclose(y, net(blocks)(x)))
    del y


# %% answer="HonestCheckpoint" style="autograd.grad, singledispatch for what is copied, zip_longest"
from functools import singledispatch


@singledispatch
def copied(thing):
    return thing


@copied.register
def _(thing: mg.Tensor):
    return thing.detach().requires_grad_(thing.requires_grad)


class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        inputs = [*map(copied, ctx.saved_tensors)]
        with mg.enable_grad():
            out = ctx.run(*inputs)
        wanted = [one for one in inputs if one.requires_grad]
        found = iter(mg.autograd.grad(out, wanted, grad))
        return None, *(next(found) if one.requires_grad else None for one in inputs)


# %% answer="SameDice" style="a dataclass that throws the same dice, try and finally"
from dataclasses import dataclass
from typing import Any


@dataclass
class Dice:
    state: Any

    def again(self, function, *args):
        now = mg.get_rng_state()
        mg.set_rng_state(self.state)
        try:
            return function(*args)
        finally:
            mg.set_rng_state(now)


class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.dice = run, Dice(mg.get_rng_state())
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            out = ctx.dice.again(ctx.run, h)
        out.backward(grad)
        return None, h.grad


# %% answer="memory_golf" style="segments of six by slices, a closure factory, walrus"
from minigrad.utils.checkpoint import checkpoint


def runner(blocks):
    def run(h):
        for block in blocks:
            h = block(h)
        return h

    return run


def memory_golf(x, blocks):
    n = len(blocks)
    cost = {k: -(-n // k) + 2 * k for k in range(1, n + 1)}
    every = min(cost, key=cost.get)
    parts = [blocks[i : i + every] for i in range(0, n, every)]
    *early, last = parts
    for part in early:
        x = checkpoint(runner(part), x, use_reentrant=False)
    return runner(last)(x)
