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
