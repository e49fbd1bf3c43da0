"""gradcheck: does the slope that backward computes agree with the slope that one can see?

Move each element of the inputs a little to both sides and look at the outputs: no rule of calculus
is used, so a wrong rule cannot hide. Use float64: in float32 the differences drown in rounding.

    x = tensor([1.0, 2.0], dtype=float64, requires_grad=True)
    gradcheck(lambda x: x**2, (x,))  # True, or a GradcheckError with both Jacobians

A Jacobian stands here as PyTorch's gradcheck prints it: a row for each element of the input, a
column for each element of the output.
"""

from __future__ import annotations

import numpy as np

from minigrad.core.backend import beside
from minigrad.core.backward import grad
from minigrad.core.frames import warn
from minigrad.core.function import Function
from minigrad.core.modes import no_grad
from minigrad.core.tensor import Tensor
from minigrad.ops.creation import zeros_like

ONE_WAY = (
    "minigrad's {} compares what backward computes, whole Jacobians of dense tensors: leave "
    "{}={} out"
)
DEFAULTS = {
    "check_backward_ad": True, "check_forward_ad": False, "check_batched_grad": False,
    "check_batched_forward_grad": False, "check_fwd_over_rev": False, "masked": False,
    "fast_mode": False, "check_grad_dtypes": False, "gen_non_contig_grad_outputs": False,
}  # fmt: skip
NOTHING_MORE = "fast_mode", "masked", "check_grad_dtypes", "gen_non_contig_grad_outputs"
NOT_DOUBLE = (
    "Input #{} requires gradient and is not a double precision floating point or complex. "
    "This check will likely fail if all the inputs are not of double precision floating point or "
    "complex. "
)
STRIDE = (
    "The {}th input has a dimension with stride 0. gradcheck only supports inputs that are "
    "non-overlapping to be able to compute the numerical gradients correctly. You should call "
    ".contiguous on the input before passing it to gradcheck."
)
NOTHING = (
    "gradcheck expects at least one input tensor to require gradient, but none of them have "
    "requires_grad=True."
)
OTHER = (
    "Expected `func` to return outputs with the same {0} when inputs are perturbed on index {1} by "
    "{2}, but got: {0}s {3} and {4}."
)
WRONG = "Jacobian mismatch for output {} with respect to input {},\nnumerical:{}\nanalytical:{}\n"
CHANGING = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
    "times gives different values, although analytical gradient matches numerical gradient."
    "The tolerance for nondeterminism was {}."
)
UNDEFINED = "Expected all input grads to be undefined or zero when all output grads are undefined."
UNPREPARED = "Expected backward function to handle undefined output grads."


class GradcheckError(RuntimeError):
    """A gradient that backward computes is not the one that differences measure."""


class UndefinedGrad(Function):
    """Its result is its input; its backward passes no gradient on."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return None


def gradcheck(
    func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
    check_undefined_grad=True, **others,
) -> bool:  # fmt: skip
    """True if the gradients of func(*inputs) match central differences.

    Those of `inputs` that require grad are moved by `eps`. Otherwise GradcheckError, or False
    without `raise_exception`. Two backwards may differ by `nondet_tol`.
    """
    _refuse("gradcheck", others)
    inputs = _tuple(inputs)
    checked = _checked(inputs)
    try:
        outputs = _compare(func, inputs, checked, (eps, atol, rtol, nondet_tol))
        _expect_zeros(outputs, checked, "backward not multiplied by grad_output")
        if check_undefined_grad:
            _check_undefined(func, inputs, checked, len(outputs))
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, check_rev_over_rev=True, **options) -> bool:
    """True if the second derivatives of func(*inputs) match central differences of the first.

    What is checked is a function of the inputs and of the incoming gradients, `grad_outputs`;
    without them, they are made up. `options` are those of gradcheck.
    """
    _refuse("gradgradcheck", {} if check_rev_over_rev else {"check_rev_over_rev": False})
    inputs = _tuple(inputs)
    if grad_outputs is None:
        grad_outputs = [_made_up(out) for out in _differentiable(func(*inputs))]
    grad_outputs = _tuple(grad_outputs)
    wanted = [i for i, x in enumerate(inputs) if _is_checked(x)]

    def first(*given):
        own, incoming = given[: len(inputs)], given[len(inputs) :]
        outputs = _differentiable(func(*own))
        found = grad(
            outputs, [own[i] for i in wanted], incoming, create_graph=True, allow_unused=True
        )
        return tuple(g for g in found if g is not None)

    return gradcheck(first, (*inputs, *grad_outputs), **options)


def _refuse(name, others) -> None:
    """Refuse PyTorch's other options, unless they ask for nothing more than is done."""
    for option, value in others.items():
        if option not in DEFAULTS:
            raise TypeError(f"{name}() got an unexpected keyword argument '{option}'")
        if option not in NOTHING_MORE and bool(value) is not DEFAULTS[option]:
            raise NotImplementedError(ONE_WAY.format(name, option, value))


def _tuple(values) -> tuple:
    return tuple(values) if isinstance(values, tuple | list) else (values,)


def _differentiable(outputs) -> tuple:
    return tuple(out for out in _tuple(outputs) if out.requires_grad)


def _is_checked(x) -> bool:
    return isinstance(x, Tensor) and x.requires_grad


def _made_up(output) -> Tensor:
    """A gradient for `output`, of numbers that are neither 0 nor alike."""
    numbers = 1.5 + np.sin(np.arange(output.numel())).reshape(output.shape)
    return output._new(beside(numbers, output._array)).to(output.dtype).requires_grad_()


def _checked(inputs) -> list:
    """The inputs that require grad, if their elements can be moved one by one."""
    for i, x in enumerate(inputs):
        if not _is_checked(x):
            continue
        if x._array.dtype != np.float64:
            warn(NOT_DOUBLE.format(i))
        if any(step <= 0 and n > 1 for step, n in zip(x.stride(), x.shape, strict=True)):
            raise RuntimeError(STRIDE.format(i))
    if not (checked := [x for x in inputs if _is_checked(x)]):
        raise ValueError(NOTHING)
    return checked


def _compare(func, inputs, checked, limits) -> tuple:
    """The outputs that have gradients; GradcheckError for the first whose two Jacobians differ."""
    eps, atol, rtol, nondet_tol = limits
    result = func(*inputs)
    outputs, floats = _differentiable(result), _floats(result)
    measured = [_measured(func, inputs, x, floats, eps) for x in checked]
    if not outputs and any(jacobian.any() for row in measured for jacobian in row):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    places = [i for i, out in enumerate(floats) if out.requires_grad]
    for i, (out, place) in enumerate(zip(outputs, places, strict=True)):
        for j, slopes in enumerate(_computed(out, checked, nondet_tol)):
            seen = measured[j][place]
            if not slopes.double().allclose(seen.double(), rtol, atol):
                raise GradcheckError(WRONG.format(i, j, seen, slopes))
    return outputs


def _floats(outputs) -> list:
    return [out for out in _tuple(outputs) if out.is_floating_point()]


def _measured(func, inputs, x, outputs, eps) -> list[Tensor]:
    """The Jacobian of each output in `x`: by how much it changes when an element of x moves."""
    jacobians = [out.detach().new_zeros((x.numel(), out.numel())) for out in outputs]
    for row, place in enumerate(np.ndindex(*x.shape)):
        sides = _on_both_sides(func, inputs, x, place, eps)
        with no_grad():
            for jacobian, below, above in zip(jacobians, *sides, strict=True):
                _expect_alike(below, above, place, eps)
                jacobian[row] = ((above - below) / (2 * eps)).reshape(-1)
    return jacobians


def _on_both_sides(func, inputs, x, place, eps) -> tuple[list, list]:
    """The outputs with one element of x moved down, and up by `eps`."""
    middle = x._array[place].copy()
    try:
        x._array[place] = middle - eps
        below = [out.clone() for out in _floats(func(*inputs))]
        x._array[place] = middle + eps
        return below, [out.clone() for out in _floats(func(*inputs))]
    finally:
        x._array[place] = middle


def _expect_alike(below, above, place, eps):
    for what in ("shape", "dtype"):
        one, other = getattr(below, what), getattr(above, what)
        if one != other:
            raise AssertionError(OTHER.format(what, place, eps, one, other))


def _computed(out, checked, nondet_tol) -> list[Tensor]:
    """The Jacobian of `out` in each input, by a backward for each element; twice, to compare."""
    once, again = _rows(out, checked), _rows(out, checked)
    for one, other in zip(once, again, strict=True):
        if one.numel() and one.sub(other).abs().max() > nondet_tol:
            raise GradcheckError(CHANGING.format(nondet_tol))
    return once


def _rows(out, checked) -> list[Tensor]:
    jacobians = [x.detach().new_zeros((x.numel(), out.numel())) for x in checked]
    for column in range(out.numel()):
        seed = out.detach().new_zeros(out.shape)
        seed.view(-1)[column] = 1.0
        found = grad(out, checked, seed, retain_graph=True, allow_unused=True)
        for jacobian, slope in zip(jacobians, found, strict=True):
            if slope is not None:
                jacobian[:, column] = slope.reshape(-1)
    return jacobians


def _expect_zeros(outputs, checked, sentence):
    """Gradients are linear in the incoming ones: of zeros, zeros."""
    zeros = [zeros_like(out) for out in outputs]
    for slope in grad(outputs, checked, zeros, allow_unused=True) if outputs else ():
        if slope is not None and not slope.eq(0).all():
            raise GradcheckError(sentence)


def _check_undefined(func, inputs, checked, many):
    """An output that nobody used has no gradient: all of them at once, then one at a time."""
    unused = [range(many), *([i] for i in range(many if many > 1 else 0))]
    for outputs in [_without(_differentiable(func(*inputs)), missing) for missing in unused]:
        try:
            _expect_zeros(outputs, checked, UNDEFINED)
        except GradcheckError:
            raise
        except RuntimeError as error:
            raise GradcheckError(UNPREPARED) from error


def _without(outputs, missing) -> list:
    """The outputs, some of which pass no gradient on."""
    return [UndefinedGrad.apply(out) if i in missing else out for i, out in enumerate(outputs)]
