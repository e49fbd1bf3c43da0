"""How far rows are apart pair by pair, and the angle between vectors: as functions and modules."""

from __future__ import annotations

from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.modes import no_grad
from minigrad.core.promotion import result_dtype
from minigrad.core.words import expected
from minigrad.nn.module import Module
from minigrad.ops.arithmetic import AddBackward1
from minigrad.ops.checks import together
from minigrad.ops.numbers import a_float
from minigrad.ops.shapes import whole
from minigrad.ops.vector_norm import NormBackward1, check_empty, vector_norm

# What PyTorch holds to the end of an expression has a name here, too.

COMMON_FLOAT = "expected common dtype to be floating point, yet common dtype is {}"


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The norm of x1 - x2 + eps along the last axis; where both are one point, eps has a slope."""
    p, eps = a_float(p, "p"), a_float(eps, "eps")
    expected(keepdim, bool, "keepdim", "bool")
    apart = x1 - x2
    moved = AddBackward1.call(apart, eps)
    dtype = moved.dtype.numpy
    dim = (max(x1._array.ndim, x2._array.ndim) - 1,)
    check_empty(moved, p, dim)
    return NormBackward1.call(moved, p, dim, keepdim, dtype)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """The cosine of the angle between vectors along `dim`: each is divided by its length first."""
    dim, eps = whole(dim, "dim"), a_float(eps, "eps")
    common = BY_NUMPY[result_dtype(x1._array, x2._array)]
    if not common.is_floating_point:
        raise RuntimeError(COMMON_FLOAT.format(common.scalar_type))
    if eps < 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    x1, x2 = (x if x.is_floating_point() else x.to(common) for x in (x1, x2))
    if x1.shape != x2.shape:
        shape = together(x1.shape, x2.shape)
        x2, x1 = x2.expand(shape), x1.expand(shape)  # the order of PyTorch's compiler
    lengths = [vector_norm(x, 2, dim, True).clone() for x in (x1, x2)]
    _least = x1.new_tensor(eps, dtype=common)  # PyTorch has it for both, to the end
    with no_grad():
        for length in lengths:
            length.clamp_(min=eps)
    second = x2 / lengths[1]
    first = x1 / lengths[0]
    return (first * second).sum(dim)


class PairwiseDistance(Module):
    """How far the rows of two tensors are apart."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False):
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1, x2):
        return pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between the vectors of two tensors along `dim`."""

    def __init__(self, dim: int = 1, eps: float = 1e-8):
        self.dim, self.eps = dim, eps

    def forward(self, x1, x2):
        return cosine_similarity(x1, x2, self.dim, self.eps)
