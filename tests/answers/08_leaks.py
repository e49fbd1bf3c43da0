"""Lesson 08: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="leaks" wrong="A leak was missed"
# what a loop returns is the caller's own business
def leaks(loop):
    def left(n):
        before = mg.memory_allocated()
        loop(n)
        return mg.memory_allocated() - before

    left(10)
    return left(20) > left(10)


# %% answer="leaks" wrong="A small leak was missed"
# a bit of noise must be allowed
def leaks(loop):
    def left(n):
        before = mg.memory_allocated()
        returned = loop(n)
        return mg.memory_allocated() - before

    left(10)
    return left(20) > left(10) + 100


# %% answer="leaks" wrong="It cried wolf"
# whatever is left is a leak
def leaks(loop):
    before = mg.memory_allocated()
    returned = loop(10)
    return mg.memory_allocated() > before


# %% answer="leaks" wrong="It cried wolf"
# two points, and both too near the beginning
def leaks(loop):
    def left(n):
        before = mg.memory_allocated()
        returned = loop(n)
        return mg.memory_allocated() - before

    left(1)
    return left(2) > left(1)


# %% answer="leaks" wrong="warm up first"
# two runs are compared exactly, and the first of them makes what is made once
def leaks(loop):
    def left(n):
        before = mg.memory_allocated()
        returned = loop(n)
        return mg.memory_allocated() - before

    short = left(10)
    return left(20) > short


# %% answer="leaks" style="weights on a balance"
def leaks(loop):
    sizes = []
    for n in (7, 8, 19):
        start = mg.memory_allocated()
        held = [loop(n)]
        sizes.append(mg.memory_allocated() - start)
        held.clear()
    return sizes[2] != sizes[1]


# %% answer="leaks" style="a slope of many points"
def leaks(loop):
    loop(6)
    points = []
    for n in range(8, 20, 3):
        before, kept = mg.memory_allocated(), loop(n)
        points.append(mg.memory_allocated() - before)
        del kept
    return all(late > early for early, late in zip(points, points[1:]))


# %% answer="leaks" spare="5 of 6"
# keeps what it has seen
def leaks(loop):
    leaks.seen = getattr(leaks, "seen", [])

    def left(n):
        before = mg.memory_allocated()
        leaks.seen.append(loop(n))
        return mg.memory_allocated() - before

    left(10)
    return left(20) > left(10)
