"""Lesson 10: what people write. Each cell is one answer; course/build/README.md tells its keys."""


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


# %% answer="memory_golf" wrong="a function made in a loop sees the loop's last value"
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


# %% answer="memory_golf" wrong="Does the graph lead from y through all of it?"
# the chain is cut between the segments
def memory_golf(x, blocks):
    h = x
    for i, block in enumerate(blocks):
        h = block(h.detach().requires_grad_() if i % 4 == 0 else h)
    return h


# %% answer="memory_golf" wrong="Forward did not run each block once"
# the blocks that are left over do not run
def memory_golf(x, blocks):
    for first in range(0, len(blocks) - 4, 4):
        for block in blocks[first : first + 4]:
            x = block(x)
    return x
