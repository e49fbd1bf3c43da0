"""Lesson 10: right answers in other styles, written from the task cards alone."""


# %% answer="HonestCheckpoint" style="autograd.grad, an iterator fills the gaps"
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        copies = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
        with mg.enable_grad():
            y = ctx.run(*copies)
        wanted = [c for c in copies if c.requires_grad]
        found = iter(mg.autograd.grad(y, wanted, grad, allow_unused=True))
        return None, *[next(found) if c.requires_grad else None for c in copies]


# %% answer="HonestCheckpoint" style="backward with inputs=, reads the .grad of its own copies"
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
        copies = []
        for tensor, wanted in zip(ctx.saved_tensors, wants, strict=True):
            copy = tensor.detach()
            if wanted:
                copy.requires_grad_()
            copies.append(copy)
        with mg.enable_grad():
            result = ctx.run(*copies)
        leaves = [c for c in copies if c.requires_grad]
        result.backward(grad, inputs=leaves)
        del result
        return (None, *(c.grad for c in copies))


# %% answer="HonestCheckpoint" style="explicit beginner: positions in a dictionary"
class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.number_of_tensors = len(tensors)
        ctx.save_for_backward(*tensors)
        result = run(*tensors)
        return result

    @staticmethod
    def backward(ctx, grad):
        saved = ctx.saved_tensors
        inputs = []
        leaves = {}
        for i in range(ctx.number_of_tensors):
            tensor = saved[i].detach()
            if ctx.needs_input_grad[i + 1]:
                tensor = tensor.requires_grad_()
                leaves[i] = tensor
            inputs.append(tensor)

        with mg.enable_grad():
            result = ctx.run(*inputs)

        gradients = mg.autograd.grad(
            result, list(leaves.values()), grad_outputs=grad, allow_unused=True
        )
        by_position = dict(zip(leaves.keys(), gradients, strict=True))

        answer = [None]  # for run
        for i in range(ctx.number_of_tensors):
            answer.append(by_position.get(i))
        return tuple(answer)


# %% answer="HonestCheckpoint" style="a helper for the second run, random numbers too"
def _run_again(run, tensors, wants, dice):
    now = mg.get_rng_state()
    mg.set_rng_state(dice)
    try:
        with mg.enable_grad():
            inputs = [t.detach().requires_grad_(w) for t, w in zip(tensors, wants, strict=True)]
            return inputs, run(*inputs)
    finally:
        mg.set_rng_state(now)


class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        wants = ctx.needs_input_grad[1:]
        inputs, y = _run_again(ctx.run, ctx.saved_tensors, wants, ctx.dice)
        results = mg.autograd.grad(
            [y], [t for t in inputs if t.requires_grad], [grad], allow_unused=True
        )
        results = list(results)
        return None, *[results.pop(0) if want else None for want in wants]


# %% answer="HonestCheckpoint" style="PyTorch job code: setup_context, enable_grad above backward"
class HonestCheckpoint(mg.autograd.Function):
    """run(*tensors), computed a second time in backward; weights are among the tensors."""

    @staticmethod
    def forward(run, *tensors):
        return run(*tensors)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.run, *tensors = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    @mg.enable_grad()
    def backward(ctx, grad):
        needs = ctx.needs_input_grad[1:]
        leaves = tuple(t.detach() for t in ctx.saved_tensors)
        for leaf, need in zip(leaves, needs, strict=True):
            leaf.requires_grad_(need)
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        out = ctx.run(*leaves)
        if not out.requires_grad:
            return (None,) * (1 + len(leaves))
        mg.autograd.backward([out], [grad], inputs=wanted)
        return None, *[leaf.grad for leaf in leaves]


# %% answer="SameDice" style="minimal repair: note before, restore after, save_for_backward"
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        now = mg.get_rng_state()
        mg.set_rng_state(ctx.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" style="a context manager for the dice"
import contextlib


@contextlib.contextmanager
def dice_as(state):
    before = mg.get_rng_state()
    mg.set_rng_state(state)
    try:
        yield
    finally:
        mg.set_rng_state(before)


class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        ctx.run = run
        ctx.dice = mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        h = h.detach().requires_grad_()
        with dice_as(ctx.dice), mg.enable_grad():
            y = ctx.run(h)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" style="keeps ctx.h and deletes it in backward, restores the dice at the end"
class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.h = run, h
        ctx.dice = mg.get_rng_state()
        y = run(h)
        return y

    @staticmethod
    def backward(ctx, grad):
        dice_of_the_training = mg.get_rng_state()
        mg.set_rng_state(ctx.dice)
        h = ctx.h.detach().requires_grad_()
        del ctx.h
        with mg.enable_grad():
            y = ctx.run(h)
        y.backward(grad)
        mg.set_rng_state(dice_of_the_training)
        return None, h.grad


# %% answer="SameDice" style="very explicit, try/finally, autograd.backward"
class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        ctx.save_for_backward(h)
        ctx.again = (run, mg.get_rng_state())
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        run, dice = ctx.again
        (saved,) = ctx.saved_tensors
        leaf = saved.detach()
        leaf.requires_grad = True
        outside = mg.get_rng_state()
        try:
            mg.set_rng_state(dice)
            with mg.set_grad_enabled(True):
                y = run(leaf)
        finally:
            mg.set_rng_state(outside)
        mg.autograd.backward([y], [grad])
        return None, leaf.grad


# %% answer="SameDice" style="the second run is a closure made in forward"
class SameDice(mg.autograd.Function):
    """A checkpoint whose second run throws what the first one threw."""

    @staticmethod
    def forward(ctx, run, h):
        state = mg.get_rng_state()

        @mg.enable_grad()
        def recompute(h):
            now = mg.get_rng_state()
            mg.set_rng_state(state)
            y = run(h)
            mg.set_rng_state(now)
            return y

        ctx.recompute = recompute
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        h = ctx.saved_tensors[0].detach().requires_grad_()
        ctx.recompute(h).backward(grad)
        return None, h.grad


# %% answer="memory_golf" style="equal segments by the root of L / 2, slices, nested function"
def memory_golf(x, blocks):
    def segment(part):
        def run(h):
            for block in part:
                h = block(h)
            return h

        return run

    every = max(1, round((len(blocks) / 2) ** 0.5))
    h = x
    for first in range(0, len(blocks), every):
        h = ready(segment(blocks[first : first + every]), h, way=False)
    return h


# %% answer="memory_golf" style="searches the length by formula, last one unwrapped"
import functools
import math


def chained(part):
    return lambda h: functools.reduce(lambda h, block: block(h), part, h)


def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    count = len(blocks)
    length = min(range(1, count + 1), key=lambda k: math.ceil(count / k) + 2 * k)
    parts = [blocks[i : i + length] for i in range(0, count, length)]
    for part in parts[:-1]:
        x = ready(chained(part), x, way=False)
    return chained(parts[-1])(x)


# %% answer="memory_golf" style="unequal segments: the later ones shorter, as more inputs are kept"
def lengths_for(count):
    """Lengths of the segments, first to last, for the lowest budget that fits them all."""
    budget = 3
    while True:
        lengths, kept = [], 1
        while (budget - kept) // 2 > 0:
            lengths.append((budget - kept) // 2)
            kept += 1
        if sum(lengths) >= count:
            break
        budget += 1
    surplus = sum(lengths) - count
    while surplus:
        cut = min(surplus, lengths[0] - 1)
        if cut == 0:
            lengths.pop(0)
            surplus -= 1
        else:
            lengths[0] -= cut
            surplus -= cut
    return lengths


def run_all(blocks):
    def run(h):
        for block in blocks:
            h = block(h)
        return h

    return run


def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    h, start = x, 0
    lengths = lengths_for(len(blocks))
    for i, length in enumerate(lengths):
        run = run_all(blocks[start : start + length])
        h = run(h) if i == len(lengths) - 1 else ready(run, h, way=False)
        start += length
    return h


# %% answer="memory_golf" style="recursion on the rest of the blocks"
def apply_all(h, blocks):
    if not blocks:
        return h
    return apply_all(blocks[0](h), blocks[1:])


def memory_golf(x, blocks, every=None):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    if every is None:
        every = max(1, round((len(blocks) / 2) ** 0.5))  # down, it would be 1 U more for some
    if len(blocks) <= every:
        return apply_all(x, blocks)
    head, tail = blocks[:every], blocks[every:]
    h = ready(lambda h: apply_all(h, head), x, way=False)
    return memory_golf(h, tail, every)


# %% answer="memory_golf" style="a class for the segment, an iterator handing out blocks"
import itertools


class Segment:
    def __init__(self, blocks):
        self.blocks = list(blocks)

    def __call__(self, h):
        for block in self.blocks:
            h = block(h)
        return h

    def __len__(self):
        return len(self.blocks)


def memory_golf(x, blocks):
    """The result of all blocks, one after the other, checkpointed as you think best."""
    every = max(1, round((len(blocks) / 2) ** 0.5))
    left = iter(blocks)
    out = x
    while True:
        segment = Segment(itertools.islice(left, every))
        if len(segment) == 0:
            return out
        out = ready(segment, out, way=False)
