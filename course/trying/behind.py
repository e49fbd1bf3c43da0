"""The tensors of what a case has given, and the leaves behind what came of them."""

from types import CellType, FunctionType, MethodType

from course.trying.digests import MOST, digest
from course.trying.lines import identity
from minigrad import Tensor, arange, autograd
from minigrad.core.node import AccumulateGrad
from minigrad.nn import Module


def slopes(roots, leaves):
    """Digests of the gradients; none where the walk ends in an error, as after a backward."""
    seeds = [ramp(one) for one in roots]
    try:
        found = autograd.grad(roots, leaves, seeds, allow_unused=True)
    except Exception:  # whatever it is: the run has no slopes, and the reference's has
        return []
    return [digest(None if one is None else one._array) for one in found]


def ramp(root):
    """Other numbers for each place of it."""
    return arange(1, root.numel() + 1).reshape(root.shape).to(root.device, root.dtype) / 8


def is_leafs(node):
    """Whether it is the end of an edge, at a leaf: by its class, since a learner may set names."""
    return issubclass(type(node), AccumulateGrad)


def leaves_behind(roots):
    """The leaves that a backward from there would come to."""
    nodes, seen, found = [one.grad_fn for one in roots], set(), []
    while nodes:
        node = nodes.pop()
        if identity(node) in seen:
            continue
        seen.add(identity(node))
        found += [node.variable] if is_leafs(node) else []
        nodes += [below for below, _ in node.next_functions if below is not None]
    return found


def tensors_in(thing, depth=0):
    """The tensors that a case has given, however they are packed."""
    if isinstance(thing, Tensor):
        yield thing
    elif depth > 4:
        return
    elif isinstance(thing, dict):
        yield from tensors_in(list(thing.values()), depth + 1)
    elif isinstance(thing, list | tuple):
        for one in thing[:MOST]:
            yield from tensors_in(one, depth + 1)
    elif isinstance(thing, Module):
        yield from thing.parameters()
    elif isinstance(thing, MethodType):
        yield from tensors_in(thing.__self__, depth + 1)
    elif type(thing) is FunctionType:  # what says that it is one would be asked
        cells = [cell.cell_contents for cell in _closure_of(thing) or () if cell != _EMPTY]
        yield from tensors_in([*(thing.__defaults__ or ()), *cells], depth + 1)


_EMPTY = CellType()
_closure_of = FunctionType.__dict__["__closure__"].__get__  # itself: a guard shows none of ours
