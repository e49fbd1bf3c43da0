"""The same numbers in another arrangement. A view allocates nothing and saves nothing."""

from __future__ import annotations

from itertools import accumulate, pairwise
from operator import attrgetter, itemgetter, methodcaller
from typing import Any

import numpy as np

from minigrad.core import storage
from minigrad.core.arrays import add_at, in_order, repeat
from minigrad.core.op import Op
from minigrad.ops.layout import copied
from minigrad.ops.shapes import Shown


class View(Shown):
    """An operation whose result shares the bytes of its input; backward undoes the move."""

    view = True


class ViewBackward0(View):
    """The same elements in the same order under another shape."""

    sized = True

    @staticmethod
    def forward(x, shape):
        return x.reshape(shape)

    argument_names = ("",)

    def backward(node, grad):
        return grad.reshape(node.sizes)


class ReshapeAliasBackward0(ViewBackward0):
    """What `reshape` records where the elements do not lie in order, but need no copy."""


class UnsafeViewBackward0(ViewBackward0):
    """A view of a result that nobody else has: what `reshape` of a copy and `matmul` record."""


class AliasBackward0(View):
    """x[...]: a second tensor on all of x."""

    forward = itemgetter(...)

    def backward(node, grad):
        return grad


class TBackward0(View):
    """x.t(): the transposed matrix."""

    forward = attrgetter("T")

    def backward(node, grad):
        return grad.T


class TransposeBackward0(View):
    """Two axes change places."""

    argument_names = ("dim0", "dim1")

    @staticmethod
    def forward(x, dim0, dim1):
        return x.swapaxes(dim0, dim1) if x.ndim else x[...]

    def backward(node, grad):
        return grad.swapaxes(*node.arguments) if grad.ndim else grad


class TransposeBackward1(TransposeBackward0):
    """The same, done in place to a result that nobody else has."""


class PermuteBackward0(View):
    """All axes in a new order."""

    argument_names = ("dims",)

    @staticmethod
    def forward(x, dims):
        return x.transpose(dims)

    def backward(node, grad):
        (dims,) = node.arguments
        return grad.transpose(sorted(range(len(dims)), key=dims.__getitem__))


class ExpandBackward0(View):
    """Repeat without copying; backward adds the repeats up."""

    sized = True
    stretched = ("self",)

    argument_names = ("",)

    forward = staticmethod(repeat)

    def backward(node, grad):
        return grad  # `meta` sums it to the shape of the input


class SqueezeBackward0(View):
    """Drop every axis of length 1."""

    sized = True

    forward = methodcaller("squeeze")

    def backward(node, grad):
        gone = tuple(i for i, n in enumerate(node.sizes) if n == 1)
        return np.expand_dims(grad, gone) if gone else grad


class SqueezeBackward1(View):
    """Drop one axis of length 1."""

    sized = True

    argument_names = ("dim",)

    @staticmethod
    def forward(x, dim):
        return x.squeeze(dim) if x.ndim and x.shape[dim] == 1 else x[...]

    def backward(node, grad):
        (dim,) = node.arguments
        return grad if grad.ndim == len(node.sizes) else np.expand_dims(grad, dim)


class SqueezeBackward2(View):
    """Drop those of several axes that have length 1."""

    sized = True

    argument_names = ("dim",)

    @staticmethod
    def forward(x, dims):
        return x.squeeze(tuple(dim for dim in dims[: x.ndim] if x.shape[dim] == 1))

    def backward(node, grad):
        (dims,) = node.arguments
        gone = tuple(dim for dim in dims[: len(node.sizes)] if node.sizes[dim] == 1)
        return np.expand_dims(grad, gone) if gone else grad


class SqueezeBackward4(SqueezeBackward1):
    """The same for the result of vector @ matrix, which nobody else has."""


class UnsqueezeBackward0(View):
    """A new axis of length 1."""

    argument_names = ("dim",)

    forward = staticmethod(np.expand_dims)

    def backward(node, grad):
        return grad.squeeze(node.arguments)


class _Part(View):
    """A view of some of the elements; backward puts the gradient into zeros."""

    sized = True

    def backward(node, grad):
        result = np.zeros_like(grad, order="C", shape=node.sizes)
        node.forward(result, *node.arguments)[...] = grad
        return result


class SelectBackward0(_Part):
    """x[index] along one axis, which goes away."""

    argument_names = ("dim", "index")

    @staticmethod
    def forward(x, dim, index):
        return x[(slice(None),) * dim + (index, ...)]


class SliceBackward0(_Part):
    """x[start:end:step] along one axis."""

    argument_names = ("dim", "start", "end", "step")

    @staticmethod
    def forward(x, dim, start, end, step):
        return x[(slice(None),) * dim + (slice(start, end, step),)]


class IndexBackward0(Op):
    """x[indices] copies the chosen elements and saves the indices, in a list."""

    extras = ("indices",)
    saves = {"indices": "self"}
    sized = True

    def backward(node, grad, indices):
        result = np.zeros_like(grad, order="C", shape=node.sizes)
        if grad.size:  # else an index may be out of bounds
            add_at(result, place_of(indices), grad)
        return result


class IndexPutBackward0(Op):
    """x with values put where indices say; it saves the indices, in a list."""

    inputs = ("self", "values")
    stretched = ("values",)
    chosen = True
    extras = ("indices",)
    saves = {"indices": "self values"}
    argument_names = ("accumulate",)

    def backward(node, grad, indices):
        place, (for_x, for_values), rest = place_of(indices), node.needs_input_grad, None
        if for_x:
            rest = copied(grad, grad.dtype)
            rest[place] = 0
        return rest, grad[place] if for_values else None


def place_of(indices) -> tuple:
    """What an array is indexed with: a whole axis for None, numpy's mask for one of bytes."""
    masks = [i if i is None or i.dtype != np.uint8 else i != 0 for i in indices]
    return tuple(slice(None) if i is None else i for i in masks)


# -- several tensors in, or several out --


class CatBackward0(Shown):
    """cat saves nothing: each input's gradient is its piece of the incoming one."""

    several = True
    argument_names = ("dim", "")  # and the dtype of the result

    @staticmethod
    def forward(*given):
        *arrays, dim, dtype = given
        arrays = [a for a in arrays if a.shape != (0,)] or arrays
        return in_order(np.concatenate([a.astype(dtype, copy=False) for a in arrays], dim))

    def backward(node, grad):
        lengths, before = node.lengths, (slice(None),) * node.arguments[0]
        if True not in node.needs_input_grad:  # of views made under no_grad
            return (None,) * len(lengths)
        cuts = [0, *accumulate(n or 0 for n in lengths)]
        pieces = [grad[(*before, slice(*ends))] for ends in pairwise(cuts)]
        return tuple(p.reshape(0) if n is None else p for p, n in zip(pieces, lengths, strict=True))


class StackBackward0(Shown):
    """stack saves nothing: each input's gradient is one slice of the incoming one."""

    several = True
    argument_names = ("dim", "")  # and the dtype of the result

    @staticmethod
    def forward(*given):
        *arrays, dim, dtype = given
        return in_order(np.stack([a.astype(dtype, copy=False) for a in arrays], dim))

    def backward(node, grad):
        if True not in node.needs_input_grad:
            return (None,) * len(node.next_functions)
        dim, _ = node.arguments
        return tuple(grad[(slice(None),) * dim + (i, ...)] for i in range(grad.shape[dim]))


class Pieces(Shown):
    """One tensor in, several views out: one node, an output number for each piece."""

    join: Any  # the pieces' gradients as one
    zeros = attrgetter("nbytes")  # what PyTorch makes for a gradient that did not come

    def apply(self, grads: list, asked=None) -> list:
        given = next((g for g in grads if g is not None), None)
        if given is None or (asked is not None and not asked[0]):
            return [None]
        pieces = [
            np.zeros_like(given._array, shape=shape) if g is None else g._array
            for g, shape in zip(grads, self.shapes, strict=True)
        ]
        made = [self.zeros(p) for p, g in zip(pieces, grads, strict=True) if g is None]
        storage.pass_by(sum(made) + sum(p.nbytes for p in pieces))
        return [given._new(self.join(pieces))]


class SplitBackward0(Pieces):
    """split and chunk save nothing: the gradients are joined again."""

    sized = True
    argument_names = ("split_size", "dim")

    def join(node, pieces):
        return in_order(np.concatenate(pieces, node.arguments[1]))


class SplitWithSizesBackward0(Pieces):
    """The same, where the length of each piece is given."""

    sized = True
    argument_names = ("split_sizes", "dim")
    join = SplitBackward0.join


class UnsafeSplitBackward0(SplitBackward0):
    """The same of a result that nobody else has: PyTorch's recurrent layers cut their gates so."""


class UnbindBackward0(Pieces):
    """unbind saves nothing: the gradients are stacked again."""

    argument_names = ("dim",)
    zeros = attrgetter("itemsize")  # it expands a 0

    def join(node, pieces):
        return in_order(np.stack(pieces, node.arguments[0]))
