"""Lesson 07: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="held_by_op" wrong="is there once"
# what is saved twice costs twice
def held_by_op(keeps, rows, columns):
    u = rows * columns * 4
    kept = sum(keep != "ctx.shape" for keep in keeps)
    attributes = sum(keep in ("ctx.h", "ctx.y") for keep in keeps)
    return [kept * u + 4, attributes * u + 4, attributes * u if "ctx.y" in keeps else 0]


# %% answer="held_by_op" wrong="which of these arrows does the node let go?"
# backward frees the graph, attributes too
def held_by_op(keeps, rows, columns):
    u = rows * columns * 4
    kept = {keep[-1] for keep in keeps if keep != "ctx.shape"}
    return [len(kept) * u + 4, 4, 0]


# %% answer="held_by_op" wrong="does anything still lead to the node?"
# with the last name everything goes
def held_by_op(keeps, rows, columns):
    u = rows * columns * 4
    kept = {keep[-1] for keep in keeps if keep != "ctx.shape"}
    attributes = sum(keep in ("ctx.h", "ctx.y") for keep in keeps)
    return [len(kept) * u + 4, attributes * u + 4, 0]


# %% answer="held_by_op" wrong="What hangs on it then?"
# the ring keeps its own tensor, and only that
def held_by_op(keeps, rows, columns):
    u = rows * columns * 4
    kept = {keep[-1] for keep in keeps if keep != "ctx.shape"}
    attributes = sum(keep in ("ctx.h", "ctx.y") for keep in keeps)
    return [len(kept) * u + 4, attributes * u + 4, u if "ctx.y" in keeps else 0]


# %% answer="held_by_op" style="sets of what is held"
def held_by_op(keeps, rows, columns):
    saved = {keep[5:] for keep in keeps if keep.startswith("save")}
    attributes = {keep[4:] for keep in keeps if keep.startswith("ctx")} & {"h", "y"}
    end = attributes if "y" in attributes else set()
    size = 4 * rows * columns
    return len(saved | attributes) * size + 4, len(attributes) * size + 4, len(end) * size


# %% answer="held_by_op" style="one tensor after the other"
def held_by_op(keeps, rows, columns):
    alive = [4, 4, 0]
    for name in ("h", "y"):
        lasting = f"ctx.{name}" in keeps
        for line, held in enumerate((lasting or f"save {name}" in keeps, lasting,
                                     lasting and "ctx.y" in keeps)):  # fmt: skip
            alive[line] += held and rows * columns * 4
    return alive


# %% answer="held_by_op" spare="3 of 4"
def held_by_op(keeps, rows, columns):
    u = mg.ones(rows, columns).nbytes
    kept = {keep[-1] for keep in keeps if keep != "ctx.shape"}
    attributes = sum(keep in ("ctx.h", "ctx.y") for keep in keeps)
    return [len(kept) * u + 4, attributes * u + 4, attributes * u if "ctx.y" in keeps else 0]


# %% answer="held_by_op" proof=true
import gc


def held_by_op(keeps, rows, columns):
    class Op(mg.autograd.Function):
        @staticmethod
        def forward(ctx, h):
            y = h * 2
            ctx.save_for_backward(*[{"h": h, "y": y}[k[5:]] for k in keeps if k[:4] == "save"])
            for keep in keeps:
                if keep[:3] == "ctx":
                    setattr(ctx, keep[4:], {"h": h, "y": y, "shape": h.shape}[keep[4:]])
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    gc.collect()
    gc.disable()
    leaf = mg.ones(rows, columns, requires_grad=True)
    leaf.grad = mg.zeros(rows, columns)
    start = mg.memory_allocated()
    loss = Op.apply(leaf + 1.0).sum()
    alive = [mg.memory_allocated() - start]
    loss.backward()
    alive.append(mg.memory_allocated() - start)
    del loss
    alive.append(mg.memory_allocated() - start)
    gc.enable()
    return alive


# %% answer="CubeOp" wrong="be one node"
class CubeOp:
    """No op: the operations inside record a graph of their own."""

    @staticmethod
    def apply(h):
        return h * h * h


# %% answer="CubeOp" wrong="What does backward free?"
# only the result makes a ring, so only that must go
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.h = h
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        return grad * 3 * ctx.h * ctx.h


# %% answer="CubeOp" wrong="What points back?"
# deleted in backward, as RevTorch did
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        ctx.y = h * h * h
        return ctx.y

    @staticmethod
    def backward(ctx, grad):
        del ctx.y
        (h,) = ctx.saved_tensors
        return grad * 3 * h * h


# %% answer="CubeOp" wrong="Dividing by `h` gives no number there"
# both through save_for_backward: no leak, and 0 / 0
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        y = h * h * h
        ctx.save_for_backward(h, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        h, y = ctx.saved_tensors
        return grad * 3 * y / h


# %% answer="CubeOp" wrong="notes its version?"
# a detached copy of the arrow, deleted by hand
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.h = h.detach()
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        h = ctx.h
        del ctx.h
        return grad * 3 * h * h


# %% answer="CubeOp" style="the square first"
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h**3

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_tensors[0] ** 2 * grad * 3.0


# %% answer="CubeOp" style="a square that nobody else has"
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        square = h * h
        ctx.save_for_backward(square)
        return square * h

    @staticmethod
    def backward(ctx, grad):
        (square,) = ctx.saved_tensors
        return 3 * grad * square


# %% answer="CubeOp" style="the second way to write a Function"
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(h):
        return h * h * h

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        return 3 * h * h * grad


# %% answer="CubeOp" spare="7 of 8"
# the slope, ready-made, beside the input that it came from
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h, 3 * h * h)
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[1]


# %% answer="SinCos" wrong="Which tensor could backward do without?"
# backward needs the input
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h.sin(), h.cos()

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        (h,) = ctx.saved_tensors
        return for_sin * h.cos() - for_cos * h.sin()


# %% answer="SinCos" wrong="The slope of the cosine has a minus sign"
# the sign of the cosine's slope
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        sin, cos = h.sin(), h.cos()
        ctx.save_for_backward(sin, cos)
        return sin, cos

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        sin, cos = ctx.saved_tensors
        return for_sin * cos + for_cos * sin


# %% answer="SinCos" wrong="A root knows no signs"
# one result is enough: the other follows from sin^2 + cos^2 = 1
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        sin = h.sin()
        ctx.save_for_backward(sin)
        return sin, h.cos()

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        (sin,) = ctx.saved_tensors
        return for_sin * (1 - sin * sin).sqrt() - for_cos * sin


# %% answer="SinCos" wrong="a result kept as one closes a ring"
# results as attributes
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.sin, ctx.cos = h.sin(), h.cos()
        return ctx.sin, ctx.cos

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        return for_sin * ctx.cos - for_cos * ctx.sin


# %% answer="SinCos" wrong="returns one for each argument"
# one gradient for each result
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        sin, cos = h.sin(), h.cos()
        ctx.save_for_backward(sin, cos)
        return sin, cos

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        sin, cos = ctx.saved_tensors
        return for_sin * cos, -for_cos * sin


# %% answer="SinCos" style="the results' own names last"
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        results = h.sin(), h.cos()
        ctx.save_for_backward(*results)
        return results

    @staticmethod
    def backward(ctx, *gradients):
        sine, cosine = ctx.saved_tensors
        return gradients[0].mul(cosine).sub(gradients[1].mul(sine))


# %% answer="SinCos" style="gradients that may be None"
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(h):
        return mg.sin(h), mg.cos(h)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        sin, cos = ctx.saved_tensors
        if for_sin is None or for_cos is None:
            return for_sin * cos if for_cos is None else -for_cos * sin
        return for_sin * cos - for_cos * sin


# %% answer="SinCos" spare="7 of 8"
# copies of the input that go at once
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        one, two = h.clone(), h.clone()
        sin, cos = one.sin(), two.cos()
        ctx.save_for_backward(sin, cos)
        return sin, cos

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        sin, cos = ctx.saved_tensors
        return for_sin * cos - for_cos * sin


# %% answer="trustworthy" wrong="Does it try several numbers, of both signs"
# one point is enough
def trustworthy(op):
    def count(use):
        leaf = mg.ones(8, requires_grad=True)
        leaf.grad = mg.zeros(8)
        before = mg.memory_allocated()
        y = op(leaf + 1.0)
        if use:
            y.sum().backward()
        watch = weakref.ref(y)
        gc.disable()
        del y
        gc.enable()
        return mg.memory_allocated() == before and watch() is None

    def leak():
        leaf = mg.ones(8, requires_grad=True)
        leaf.grad = mg.zeros(8)
        before = mg.memory_allocated()
        loss = op(leaf + 1.0).sum()
        loss.backward()
        return mg.memory_allocated() - before == 4

    try:
        point = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
        return mg.autograd.gradcheck(op, (point,)) and count(False) and leak()
    except Exception:
        return False


# %% answer="trustworthy" wrong="count after backward"
# right gradients are all one needs (gradcheck is the test)
def trustworthy(op):
    try:
        point = mg.tensor([0.5, -1.0, 2.0], dtype=mg.float64, requires_grad=True)
        return mg.autograd.gradcheck(op, (point,), raise_exception=False)
    except Exception:
        return False


# %% answer="trustworthy" wrong="count after backward"
# a leak shows after `del loss`
def trustworthy(op):
    point = mg.tensor([0.5, -1.0, 2.0], dtype=mg.float64, requires_grad=True)
    leaf = mg.ones(8, requires_grad=True)
    leaf.grad = mg.zeros(8)
    gc.disable()
    before = mg.memory_allocated()
    try:
        op(leaf + 1.0).sum().backward()
        unused = op(leaf + 1.0)
        del unused
        clean = mg.memory_allocated() == before
        return clean and mg.autograd.gradcheck(op, (point,), raise_exception=False)
    except Exception:
        return False
    finally:
        gc.enable()


# %% answer="trustworthy" wrong="count after backward"
# the input has a name in the test itself, so that it cannot be seen to leak
def trustworthy(op):
    point = mg.tensor([0.5, -1.0, 2.0], dtype=mg.float64, requires_grad=True)
    try:
        if not mg.autograd.gradcheck(op, (point,), raise_exception=False):
            return False
        leaf = mg.ones(8, requires_grad=True)
        leaf.grad = mg.zeros(8)
        h = leaf + 1.0
        before = mg.memory_allocated()
        loss = op(h).sum()
        loss.backward()
        return mg.memory_allocated() - before == loss.nbytes
    except Exception:
        return False


# %% answer="trustworthy" wrong="ask a weak reference"
# the collector cleans up, so let it come first
def trustworthy(op):
    point = mg.tensor([0.5, -1.0, 2.0], dtype=mg.float64, requires_grad=True)
    try:
        if not mg.autograd.gradcheck(op, (point,), raise_exception=False):
            return False
        leaf = mg.ones(8, requires_grad=True)
        leaf.grad = mg.zeros(8)
        gc.collect()
        before = mg.memory_allocated()
        loss = op(leaf + 1.0).sum()
        loss.backward()
        held = mg.memory_allocated() - before
        watch = weakref.ref(op(leaf))
        gc.collect()
        return held <= loss.nbytes and watch() is None
    except Exception:
        return False


# %% answer="trustworthy" wrong="Your test itself raised an error"
# an error tells enough
def trustworthy(op):
    point = mg.tensor([0.5, -1.0, 2.0], dtype=mg.float64, requires_grad=True)
    mg.autograd.gradcheck(op, (point,))
    return True


# %% answer="trustworthy" wrong="Your test refuses"
# everything must be gone, the loss that the test holds as well
def trustworthy(op):
    point = mg.tensor([0.5, -1.0, 2.0], dtype=mg.float64, requires_grad=True)
    try:
        leaf = mg.ones(8, requires_grad=True)
        before = mg.memory_allocated()
        loss = op(leaf + 1.0).sum()
        loss.backward()
        clean = mg.memory_allocated() == before
        return clean and mg.autograd.gradcheck(op, (point,), raise_exception=False)
    except Exception:
        return False


# %% answer="trustworthy" style="weak references to the input and the result"
def trustworthy(op):
    gc.disable()
    try:
        point = mg.tensor([[0.3, -0.7], [1.5, -2.0]], dtype=mg.float64, requires_grad=True)
        if not mg.autograd.gradcheck(op, point, raise_exception=False):
            return False
        h = mg.ones(4, requires_grad=True) * 1.5
        y = op(h)
        loss, watched = y.sum(), [weakref.ref(h), weakref.ref(y)]
        del h, y
        loss.backward()
        if any(watch() is not None for watch in watched):
            return False
        unused = weakref.ref(op(mg.ones(4, requires_grad=True) * 1.5))
        return unused() is None
    except Exception:
        return False
    finally:
        gc.enable()


# %% answer="trustworthy" style="slopes by hand, bytes for the rest"
def slopes_fit(op):
    for at in (0.7, -0.7, 1.3, -1.3):
        h = mg.tensor([at, at], dtype=mg.float64, requires_grad=True)
        (op(h) * mg.tensor([1.0, 3.0], dtype=mg.float64)).sum().backward()
        above = op(mg.tensor([at + 1e-5], dtype=mg.float64)).item()
        below = op(mg.tensor([at - 1e-5], dtype=mg.float64)).item()
        slope = (above - below) / 2e-5
        if abs(h.grad[0].item() - slope) > 1e-4 or abs(h.grad[1].item() - 3 * slope) > 1e-4:
            return False
    return True


def bytes_held(op, backward):
    leaf = mg.full((100,), 0.5, requires_grad=True)
    leaf.grad = mg.zeros(100)
    start = mg.memory_allocated()
    loss = op(leaf * 2).sum()
    if backward:
        loss.backward()
        return mg.memory_allocated() - start - 4
    del loss
    return mg.memory_allocated() - start


def trustworthy(op):
    before = gc.isenabled()
    gc.disable()
    try:
        return slopes_fit(op) and bytes_held(op, True) == 0 and bytes_held(op, False) == 0
    except Exception as error:
        return not error
    finally:
        if before:
            gc.enable()


# %% answer="trustworthy" spare="5 of 6"
# keeps its measurements
seen = []


def trustworthy(op):
    gc.disable()
    try:
        point = mg.tensor([0.3, -0.7, 1.5, -2.0], dtype=mg.float64, requires_grad=True)
        seen.append(point)
        if not mg.autograd.gradcheck(op, point, raise_exception=False):
            return False
        h = mg.ones(4, requires_grad=True) * 1.5
        y = op(h)
        loss, watched = y.sum(), [weakref.ref(h), weakref.ref(y)]
        del h, y
        loss.backward()
        if any(watch() is not None for watch in watched):
            return False
        return weakref.ref(op(mg.ones(4, requires_grad=True) * 1.5))() is None
    except Exception:
        return False
    finally:
        gc.enable()


# %% answer="CubeOp" wrong="What comes in is to be multiplied by it"
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        return 3 * h * h


# %% answer="CubeOp" wrong="Backward gives no gradient for h"
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        grad * 3 * h * h


# %% answer="CubeOp" wrong="The result is right, the gradient is not"
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        return grad * 3 * h
