"""More random numbers, all made of uniform ones, so that each device's one generator says which.

What is drawn has no gradient: the node of a tensor that was overwritten by it gives back zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core import backend
from minigrad.core.dtypes import float16
from minigrad.core.inplace import apply_inplace
from minigrad.core.op import Op
from minigrad.core.stand_ins import through
from minigrad.core.tensor import Tensor, attach, wrap
from minigrad.ops import generator as source
from minigrad.ops import messages, reading
from minigrad.ops.arithmetic import only_floats
from minigrad.ops.arranged import broadcast_tensors
from minigrad.ops.checks import check_single
from minigrad.ops.creation import empty
from minigrad.ops.numbers import a_float, converted
from minigrad.ops.remainders import not_derivable

EXPONENTIAL = (
    "Exponential distribution is a continuous probability distribution. dtype must be a floating "
    "point but you specified {}"
)


class UniformBackward0(Op):
    """uniform_() saves nothing."""

    def backward(node, grad):
        return np.zeros_like(grad)


class ExponentialBackward0(UniformBackward0):
    """exponential_() saves nothing."""


class NormalBackward0(UniformBackward0):
    """normal_() saves nothing."""


class NormalBackward1(UniformBackward0):
    """normal() of a mean for each number saves nothing."""

    argument_names, exact = ("", "", "mean_sym_sizes"), True

    @staticmethod
    def forward(mean, std, own, size):
        return drawn("standard_normal", mean, own) * mean.dtype.type(std) + mean


class NormalBackward2(UniformBackward0):
    """normal() of a deviation for each number saves nothing."""

    argument_names, exact = ("", "", "std_sym_sizes"), True

    @staticmethod
    def forward(std, mean, own, size):
        return drawn("standard_normal", std, own) * std + std.dtype.type(mean)


class _OfTwo(Op):
    """Of two tensors, with no gradient either."""

    def backward(node, grad):
        return np.zeros_like(grad), np.zeros_like(grad)


class NormalBackward3(_OfTwo):
    """normal() of both saves nothing."""

    inputs = stretched = ("mean", "std")
    argument_names, exact = ("", "mean_sym_sizes", "std_sym_sizes"), True

    @staticmethod
    def forward(mean, std, own, *sizes):
        both = np.broadcast_shapes(mean.shape, std.shape)
        numbers = drawn("standard_normal", np.broadcast_to(mean, both), own)
        return numbers * std.astype(mean.dtype, copy=False) + mean


class BernoulliBackward1(_OfTwo):
    """bernoulli_() of a chance for each number saves nothing."""

    inputs, stretched = ("self", "p"), ("p",)


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
    return source.drawn(name, like.shape, like.dtype, backend.device_of(like), own)


def uniform(shape, beside, own):
    """Uniform numbers of 53 bits, where an array lies."""
    return source.drawn("random", shape, np.dtype(np.float64), backend.device_of(beside), own)


# -- in place --


def drawn_over(op, x, compute, *others):
    """Overwrite `x` with compute(its array)."""
    check_single(x._array)
    return apply_inplace(op, x, compute, *others)


def uniform_(x, from_=0.0, to=1.0, *, generator=None, **bounds):
    """Overwrite with uniform numbers from `from` up to `to`."""
    low, to = a_float(bounds.get("from", from_), "from"), a_float(to, "to")  # a keyword of Python's
    _check_uniform(x, low, to)

    def compute(a):
        return drawn("random", a, generator) * (to - low) + low

    return drawn_over(UniformBackward0, x, compute)


def _check_uniform(x, low, to) -> None:
    only_floats(x._array, "check_uniform_bounds")
    largest = np.finfo(x._array.dtype).max
    for name, bound in (("from", low), ("to", to)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {x.dtype.c_name}")
    if low > to:
        raise RuntimeError(messages.UNIFORM_BOUNDS.format(low, to))


def normal_(x, mean=0.0, std=1.0, *, generator=None):
    """Overwrite with normal numbers."""
    mean, std = a_float(mean, "mean"), _deviation(std)
    source.check_generator(generator)
    _drawable(x)

    def compute(a):
        return drawn("standard_normal", a, generator) * std + mean if a.size else a

    return drawn_over(NormalBackward0, x, compute)


def _deviation(std) -> float:
    std = a_float(std, "std")
    if not std >= 0:  # nor may it be nan
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    return std


def exponential_(x, lambd=1.0, *, generator=None):
    """Overwrite with waiting times, of which `lambd` come in a time of 1."""
    if x._array.size and x._array.dtype.kind != "f":
        raise RuntimeError(EXPONENTIAL.format(x.dtype.scalar_type))
    if not (lambd := a_float(lambd, "lambd")) > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")

    def compute(a):
        return -np.log1p(-uniform(a.shape, a, generator)) / lambd if a.size else a

    return drawn_over(ExponentialBackward0, x, compute)


def bernoulli_(x, p=0.5, *, generator=None):
    """Overwrite with ones, with probability `p`, and zeros; `p` may be a tensor of them."""
    several, chance = [p] if isinstance(p, Tensor) else [], 0.0
    if not several:
        chance = _chance(p)
    elif x._array.size:
        check_single(x._array)
        _check_chances(p := p.detach().expand(x.shape))
        chance = p._array
    rule: Any = BernoulliBackward1 if several else BernoulliBackward2
    return drawn_over(rule, x, lambda a: ones_with(a, chance, generator), *several)


def _chance(p) -> float:
    if not 0 <= (p := a_float(p, "p")) <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return p


def ones_with(array, chance, own):
    """Ones with these chances, and zeros, in the shape and dtype of an array."""
    return (uniform(array.shape, array, own) < chance).astype(array.dtype)


ByOneChance: Any = not_derivable(
    "bernoulli", Op, forward=staticmethod(ones_with), argument_names=("", ""), exact=True
)


# -- new tensors --


NO_CHANCE: Any = object()  # is given: None is another answer


def bernoulli(x, p=NO_CHANCE, *, generator=None):
    """1 with the probability that stands there, else 0; or with probability `p`."""
    if p is not NO_CHANCE:
        return ByOneChance.call(x, _chance(p), generator)
    _check_chances(x)
    return BernoulliBackward0.call(x, generator)


def _check_chances(x) -> None:
    if x._array.size:
        only_floats(x._array, "bernoulli_tensor_cpu_p_")
    through(_check_probabilities, x._array)


def _check_probabilities(numbers) -> None:
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


def normal(
    mean, std=None, size=None, *, generator=None, dtype=None, requires_grad=False, device=None
):  # fmt: skip
    """Normal numbers of one mean and one deviation, or of those of tensors."""
    plain = dtype is None and device is None and not requires_grad
    if size is None and plain and (isinstance(mean, Tensor) or isinstance(std, Tensor)):
        return _of_each(mean, 1.0 if std is None else std, generator)
    _check_listed(size)
    new = normal_(empty(size, dtype=dtype, device=device), mean, std, generator=generator)
    return wrap(new._array, requires_grad)


def _check_listed(size) -> None:
    if not isinstance(size, (tuple, list)):
        kind = type(size).__name__
        raise TypeError(f"normal() received an invalid combination of arguments: a size of {kind}")


def _of_each(mean, std, own):
    """Normal numbers where the mean, the deviation, or both are tensors."""
    source.check_generator(own)
    if not isinstance(std, Tensor):
        std = _deviation(std)
        return NormalBackward1.call(_drawable(mean), std, own, mean._array.shape)
    through(_check_deviations, std._array)
    if not isinstance(mean, Tensor):
        return NormalBackward2.call(_drawable(std), _mean(mean, std), own, std._array.shape)
    broadcast_tensors(mean.detach(), std.detach())  # if they can be
    return NormalBackward3.call(_drawable(mean), std, own, mean._array.shape, std._array.shape)


def _mean(number, std) -> float:
    """A float which the dtype of the deviations has room for; the kernel of halves takes any."""
    number = a_float(number, "mean")
    return number if std.dtype is float16 else converted(number, std._array.dtype)


def _drawable(x):
    """The tensor, if normal numbers can be kept in its dtype."""
    if x._array.size:
        only_floats(x._array, "normal_kernel_cpu")
    return x


def _check_deviations(numbers) -> None:
    if not (numbers >= 0).all():
        raise reading.seen(RuntimeError("normal expects all elements of std >= 0.0"))


@attach
class Randoms(Tensor):
    """Methods of Tensor."""

    uniform_, normal_, bernoulli_ = uniform_, normal_, bernoulli_
    exponential_ = exponential_
    bernoulli, multinomial = bernoulli, multinomial
