"""Lesson 02: right answers in other styles, written from the task cards alone."""


# %% answer="peeks" style="the plain loop: put it into the dictionary when its number comes"
def peeks(v, layers, keep):
    """(the last y, {i: the y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    y = v
    kept = {}
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            kept[i] = y
    return y, kept


# %% answer="peeks" style="a generator makes the chain, a set of the wanted numbers"
def chain(y, layers):
    for _ in range(layers):
        y = y * 2.0
        yield y


def peeks(v, layers, keep):
    """(the last y, {i: the y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    wanted, found, y = set(keep), {}, v
    for i, y in enumerate(chain(v, layers)):
        if i in wanted:
            found[i] = y
    return y, found


# %% answer="peeks" style="itertools.accumulate, a named method, a defensive check"
from itertools import accumulate


def peeks(v, layers, keep):
    """(the last y, {i: the y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    keep = list(keep)
    missing = [i for i in keep if not 0 <= i < layers]
    if missing:
        raise IndexError(f"no layer has the number {missing[0]}")
    kept = dict.fromkeys(keep)
    last = v
    for i, last in enumerate(accumulate(range(layers), lambda y, _: y.mul(2.0), initial=v), -1):
        if i in kept:
            kept[i] = last
    return last, kept


# %% answer="peeks" style="from one wanted number to the next, with a helper that runs a stretch"
def run(y, times):
    while times > 0:
        y = mg.mul(y, 2.0)
        times -= 1
    return y


def peeks(v, layers, keep):
    """(the last y, {i: the y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    kept, done = {}, 0
    for number in sorted(set(keep)):
        v = run(v, number + 1 - done)
        done = number + 1
        kept[number] = v
    return run(v, layers - done), kept


# %% answer="peeks" style="a small class in the manner of a module that records"
class Doubler:
    def __init__(self, layers, keep):
        self.layers = layers
        self.keep = frozenset(keep)
        self.seen = {}

    def __call__(self, y):
        for number in range(self.layers):
            y = 2.0 * y
            self.look(number, y)
        return y

    def look(self, number, y):
        if number in self.keep:
            self.seen[number] = y


def peeks(v, layers, keep):
    """(the last y, {i: the y of layer i, for each i in keep}) of `layers` times y = y * 2.0."""
    doubler = Doubler(layers, keep)
    y = doubler(v)
    return y, doubler.seen
