"""Views that are others by another name: movedim, ravel, broadcast_to, meshgrid."""

from __future__ import annotations

from minigrad.core.frames import warn
from minigrad.core.tensor import Tensor, attach
from minigrad.core.words import expected, kind_of
from minigrad.ops.checks import all_tensors, shape_of
from minigrad.ops.creation import sizes
from minigrad.ops.numbers import long_long
from minigrad.ops.shape import AliasBackward0
from minigrad.ops.shapes import axes, whole
from minigrad.ops.views import expand, permute, transpose

NO_INDEXING = (
    "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
)
TURNED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated "
    "and it will throw an error in a future release. Consider `x.mT` to transpose batches of "
    "matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a "
    "tensor."
)
NOT_TURNED = "Tensor.{} is deprecated on 0-D tensors. This function is the identity in these cases."


def movedim(x, source, destination):
    """The axes `source` at the places `destination`, the others in their order."""
    if not isinstance(source, (tuple, list)) or not isinstance(destination, (tuple, list)):
        source, destination = (whole(source, "source"),), (whole(destination, "destination"),)
    _check_moves(source, destination)
    found = _once(x, source, "source"), _once(x, destination, "destination")
    if not x._array.ndim:
        return AliasBackward0.call(x)
    order = dict(zip(found[1], map(int, found[0]), strict=True))
    rest = iter(sorted(set(range(x._array.ndim)) - set(order.values())))
    return x.permute([order[n] if n in order else next(rest) for n in range(x._array.ndim)])


def _check_moves(source, destination) -> None:
    long_long(*source, *destination)
    if len(source) != len(destination):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({list(source)} dims) should contain the same number of dims as destination "
            f"({list(destination)} dims)"
        )


def _once(x, given, name) -> tuple:
    """The axes, none of which is named twice."""
    dims = axes(x, given, name)
    if len(set(dims)) < len(dims):
        raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    return dims


def ravel(x):
    """All elements in one axis; a copy only where the bytes do not lie in order."""
    return x.contiguous().view(-1)


def broadcast_to(x, size):
    """expand(), which takes the lengths in a tuple here."""
    return expand(x, sizes((expected(size, (tuple, list), "size", "tuple of ints"),)))


def broadcast_tensors(*tensors):
    """All tensors, each repeated to the shape that they have together, without a copy."""
    all_tensors(tensors)
    shape = shape_of(*tensors)
    return tuple(t if t._array.shape == shape else expand(t, shape) for t in tensors)


def meshgrid(*tensors, indexing=None):
    """The coordinates of a grid: each vector along an axis of its own, the same along the others.

    indexing="ij" gives the axes in the order of the vectors, "xy" swaps the first two.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        (tensors,) = tensors
    if indexing is None:
        warn(NO_INDEXING)
    if not isinstance(indexing, (str, type(None))):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {kind_of(indexing)}")
    all_tensors(tensors)
    _check_grid(tensors, indexing)
    places = list(range(len(tensors)))
    if indexing == "xy":
        places[:2] = places[:2][::-1]
    lengths = tuple(tensors[place].numel() for place in places)
    return tuple(_along(t, place, lengths) for t, place in zip(tensors, places, strict=True))


def _along(t, place: int, lengths: tuple):
    """A vector along the axis `place` of a grid of these lengths."""
    return expand(t.view([-1 if at == place else 1 for at in range(len(lengths))]), lengths)


def _check_grid(tensors, indexing) -> None:
    """Vectors or numbers of one dtype, and one of two orders of the axes."""
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if len({t.dtype for t in tensors}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if max(t._array.ndim for t in tensors) > 1:
        raise NotImplementedError("minigrad's meshgrid takes vectors and numbers: ravel() them")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )


@attach
class Arranged(Tensor):
    """Methods of Tensor."""

    movedim, ravel = movedim, ravel

    def broadcast_to(x, *size):
        return expand(x, sizes(size))

    @property
    def T(x):
        """The axes in the opposite order."""
        if x._array.ndim != 2:
            warn(TURNED if x._array.ndim else NOT_TURNED.format("T"))
        return permute(x, tuple(range(x._array.ndim))[::-1])

    @property
    def mT(x):
        """The last two axes exchanged."""
        if not x._array.ndim:
            warn(NOT_TURNED.format("mT"))
            return x
        if x._array.ndim < 2:
            raise RuntimeError(
                "tensor.mT is only supported on matrices or batches of matrices. Got "
                f"{x._array.ndim}-D tensor."
            )
        return transpose(x, -2, -1)
