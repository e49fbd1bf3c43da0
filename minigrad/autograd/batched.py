"""autograd.grad with is_grads_batched: one walk for each gradient of the batch."""

from __future__ import annotations

from minigrad.core import backward
from minigrad.core.frames import warn
from minigrad.ops.functions import stack

ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
    "gradient for other parts of the graph, please use torch.autograd.backward."
)
NO_BATCH = (
    "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor "
    "of dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
)


def grad(
    outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
    allow_unused=None, is_grads_batched=False, materialize_grads=False,
):  # fmt: skip
    """The gradients of `outputs` with respect to `inputs`, as a tuple; no `.grad` is touched.

    The walk stops at the inputs: the node that made a captured tensor neither runs nor is freed.
    """
    if not (only_inputs or (materialize_grads and allow_unused is False)):
        warn(ONLY_INPUTS, FutureWarning)
    way = _batched if is_grads_batched else backward.grad
    more = True, allow_unused, materialize_grads
    return way(outputs, inputs, grad_outputs, retain_graph, create_graph, *more)


def _batched(outputs, inputs, grad_outputs, retain_graph, create_graph, _, unused, zeros):
    """The gradients of each row of `grad_outputs`; PyTorch computes them together, by vmap."""
    batches: list = [None] if grad_outputs is None else backward._listed(grad_outputs)
    if any(batch is None for batch in batches):
        backward._gradients(backward._listed(outputs), None)  # or the error of several numbers
        raise ValueError(NO_BATCH)
    rows = list(zip(*(batch.unbind(0) for batch in batches), strict=True))
    keeps = [True] * (len(rows) - 1) + [retain_graph]
    like = backward._listed(inputs) if zeros and unused is not False else []  # which are no batch
    more = True, unused or bool(like), zeros and not like
    found = [
        backward.grad(outputs, inputs, row, keep, create_graph, *more)
        for row, keep in zip(rows, keeps, strict=True)
    ]
    columns = [None if column[0] is None else stack(column) for column in zip(*found, strict=True)]
    return backward._filled(columns, like, True, create_graph)
