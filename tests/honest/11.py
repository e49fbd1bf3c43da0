"""Lesson 11: honest answers in further styles."""


# %% answer="undo_steps" style="match on the step, NamedTuple Step, assert at the end"
from typing import NamedTuple


class Step(NamedTuple):
    target: int
    how: str
    fn: object
    source: int

    def undone(self, streams):
        v = self.fn(streams[self.source])
        match self.how:
            case "+":
                return streams[self.target] - v
            case "-":
                return streams[self.target] + v
            case "*":
                return streams[self.target] / v
        raise ValueError(self.how)


def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    result = streams[:]
    for step in [Step(*s) for s in steps][::-1]:
        result[step.target] = step.undone(result)
    assert len(result) == len(streams)
    return result


one, two = mg.ones(2), mg.full((2,), 5.0)
print(undo_steps([(0, "+", lambda t: t * 2, 1)], [one + 10.0, two]))


# %% answer="undo_steps" style="while loop with pop on a copy, if chain, German names"
import copy


def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    schritte = copy.copy(list(steps))
    stroeme = copy.copy(list(streams))
    while schritte:
        ziel, art, funktion, quelle = schritte.pop()
        wert = funktion(stroeme[quelle])
        if art == "+":
            neu = stroeme[ziel] - wert
        if art == "-":
            neu = stroeme[ziel] + wert
        if art == "*":
            neu = stroeme[ziel] / wert
        stroeme[ziel] = neu
    return stroeme


# %% answer="undo_steps" style="methodcaller-like getattr on the tensor's own methods"
INVERSE = {"+": "sub", "-": "add", "*": "div"}


def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    s = [t for t in streams]
    for i, how, f, j in reversed(list(steps)):
        s[i] = getattr(s[i], INVERSE[how])(f(s[j]))
    return s


# %% answer="held_by_blocks" style="a loop over who holds what with a dict of bytes"
def held_by_blocks(keeps, rows, columns):
    """Bytes alive after the loop, besides x; floats have 4 bytes."""
    u = 4 * rows * columns
    storages = {}
    for i, k in enumerate(keeps, start=1):
        if k in ("x", "x2") and i > 1:
            storages[f"y of block {i - 1}"] = u
        elif k == "y1":
            storages[f"y1 of block {i}"] = u // 2
        elif k == "y":
            storages[f"y of block {i}"] = u
    if keeps:
        storages[f"y of block {len(keeps)}"] = u
    return sum(storages.values())


print(held_by_blocks(["nothing", "x2", "y1"], 2, 4))


# %% answer="held_by_blocks" style="recursion over the list, a default argument"
def held_by_blocks(keeps, rows, columns, first=True):
    """Bytes alive after the loop, besides x; floats have 4 bytes."""

    def go(i):
        if i == len(keeps):
            return 0
        mine = keeps[i] == "y1"
        following = "x" if i + 1 == len(keeps) else keeps[i + 1]
        result_held = keeps[i] == "y" or following in ("x", "x2")
        return mine * half + result_held * 2 * half + go(i + 1)

    half = rows * columns * 4 // 2
    return go(0)


# %% answer="held_by_blocks" style="numpy boolean arrays"
import numpy as np


def held_by_blocks(keeps, rows, columns):
    """Bytes alive after the loop, besides x; floats have 4 bytes."""
    k = np.array(list(keeps))
    by_itself = k == "y"
    by_next = np.append(np.isin(k[1:], ["x", "x2"]), True)
    wholes = np.count_nonzero(by_itself | by_next)
    halves_ = np.count_nonzero(k == "y1")
    return int(wholes * rows * columns * 4 + halves_ * rows * columns * 2)


# %% answer="FlatChain" style="small static methods, a list of four whose places are assigned"
from operator import itemgetter

first_of, second_of = itemgetter(0), itemgetter(1)


class FlatChain(mg.autograd.Function):
    @staticmethod
    def forth(x, blocks):
        s = list(halves(x))
        for block in blocks:
            s[0] = s[0] + first_of(block)(s[1])
            s[1] = s[1] + second_of(block)(s[0])
        return mg.cat(s, -1)

    @staticmethod
    def forward(ctx, x, blocks):
        y = FlatChain.forth(x, blocks)
        ctx.save_for_backward(y)
        ctx.chain = tuple(blocks)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        s = [*halves(y), *halves(dy)]
        for f, g in ctx.chain[::-1]:
            s[1], s[2] = undo_half(g, s[0], s[1], s[2], s[3])
            s[0], s[3] = undo_half(f, s[1], s[0], s[3], s[2])
        return mg.cat(s[2:], -1), None


# %% answer="FlatChain" style="a walking generator in backward, prints left commented"
def backwards(blocks, y1, y2, dy1, dy2):
    for f, g in reversed(blocks):
        y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
        # print("peak", mg.max_memory_allocated())
    yield dy1
    yield dy2


class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        a, b = halves(x)
        for block in blocks:
            a, b = couple(block[0], block[1], a, b)
        ctx.blocks = list(blocks)
        out = mg.cat((a, b), dim=-1)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, dy):
        y, = ctx.saved_tensors
        parts = list(backwards(ctx.blocks, *halves(y), *halves(dy)))
        return mg.cat(parts, dim=-1), None


# %% answer="SwapChain" style="a dataclass of the four streams that steps back"
from dataclasses import dataclass


@dataclass
class Streams:
    y1: mg.Tensor
    y2: mg.Tensor
    dy1: mg.Tensor
    dy2: mg.Tensor

    def back(self, fn):
        x1, dx2 = undo_half(fn, self.y1, self.y2, self.dy1, self.dy2)
        self.y2 = self.y1
        self.y1 = x1
        self.dy1 = self.dy2
        self.dy2 = dx2


class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        a, b = halves(x)
        for fn in fns:
            c = a + fn(b)
            a = b
            b = c
        y = mg.cat([a, b], -1)
        ctx.fns = tuple(fns)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        s = Streams(*halves(ctx.saved_tensors[0]), *halves(dy))
        for fn in ctx.fns[::-1]:
            s.back(fn)
        return mg.cat([s.dy1, s.dy2], -1), None


# %% answer="SwapChain" style="index arithmetic instead of swapping: the roles alternate"
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        s = halves(x)
        for n, fn in enumerate(fns):
            old, other = n % 2, 1 - n % 2
            s[old] = s[old] + fn(s[other])
        ctx.fns = fns
        turn = len(fns) % 2
        y = mg.cat([s[turn], s[1 - turn]], -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        turn = len(ctx.fns) % 2
        s, d = halves(ctx.saved_tensors[0]), halves(dy)
        if turn:
            s.reverse()
            d.reverse()
        for n in range(len(ctx.fns) - 1, -1, -1):
            new, other = n % 2, 1 - n % 2
            s[new], d[other] = undo_half(ctx.fns[n], s[other], s[new], d[other], d[new])
        return mg.cat(d, -1), None


# %% answer="reversible_golf" style="a class of my own with a helper method, plain names, del"
class GolfChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        a, b = [part.clone() for part in mg.chunk(x, 2, dim=-1)]
        for f, g in blocks:
            a.add_(f(b))
            b.add_(g(a))
        result = mg.cat([a, b], dim=-1)
        ctx.save_for_backward(result)
        ctx.blocks = blocks
        return result

    @staticmethod
    def half(fn, inner, outer, d_inner, d_outer):
        u = inner.detach()
        u.requires_grad = True
        with mg.enable_grad():
            v = fn(u)
        outer.sub_(v.detach())
        v.backward(d_outer)
        del v
        d_inner.add_(u.grad)
        del u

    @classmethod
    def backward(cls, ctx, dy):
        a, b = [part.clone() for part in mg.chunk(ctx.saved_tensors[0], 2, dim=-1)]
        da, db = [part.clone() for part in mg.chunk(dy, 2, dim=-1)]
        for f, g in reversed(ctx.blocks):
            GolfChain.half(g, a, b, da, db)
            GolfChain.half(f, b, a, db, da)
        del a, b
        return mg.cat([da, db], dim=-1), None


def reversible_golf(x, blocks):
    """The two streams after all blocks, side by side, with as few bytes and products as you can."""
    return GolfChain.apply(x, blocks)


# %% answer="reversible_golf" style="helper functions in another cell, flattened list of halves"
def flatten(blocks):
    """[(fn, which stream it changes)], in the order of forward."""
    return [(fn, i) for block in blocks for i, fn in enumerate(block)]


def rewind(fn, s, d, i):
    u = s[1 - i].detach().requires_grad_()
    with mg.enable_grad():
        v = fn(u)
    s[i] -= v.detach()
    v.backward(d[i])
    d[1 - i] += u.grad


# ==== next cell
class Rewound(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, steps):
        s = halves(x)
        for fn, i in steps:
            s[i] += fn(s[1 - i])
        ctx.steps = steps
        y = mg.cat(s, -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        s, d = halves(y), halves(dy)
        for fn, i in ctx.steps[::-1]:
            rewind(fn, s, d, i)
        return mg.cat(d, -1), None


def reversible_golf(x, blocks):
    """The two streams after all blocks, side by side, with as few bytes and products as you can."""
    return Rewound.apply(x, flatten(blocks))


# %% answer="undo_steps" style="a dict of operator functions, reduce over slices"
import operator

INVERSE = {"+": operator.sub, "-": operator.add, "*": operator.truediv}


def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    s = [*streams]
    for (to, how, fn, frm) in steps[::-1]:
        s[to] = INVERSE[how](s[to], fn(s[frm]))
    return s


# %% answer="undo_steps" style="recursion: undo the last one, then the rest; no_grad and a tuple-free copy"
def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    if not steps:
        return list(streams)
    *earlier, (target, how, fn, source) = steps
    new = list(streams)
    with mg.no_grad():
        v = fn(new[source])
        if how == "*":
            new[target] = new[target].div(v)
        else:
            sign = -1 if how == "+" else 1
            new[target] = new[target].add(v, alpha=sign)
    return undo_steps(earlier, new)


# %% answer="undo_steps" style="generator expression table, in-place on clones made by need"
def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    now, mine = list(streams), set()
    for target, how, fn, source in reversed(steps):
        if target not in mine:
            now[target] = now[target].clone()
            mine.add(target)
        getattr(now[target], {"+": "sub_", "-": "add_", "*": "div_"}[how])(fn(now[source]))
    return now


# %% answer="undo_steps" style="list subclass returned"
class Streams(list):
    pass
def undo_steps(steps, streams):
    s = Streams(streams)
    for t, how, fn, src in reversed(steps):
        v = fn(s[src])
        s[t] = s[t] - v if how == "+" else s[t] + v if how == "-" else s[t] / v
    return s


# %% answer="undo_steps" style="tuple returned"
def undo_steps(steps, streams):
    s = dict(enumerate(streams))
    for t, how, fn, src in reversed(steps):
        v = fn(s[src])
        s[t] = s[t] - v if how == "+" else s[t] + v if how == "-" else s[t] / v
    return list(s.values())


# %% answer="held_by_blocks" style="a simulated torch: weak references to storages, classes"
import weakref


class Bytes:
    def __init__(self, n, pool):
        self.n = n
        pool.add(self)


def held_by_blocks(keeps, rows, columns):
    """Bytes alive after the loop, besides x; floats have 4 bytes."""
    pool = weakref.WeakSet()
    n = rows * columns * 4
    graph, y = [], Bytes(n, weakref.WeakSet())
    x = y
    for keep in keeps:
        y1, out = Bytes(n / 2, pool), Bytes(n, pool)
        graph.append({"x": y, "x2": y, "y1": y1, "y": out}.get(keep))
        y = out
        del y1, out
    return sum(b.n for b in pool)


# %% answer="FlatChain" style="deque of four, zip-free, no_grad in forward, names as in RevNet code"
class FlatChain(mg.autograd.Function):
    @staticmethod
    @mg.no_grad()
    def forward(ctx, x, blocks):
        ctx.blocks = list(blocks)
        a, b = halves(x)
        for pair in ctx.blocks:
            a, b = couple(*pair, a, b)
        output = mg.cat((a, b), dim=-1)
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        state = [*halves(*ctx.saved_tensors), *halves(grad_output)]
        for i in range(len(ctx.blocks) - 1, -1, -1):
            state = undo(*ctx.blocks[i], *state)
        return mg.cat(list(state[2:]), dim=-1), None


# %% answer="reversible_golf" style="in place with sub_, autograd.grad, context manager of grad mode"
class Golf(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        a, b = (t.clone() for t in x.chunk(2, dim=-1))
        for f, g in blocks:
            a.add_(f(b))
            b.add_(g(a))
        out = mg.cat((a, b), dim=-1)
        del a, b
        ctx.save_for_backward(out)
        ctx.todo = blocks
        return out

    @staticmethod
    def backward(ctx, grad):
        a, b = (t.clone() for t in ctx.saved_tensors[0].chunk(2, dim=-1))
        da, db = (t.clone() for t in grad.chunk(2, dim=-1))
        for f, g in ctx.todo[::-1]:
            for fn, u, y, du, dy in ((g, a, b, da, db), (f, b, a, db, da)):
                Golf.unstep(fn, u, y, du, dy)
        return mg.cat((da, db), dim=-1), None

    @staticmethod
    def unstep(fn, u, y, du, dy):
        with mg.enable_grad():
            leaf = u.detach()
            leaf.requires_grad = True
            out = fn(leaf)
        y.sub_(out.detach())
        out.backward(gradient=dy)
        du.add_(leaf.grad)


def reversible_golf(x, blocks):
    """The two streams after all blocks, side by side, with as few bytes and products as you can."""
    return Golf.apply(x, blocks)


# %% answer="SwapChain" style="recursion in backward, lists of pairs, chunk of the saved"
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        pair = list(halves(x))
        for fn in fns:
            pair = [pair[1], pair[0] + fn(pair[1])]
        y = mg.cat(pair, -1)
        ctx.save_for_backward(y)
        ctx.fns = fns
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors

        def back(i, y, dy):
            (y1, y2), (d1, d2) = halves(y), halves(dy)
            while i >= 0:
                x1, dx2 = undo_half(ctx.fns[i], y1, y2, d1, d2)
                y1, y2, d1, d2 = x1, y1, d2, dx2
                i -= 1
            return d1, d2

        return mg.cat(back(len(ctx.fns) - 1, y, dy), -1), None


# %% answer="undo_steps" style="operator functions in a dict, reversed loop"
import operator

OPPOSITE = {"+": operator.sub, "-": operator.add, "*": operator.truediv}


def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    s = list(streams)
    for target, how, fn, source in reversed(steps):
        s[target] = OPPOSITE[how](s[target], fn(s[source]))
    return s


# %% answer="undo_steps" style="recursion with match, asserts it goes round at the bottom"
def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    if not steps:
        return [*streams]
    *earlier, (target, how, fn, source) = steps
    assert target != source
    value = fn(streams[source])
    match how:
        case "+":
            old = streams[target] - value
        case "-":
            old = streams[target] + value
        case "*":
            old = streams[target] / value
        case _:
            raise ValueError(f"{how = }")
    return undo_steps(earlier, [*streams[:target], old, *streams[target + 1 :]])


before = [mg.ones(2), mg.full((2,), 3.0)]
steps = [(0, "+", lambda t: t * 2, 1), (1, "*", lambda t: t + 1, 0)]
after = list(before)
for target, how, fn, source in steps:
    v = fn(after[source])
    after[target] = after[target] + v if how == "+" else after[target] * v
print(before, after, undo_steps(steps, after), sep="\n")


# %% answer="held_by_blocks" style="fractions.Fraction of a U, enumerate and lookahead by zip_longest"
from fractions import Fraction
from itertools import zip_longest


def held_by_blocks(keeps, rows, columns):
    """Bytes alive after the loop, besides x; floats have 4 bytes."""
    units = Fraction(0)
    for keep, following in zip_longest(keeps, keeps[1:], fillvalue="last"):
        if keep == "y" or following in {"x", "x2", "last"}:
            units += 1
        if keep == "y1":
            units += Fraction(1, 2)
    return int(units * rows * columns * 4)


print(held_by_blocks(["x", "nothing", "y1", "y"], 2, 2))


# %% answer="FlatChain" style="as the hint says, print of shapes when DEBUG"
DEBUG = False


class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = halves(x)
        for f, g in blocks:
            y1, y2 = couple(f, g, y1, y2)
        y = mg.cat([y1, y2], -1)
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        y1, y2 = halves(y)
        dy1, dy2 = halves(dy)
        for i, (f, g) in enumerate(reversed(ctx.blocks)):
            y1, y2, dy1, dy2 = undo(f, g, y1, y2, dy1, dy2)
            if DEBUG:
                print(i, y1.shape, dy1.shape)
        return mg.cat([dy1, dy2], -1), None


# %% answer="FlatChain" style="functools.reduce over states in a NamedTuple, helper join, tuple of blocks"
from functools import reduce
from typing import NamedTuple


class State(NamedTuple):
    y1: mg.Tensor
    y2: mg.Tensor
    dy1: mg.Tensor
    dy2: mg.Tensor

    def before(self, block):
        return State(*undo(*block, *self))


def join(*streams):
    return mg.cat(list(streams), -1)


class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        ctx.blocks = tuple(blocks)
        y = join(*reduce(lambda s, block: couple(*block, *s), ctx.blocks, halves(x)))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        state = State(*halves(*ctx.saved_tensors), *halves(dy))
        for block in ctx.blocks[::-1]:
            state = state.before(block)
        return join(state.dy1, state.dy2), None


# %% answer="SwapChain" style="with pencil in comments, try at the bottom against the plain net"
class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        x1, x2 = halves(x)
        for fn in fns:
            x1, x2 = x2, x1 + fn(x2)
        ctx.fns = fns
        y = mg.cat([x1, x2], -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        # y1 = x2, y2 = x1 + fn(y1)   =>   x2 = y1, x1 = y2 - fn(y1)
        # dx1 = dy2, dx2 = dy1 + what comes through fn
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for fn in reversed(ctx.fns):
            x1, dx2 = undo_half(fn, y1, y2, dy1, dy2)
            y1, y2, dy1, dy2 = x1, y1, dy2, dx2
            del x1, dx2
        return mg.cat([dy1, dy2], -1), None


from course.coupled import Mlp

fns = [Mlp(16) for _ in range(3)]
leaf = (data * 1.0).requires_grad_()
(SwapChain.apply(leaf, fns) ** 2).sum().backward()
one, leaf.grad = leaf.grad, None
x1, x2 = leaf.chunk(2, -1)
for fn in fns:
    x1, x2 = x2, x1 + fn(x2)
(mg.cat([x1, x2], -1) ** 2).sum().backward()
print("farthest:", (one - leaf.grad).abs().max().item())
del fns, leaf, one, x1, x2


# %% answer="SwapChain" style="deque rotated, in-place forward on own clones, generator for the walk back"
from collections import deque


def swap_forward(fn, x1, x2):
    x1 += fn(x2)        # our own clone
    return x2, x1


class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        streams = deque(halves(x), maxlen=2)
        for fn in fns:
            streams[0].add_(fn(streams[1]))
            streams.rotate(1)
        y = mg.cat([*streams], -1)
        ctx.save_for_backward(y)
        ctx.fns = [*fns]
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2, dy1, dy2 = *halves(*ctx.saved_tensors), *halves(dy)
        remaining = deque(ctx.fns)
        while remaining:
            fn = remaining.pop()
            y2, dy1 = undo_half(fn, y1, y2, dy1, dy2)
            y1, y2 = y2, y1
            dy1, dy2 = dy2, dy1
        return mg.cat([dy1, dy2], -1), None


# %% answer="reversible_golf" style="in-place undo on own clones, helper in a cell before, timer and bytes printed"
def back_half(fn, u, y, du, dy):
    """undoes y = x + fn(u), in place: y becomes x, du the whole gradient of u"""
    with mg.enable_grad():
        leaf = u.detach().requires_grad_()
        v = fn(leaf)
    y -= v.detach()
    v.backward(dy)
    del v
    du += leaf.grad


# ==== next cell
class Golf(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        y1, y2 = halves(x)
        for f, g in blocks:
            y1 += f(y2)
            y2 += g(y1)
        y = mg.cat([y1, y2], -1)
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            back_half(g, y1, y2, dy1, dy2)
            back_half(f, y2, y1, dy2, dy1)
        del y1, y2
        return mg.cat([dy1, dy2], -1), None


def reversible_golf(x, blocks):
    """The two streams after all blocks, side by side, with as few bytes and products as you can."""
    return Golf.apply(x, blocks)


# %% answer="reversible_golf" style="class nested in the function, two streams as views of one clone, autograd.grad avoided, operator.iadd"
import operator


def reversible_golf(x, blocks):
    """The two streams after all blocks, side by side, with as few bytes and products as you can."""

    class Here(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.clone()
            y1, y2 = y.chunk(2, -1)
            for f, g in blocks:
                operator.iadd(y1, f(y2))
                operator.iadd(y2, g(y1))
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, dy):
            def undo_into(fn, u, y, du, dy):
                leaf = u.detach().requires_grad_()
                with mg.enable_grad():
                    v = fn(leaf)
                v.backward(dy)
                y.sub_(v.detach())   # after backward: u and y are views of one storage
                du.add_(leaf.grad)

            y, dy = ctx.saved_tensors[0].clone(), dy.clone()
            (y1, y2), (dy1, dy2) = y.chunk(2, -1), dy.chunk(2, -1)
            for f, g in blocks[::-1]:
                undo_into(g, y1, y2, dy1, dy2)
                undo_into(f, y2, y1, dy2, dy1)
            return dy

    return Here.apply(x)


# %% answer="undo_steps" style="small command objects with an undo method, prints each step"
from dataclasses import dataclass
from typing import Any, Callable


@dataclass
class Step:
    target: int
    how: str
    fn: Callable
    source: int

    def undo(self, streams: dict[int, Any]) -> None:
        v = self.fn(streams[self.source])
        old = streams[self.target]
        new = {"+": lambda: old - v, "-": lambda: old + v, "*": lambda: old / v}[self.how]()
        print(f"s[{self.target}] undone: {old} -> {new}")
        streams[self.target] = new


def undo_steps(steps, streams):
    """The streams before the steps, as a list; `streams` are those after them."""
    now = dict(enumerate(streams))
    for step in steps[::-1]:
        Step(*step).undo(now)
    return list(now.values())


# %% answer="held_by_blocks" style="follows the storages with a dict and a Counter of holders, torch check at the bottom"
from collections import Counter


def held_by_blocks(keeps, rows, columns):
    """Bytes alive after the loop, besides x; floats have 4 bytes."""
    size, holders = {"x": 0}, Counter()
    current = "x"
    for i, keep in enumerate(keeps):
        out = f"y{i}"
        size[out] = rows * columns * 4
        size[f"half{i}"] = rows * columns * 2
        match keep:
            case "x" | "x2":
                holders[current] += 1
            case "y":
                holders[out] += 1
            case "y1":
                holders[f"half{i}"] += 1
        current = out
    holders[current] += 1        # the name y
    return sum(size[storage] for storage in holders)


# %% answer="FlatChain" style="own undo written out in backward, __init__-free, with asserts on saved_tensors"
class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        streams = halves(x)
        for f, g in blocks:
            streams[0] = streams[0] + f(streams[1])
            streams[1] = streams[1] + g(streams[0])
        ctx.blocks = blocks
        y = mg.cat(streams, -1)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        def again(fn, u):
            with mg.enable_grad():
                leaf = u.detach().requires_grad_()
                return leaf, fn(leaf)

        assert len(ctx.saved_tensors) == 1
        y1, y2 = halves(ctx.saved_tensors[0])
        dy1, dy2 = halves(dy)
        for f, g in reversed(ctx.blocks):
            leaf, v = again(g, y1)
            y2 = y2 - v.detach()
            v.backward(dy2)
            dy1 = dy1 + leaf.grad
            del leaf, v
            leaf, v = again(f, y2)
            y1 = y1 - v.detach()
            v.backward(dy1)
            dy2 = dy2 + leaf.grad
            del leaf, v
        return mg.cat([dy1, dy2], -1), None


# %% answer="SwapChain" style="inspect.getsource(undo_half) printed first, enumerate and a trace list of norms"
import inspect

print(inspect.getsource(undo_half))
norms = []


class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        a, b = halves(x)
        for fn in fns:
            a, b = b, a + fn(b)
        ctx.fns = fns
        out = mg.cat([a, b], -1)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, dy):
        (out,) = ctx.saved_tensors
        y1, y2 = halves(out)
        dy1, dy2 = halves(dy)
        for i, fn in enumerate(ctx.fns[::-1]):
            x1, dx2 = undo_half(fn, y1, y2, dy1, dy2)
            (y1, y2), (dy1, dy2) = (x1, y1), (dy2, dx2)
            norms.append((i, dx2.norm().item()))
        return mg.cat([dy1, dy2], -1), None


# %% answer="reversible_golf" style="two Functions: in-place forward, and a class that holds the four streams"
class Streams:
    def __init__(self, y, dy):
        self.y, self.dy = halves(y), halves(dy)

    def undo(self, fn, source, target):
        """target stream was target + fn(source stream)"""
        with mg.enable_grad():
            leaf = self.y[source].detach().requires_grad_()
            v = fn(leaf)
        self.y[target].sub_(v.detach())
        v.backward(self.dy[target])
        self.dy[source].add_(leaf.grad)

    def grad(self):
        self.y = None
        return mg.cat(self.dy, -1)


class InPlace(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        s = halves(x)
        for f, g in blocks:
            s[0].add_(f(s[1]))
            s[1].add_(g(s[0]))
        y = mg.cat(s, -1)
        ctx.save_for_backward(y)
        ctx.blocks = blocks
        return y

    @staticmethod
    def backward(ctx, dy):
        s = Streams(*ctx.saved_tensors, dy)
        for f, g in reversed(ctx.blocks):
            s.undo(g, 0, 1)
            s.undo(f, 1, 0)
        return s.grad(), None


def reversible_golf(x, blocks):
    """The two streams after all blocks, side by side, with as few bytes and products as you can."""
    return InPlace.apply(x, list(blocks))


# %% answer="undo_steps" style="recursion on the list of steps, operator functions in a dict"
import operator

OPPOSITE = {"+": operator.sub, "-": operator.add, "*": operator.truediv}


def undo_steps(steps, streams):
    """The streams before the steps, as a list."""
    if not steps:
        return list(streams)
    *first, (target, how, fn, source) = steps
    undone = OPPOSITE[how](streams[target], fn(streams[source]))
    return undo_steps(first, [*streams[:target], undone, *streams[target + 1 :]])


# %% answer="SwapChain" style="a deque rotated in place of swapping, a generator over the reversed fns"
from collections import deque


class SwapChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, fns):
        streams = deque(halves(x))
        for fn in fns:
            first = streams.popleft()
            streams.append(first + fn(streams[0]))
            del first
        y = mg.cat(list(streams), -1)
        ctx.save_for_backward(y)
        ctx.fns = tuple(fns)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        (y1, y2), (dy1, dy2) = halves(y), halves(dy)
        for fn in ctx.fns[::-1]:
            y2, dy1 = undo_half(fn, y1, y2, dy1, dy2)
            y1, y2 = y2, y1
            dy1, dy2 = dy2, dy1
        return mg.cat((dy1, dy2), dim=-1), None


# %% answer="FlatChain" style="namedtuple of streams, generator of undone pairs, asserts"
from collections import namedtuple

Pair = namedtuple("Pair", "one two")


def slope_of(fn, u, to):
    """What fn gives at u, and the gradient there."""
    u = u.detach().requires_grad_()
    with mg.enable_grad():
        out = fn(u)
    out.backward(to)
    return out.detach(), u.grad


class FlatChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        s = Pair(*halves(x))
        for f, g in blocks:
            one = s.one + f(s.two)
            s = Pair(one, s.two + g(one))
        y = mg.cat(s, -1)
        ctx.blocks = blocks
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        s, d = Pair(*halves(y)), Pair(*halves(dy))
        for f, g in reversed(ctx.blocks):
            v, more = slope_of(g, s.one, d.two)
            s = Pair(s.one, s.two - v)
            d = Pair(d.one + more, d.two)
            del v, more
            v, more = slope_of(f, s.two, d.one)
            s = Pair(s.one - v, s.two)
            d = Pair(d.one, d.two + more)
            del v, more
        return mg.cat(d, -1), None
