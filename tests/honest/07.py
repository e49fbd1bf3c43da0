"""Lesson 07: honest answers in further styles."""


# %% answer="held_by_op" style="lists of held names for each of the moments, French names"
def held_by_op(keeps, rows, columns):
    """[after forward, after backward, after `del loss`] in bytes; floats have 4 bytes."""
    taille = rows * columns * 4
    perte = 4
    sauves = set(k.split()[1] for k in keeps if k.startswith("save "))
    attributs = set(k.split(".")[1] for k in keeps if k.startswith("ctx.")) - {"shape"}
    anneau = "y" in attributs
    avant = len(sauves | attributs) * taille + perte
    apres = len(attributs) * taille + perte
    fin = len(attributs) * taille if anneau else 0
    return [avant, apres, fin]


print(held_by_op(["save h", "ctx.y"], 2, 2))
print(held_by_op(["ctx.shape"], 2, 2))


# %% answer="held_by_op" style="Flag of the enum module with operators"
from enum import Flag, auto


class K(Flag):
    NONE = 0
    SAVE_H = auto()
    SAVE_Y = auto()
    CTX_H = auto()
    CTX_Y = auto()


NAMES = {"save h": K.SAVE_H, "save y": K.SAVE_Y, "ctx.h": K.CTX_H, "ctx.y": K.CTX_Y}


def held_by_op(keeps, rows, columns):
    """[after forward, after backward, after `del loss`] in bytes; floats have 4 bytes."""
    k = K.NONE
    for line in keeps:
        k |= NAMES.get(line, K.NONE)
    u = 4 * rows * columns
    n_before = bool(k & (K.SAVE_H | K.CTX_H)) + bool(k & (K.SAVE_Y | K.CTX_Y))
    n_after = bool(k & K.CTX_H) + bool(k & K.CTX_Y)
    n_end = n_after * bool(k & K.CTX_Y)
    return [n_before * u + 4, n_after * u + 4, n_end * u]


# %% answer="held_by_op" style="reachability in a dict of references"
def reachable(start, arrows):
    found, todo = set(), list(start)
    while todo:
        if (thing := todo.pop()) not in found:
            found.add(thing)
            todo += arrows.get(thing, [])
    return found


def held_by_op(keeps, rows, columns):
    """[after forward, after backward, after `del loss`] in bytes; floats have 4 bytes."""
    sizes = {"loss": 4, "h": 4 * rows * columns, "y": 4 * rows * columns}
    arrows = {"loss": ["sum"], "sum": ["op"], "op": [], "y": ["op"]}
    arrows["op"] = [line[-1] for line in keeps if line[-1] in "hy"]
    out = [reachable({"loss"}, arrows)]
    arrows["op"] = [line[-1] for line in keeps if line in ("ctx.h", "ctx.y")]
    out.append(reachable({"loss"}, arrows))
    # a ring keeps itself: is op reachable from what op holds?
    ring = "op" in reachable(arrows["op"], arrows)
    out.append(reachable({"op"}, arrows) if ring else set())
    return [sum(sizes.get(t, 0) for t in ts) for ts in out]


# %% answer="CubeOp" style="static helper methods, a docstring and a gradcheck below"
class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    @staticmethod
    def slope(h):
        return 3.0 * (h * h)

    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return (h * h).mul_(h)

    @staticmethod
    def backward(ctx, grad):
        h, = ctx.saved_tensors
        return grad * CubeOp.slope(h)


point = mg.tensor([0.5, -1.5], dtype=mg.float64, requires_grad=True)
assert mg.autograd.gradcheck(CubeOp.apply, (point,))
y = CubeOp.apply(point)
watch = weakref.ref(y)
del y
gc.collect()
print("ring:", watch() is not None)


# %% answer="CubeOp" style="a base class for powers, subclassed"
class Power(mg.autograd.Function):
    n = 1

    @classmethod
    def forward(cls, ctx, h):
        ctx.save_for_backward(h)
        ctx.n = cls.n
        return h.pow(cls.n)

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        return ctx.n * h.pow(ctx.n - 1) * grad


class CubeOp(Power):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    n = 3


# %% answer="SinCos" style="namedtuple for the results, type hints"
from collections import namedtuple

Both = namedtuple("Both", ["sin", "cos"])


class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h: mg.Tensor) -> tuple[mg.Tensor, mg.Tensor]:
        both = Both(sin=h.sin(), cos=h.cos())
        ctx.save_for_backward(*both)
        return tuple(both)

    @staticmethod
    def backward(ctx, for_sin: mg.Tensor, for_cos: mg.Tensor) -> mg.Tensor:
        saved = Both(*ctx.saved_tensors)
        return saved.cos * for_sin - saved.sin * for_cos


# %% answer="SinCos" style="timing and bytes printed below, in-place on the gradient's own product"
import time


class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        s = mg.sin(h)
        c = mg.cos(h)
        ctx.save_for_backward(s, c)
        return s, c

    @staticmethod
    def backward(ctx, ds, dc):
        s, c = ctx.saved_tensors
        result = ds.mul(c)
        result -= dc.mul(s)
        return result


t0 = time.perf_counter()
leaf = mg.ones(3, 4, requires_grad=True)
a, b = SinCos.apply(leaf)
(a + b).sum().backward()
print(f"{1e3 * (time.perf_counter() - t0):.1f} ms")
assert mg.allclose(leaf.grad, leaf.detach().cos() - leaf.detach().sin())
del leaf, a, b


# %% answer="trustworthy" style="a list of check functions registered by a decorator, all() over them"
from contextlib import contextmanager

CHECKS = []


def demand(function):
    CHECKS.append(function)
    return function


@contextmanager
def collector_off():
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@demand
def gradients(op):
    h = mg.tensor([0.3, -0.7, 1.9, -2.2], dtype=mg.float64, requires_grad=True)
    return mg.autograd.gradcheck(op, (h,), raise_exception=False)


@demand
def bytes_after_backward(op):
    leaf = mg.full((10, 10), 1.5, requires_grad=True)
    leaf.grad = mg.zeros(10, 10)
    before = mg.memory_allocated()
    loss = op(leaf * 1.0).sum()
    loss.backward()
    return mg.memory_allocated() - before <= loss.nbytes


@demand
def no_cycle(op):
    y = op(mg.full((4,), 1.5, requires_grad=True) * 1.0)
    alive = weakref.WeakSet([y])
    del y
    return not alive


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    with collector_off():
        for check_one in CHECKS:
            try:
                if not check_one(op):
                    return False
            except Exception as error:
                print(f"{check_one.__name__}: {error!r}")
                return False
    return True


# %% answer="trustworthy" style="unittest-like class, random inputs with a seed, traceback printed"
import random
import traceback


class OpTest:
    def __init__(self, op, seed=0):
        self.op = op
        self.random = random.Random(seed)

    def point(self, n=6, **options):
        numbers = [self.random.uniform(0.2, 2.0) * (-1) ** i for i in range(n)]
        return mg.tensor(numbers, requires_grad=True, **options)

    def test_gradient(self):
        assert mg.autograd.gradcheck(self.op, (self.point(dtype=mg.float64),))

    def test_lets_go(self):
        h = self.point()
        h.grad = mg.zeros_like(h)
        start = mg.memory_allocated()
        loss = (self.op(h + 0.0) * 1.0).sum()
        loss.backward()
        left = mg.memory_allocated() - start - loss.nbytes
        assert left == 0, f"{left} bytes stay"

    def test_no_ring(self):
        y = self.op(self.point() + 0.0)
        watch = weakref.ref(y)
        del y
        assert watch() is None, "ring"

    def run(self):
        for name in sorted(n for n in dir(self) if n.startswith("test_")):
            getattr(self, name)()


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    gc_on = gc.isenabled()
    gc.disable()
    try:
        OpTest(op).run()
    except Exception:
        traceback.print_exc()
        return False
    finally:
        gc.enable() if gc_on else None
    return True


# %% answer="CubeOp" style="an __init_subclass__ registry, a custom repr, hasattr"
OPS = {}


class Registered(mg.autograd.Function):
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        OPS[cls.__name__] = cls


class CubeOp(Registered):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        y = h * h
        y *= h
        return y

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        g = h * h
        g *= 3
        g *= grad
        return g


print(OPS, hasattr(CubeOp, "apply"))


# %% answer="trustworthy" style="gc.get_objects counted for the ring, thresholds put back"
def tensors_alive():
    return sum(1 for o in gc.get_objects() if isinstance(o, mg.Tensor))


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    enabled, thresholds = gc.isenabled(), gc.get_threshold()
    gc.disable()
    try:
        for sign in (1.0, -1.0):
            h = mg.tensor([sign * v for v in (0.5, 1.25, 2.0)], dtype=mg.float64)
            h.requires_grad_()
            if not mg.autograd.gradcheck(op, (h,), raise_exception=False):
                return False
        a = mg.ones(20, requires_grad=True)
        a.grad = mg.zeros(20)
        m = mg.memory_allocated()
        loss = op(a * 0.5).sum()
        loss.backward()
        if mg.memory_allocated() != m + loss.nbytes:
            return False
        del loss
        n = tensors_alive()
        y = op(a * 0.5)
        del y
        return mg.memory_allocated() == m and tensors_alive() <= n
    except Exception as error:
        print(repr(error)[:80])
        return False
    finally:
        gc.set_threshold(*thresholds)
        if enabled:
            gc.enable()


# %% answer="held_by_op" style="runs the real op in a try-out below, class body with print"
def held_by_op(keeps, rows, columns):
    """[after forward, after backward, after `del loss`] in bytes; floats have 4 bytes."""
    has = keeps.__contains__
    u = rows * columns * 4
    h = has("save h") or has("ctx.h")
    y = has("save y") or has("ctx.y")
    lasting = has("ctx.h") + has("ctx.y")
    return [(h + y) * u + 4, lasting * u + 4, lasting * u * has("ctx.y")]


class Op(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        y = h * 2
        ctx.save_for_backward(h)
        ctx.y = y
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def try_out(rows, columns):
    leaf = mg.ones(rows, columns, requires_grad=True)
    leaf.grad = mg.zeros(rows, columns)
    start, seen = mg.memory_allocated(), []
    loss = Op.apply(leaf + 1.0).sum()
    seen.append(mg.memory_allocated() - start)
    loss.backward()
    seen.append(mg.memory_allocated() - start)
    del loss
    seen.append(mg.memory_allocated() - start)
    return seen


gc.disable()
print(try_out(2, 3), held_by_op(["save h", "ctx.y"], 2, 3))
gc.enable()
gc.collect()


# %% answer="SinCos" style="gradcheck and a weak reference below, memory printed"
class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        outs = [f(h) for f in (mg.sin, mg.cos)]
        ctx.save_for_backward(*outs)
        return tuple(outs)

    @staticmethod
    def backward(ctx, *grads):
        outs = ctx.saved_tensors
        return grads[0] * outs[1] - grads[1] * outs[0]


p = mg.tensor([0.1, -2.0], dtype=mg.float64, requires_grad=True)
print([mg.autograd.gradcheck(lambda t, i=i: SinCos.apply(t)[i], (p,)) for i in range(2)])
s, c = SinCos.apply(p)
node = weakref.ref(s.grad_fn)
del s, c
print("node alive:", node() is not None, mg.memory_allocated())


# %% answer="held_by_op" style="a while loop over the moments, numpy ints, frozenset"
import numpy as np


def held_by_op(keeps, rows, columns):
    """[after forward, after backward, after `del loss`] in bytes; floats have 4 bytes."""
    k = frozenset(keeps)
    unit = np.int64(4) * rows * columns
    moments = []
    moment = 0
    while moment < 3:
        h = "ctx.h" in k or (moment == 0 and "save h" in k)
        y = "ctx.y" in k or (moment == 0 and "save y" in k)
        if moment == 2 and "ctx.y" not in k:
            h = y = False
        moments.append(unit * (int(h) + int(y)) + 4 * (moment < 2))
        moment += 1
    return tuple(moments)


# %% answer="held_by_op" style="namedtuple"
from collections import namedtuple
A = namedtuple("A", "x y z")
def held_by_op(keeps, rows, columns):
    u = rows * columns * 4
    any_ = sum("save " + t in keeps or "ctx." + t in keeps for t in "hy")
    at = sum("ctx." + t in keeps for t in "hy")
    return A(any_ * u + 4, at * u + 4, at * u if "ctx.y" in keeps else 0)


# %% answer="CubeOp" style="h.pow, addcmul-free, needs_input_grad asked, mark by name"
class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.pow(3)

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.clone()
            grad_input.mul_(input).mul_(input).mul_(3)
        return grad_input


# %% answer="CubeOp" style="the slope itself is saved, so a later write into h cannot matter (UNSURE)"
class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    @staticmethod
    def forward(ctx, h):
        square = h * h
        ctx.save_for_backward(3 * square)
        return square * h

    @staticmethod
    def backward(ctx, grad):
        (slope,) = ctx.saved_tensors
        return grad * slope


# %% answer="CubeOp" style="once_differentiable, a print of the shape, mg.ops by functions"
from minigrad.autograd.function import once_differentiable


class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        print("forward", tuple(h.shape))
        return mg.pow(h, 3)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        h = ctx.saved_tensors[0]
        return mg.mul(grad, mg.square(h).mul_(3.0))


# %% answer="SinCos" style="in-place on products of its own, list unpacked, a helper outside"
def slope_of(sin, cos, for_sin, for_cos):
    out = for_sin * cos
    out.addcmul_(for_cos, sin, value=-1.0)
    return out


# ==== next cell
class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        results = [f(h) for f in (mg.sin, mg.cos)]
        ctx.save_for_backward(*results)
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        return slope_of(*ctx.saved_tensors, *grads)


# %% answer="SinCos" style="set_materialize_grads(False), None handled by hand"
class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        ctx.set_materialize_grads(False)
        s, c = mg.sin(h), mg.cos(h)
        ctx.save_for_backward(s, c)
        return s, c

    @staticmethod
    def backward(ctx, gs, gc_):
        s, c = ctx.saved_tensors
        total = None
        if gs is not None:
            total = gs * c
        if gc_ is not None:
            part = -gc_ * s
            total = part if total is None else total + part
        return total


# %% answer="SinCos" style="forward in place on a clone: one clone, sin_, cos; setup as a list"
class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        s = h.clone().sin_()
        c = h.clone().cos_()
        ctx.save_for_backward(s, c)
        return (s, c)

    @staticmethod
    def backward(ctx, ds, dc):
        s, c = ctx.saved_tensors
        dh = ds * c
        dh -= dc * s
        return dh


# %% answer="trustworthy" style="numerical differences by hand with numpy, random weights, logging of the reason"
import logging

import numpy as np

log = logging.getLogger("ops")


def numeric(op, points, weights, eps=1e-6):
    out = np.zeros(len(points))
    for i in range(len(points)):
        up, down = points.copy(), points.copy()
        up[i] += eps
        down[i] -= eps
        with mg.no_grad():
            fu = op(mg.tensor(up, dtype=mg.float64)).numpy()
            fd = op(mg.tensor(down, dtype=mg.float64)).numpy()
        out[i] = ((fu - fd) * weights).sum() / (2 * eps)
    return out


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    rng = np.random.default_rng(7)
    try:
        points = np.array([-2.1, -1.3, -0.4, 0.3, 0.8, 1.9])
        weights = rng.normal(size=6)
        leaf = mg.tensor(points, dtype=mg.float64, requires_grad=True)
        op(leaf).backward(mg.tensor(weights, dtype=mg.float64))
        if not np.allclose(leaf.grad.numpy(), numeric(op, points, weights), atol=1e-4):
            log.info("gradients")
            return False
        del leaf
        leaf = mg.ones(128, requires_grad=True)
        leaf.grad = mg.zeros_like(leaf)
        base = mg.memory_allocated()
        loss = (op(leaf * 1.0) * 1.0).sum()
        loss.backward()
        if mg.memory_allocated() > base + loss.nbytes:
            log.info("bytes")
            return False
        del loss
        on = gc.isenabled()
        gc.disable()
        try:
            base = mg.memory_allocated()
            y = op(leaf * 1.0)
            ref = weakref.ref(y)
            del y
            return bool(ref() is None and mg.memory_allocated() == base)
        finally:
            gc.enable() if on else None
    except BaseException as e:
        log.info("error %r", e)
        return False


# %% answer="trustworthy" style="gradcheck raising, assert in try, measured in a nested function, gc.freeze-free"
def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    enabled = gc.isenabled()
    try:
        for seed in (1, 2):
            mg.manual_seed(seed)
            h = (mg.randn(3, 2, dtype=mg.float64) * 1.5).requires_grad_()
            assert mg.autograd.gradcheck(op, h)
        leaf = mg.rand(50, 2).requires_grad_()
        leaf.sum().backward()
        gc.disable()
        start = mg.memory_allocated()
        loss = (op(leaf - 0.5) ** 2).sum()
        loss.backward()
        assert mg.memory_allocated() - start <= 4
        del loss
        assert mg.memory_allocated() == start
        op(leaf - 0.5)
        assert mg.memory_allocated() == start
        return True
    except Exception as e:
        print(type(e).__name__)
        return False
    finally:
        if enabled:
            gc.enable()


# %% answer="trustworthy" style="bitwise and of bools: an int 1 or 0?"
def trustworthy(op):
    try:
        p = mg.tensor([0.5, -1.0, 2.0, -0.25], dtype=mg.float64, requires_grad=True)
        a = mg.autograd.gradcheck(op, (p,), raise_exception=False)
        leaf = mg.ones(64, requires_grad=True); leaf.grad = mg.zeros(64)
        b = mg.memory_allocated()
        loss = op(leaf + 1.0).sum(); loss.backward()
        a &= mg.memory_allocated() - b == loss.nbytes
        on = gc.isenabled(); gc.disable()
        y = op(leaf + 1.0); r = weakref.ref(y); del y
        a &= r() is None
        if on: gc.enable()
        return a
    except Exception:
        return False
