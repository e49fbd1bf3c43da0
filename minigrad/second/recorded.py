"""create_graph=True: what a node's rule computes on the way back is recorded, too.

The rule is the one that is there, shown tensors in place of arrays: see stand_in.py. Where PyTorch
has one operation for it, that is recorded: see rules.py and layers.py.

    (g,) = mg.autograd.grad((x**3).sum(), x, create_graph=True)  # 3 * x**2, with a grad_fn
"""

# ruff: noqa: I001  (the list is packed)
from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minigrad.core import saved
from minigrad.core.messages import freed_error
from minigrad.core.node import Freed
from minigrad.core.op import Op, fit
from minigrad.core.tensor import Tensor
from minigrad.ops.moments import VarMeanBackward0
from minigrad.ops.norm import NativeGroupNormBackward0
from minigrad.ops.shape import Pieces
from minigrad.second import (  # noqa: F401  (they say what is recorded for a rule)
    attention, blends, criteria, diagonals, distances, fused, groups, layers, logarithms, pools,
    prelu, products, resizing, rules,
)  # fmt: skip
from minigrad.second.stand_in import Kept, TensorStandIn, known, tensor_of


def apply_recorded(node, grads: list, asked=None) -> list:
    """Op.apply on tensors: those that a node has saved come with their history."""
    if asked is not None and not node._asked:
        return node._narrowed(partial(apply_recorded, node), grads, tuple(asked))
    grad = grads[0]
    kept = [] if grad is None else tensors(node)  # what was freed is an error all the same
    if grad is None or not any(node.needs_input_grad):
        return [None] * len(node.next_functions)
    kept = kept if asked is None else node.only(kept)
    outputs = rule(node)(grad, *kept)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    wrapped = [tensor_of(out, TensorStandIn(grad)) for out in outputs]
    if asked is not None:
        wrapped = [out if yes else None for out, yes in zip(wrapped, asked, strict=True)]
    for i, shape, dtype in node._meta:
        wrapped[i] = fit(wrapped[i], shape, dtype)
    return wrapped


def rule(node):
    """The node's rule as a function of tensors, by what it is computed with."""
    if node.recorded is not None:
        return node.recorded
    known(getattr(node, "backward", None), "several outputs")
    return lambda *given: node.backward(*map(shown, given))


def tensors(node) -> list:
    """What a node has saved; an error if it was freed or changed."""
    if isinstance(node._saved, Freed):
        raise freed_error(node, node._saved)
    return saved.unpack_all(node)


def shown(thing):
    """Something saved, as the rule takes it."""
    if isinstance(thing, Tensor):
        return TensorStandIn(thing)
    return Kept(thing) if type(thing) in (int, float) else thing


def pieces_recorded(node, grads: list, asked=None) -> list:
    """Of a node with several outputs: their gradients, or zeros, joined again."""
    given = next((g for g in grads if g is not None), None)
    if given is None:
        return [None]
    zeros = [given._new(np.zeros_like(given._array, shape=shape)) for shape in node.shapes]
    pieces = [TensorStandIn(z if g is None else g) for g, z in zip(grads, zeros, strict=True)]
    return [node.join(pieces).tensor]


def var_mean_recorded(node, grads: list, asked=None) -> list:
    """Of a node with two outputs, var and mean."""
    if all(g is None for g in grads):
        return [None]
    return [node.both(*map(shown, (*tensors(node), *grads))).tensor]


RULES: dict[Any, Any] = {
    Op: apply_recorded,
    Pieces: pieces_recorded,
    VarMeanBackward0: var_mean_recorded,
    NativeGroupNormBackward0: groups.group_norm_recorded,
}
for one, function in RULES.items():
    one.apply_recorded = function
