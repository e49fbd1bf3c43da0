"""Lesson 10: what people write. Each cell is one answer; course/build/README.md tells its keys."""


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
