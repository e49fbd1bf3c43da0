"""More random numbers, all made of uniform ones, so that each device's one generator says which.

What is drawn has no gradient: the node of a tensor that was overwritten by it gives back zeros.
"""

from __future__ import annotations

import numpy as np

from minigrad.core import backend
from minigrad.core.dtypes import bool_, int64
from minigrad.core.inplace import apply_inplace
from minigrad.core.op import Op
from minigrad.core.stand_ins import through
from minigrad.core.tensor import Tensor, attach, wrap
from minigrad.core.words import wrong_kind
from minigrad.ops import generator as source
from minigrad.ops import messages, reading
from minigrad.ops.checks import check_single
from minigrad.ops.creation import checked, empty
from minigrad.ops.shapes import standing_for, whole_like


class UniformBackward0(Op):
    """uniform_() saves nothing."""

    def backward(node, grad):
        return np.zeros_like(grad)


class NormalBackward0(UniformBackward0):
    """normal_() saves nothing."""


class BernoulliBackward2(UniformBackward0):
    """bernoulli_(p) saves nothing."""


class BernoulliBackward0(UniformBackward0):
    """bernoulli() saves nothing."""

    argument_names, exact = ("",), True

    @staticmethod
    def forward(x, own):
        return (drawn("random", x, own) < x).astype(x.dtype)


def drawn(name, like, own):
    """Random numbers of the shape, dtype and device of an array."""
    wide = like.dtype if like.dtype in (np.float32, np.float64) else np.dtype(np.float32)
    numbers = source.drawn(name, like.shape, wide, backend.device_of(like), own)
    return numbers.astype(like.dtype, copy=False)


def uniform(shape, beside, own):
    """Uniform numbers of 53 bits, where an array lies."""
    return source.drawn("random", shape, np.dtype(np.float64), backend.device_of(beside), own)


# -- in place --


def drawn_over(op, x, compute):
    """Overwrite `x` with compute(its array)."""
    check_single(x._array)
    return apply_inplace(op, x, compute)


def _floating(x, name) -> None:
    if x._array.dtype.kind != "f":
        raise NotImplementedError(f"\"{name}\" not implemented for '{x.dtype.scalar_type}'")


def _real(name, value) -> float:
    if hasattr(value, "__float__"):
        return float(value)
    raise wrong_kind(name, "float", value)


def uniform_(x, from_=0.0, to=1.0, *, generator=None, **bounds):
    """Overwrite with uniform numbers from `from` up to `to`."""
    low, to = _real("from", bounds.get("from", from_)), _real("to", to)  # a keyword of Python's
    _check_uniform(x, low, to)

    def compute(a):
        return drawn("random", a, generator) * (to - low) + low

    return drawn_over(UniformBackward0, x, compute)


def _check_uniform(x, low, to) -> None:
    _floating(x, "check_uniform_bounds")
    largest = np.finfo(x._array.dtype).max
    for name, bound in (("from", low), ("to", to)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {x.dtype.c_name}")
    if low > to:
        raise RuntimeError(messages.UNIFORM_BOUNDS.format(low, to))


def normal_(x, mean=0.0, std=1.0, *, generator=None):
    """Overwrite with normal numbers."""
    mean, std = _real("mean", mean), _real("std", std)
    source.check_generator(generator)
    if not std >= 0:  # nor may it be nan
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if x._array.size:
        _floating(x, "normal_kernel_cpu")

    def compute(a):
        return drawn("standard_normal", a, generator) * std + mean if a.size else a

    return drawn_over(NormalBackward0, x, compute)


def bernoulli_(x, p=0.5, *, generator=None):
    """Overwrite with ones, with probability `p`, and zeros."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")

    def compute(a):
        return (uniform(a.shape, a, generator) < p).astype(a.dtype)

    return drawn_over(BernoulliBackward2, x, compute)


# -- new tensors --


def bernoulli(x, *, generator=None):
    """1 with the probability that stands there, else 0."""
    if x._array.size:
        _floating(x, "bernoulli_tensor_cpu_p_")
    through(_check_chances, x._array)
    return BernoulliBackward0.call(x, generator)


def _check_chances(numbers) -> None:
    if not ((numbers >= 0) & (numbers <= 1)).all():
        raise reading.seen(RuntimeError(messages.PROBABILITY))


def multinomial(x, num_samples, replacement=False, *, generator=None):
    """Indices drawn with these weights: of each row, or of the one."""
    weights = x._array
    _check_weights(x, num_samples, replacement)
    if replacement:
        edges = (weights / weights.sum(-1, keepdims=True)).cumsum(-1)[..., None, :-1]
        numbers = uniform((*weights.shape[:-1], num_samples), weights, generator)
        return x._new((numbers[..., None] >= edges).sum(-1))
    waits = -np.log(1 - uniform(weights.shape, weights, generator))  # the first to come
    return x._new(np.argsort(waits / weights, -1)[..., :num_samples].copy("C"))


def _check_weights(x, count, replacement) -> None:
    if x._array.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if x._array.dtype.kind != "f":
        raise RuntimeError(messages.WEIGHTS_OF_FLOATS.format(x.dtype.scalar_type))
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > x._array.shape[-1]:
        raise RuntimeError(messages.TOO_MANY_SAMPLES)
    through(_check_weighed, x._array)


def _check_weighed(weights) -> None:
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise reading.seen(RuntimeError(messages.WEIGHTS))
    if not (weights.sum(-1) > 0).all():
        raise reading.seen(RuntimeError(messages.NO_WEIGHTS))


def _bounds(low, high, size) -> tuple:
    """Both bounds and the size, where they may come as (high, size) or (low, high, size)."""
    if size is None and isinstance(high, (tuple, list)):
        low, high, size = 0, low, high
    low, high = (0, low) if high is None else (standing_for(low), standing_for(high))
    if not isinstance(size, (tuple, list)):
        raise wrong_kind("size", "tuple of ints", high if size is None else size)
    checked("randint", size)
    if low >= high:
        raise RuntimeError(messages.RANDOM_BOUNDS.format(low, high))
    return low, high, tuple(size)


def randint(
    low, high=None, size=None, *, generator=None, dtype=None, requires_grad=False, device=None
):
    """Whole numbers from `low`, or 0, up to `high`, which is not among them."""
    low, high, size = _bounds(low, high, size)
    numbers = source.drawn("random", size, np.dtype(np.float64), device, generator)
    whole = (numbers * (high - low)).astype(np.int64) + low
    return wrap(whole.astype((dtype or int64).numpy, copy=False), requires_grad)


def randperm(n, *, generator=None, dtype=None, requires_grad=False, device=None):
    """0 to n - 1 in random order."""
    n = whole_like(n, "n")
    if n < 0:
        raise RuntimeError(messages.NEGATIVE_LENGTH.format(n, [n]))
    if dtype is bool_:
        raise messages.not_implemented("randperm", bool_)
    order = np.argsort(source.drawn("random", (n,), np.dtype(np.float64), device, generator))
    return wrap(order.astype((dtype or int64).numpy, copy=False), requires_grad)


def normal(
    mean, std, size, *, generator=None, dtype=None, requires_grad=False, device=None
):  # fmt: skip
    """Normal numbers of one mean and one deviation."""
    if not isinstance(size, (tuple, list)):
        kind = type(size).__name__
        raise TypeError(f"normal() received an invalid combination of arguments: a size of {kind}")
    new = normal_(empty(size, dtype=dtype, device=device), mean, std, generator=generator)
    return wrap(new._array, requires_grad)


@attach
class Randoms(Tensor):
    """Methods of Tensor."""

    uniform_, normal_, bernoulli_ = uniform_, normal_, bernoulli_
    bernoulli, multinomial = bernoulli, multinomial
