"""Lesson 10: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="HonestCheckpoint" wrong="let the second run begin at copies"
# the saved tensors are the tensors: no need to cut them off
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        tensors = ctx.saved_tensors
        with mg.enable_grad():
            y = ctx.run(*tensors)
        y.backward(grad)
        return None, *[t.grad for t in tensors]


# %% answer="HonestCheckpoint" wrong="h wants no gradient here"
# only the first tensor is "the input"; the weights have their own way to their gradients
class HonestCheckpoint(mg.autograd.Function):
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
        y.backward(grad)
        if again[0].grad is None:
            return None, *[None for t in again]
        return None, *[t.grad for t in again]


# %% answer="HonestCheckpoint" wrong="the second run needs `mg.enable_grad()`"
# backward records by itself
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        again = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        y = ctx.run(*again)
        return None, *mg.autograd.grad(y, again, grad)


# %% answer="HonestCheckpoint" wrong="Backward returns one value for each argument"
# a gradient for the input, as in the lesson
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        again = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        with mg.enable_grad():
            y = ctx.run(*again)
        return None, mg.autograd.grad(y, again, grad)[0]


# %% answer="HonestCheckpoint" wrong="What does `ctx` hold"
# keeps the graph of the first run: right gradients, and no checkpoint
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.again = [t.detach().requires_grad_(t.requires_grad) for t in tensors]
        with mg.enable_grad():
            ctx.y = run(*ctx.again)
        return ctx.y.detach().clone()

    @staticmethod
    def backward(ctx, grad):
        ctx.y.backward(grad)
        return None, *[t.grad for t in ctx.again]


# %% answer="HonestCheckpoint" style="a backward into copies"
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.save_for_backward(*tensors)
        ctx.run = run
        return ctx.run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        copies = []
        for tensor in ctx.saved_tensors:
            copies.append(tensor.detach())
            copies[-1].requires_grad = tensor.requires_grad
        with mg.enable_grad():
            ctx.run(*copies).backward(grad)
        return (None, *(copy.grad for copy in copies))


# %% answer="HonestCheckpoint" style="gradients for all, whether asked for or not"
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        with mg.enable_grad():
            again = [t.detach().requires_grad_() for t in ctx.saved_tensors]
            found = mg.autograd.grad([ctx.run(*again)], again, [grad])
        return None, *found


# %% answer="HonestCheckpoint" spare="5 of 6"
# clones what it could detach
class HonestCheckpoint(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, *tensors):
        ctx.run = run
        ctx.save_for_backward(*tensors)
        return run(*tensors)

    @staticmethod
    def backward(ctx, grad):
        again = [t.detach().clone().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
        with mg.enable_grad():
            y = ctx.run(*again)
        y.backward(grad)
        return None, *[t.grad for t in again]


# %% answer="deepest_net" wrong="At the end of forward is not the highest point"
# the peak is at the end of forward: kept inputs, y and the seed; teeth are for free
def deepest_net(saves, budget):
    return [(budget - 2) * 4, 4]


# %% answer="deepest_net" wrong="count y, the seed and the gradient"
# inputs and one tooth, and nothing else
def deepest_net(saves, budget):
    found = [((budget - k * saves) * k, -k) for k in range(1, budget // saves + 1)]
    depth, k = max(found)
    return [depth, -k]


# %% answer="deepest_net" wrong="a block in a tooth weighs `saves` U"
# the square root of the depth: as many blocks in a segment as there are segments
def deepest_net(saves, budget):
    k = (budget - 3) // (saves + 1)
    return [k * (budget - 3 - k * saves), k]


# %% answer="deepest_net" wrong="There is room for one more segment"
# the first segment's input counted beside x
def deepest_net(saves, budget):
    found = [((budget - 4 - k * saves) * k, -k) for k in range(1, budget)]
    depth, k = max(found)
    return [depth, -k]


# %% answer="deepest_net" wrong="return the smallest"
# takes the last of several
def deepest_net(saves, budget):
    depth, k = max(((budget - 3 - k * saves) * k, k) for k in range(1, budget))
    return [depth, k] if depth > 0 else [0, 0]


# %% answer="deepest_net" style="max with a key"
def deepest_net(saves, budget):
    room = budget - 3
    every = max(range(room + 1), key=lambda k: k * (room - k * saves))
    return [every * (room - every * saves), every]


# %% answer="deepest_net" style="by growing"
def deepest_net(saves, budget):
    best = (0, 0)
    for segments in range(1, budget):
        for every in range(1, budget):
            fits = segments + every * saves + 3 <= budget
            if fits and (segments * every, -every) > (best[0], -best[1]):
                best = (segments * every, every)
    return list(best)


# %% answer="deepest_net" spare="4 of 5"
# counts with a tensor
def deepest_net(saves, budget):
    best = [0, 0]
    for every in range(1, budget):
        depth = int((mg.tensor([budget - 3.0 - every * saves]) * every).item())
        if depth > best[0]:
            best = [depth, every]
    return best


# %% answer="deepest_net" proof=true
def deepest_net(saves, budget):
    def block(h):
        for _ in range(saves):
            h = h.tanh()
        return h

    def fits(segments, every):
        x = mg.ones(64, requires_grad=True)
        start = mg.memory_allocated() - x.nbytes
        mg.reset_peak_memory_stats()
        y, run = x, lambda h: [h := block(h) for _ in range(every)][-1]
        for _ in range(segments):
            y = mg.utils.checkpoint.checkpoint(run, y, use_reentrant=False)
        seed = mg.ones(64)
        y.backward(seed)
        return (mg.max_memory_allocated() - start) / x.nbytes <= budget

    best, every, segments = [0, 0], 1, budget
    while segments:
        if not fits(segments, every):
            segments -= 1
            continue
        if segments * every > best[0]:
            best = [segments * every, every]
        every += 1
    return best


# %% answer="checkpoint_runs" wrong="does a second backward find what the first computed"
# retain_graph keeps what the second run found
def checkpoint_runs(segments, backwards):
    runs = {"tanh": 0, "shift": 0}
    for steps in segments:
        needed = max((i + 1 for i, step in enumerate(steps) if step == "tanh"), default=0)
        for step in steps + min(backwards, 1) * steps[:needed]:
            runs[step] += 1
    return runs


# %% answer="checkpoint_runs" wrong="which step of the segment saves something last"
# a segment runs again as a whole
def checkpoint_runs(segments, backwards):
    steps = [step for steps in segments for step in steps] * (1 + backwards)
    return {name: steps.count(name) for name in ("tanh", "shift")}


# %% answer="checkpoint_runs" wrong="A shift that stands before a tanh"
# only what saves something is run again
def checkpoint_runs(segments, backwards):
    steps = [step for steps in segments for step in steps]
    return {"tanh": steps.count("tanh") * (1 + backwards), "shift": steps.count("shift")}


# %% answer="checkpoint_runs" wrong="a segment once, not each layer"
# each tanh node asks, so each starts a run of its own
def checkpoint_runs(segments, backwards):
    runs = {"tanh": 0, "shift": 0}
    for steps in segments:
        for end in [len(steps)] + backwards * [
            i + 1 for i, step in enumerate(steps) if step == "tanh"
        ]:
            for step in steps[:end]:
                runs[step] += 1
    return runs


# %% answer="checkpoint_runs" style="cutting shifts off the end"
def checkpoint_runs(segments, backwards):
    runs = dict(tanh=0, shift=0)
    for steps in segments:
        again = list(steps)
        while again and again[-1] == "shift":
            again.pop()
        for name in runs:
            runs[name] += steps.count(name) + backwards * again.count(name)
    return runs


# %% answer="checkpoint_runs" style="walking backwards with a Counter"
from collections import Counter


def checkpoint_runs(segments, backwards):
    runs = Counter(tanh=0, shift=0)
    for steps in segments:
        runs.update(steps)
        seen = False
        for step in reversed(steps):
            seen = seen or step == "tanh"
            runs[step] += backwards * seen
    return runs


# %% answer="checkpoint_runs" spare="6 of 6"
# runs it and looks: nothing forbids it
def checkpoint_runs(segments, backwards):
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


# %% answer="checkpoint_runs" proof=true
def checkpoint_runs(segments, backwards):
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


# %% answer="SameDice" wrong="Where did the numbers stand as `run` began"
# puts the state back after backward, and has not seen that it is the wrong state
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        y = run(h)
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return y

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


# %% answer="SameDice" wrong="put the state back after the second run"
# the second run leaves the numbers where the first one left them: is that not the same?
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        mg.set_rng_state(ctx.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" wrong="something that backward did not empty"
# a tensor in ctx is as good as a saved one
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.h, ctx.dice = run, h, mg.get_rng_state()
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        now = mg.get_rng_state()
        mg.set_rng_state(ctx.dice)
        h = ctx.h.detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" wrong="Each node has a state of its own"
# one seed for all: each mask is the same, and right with one segment only
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        SameDice.dice = mg.get_rng_state()
        ctx.run = run
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        now = mg.get_rng_state()
        mg.set_rng_state(SameDice.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(grad)
        return None, h.grad


# %% answer="SameDice" style="autograd.grad, and a finally"
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.save_for_backward(h)
        ctx.dice, ctx.run = mg.get_rng_state(), run
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        h, now = h.detach().requires_grad_(), mg.get_rng_state()
        try:
            mg.set_rng_state(ctx.dice)
            with mg.enable_grad():
                y = ctx.run(h)
        finally:
            mg.set_rng_state(now)
        mg.autograd.backward([y], [grad])
        return None, h.grad


# %% answer="SameDice" style="lets the ready-made one roll"
class SameDice:
    @staticmethod
    def apply(run, h):
        return mg.utils.checkpoint.checkpoint(run, h, use_reentrant=True)


# %% answer="SameDice" spare="5 of 6"
# keeps a copy of the gradient
class SameDice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, run, h):
        ctx.run, ctx.dice = run, mg.get_rng_state()
        ctx.save_for_backward(h)
        return run(h)

    @staticmethod
    def backward(ctx, grad):
        now, spare = mg.get_rng_state(), grad.clone()
        mg.set_rng_state(ctx.dice)
        h = ctx.saved_tensors[0].detach().requires_grad_()
        with mg.enable_grad():
            y = ctx.run(h)
        mg.set_rng_state(now)
        y.backward(spare)
        return None, h.grad


# %% answer="memory_golf" wrong="A block in a tooth weighs 2 U"
# the net is one segment: nothing is kept
def memory_golf(x, blocks):
    def run(h):
        for block in blocks:
            h = block(h)
        return h

    return ready(run, x, way=False)


# %% answer="memory_golf" wrong="an input 1"
# a checkpoint around each block saves the most
def memory_golf(x, blocks):
    for block in blocks:
        x = ready(block, x, way=False)
    return x


# %% answer="memory_golf" wrong="a checkpoint inside a checkpoint"
# halves within halves: the least memory, and more work than asked for
def memory_golf(x, blocks):
    if len(blocks) == 1:
        return blocks[0](x)
    middle = len(blocks) // 2
    x = ready(lambda h: memory_golf(h, blocks[:middle]), x, way=False)
    return memory_golf(x, blocks[middle:])


# %% answer="memory_golf" wrong="a function made in a loop sees its last value"
# made in a loop
def memory_golf(x, blocks):
    runs = []
    for first in range(0, len(blocks), 4):
        part = blocks[first : first + 4]

        def run(h):
            for block in part:
                h = block(h)
            return h

        runs.append(run)
    for run in runs:
        x = ready(run, x, way=False)
    return x


# %% answer="memory_golf" style="uneven segments: below the map's known points"
def memory_golf(x, blocks):
    most = 2
    while sum((most - i) // 2 for i in range(most)) < len(blocks):
        most += 1
    first, i = 0, 0
    while first < len(blocks):
        part = blocks[first : first + max(1, (most - i) // 2)]

        def run(h, part=part):
            for block in part:
                h = block(h)
            return h

        first, i = first + len(part), i + 1
        x = run(x) if first == len(blocks) else ready(run, x, way=False)
    return x


# %% answer="memory_golf" style="functools, every segment wrapped"
import functools
import math


def through(part, h):
    return functools.reduce(lambda h, block: block(h), part, h)


def memory_golf(x, blocks):
    every = round(math.sqrt(len(blocks) / 2))
    parts = [blocks[i : i + every] for i in range(0, len(blocks), every)]
    for part in parts:
        x = ready(functools.partial(through, part), x, way=False)
    return x


# %% answer="memory_golf" spare="2 of 5"
# a copy of each input
def memory_golf(x, blocks):
    every = max(1, round((len(blocks) / 2) ** 0.5))

    def stretch(first):
        def run(h):
            h = h * 1.0
            for block in blocks[first : first + every]:
                h = block(h)
            return h

        return run

    for first in range(0, len(blocks), every):
        x = ready(stretch(first), x, way=False)
    return x
