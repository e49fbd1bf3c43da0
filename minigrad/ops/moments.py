"""var and std: how far the elements lie from their mean. The input is saved: so is its distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core import saved, storage
from minigrad.core.arrays import in_order
from minigrad.core.frames import warn
from minigrad.core.tensor import Tensor, attach
from minigrad.ops.arithmetic import like
from minigrad.ops.halves import in_whole_floats, wide
from minigrad.ops.means import mean_of, variance_of
from minigrad.ops.numbers import a_number
from minigrad.ops.reduce import expanded, with_axes
from minigrad.ops.shapes import ALL, Shown, flag, over

TOO_FEW = (
    "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
    "factor (input numel divided by output numel)."
)


def meant(x, dim):
    """The axes of an array that are meant: no `dim`, or an empty one, means all of them."""
    return tuple(dim) if dim and x.ndim else None


def ddof(correction) -> float:
    """What is taken from the number of elements: 1, where nobody said."""
    return 1 if correction is None else correction


def slope(grad, x, dim, correction, keepdim):
    """The gradient of var: 2 (x - mean) / (n - correction), each row by its own mean."""
    where = meant(x, dim)
    mean = mean_of(x, where, keepdims=True)
    free = x.size / max(mean.size, 1) - ddof(correction)
    if where is None and free <= 0:  # var is nan or inf
        return grad * np.where(x == mean, np.nan, np.inf).astype(x.dtype)
    grad = grad if where is None else with_axes(grad, where, keepdim)
    return (2 / free if free else np.inf) * grad * (x - mean)


def mean_slope(grad, x, dim, keepdim):
    """The gradient of mean: the incoming one, spread over the elements."""
    where = meant(x, dim)
    grad = grad if where is None else with_axes(grad, where, keepdim)
    return expanded(grad, x.shape) / (x.size / max(grad.size, 1))


def std_slope(grad, result):
    """The gradient of the variance under a square root; 0 where there is no deviation."""
    return np.where(result == 0, 0, grad / (result * 2))


class VarBackward0(Shown):
    """var saves its input."""

    saves = {"self": "self"}
    argument_names = ("dim", "correction", "keepdim")

    @staticmethod
    def forward(x, dim, correction, keepdim):
        return in_order(like(variance_of(wide(x), meant(x, dim), keepdim, ddof(correction)), x))

    @in_whole_floats
    def backward(node, grad, x):
        return slope(grad, x, *node.arguments)

    def peak(node, grad, x):
        """The distances from the mean, the mean itself, and the gradient multiplied."""
        return 2 * (x.nbytes + grad.nbytes)


class StdBackward0(Shown):
    """std saves its input and its result."""

    saves = {"result": "self", "self": "self"}
    argument_names = ("dim", "correction", "keepdim")

    @staticmethod
    def forward(x, dim, correction, keepdim):
        exact = x.astype(np.float64) if x.dtype == np.float32 else wide(x)  # 1e20 squared is there
        return like(np.sqrt(VarBackward0.forward(exact, dim, correction, keepdim)), x)

    @in_whole_floats
    def backward(node, grad, result, x):
        return slope(std_slope(grad, result), x, *node.arguments)

    def peak(node, grad, result, x):
        """As of var, whose gradient comes first."""
        return 2 * x.nbytes + 3 * grad.nbytes


class VarMeanBackward0(Shown):
    """var_mean saves its input; it has two outputs."""

    saves = {"self": "self"}
    argument_names = ("dim", "correction", "keepdim")

    forward = VarBackward0.forward

    def apply(self, grads: list, asked=None) -> list:
        given = next((g for g in grads if g is not None), None)
        if given is None:
            return [None]
        (x,) = saved.arrays(self, self._saved)
        if asked is not None and not asked[0]:
            return [None]
        storage.pass_by(self.peak(x, *grads))
        return [given._new(self.both(x, *[None if g is None else g._array for g in grads]))]

    def peak(node, x, for_var, for_mean):
        """As of var."""
        return 0 if for_var is None else 2 * (x.nbytes + for_var._array.nbytes)

    def both(node, x, for_var, for_mean):
        """The gradient of the input, of what came for the two outputs."""
        dim, _, keepdim = node.arguments
        parts = [] if for_var is None else [slope(for_var, x, *node.arguments)]
        parts += [] if for_mean is None else [mean_slope(for_mean, x, dim, keepdim)]
        return sum(parts[1:], parts[0])


# -- methods --


def choices(x, dim, unbiased, keepdim, correction, who="std and var"):
    """(dim, correction, keepdim) as PyTorch shows them: var(False), var(0), var(correction=2)."""
    if x._array.dtype.kind != "f":
        raise RuntimeError(f"{who} only support floating point and complex dtypes")
    plain = dim is ALL and unbiased is None
    dim, unbiased = _unbiased(dim, unbiased, keepdim, correction)
    keepdim = flag(keepdim)
    if correction is NOBODY:
        correction = None if plain else int(unbiased is not False)
    elif correction is not None:
        correction = a_number(correction)
    return over(x, dim), correction, keepdim


def _unbiased(dim, unbiased, keepdim, correction) -> tuple:
    """(dim, unbiased) of var(False) and its kin, which leave no room for other arguments."""
    by_all = dim is ALL or isinstance(dim, bool)
    if isinstance(dim, bool):
        unbiased = dim
    if unbiased is not None and (correction is not NOBODY or (by_all and keepdim is not None)):
        raise TypeError("var() received an invalid combination of arguments: unbiased, and more")
    return None if by_all else dim, unbiased


NOBODY: Any = object()  # has said what the correction is: None is another answer


def _with_warning(name, x, out, chosen):
    """`out`; a warning if each of its numbers is of too few elements."""
    count = x._array.size // out._array.size if out._array.size else 0
    if count <= ddof(chosen[1]):
        warn(TOO_FEW.format(name))
    return out


def variance(x, dim=ALL, unbiased=None, keepdim=None, *, correction=NOBODY):
    """The mean square distance from the mean, with n - correction in place of n."""
    chosen = choices(x, dim, unbiased, keepdim, correction)
    return _with_warning("var", x, VarBackward0.call(x, *chosen), chosen)


def deviation(x, dim=ALL, unbiased=None, keepdim=None, *, correction=NOBODY):
    """The square root of the variance."""
    chosen = choices(x, dim, unbiased, keepdim, correction)
    return _with_warning("std", x, StdBackward0.call(x, *chosen), chosen)


def var_mean(x, dim=ALL, unbiased=None, keepdim=None, *, correction=NOBODY):
    """(variance, mean), of one node."""
    chosen = dim, _, keepdim = choices(x, dim, unbiased, keepdim, correction, "var_mean")
    out = _with_warning("var_mean", x, VarMeanBackward0.call(x, *chosen), chosen)
    mean = x._new(in_order(mean_of(x._array, meant(x._array, dim), keepdim)))
    if out.grad_fn is not None:
        out.grad_fn._num_outputs = 2
        mean._edge = out.grad_fn, 1
    return out, mean


@attach
class Moments(Tensor):
    """Methods of Tensor."""

    var, std = variance, deviation
