"""Helpers for training: gradients brought down to a size before an optimizer reads them."""

from __future__ import annotations

from collections.abc import Generator

from minigrad.core.frames import warn
from minigrad.core.modes import no_grad
from minigrad.core.tensor import Tensor
from minigrad.core.words import kind_of
from minigrad.ops.creation import tensor
from minigrad.ops.functions import cat, stack
from minigrad.ops.vector_norm import vector_norm

OLD_NAME = (
    "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
    "`torch.nn.utils.clip_grad_norm_`."
)
NOT_FINITE = (
    "The total norm of order {} for gradients from `parameters` is non-finite, so it cannot be "
    "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
    "`error_if_nonfinite=False`"
)


def _grads(parameters) -> list:
    """Those of the parameters, or of the one, that have one."""
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in parameters if p.grad is not None]


def get_total_norm(tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False):
    """The norm of all tensors, as if they were one."""
    with no_grad():
        order = float(norm_type)
        tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
        if not tensors:
            return tensor(0.0)
        total = vector_norm(stack([vector_norm(t, order) for t in tensors]), order)
        if error_if_nonfinite and not (total == total and total != float("inf")):
            raise RuntimeError(NOT_FINITE.format(order))
        return total


def clip_grad_norm_(
    parameters, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
):
    """Scale all gradients alike, in place, so that their norm is at most max_norm; it returns the
    norm that they had."""
    if isinstance(parameters, Generator):
        parameters = list(parameters)
        if not parameters:
            text = "`parameters` is an empty generator, no gradient clipping will occur."
            warn(text)
    grads = _grads(parameters)
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    with no_grad():
        share = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(share)
    return total


def clip_grad_norm(
    parameters, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
):
    """clip_grad_norm_ by the name that older programs have for it."""
    warn(OLD_NAME, FutureWarning)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)


def clip_grad_value_(parameters, clip_value: float) -> None:
    """Bring each number of the gradients, in place, into [-clip_value, clip_value]."""
    limit = float(clip_value)
    with no_grad():
        for grad in _grads(parameters):
            grad.copy_(grad.clamp(-limit, limit))


def parameters_to_vector(parameters):
    """All elements of the parameters as one vector, in the graph."""
    return cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec, parameters) -> None:
    """Let the parameters see the elements of a vector, one after the other."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {kind_of(vec)}")
    start, flat = 0, vec.data
    for p in parameters:
        p.data = flat[start : start + p.numel()].view_as(p)
        start += p.numel()
