"""backward() and grad(): check what is asked for, in PyTorch's words, then walk."""

from __future__ import annotations

import numpy as np

from minigrad.core import messages, observer
from minigrad.core.node import edge
from minigrad.core.tensor import Tensor, attach
from minigrad.core.walk import Wanted, walk


def backward(
    tensors,
    grad_tensors=None,
    retain_graph=None,
    create_graph=False,
    grad_variables=None,
    inputs=None,
) -> None:
    """Add the gradients of `tensors` to `.grad` of the leaves, or of `inputs` only.

    `grad_tensors` holds one gradient per tensor, of its shape; None stands for 1 where the tensor
    has one element. Saved tensors of the nodes that run are freed unless `retain_graph`.
    """
    if create_graph:
        raise NotImplementedError(messages.NOT_SUPPORTED)
    for tell in observer.on_asked:
        tell()
    tensors = _listed(tensors)
    if inputs is not None and len(inputs := _listed(inputs)) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    grad_tensors = _gradients(tensors, grad_tensors)  # a traceback keeps these, as PyTorch's does
    roots = _roots(tensors, grad_tensors)
    wanted = None
    if inputs is not None:
        for tensor in inputs:
            if not isinstance(tensor, Tensor):
                raise RuntimeError(messages.INPUTS.format(type(tensor).__name__))
            tensor.retain_grad()
        wanted = Wanted([node for node, _, _ in roots], [edge(t) for t in inputs], capture=False)
    walk(roots, bool(retain_graph), wanted)


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """The gradients of `outputs` with respect to `inputs`, as a tuple; no `.grad` is touched.

    The walk stops at the inputs: the node that made a captured tensor neither runs nor is freed.
    """
    if create_graph or is_grads_batched:
        raise NotImplementedError(messages.NOT_SUPPORTED)
    for tell in observer.on_asked:
        tell()
    names = list(inputs) if isinstance(inputs, dict) else None
    outputs, inputs = _listed(outputs), _listed(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if allow_unused is False and materialize_grads:
        raise ValueError(messages.MATERIALIZE)
    grad_outputs = _gradients(outputs, grad_outputs)
    roots = _roots(outputs, grad_outputs)
    if not all(t._requires_grad for t in inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    wanted = Wanted([node for node, _, _ in roots], [edge(t) for t in inputs], capture=True)
    try:
        walk(roots, bool(retain_graph), wanted)
        results = _filled(wanted.captured, inputs, allow_unused, materialize_grads)
    finally:
        wanted.captured.clear()  # a traceback that somebody keeps must not keep gradients
    return dict(zip(names, results, strict=True)) if names else results


def _filled(captured, inputs, may_be_unused, zeros) -> tuple:
    """The captured gradients; one that never came is an error, None, or zeros."""
    for i, result in enumerate(captured):
        if result is None and not (may_be_unused or zeros):
            raise RuntimeError(messages.UNUSED.format(i))
        if result is None and zeros:
            captured[i] = inputs[i]._new(np.zeros_like(inputs[i]._array))
    return tuple(captured)


def _listed(tensors) -> list:
    if isinstance(tensors, Tensor):
        return [tensors]
    return list(tensors.values() if isinstance(tensors, dict) else tensors)


def _gradients(tensors, given) -> list:
    """One starting gradient per tensor, made or checked."""
    given = [None] * len(tensors) if given is None else _listed(given)
    result = []
    for i, (tensor, gradient) in enumerate(zip(tensors, given, strict=False)):
        result.append(_ones(tensor) if gradient is None else _checked(gradient, tensor, i))
    if len(result) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(result)} gradients")
    return result


def _ones(tensor):
    if not tensor._requires_grad:
        return None
    if tensor._array.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if not tensor.dtype.is_floating_point:
        raise RuntimeError(messages.REAL_SCALAR.format(tensor.dtype.name))
    return tensor._new(np.ones_like(tensor._array))


def _checked(gradient, tensor, i):
    if not isinstance(gradient, Tensor):
        raise TypeError(messages.GRADIENTS.format(type(gradient).__name__))
    if gradient.shape != tensor.shape:
        raise messages.gradient_shape_error(i, gradient, tensor)
    if gradient.dtype is tensor.dtype:
        return gradient
    return gradient._new(gradient._array.astype(tensor._array.dtype))


def _roots(tensors, gradients) -> list:
    """(node, output number, gradient) for each tensor a walk starts from."""
    for i, tensor in enumerate(tensors):
        if not tensor._requires_grad:
            raise RuntimeError(messages.NO_GRAD_FN.format(i))
    return [(*edge(t), g) for t, g in zip(tensors, gradients, strict=True)]


@attach
class Backward(Tensor):
    """Methods of Tensor."""

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
        """Add d(self)/d(leaf) to every leaf's `.grad`, and free what the nodes saved on the way."""
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)
