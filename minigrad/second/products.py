"""The second derivative of prod: each element's gradient is the product of all the others."""

from __future__ import annotations

import numpy as np

from minigrad.core.backend import beside
from minigrad.ops.products import ProdBackward0, ProdBackward1
from minigrad.ops.reading import seen


def of_others(x):
    """For each element the product of the others along the last axis."""
    n = x.shape[-1]
    itself = x._new(beside(np.eye(n, dtype=bool), x._array))
    return x.unsqueeze(-2).expand(*x.shape[:-1], n, n).masked_fill(itself, 1).prod(-1)


def along(grad, x, result, dim):
    x = x.to(grad.dtype)
    if seen(bool((x._array != 0).all())):
        return grad * (result / x)
    return grad * of_others(x.transpose(dim, -1)).transpose(dim, -1) if x.shape[dim] > 1 else grad


def of_all(node, grad, result, x):
    return along(grad, x.reshape(-1), result, 0).reshape(x.shape) if x.ndim else grad


def of_axis(node, grad, result, x):
    dim, keepdim, _ = node.arguments
    if not x.ndim:
        return grad
    if not keepdim:
        grad, result = grad.unsqueeze(dim), result.unsqueeze(dim)
    return along(grad, x, result, dim)


ProdBackward0.recorded = of_all
ProdBackward1.recorded = of_axis
