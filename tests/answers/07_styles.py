"""Lesson 07: right answers in other styles, written from the task cards alone."""


# %% answer="CubeOp" style="minimal: saves the input, one expression"
class CubeOp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        ctx.save_for_backward(h)
        return h * h * h

    @staticmethod
    def backward(ctx, grad):
        return 3 * ctx.saved_tensors[0] ** 2 * grad


# %% answer="CubeOp" style="PyTorch's second style, setup_context, with pow"
class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    @staticmethod
    def forward(h):
        return h.pow(3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (h,) = inputs
        ctx.save_for_backward(h)

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        return grad.mul(h.square().mul(3))


# %% answer="CubeOp" style="saves the finished slope, so that a later write into h does no harm"
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


# %% answer="CubeOp" style="explicit beginner: needs_input_grad, in place on own temporaries"
class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    @staticmethod
    def forward(ctx, h):
        (h_wants_gradient,) = ctx.needs_input_grad
        if h_wants_gradient:
            ctx.save_for_backward(h)
        cube = h * h
        cube.mul_(h)
        return cube

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        slope = h * h
        slope.mul_(3)
        slope.mul_(grad)
        return slope


# %% answer="CubeOp" style="saves the result and takes the root (3 |y| to the two thirds)"
class CubeOp(mg.autograd.Function):
    """The third power of a tensor, elementwise; its slope is 3 * h * h."""

    @staticmethod
    def forward(ctx, h):
        y = h * h * h
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        # h has the sign of y, and h * h has no sign: abs(y) ** (2 / 3) is h * h
        (y,) = ctx.saved_tensors
        h_squared = y.abs() ** (2 / 3)
        return grad * 3 * h_squared


# %% answer="SinCos" style="minimal"
class SinCos(mg.autograd.Function):
    @staticmethod
    def forward(ctx, h):
        both = h.sin(), h.cos()
        ctx.save_for_backward(*both)
        return both

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        sin, cos = ctx.saved_tensors
        return for_sin * cos - for_cos * sin


# %% answer="SinCos" style="no zeros made: set_materialize_grads(False) and two ifs"
class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        ctx.set_materialize_grads(False)
        s = h.sin()
        c = h.cos()
        ctx.save_for_backward(s, c)
        return s, c

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        s, c = ctx.saved_tensors
        grad = None
        if for_sin is not None:
            grad = for_sin * c
        if for_cos is not None:
            part = for_cos * s
            grad = -part if grad is None else grad - part
        return grad


# %% answer="SinCos" style="setup_context, named functions instead of operators"
class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(h):
        return mg.sin(h), mg.cos(h)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        sine, cosine = ctx.saved_tensors
        return mg.sub(mg.mul(for_sin, cosine), mg.mul(for_cos, sine))


# %% answer="SinCos" style="explicit beginner: everything has a name, in-place on its own result"
class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        sine_of_h = h.sin()
        cosine_of_h = h.cos()
        ctx.save_for_backward(sine_of_h, cosine_of_h)
        return sine_of_h, cosine_of_h

    @staticmethod
    def backward(ctx, for_sin, for_cos):
        sine_of_h, cosine_of_h = ctx.saved_tensors
        slope_of_sine = cosine_of_h
        slope_of_cosine = -sine_of_h
        grad_h = for_sin * slope_of_sine
        grad_h += for_cos * slope_of_cosine
        return grad_h


# %% answer="SinCos" style="saves only if a gradient is wanted, a sum over pairs"
class SinCos(mg.autograd.Function):
    """(h.sin(), h.cos()), as one node."""

    @staticmethod
    def forward(ctx, h):
        results = (h.sin(), h.cos())
        if any(ctx.needs_input_grad):
            ctx.save_for_backward(*results)
        return results

    @staticmethod
    def backward(ctx, *grads):
        sin, cos = ctx.saved_tensors
        slopes = [cos, sin.neg()]
        return sum(g * slope for g, slope in zip(grads, slopes, strict=True))


# %% answer="trustworthy" style="a helper for each demand, bytes and a weak reference"
def _gradients_are_right(op):
    point = mg.tensor([0.4, 1.3, -0.4, -1.3], dtype=mg.float64, requires_grad=True)
    return mg.autograd.gradcheck(op, (point,), raise_exception=False)


def _lets_go_after_backward(op):
    leaf = mg.full((8, 8), 0.5, requires_grad=True)
    leaf.grad = mg.zeros(8, 8)
    start = mg.memory_allocated()
    loss = op(leaf + 0.25).sum()
    loss.backward()
    return mg.memory_allocated() - start == loss.nbytes


def _goes_with_its_name(op):
    leaf = mg.full((8, 8), 0.5, requires_grad=True)
    y = op(leaf + 0.25)
    watch = weakref.ref(y)
    del y
    return watch() is None


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        return (
            bool(_gradients_are_right(op))
            and _lets_go_after_backward(op)
            and _goes_with_its_name(op)
        )
    except Exception:
        return False
    finally:
        if was_on:
            gc.enable()


# %% answer="trustworthy" style="one straight function, two gradchecks, bytes for all"
def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    gc.disable()
    try:
        for values in ([0.5, 1.0, 2.5], [-0.5, -1.0, -2.5]):
            h = mg.tensor(values, dtype=mg.float64, requires_grad=True)
            mg.autograd.gradcheck(op, (h,))
            del h

        w = mg.ones(16, 16, requires_grad=True)
        w.grad = mg.zeros(16, 16)
        before = mg.memory_allocated()

        loss = op(w * 2.0).sum()
        loss.backward()
        if mg.memory_allocated() != before + loss.nbytes:
            return False
        del loss

        y = op(w * 2.0)
        del y
        return mg.memory_allocated() == before
    except Exception:
        return False
    finally:
        gc.enable()


# %% answer="trustworthy" style="a class with tests, a context manager for the collector"
import contextlib


@contextlib.contextmanager
def without_collector():
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
        gc.collect()


class OpTest:
    def __init__(self, op):
        self.op = op

    def input(self, sign):
        leaf = (mg.arange(1.0, 13.0).view(3, 4) / 5 * sign).detach().requires_grad_()
        leaf.grad = mg.zeros(3, 4)
        return leaf

    def test_slopes(self, sign):
        point = self.input(sign).detach().double().requires_grad_()
        return mg.autograd.gradcheck(self.op, (point,), raise_exception=False)

    def test_release(self, sign):
        leaf = self.input(sign)
        middle = leaf.clone()
        start = mg.memory_allocated() - middle.nbytes
        out = self.op(middle)
        watches = [weakref.ref(middle), weakref.ref(out)]
        loss = (out * 1.0).mean()
        del middle, out
        loss.backward()
        gone = all(watch() is None for watch in watches)
        return gone and mg.memory_allocated() - start == loss.nbytes

    def test_no_ring(self, sign):
        leaf = self.input(sign)
        start = mg.memory_allocated()
        out = self.op(leaf.clone())
        watch = weakref.ref(out)
        out = None
        return watch() is None and mg.memory_allocated() == start

    def passes(self):
        tests = [self.test_slopes, self.test_release, self.test_no_ring]
        return all(test(sign) for test in tests for sign in (1.0, -1.0))


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    with without_collector():
        try:
            return OpTest(op).passes()
        except Exception:
            return False


# %% answer="trustworthy" style="asks in the other order, loss by autograd.grad, asserts inside"
def _examine(op):
    # 3. a result in no backward
    leaf = mg.tensor([[1.0, -2.0], [3.0, -4.0]], requires_grad=True)
    empty = mg.memory_allocated()
    result = op(leaf * 1.0)
    name = weakref.ref(result)
    del result
    assert name() is None
    assert mg.memory_allocated() == empty

    # 2. after a backward
    h = leaf * 1.0
    loss = op(h).sum()
    mg.autograd.grad(loss, [h])
    del h
    assert mg.memory_allocated() == empty + loss.nbytes
    del loss

    # 1. the numbers
    for point in (leaf.detach().double(), -leaf.detach().double()):
        assert mg.autograd.gradcheck(op, (point.requires_grad_(),))


def trustworthy(op):
    """True if the op has right gradients, lets go after backward, and makes no ring."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        _examine(op)
    except Exception:
        return False
    else:
        return True
    finally:
        if enabled:
            gc.enable()
