"""autograd.grad with is_grads_batched: one walk for each gradient of the batch."""

from __future__ import annotations

import functools

from minigrad.core import backward
from minigrad.core.tensor import Tensor
from minigrad.ops.functions import stack


@functools.wraps(backward.grad)
def grad(outputs, inputs, *args, is_grads_batched=False, **options):
    if not is_grads_batched:
        return backward.grad(outputs, inputs, *args, **options)
    return _batched(outputs, inputs, *args, **options)


def _batched(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, **options):
    """The gradients of each row of `grad_outputs`; PyTorch computes them together, by vmap."""
    batches = [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs)
    rows = list(zip(*(batch.unbind(0) for batch in batches), strict=True))
    keeps = [True] * (len(rows) - 1) + [retain_graph]
    found = [
        backward.grad(outputs, inputs, row, keep, create_graph, **options)
        for row, keep in zip(rows, keeps, strict=True)
    ]
    columns = zip(*found, strict=True)
    return tuple(None if column[0] is None else stack(column) for column in columns)
