"""autograd.grad with is_grads_batched: one walk for each gradient of the batch."""

from __future__ import annotations

from minigrad.core import backward
from minigrad.core.tensor import Tensor
from minigrad.ops.functions import stack


def grad(
    outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
    allow_unused=None, is_grads_batched=False, materialize_grads=False,
):  # fmt: skip
    """The gradients of `outputs` with respect to `inputs`, as a tuple; no `.grad` is touched.

    The walk stops at the inputs: the node that made a captured tensor neither runs nor is freed.
    """
    way = _batched if is_grads_batched else backward.grad
    more = {"allow_unused": allow_unused, "materialize_grads": materialize_grads}
    return way(outputs, inputs, grad_outputs, retain_graph, create_graph, **more)


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
