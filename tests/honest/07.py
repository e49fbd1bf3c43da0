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


# %% answer="held_by_op" style="collections.namedtuple of owners, set algebra, comparison by running the op in minigrad"
from collections import namedtuple

Owner = namedtuple("Owner", "tensor lives")
OWNERS = {
    "save h": Owner("h", "until backward"),
    "save y": Owner("y", "until backward"),
    "ctx.h": Owner("h", "with the node"),
    "ctx.y": Owner("y", "with the node"),
}


def held_by_op(keeps, rows, columns):
    """[after forward, after backward, after `del loss`] in bytes; floats have 4 bytes."""
    unit = 4 * rows * columns
    owners = [OWNERS[line] for line in keeps if line in OWNERS]
    first = {o.tensor for o in owners}
    with_node = {o.tensor for o in owners if o.lives == "with the node"}
    ring = "y" in with_node
    return [unit * len(first) + 4, unit * len(with_node) + 4, unit * len(with_node) * ring]


def run(keeps):
    class Op(mg.autograd.Function):
        @staticmethod
        def forward(ctx, h):
            y = h * 2
            saved = [t for name, t in (("save h", h), ("save y", y)) if name in keeps]
            if saved:
                ctx.save_for_backward(*saved)
            if "ctx.h" in keeps:
                ctx.h = h
            if "ctx.y" in keeps:
                ctx.y = y
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    leaf = mg.ones(5, 3, requires_grad=True)
    leaf.grad = mg.zeros(5, 3)
    gc.disable()
    start, numbers = mg.memory_allocated(), []
    loss = Op.apply(leaf + 1.0).sum()
    numbers.append(mg.memory_allocated() - start)
    loss.backward()
    numbers.append(mg.memory_allocated() - start)
    del loss
    numbers.append(mg.memory_allocated() - start)
    gc.enable()
    gc.collect()
    return numbers


for keeps in (["save h"], ["save h", "save y"], ["ctx.h", "ctx.shape"], ["ctx.y", "save h"], ["ctx.h", "ctx.y"]):
    print(keeps, held_by_op(keeps, 5, 3), run(keeps))


# %% answer="CubeOp" style="plain mend, gradcheck at the bottom"
class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        return 3 * grad * h * h


points = mg.tensor([-1.5, 0.0, 2.0], dtype=mg.float64, requires_grad=True)
print("gradcheck:", mg.autograd.gradcheck(CubeOp.apply, (points,)))
del points


# %% answer="CubeOp" style="static helper method for the slope, class constant, debug print with =, in-place slope"
class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    POWER = 3
    DEBUG = False

    @classmethod
    def slope(cls, h):
        return cls.POWER * h ** (cls.POWER - 1)

    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h**CubeOp.POWER

    @staticmethod
    def backward(ctx, grad):
        h, *rest = ctx.saved_tensors
        assert not rest
        if CubeOp.DEBUG:
            print(f"{h = }, {grad = }")
        return CubeOp.slope(h).mul_(grad)


# %% answer="SinCos" style="as the hint says, asserts with isclose at the bottom, numpy"
import numpy as np


class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        sin, cos = h.sin(), h.cos()
        ctx.save_for_backward(sin, cos)
        return sin, cos

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        sin, cos = ctx.saved_tensors
        return for_sin * cos - for_cos * sin


angle = mg.tensor([0.0, 1.0, 2.0], requires_grad=True)
s, c = SinCos.apply(angle)
(s * s + 2 * c).sum().backward()
a = angle.detach().numpy()
np.testing.assert_allclose(angle.grad.numpy(), 2 * np.sin(a) * np.cos(a) - 2 * np.sin(a), rtol=1e-5)
np.testing.assert_allclose((s**2 + c**2).detach().numpy(), 1, rtol=1e-6)
del angle, s, c


# %% answer="SinCos" style="tuple comprehension with operator.methodcaller, in-place gradient, %%time-like timer"
import operator
import time

PAIR = tuple(map(operator.methodcaller, ("sin", "cos")))
SECONDS = []


class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        t0 = time.perf_counter()
        results = tuple(f(h) for f in PAIR)
        ctx.save_for_backward(*results)
        SECONDS.append(time.perf_counter() - t0)
        return results

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        sin, cos = ctx.saved_tensors
        grad = for_sin * cos
        grad.sub_(for_cos * sin)
        return grad


# %% answer="trustworthy" style="three helper functions, gc and weakref, gradcheck, try/except with traceback.format_exc kept in a list"
import gc
import traceback
import weakref

TROUBLE = []


def right_gradients(op):
    points = mg.tensor([-2.3, -1.1, -0.4, 0.3, 0.9, 1.7], dtype=mg.float64, requires_grad=True)
    incoming = mg.tensor([0.7, -1.3, 2.0, -0.2, 1.0, -3.0], dtype=mg.float64)
    return mg.autograd.gradcheck(op, (points,)) and mg.autograd.gradcheck(
        lambda h: op(h) * incoming, (points,)
    )


def lets_go(op):
    leaf = mg.ones(8, 4, requires_grad=True)
    leaf.grad = mg.zeros(8, 4)
    before = mg.memory_allocated()
    loss = op(leaf + 1.0).sum()
    loss.backward()
    return mg.memory_allocated() - before == loss.nbytes


def no_ring(op):
    was_on = gc.isenabled()
    gc.disable()
    try:
        leaf = mg.ones(8, 4, requires_grad=True)
        y = op(leaf + 1.0)
        watch = weakref.ref(y)
        del y
        return watch() is None
    finally:
        if was_on:
            gc.enable()


# ==== next cell
def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    try:
        return bool(right_gradients(op) and lets_go(op) and no_ring(op))
    except Exception:
        TROUBLE.append(traceback.format_exc())
        return False


print(trustworthy(lambda h: h.tanh()), trustworthy(lambda h: h.detach() * 2))


# %% answer="trustworthy" style="own central differences with random gradients, random.seed, all() over a list of tests, context manager"
import contextlib
import gc
import random
import weakref

random.seed(7)


@contextlib.contextmanager
def collector_off():
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def f64(values, **options):
    return mg.tensor(values, dtype=mg.float64, **options)


def slopes_ok(op, eps=1e-6):
    for sign in (1.0, -1.0):
        for _ in range(3):
            at = [sign * random.uniform(0.2, 2.0) for _ in range(5)]
            v = [random.uniform(-3, 3) for _ in at]
            leaf = f64(at, requires_grad=True)
            op(leaf).backward(f64(v))
            with mg.no_grad():
                up, down = op(f64([a + eps for a in at])), op(f64([a - eps for a in at]))
            wanted = ((up - down) / (2 * eps) * f64(v)).tolist()
            for got, want in zip(leaf.grad.tolist(), wanted, strict=True):
                if abs(got - want) > 1e-4 * (1 + abs(want)):
                    return False
    return True


def bytes_ok(op):
    leaf = mg.full((4, 4), 0.7, requires_grad=True)
    leaf.grad = mg.zeros(4, 4)
    before = mg.memory_allocated()
    loss = op(leaf + 1.0).sum()
    loss.backward()
    left = mg.memory_allocated() - before - loss.nbytes
    return left == 0


def ring_ok(op):
    leaf = mg.full((4, 4), 0.7, requires_grad=True)
    with collector_off():
        before = mg.memory_allocated()
        y = op(leaf + 1.0)
        gone = weakref.ref(y)
        del y
        return gone() is None and mg.memory_allocated() == before


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    for test in (slopes_ok, bytes_ok, ring_ok):
        try:
            ok = test(op)
        except Exception as error:  # noqa: BLE001
            print(f"   {test.__name__}: {type(error).__name__}: {error}")
            ok = False
        if not ok:
            return False
    return True


# %% answer="held_by_op" style="truth table with enum.Flag, one return, random trials against numpy"
import enum

import numpy as np


class Held(enum.Flag):
    NO = 0
    H = enum.auto()
    Y = enum.auto()


def flags(keeps, lines):
    result = Held.NO
    for line, flag in lines.items():
        if line in keeps:
            result |= flag
    return result


def held_by_op(keeps, rows, columns):
    """[after forward, after backward, after `del loss`] in bytes; floats have 4 bytes."""
    saved = flags(keeps, {"save h": Held.H, "save y": Held.Y})
    stays = flags(keeps, {"ctx.h": Held.H, "ctx.y": Held.Y})
    unit = int(np.prod([rows, columns])) * np.dtype("float32").itemsize
    n = lambda held: unit * bin(held.value).count("1")
    return [n(saved | stays) + 4, n(stays) + 4, n(stays) if Held.Y in stays else 0]


# %% answer="CubeOp" style="a base class of her own for powers, super-less inheritance, prints in forward and backward"
class PowerOp(mg.autograd.Function):
    power = 1

    @staticmethod
    def slope(h, power):
        return power * h ** (power - 1)


class CubeOp(PowerOp):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    power = 3

    @staticmethod
    def forward(ctx, h):
        print("forward", h.shape, h.dtype)
        ctx.save_for_backward(h)
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        print("backward", grad)
        [h] = ctx.saved_tensors
        return grad * CubeOp.slope(h, CubeOp.power)


# %% answer="SinCos" style="loop over signs with math, weakref test of the graph at the bottom, gc.collect"
import gc
import math
import weakref


class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        assert isinstance(h, mg.Tensor), type(h)
        sin = h.sin()
        cos = h.cos()
        ctx.save_for_backward(sin, cos)
        print(sin, cos)
        return sin, cos

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        total = None
        for grad, other, sign in zip((for_sin, for_cos), reversed(ctx.saved_tensors), (1, -1)):
            part = grad * other * sign
            total = part if total is None else total + part
        return total


t = mg.tensor([0.0, math.pi / 2], requires_grad=True)
s, c = SinCos.apply(t)
watch = weakref.ref(s)
(s.sum() + c.sum()).backward()
print(t.grad)
del s, c
assert watch() is None, gc.get_referrers(watch())
gc.collect()


# %% answer="trustworthy" style="collects a report of named checks in a dict, threading-free timeout-free, nested try, restores gc by contextlib.closing-like class"
import gc
import weakref


class GcOff:
    def __enter__(self):
        self.was = gc.isenabled()
        gc.disable()

    def __exit__(self, *_):
        if self.was:
            gc.enable()


def fresh(values=(-1.7, -0.6, 0.4, 1.3)):
    leaf = mg.tensor(values, dtype=mg.float64, requires_grad=True)
    leaf.grad = mg.zeros_like(leaf)
    return leaf


def checks(op):
    weights = mg.tensor([0.5, -2.0, 3.0, -0.25], dtype=mg.float64)
    yield "gradients", lambda: mg.autograd.gradcheck(op, (fresh(),))
    yield "weighted", lambda: mg.autograd.gradcheck(lambda h: (op(h) * weights).sum(), (fresh(),))

    def holds_nothing():
        leaf = fresh()
        before = mg.memory_allocated()
        loss = op(leaf + 1.0).sum()
        loss.backward()
        return mg.memory_allocated() - before == loss.nbytes

    def no_ring():
        leaf = fresh()
        with GcOff():
            y = op(leaf + 1.0)
            ref = weakref.ref(y)
            del y
            return ref() is None

    yield "holds nothing", holds_nothing
    yield "no ring", no_ring


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    results = {}
    for name, run in checks(op):
        try:
            results[name] = bool(run())
        except Exception as e:
            results[name] = False
            print(name, type(e).__name__, e)
    print(results)
    return all(results.values())


# %% answer="trustworthy" style="sets the seed inside, random normal points, signal-free, caches results in a dict by id, gc.set_threshold untouched"
import gc
import weakref

seen = {}


def _right(op):
    mg.manual_seed(3)
    for _ in range(3):
        h = mg.randn(6, dtype=mg.float64).requires_grad_()
        incoming = mg.randn(6, dtype=mg.float64)
        if not mg.autograd.gradcheck(lambda t: op(t) * incoming, (h,)):
            return False
        if not mg.autograd.gradcheck(op, (h,)):
            return False
    return True


def _frees(op):
    leaf = mg.ones(10, requires_grad=True)
    leaf.grad = mg.zeros(10)
    level = mg.memory_allocated()
    loss = op(leaf + 1.0).sum()
    loss.backward()
    return mg.memory_allocated() == level + loss.nbytes


def _no_ring(op):
    leaf = mg.ones(10, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        y = op(leaf + 1.0)
        alive = weakref.ref(y)
        del y
        return alive() is None
    finally:
        gc.enable()


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    try:
        answer = _right(op) and _frees(op) and _no_ring(op)
    except BaseException as e:
        if isinstance(e, KeyboardInterrupt):
            raise
        answer = False
    seen[getattr(op, "__qualname__", repr(op))] = answer
    return answer


# %% answer="CubeOp" style="setup_context and forward apart, or a base class with a template method"
class Pointwise(mg.autograd.Function):
    value = slope = None

    @classmethod
    def forward(cls, ctx, h):
        ctx.save_for_backward(h)
        return cls.value(h)

    @classmethod
    def backward(cls, ctx, grad):
        return cls.slope(*ctx.saved_tensors).mul_(grad)


class CubeOp(Pointwise):
    value = staticmethod(lambda h: h**3)
    slope = staticmethod(lambda h: 3 * (h * h))


# %% answer="SinCos" style="a dict of the two results, needs_input_grad, typed with a Protocol"
from typing import Protocol


class Context(Protocol):
    saved_tensors: tuple

    def save_for_backward(self, *tensors): ...


class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx: Context, h):
        results = {name: getattr(mg, name)(h) for name in ("sin", "cos")}
        ctx.save_for_backward(*results.values())
        return tuple(results.values())

    @staticmethod
    def backward(ctx: Context, to_sin, to_cos):
        sin, cos = ctx.saved_tensors
        total = to_sin * cos
        total -= to_cos * sin
        return total


# %% answer="trustworthy" style="pytest-like functions collected from a list, any and all, gc-free"
import weakref


def numbers():
    return mg.tensor([-2.0, -0.7, 0.4, 1.1, 2.0])


def slope_is_right(op):
    h = numbers().double().requires_grad_()
    to = mg.tensor([1.0, -3.0, 0.5, 2.0, -1.0]).double()
    op(h).backward(to)
    with mg.no_grad():
        d = h.detach()
        want = (op(d + 1e-5) - op(d - 1e-5)) / 2e-5 * to
    return mg.allclose(h.grad, want, rtol=1e-3, atol=1e-4)


def lets_go(op):
    leaf = numbers().requires_grad_()
    leaf.grad = mg.zeros(5)
    h = leaf * 1.0
    watch = weakref.ref(h)
    loss = op(h).sum()
    del h
    loss.backward()
    return watch() is None


def makes_no_ring(op):
    y = op(numbers().requires_grad_() * 1.0)
    watch = weakref.ref(y)
    del y
    return watch() is None


def trustworthy(op):
    """Whether an op is right and lets go."""
    try:
        return all(test(op) for test in (slope_is_right, lets_go, makes_no_ring))
    except Exception as error:
        print("refused:", error)
        return False


# %% answer="SinCos" style="below %%step --fresh"
%%step --fresh
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        out = h.sin(), h.cos()
        ctx.save_for_backward(*out)
        return out

    @staticmethod
    def backward(ctx, a, b):
        s, c = ctx.saved_tensors
        return a * c - b * s


# %% answer="SinCos" style="addcmul for the whole gradient"
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        out = h.sin(), h.cos()
        ctx.save_for_backward(*out)
        return out

    @staticmethod
    def backward(ctx, a, b):
        s, c = ctx.saved_tensors
        return mg.addcmul(a * c, b, s, value=-1)


# %% answer="SinCos" style="addcdiv, by ones"
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        out = h.sin(), h.cos()
        ctx.save_for_backward(*out)
        return out

    @staticmethod
    def backward(ctx, a, b):
        s, c = ctx.saved_tensors
        return mg.addcdiv(a * c, b * s, -mg.ones_like(s))
