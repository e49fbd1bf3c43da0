"""gradcheck: does the slope that backward computes agree with the slope that one can see?

Move each input element a little to both sides and look at the output: no rule of calculus is
used, so a wrong rule cannot hide. Use float64: in float32 the differences drown in rounding.
"""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import on_host
from minigrad.core.backend import beside
from minigrad.core.backward import grad
from minigrad.core.tensor import Tensor
from minigrad.ops.functions import cat
from minigrad.ops.reading import seen

NOTHING = (
    "gradcheck expects at least one input tensor to require gradient, but none of them have "
    "requires_grad=True."
)
WRONG = "gradient of input {} is wrong:\ncomputed\n{}\nmeasured\n{}"


def gradcheck(func, inputs, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True) -> bool:
    """True if the gradients of func(*inputs) match central differences.

    `inputs` are float64 tensors; those that require grad are checked. Otherwise AssertionError
    (or False) with input, element, the computed and the measured slope.
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    output = func(*inputs)
    weights = beside(np.cos(np.arange(output.numel())).reshape(output.shape), output._array)
    checked = [t for t in inputs if isinstance(t, Tensor) and t._requires_grad]
    if not checked:
        raise ValueError(NOTHING)
    if any(t._array.dtype != np.float64 for t in checked):
        raise ValueError("gradcheck needs float64 inputs: make them with dtype=minigrad.float64")
    slopes = [None] * len(checked)
    if output._requires_grad:
        slopes = grad(output, checked, output._new(weights), allow_unused=True)
    for number, (t, slope) in enumerate(zip(checked, slopes, strict=True)):
        computed = np.zeros(t._array.shape) if slope is None else on_host(slope._array)
        measured = _differences(func, inputs, t, weights, eps)
        if not seen(np.allclose(computed, measured, rtol, atol)):
            if raise_exception:
                raise AssertionError(WRONG.format(number, seen(computed), seen(measured)))
            return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, eps=1e-6, atol=1e-5, rtol=1e-3) -> bool:
    """True if the second derivatives of func(*inputs) match central differences of the first.

    What is checked is a function of the inputs and of the incoming gradient, `grad_outputs`;
    without one, it is made up.
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    output = func(*inputs)
    if grad_outputs is None:
        numbers = 1.5 + np.sin(np.arange(output.numel())).reshape(output.shape)
        grad_outputs = output._new(beside(numbers, output._array)).requires_grad_()

    def first(*given):
        checked = [t for t in given[:-1] if isinstance(t, Tensor) and t._requires_grad]
        found = grad(func(*given[:-1]), checked, given[-1], create_graph=True, allow_unused=True)
        slopes = [g.reshape(-1) for g in found if g is not None]
        return cat(slopes) if slopes else output.detach()

    return gradcheck(first, (*inputs, grad_outputs), eps, atol, rtol)


def _differences(func, inputs, t, weights, eps):
    """The slope of sum(weights * func(*inputs)) in each element of `t`, by moving it by eps."""
    slopes = np.zeros(t._array.shape)
    for place in np.ndindex(*t._array.shape):
        middle = t._array[place].copy()
        t._array[place] = middle + eps
        above = func(*inputs)._array.copy()
        t._array[place] = middle - eps
        moved = above - func(*inputs)._array  # before the sum: what is large and stays drops out
        slopes[place], t._array[place] = float((moved * weights).sum()) / (2 * eps), middle
    return slopes
