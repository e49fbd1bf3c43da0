"""What one can do with a tensor, one line each. The rules stand in `ops/`."""

from __future__ import annotations

from collections import namedtuple
from operator import iadd, imul, isub, itruediv

import numpy as np

from minigrad.core import backend, messages
from minigrad.core.record import binary, inplace, nary, operands, unary, view
from minigrad.core.shapes import axes, axis, sizes
from minigrad.core.variable import Variable, recording
from minigrad.ops import arithmetic as ar
from minigrad.ops import elementwise as el
from minigrad.ops import inplace as ip
from minigrad.ops import reduce as red
from minigrad.ops import shape as sh
from minigrad.ops import views
from minigrad.ops.indexing import get_item, set_item
from minigrad.ops.matmul import matmul, mm

# The type names are PyTorch's.
Largest = namedtuple("max", "values indices")  # type: ignore[name-match]
Smallest = namedtuple("min", "values indices")  # type: ignore[name-match]


def power(x, y):
    """x ** y: three rules, by which of the two is a tensor."""
    if isinstance(y, Variable):
        return power_of_tensor(x, y)
    if isinstance(y, int) and y < 0 and x._array.dtype.kind == "i":
        raise RuntimeError(messages.INTEGER_POWER)
    return unary(ar.PowBackward0, x, y)


power_of_tensor = binary(ar.PowBackward1)


def total(x, dim=None, keepdim=False):
    """The sum of all elements, or along `dim`."""
    if dim is None:
        return unary(red.SumBackward0, x)
    return unary(red.SumBackward1, x, axes(x, dim), keepdim)


def average(x, dim=None, keepdim=False):
    """The mean of all elements, or along `dim`."""
    if x._array.dtype.kind != "f":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {x.dtype.scalar_type}"
        )
    if dim is None:
        return unary(red.MeanBackward0, x)
    return unary(red.MeanBackward1, x, axes(x, dim), keepdim)


def softmax_of(op, x, dim):
    """softmax and log_softmax, which exist for floats only."""
    if x._array.dtype.kind != "f":
        name = x.dtype.scalar_type
        raise NotImplementedError(f"\"softmax_lastdim_kernel_impl\" not implemented for '{name}'")
    return unary(op, x, axis(x, dim))


def extremum(x, dim, keepdim, whole, along, arg, result):
    """max() and min(): the value of all, or (values, indices) along `dim`."""
    if dim is None:
        if not x._array.size:
            raise RuntimeError(messages.EMPTY_EXTREMUM.format(result.__name__))
        return unary(whole, x)
    if isinstance(dim, Variable):
        return (x.maximum if arg is np.argmax else x.minimum)(dim)
    dim = axis(x, dim)
    indices = x._new(backend.as_array(arg(x._array, dim, keepdims=keepdim)))
    return result(nary(along, (x,), dim, keepdim, extras=(indices,)), indices)


def arg_extremum(x, arg, dim, keepdim):
    """The index of the largest or smallest element; an integer has no gradient."""
    along = {} if dim is None else {"axis": axis(x, dim), "keepdims": keepdim}
    return x._new(backend.as_array(arg(x._array, **along)))


def truth(x, function, dim, keepdim):
    """all() and any(): a bool, but of uint8 a uint8, as PyTorch has it."""
    along = None if dim is None else axes(x, dim)[: x._array.ndim]  # a 0-d tensor has none
    out = x._new(backend.as_array(function(x._array, along, keepdims=keepdim)))
    return convert(out, x.dtype) if x._array.dtype == np.uint8 else out


def compare(function):
    """An operation without a gradient."""

    def method(x, y):
        if not isinstance(y, (Variable, int, float)):
            return NotImplemented
        a, b = operands(el, x, y)
        try:
            return x._new(backend.as_array(function(a, b)))
        except ValueError:
            raise messages.broadcast_error(a.shape, b.shape) from None

    return method


def whole(function):
    """An operation on numbers that has no gradient here: an error if one would be wanted."""

    def method(x, y):
        tensors = [t for t in (x, y) if isinstance(t, Variable)]
        if recording(tensors):
            raise NotImplementedError(
                f"minigrad has no gradient of {function.__name__}; detach() the tensors first"
            )
        return x._new(backend.as_array(function(*operands(el, x, y))))

    return method


def convert(x, dtype):
    """`x` in another dtype; integers have no gradient."""
    if dtype.numpy == x._array.dtype:
        return x
    out = unary(el.ToCopyBackward0, x, dtype.numpy, None, None)
    return out if dtype.is_floating_point else out.detach()


def move(x, to):
    """`x` on another device; the gradient comes back the same way."""
    here = x.device
    return x if here.type == to.type else unary(el.ToCopyBackward0, x, x._array.dtype, to, here)


def copied(x, other):
    """x.copy_(other): also from another device."""
    other = move(other, x.device)
    return inplace(ip.CopyBackwards, x, lambda array: other._array, other)


def overwrite_with(op, x, y, into):
    """x = op(x, y) in place; `into` does the same without a temporary, where the shapes allow."""
    a, b = operands(op, x, y)
    if a is x._array and a.dtype.kind == "f" and (b is y or b.shape in (a.shape, ())):
        return inplace(op, x, lambda array: into(array, b), y)
    return inplace(op, x, lambda _: op.forward(a, b), y)


def alike(x, y) -> bool:
    """True for tensors of one shape, dtype and device that share no byte."""
    a, b = x._array, y._array
    same = a.__class__ is b.__class__ and a.shape == b.shape and a.dtype == b.dtype
    return same and x._storage.array is not y._storage.array


def overwrite_with_scaled(op, x, y, alpha, into):
    """x = op(x, alpha * y) in place; without a graph in blocks, as PyTorch needs no alpha * y."""
    if alpha == 1:
        return overwrite_with(op, x, y, into)
    if not isinstance(y, Variable) or recording((x, y)) or not alike(x, y):
        return overwrite_with(op, x, y * alpha, into)

    def compute(array):
        for part, other in backend.blocks(array, y._array):
            into(part, alpha * other)
        return array

    return inplace(op, x, compute, y)


class Operators(Variable):
    """The mathematics of a tensor: the numbers come from `ops/`, the node is PyTorch's."""

    __add__ = __radd__ = add = binary(ar.AddBackward0)
    __sub__ = sub = binary(ar.SubBackward0)
    __mul__ = __rmul__ = mul = binary(ar.MulBackward0)
    __truediv__ = div = binary(ar.DivBackward0)
    maximum, minimum = binary(ar.MaximumBackward0), binary(ar.MinimumBackward0)

    # fmt: off
    def __pow__(x, y):       return power(x, y)
    def __matmul__(x, y):    return matmul(x, y)
    def __rsub__(x, y):      return unary(ar.RsubBackward1, x, y, 1)
    def __rtruediv__(x, y):  return x.reciprocal() * y
    def __rpow__(x, y):      return unary(ar.PowBackward2, x, y)
    def __neg__(x):          return unary(el.NegBackward0, x)
    def __abs__(x):          return unary(el.AbsBackward0, x)
    def __invert__(x):       return x._new(backend.as_array(~x._array))

    __floordiv__, __mod__ = whole(np.floor_divide), whole(np.mod)
    __and__, __or__ = whole(np.logical_and), whole(np.logical_or)

    matmul, neg, abs, pow = __matmul__, __neg__, __abs__, __pow__

    __eq__ = eq = compare(np.equal)
    __ne__ = ne = compare(np.not_equal)
    __lt__ = lt = compare(np.less)
    __le__ = le = compare(np.less_equal)
    __gt__ = gt = compare(np.greater)
    __ge__ = ge = compare(np.greater_equal)
    __hash__ = object.__hash__

    def exp(x):              return unary(el.ExpBackward0, x)
    def log(x):              return unary(el.LogBackward0, x)
    def sqrt(x):             return unary(el.SqrtBackward0, x)
    def tanh(x):             return unary(el.TanhBackward0, x)
    def sigmoid(x):          return unary(el.SigmoidBackward0, x)
    def relu(x):             return unary(el.ReluBackward0, x)
    def sin(x):              return unary(el.SinBackward0, x)
    def cos(x):              return unary(el.CosBackward0, x)
    def square(x):           return unary(ar.PowBackward0, x, 2)
    def reciprocal(x):       return unary(el.ReciprocalBackward0, x)
    def clone(x):            return unary(el.CloneBackward0, x, "K")
    def clamp(x, min=None, max=None): return unary(el.ClampBackward1, x, min, max)
    def mm(x, y):            return mm(x, y)

    def sum(x, dim=None, keepdim=False, dtype=None):
        return total(x if dtype is None else convert(x, dtype), dim, keepdim)
    def mean(x, dim=None, keepdim=False): return average(x, dim, keepdim)
    def max(x, dim=None, keepdim=False):
        return extremum(x, dim, keepdim, red.MaxBackward1, red.MaxBackward0, np.argmax, Largest)
    def min(x, dim=None, keepdim=False):
        return extremum(x, dim, keepdim, red.MinBackward1, red.MinBackward0, np.argmin, Smallest)
    def argmax(x, dim=None, keepdim=False): return arg_extremum(x, np.argmax, dim, keepdim)
    def argmin(x, dim=None, keepdim=False): return arg_extremum(x, np.argmin, dim, keepdim)
    def all(x, dim=None, keepdim=False): return truth(x, np.all, dim, keepdim)
    def any(x, dim=None, keepdim=False): return truth(x, np.any, dim, keepdim)
    def softmax(x, dim):     return softmax_of(red.SoftmaxBackward0, x, dim)
    def log_softmax(x, dim): return softmax_of(red.LogSoftmaxBackward0, x, dim)
    def cumsum(x, dim):      return unary(red.CumsumBackward0, x, axis(x, dim))

    def view(x, *shape):     return views.as_shape(x, sizes(shape))
    def view_as(x, other):   return views.as_shape(x, other._array.shape)
    def reshape(x, *shape):  return views.reshape(x, sizes(shape))
    def flatten(x, start_dim=0, end_dim=-1): return views.flatten(x, start_dim, end_dim)
    def squeeze(x, dim=None): return views.squeeze(x, dim)
    def unsqueeze(x, dim):   return view(sh.UnsqueezeBackward0, x, axis(x, dim, extra=1))
    def t(x):                return views.t(x)
    def transpose(x, dim0, dim1): return views.transpose(x, dim0, dim1)
    def permute(x, *dims):   return views.permute(x, sizes(dims))
    def expand(x, *shape):   return views.expand(x, sizes(shape))
    def expand_as(x, other): return views.expand(x, other._array.shape)
    def select(x, dim, index): return views.select(x, dim, index)
    def narrow(x, dim, start, length): return views.narrow(x, dim, start, length)
    def split(x, split_size, dim=0): return views.split(x, split_size, dim)
    def chunk(x, chunks, dim=0): return views.chunk(x, chunks, dim)
    def unbind(x, dim=0):    return views.unbind(x, dim)
    def __getitem__(x, index): return get_item(x, index)
    def __setitem__(x, index, value): set_item(x, index, value)
    def __iter__(x):         return views.iterate(x)

    def add_(x, y, alpha=1): return overwrite_with_scaled(ar.AddBackward0, x, y, alpha, iadd)
    def sub_(x, y, alpha=1): return overwrite_with_scaled(ar.SubBackward0, x, y, alpha, isub)
    def mul_(x, y):          return overwrite_with(ar.MulBackward0, x, y, imul)
    def div_(x, y):          return overwrite_with(ar.DivBackward0, x, y, itruediv)
    def neg_(x):             return inplace(el.NegBackward0, x, el.NegBackward0.forward)
    def exp_(x):             return inplace(el.ExpBackward0, x, el.ExpBackward0.forward)
    def relu_(x):            return inplace(el.ReluBackward0, x, el.ReluBackward0.forward)
    def tanh_(x):            return inplace(el.TanhBackward0, x, el.TanhBackward0.forward)
    def zero_(x):            return inplace(ip.ZeroBackward0, x, lambda array: 0)
    def fill_(x, value):     return inplace(ip.FillBackward2, x, lambda array: value)
    def copy_(x, other):     return copied(x, other)
    __iadd__, __isub__, __imul__, __itruediv__ = add_, sub_, mul_, div_
    # fmt: on

    T = property(lambda x: views.permute(x, tuple(range(x._array.ndim))[::-1]))

    def contiguous(x):
        """`x` itself if its elements lie in order, else a copy."""
        return x if x._array.flags.c_contiguous else unary(el.CloneBackward0, x, "C")
