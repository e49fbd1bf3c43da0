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
