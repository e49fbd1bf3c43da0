"""What a node keeps for its backward: saved tensors, their version check, and their release.

`node._saved` is () if nothing was kept, a Freed after a backward, or else a list with one entry
for each name in `node.saves`:
    (tensor, version)   an input: the very tensor; an output: its detached twin (no cycle)
    a number            a Python number of the expression, as 5 in `a * 5`
    Packed              what a pack hook of `saved_tensors_hooks` made of the tensor
    a list              several of these under one name: the indices of x[list]
    None                not needed, so never kept
"""

from __future__ import annotations

from minigrad.core import backend, messages, modes
from minigrad.core.node import Freed
from minigrad.core.packing import Packed, packed

MADE = "result", "buffer", "total_weight"  # names of what an op has made
NUMBERS = frozenset((int, float, bool, type(None)))  # in a tensor's place; None: not given


def keep(tensor):
    """Save an input: the tensor itself, so that the graph holds it as any name would.

    A Python number stays what it is; hooks of this thread get a tensor into their care.
    """
    if tensor.__class__ in NUMBERS:
        return tensor
    if modes.state.saved_hooks:
        return packed(tensor)
    return tensor, tensor._storage.version


def keep_output(tensor):
    """Save an output: a twin with the same bytes, since the output itself points at the node."""
    if modes.packing and modes.state.saved_hooks:
        return Packed(modes.state.saved_hooks[-1], tensor, is_output=True)
    return tensor._twin(tensor._array), tensor._storage.version


def arrays(node, entries) -> list:
    """The arrays (or numbers) a rule kept, after checking that nobody freed or changed them."""
    if entries.__class__ is Freed:
        raise messages.freed_error(node, entries)
    result: list = []
    opened: dict = {}
    for entry in entries:
        if entry.__class__ is tuple:
            if _is_changed(node, *entry):
                raise _changed(node, _first_changed(node, entries))
            entry = entry[0]._array
        elif entry.__class__ is list:
            entry = [None if e is None else _open(node, e)._array for e in entry]
        elif entry.__class__ is Packed:
            opened = opened or _opened(node, entries)
            entry = opened[len(result)]
        result.append(entry)
    return result


def _opened(node, entries) -> dict:
    """{index: array} of what hooks have: theirs are called in PyTorch's order."""
    packs = [i for i in in_order(node.saves) if entries[i].__class__ is Packed]
    return {index: backend.held(entries[index].open()) for index in packs}


def _open(node, entry):
    """The tensor in one entry; M2 if it was changed."""
    if entry.__class__ is Packed:
        return entry.open()
    if _is_changed(node, *entry):
        raise _changed(node, entry)
    return entry[0]


def unpack(node, index: int):
    """The saved tensor as its reader sees it: an input itself, an output with its grad_fn."""
    entry = entry_of(node, index)
    if entry is None or entry.__class__ in NUMBERS:
        return entry
    if entry.__class__ is list:
        return tuple(None if e is None else _open(node, e) for e in entry)
    return _with_history(node, index, _open(node, entry))


def unpack_all(node) -> list:
    """The saved tensors in the order of `node.saves`."""
    opened = {index: unpack(node, index) for index in in_order(node.saves)}
    return [opened[index] for index in range(len(opened))]


def entry_of(node, index: int):
    """Entry `index` of node._saved; None if it was never kept, an error if it was freed."""
    if node._saved.__class__ is Freed:
        if node._never_kept(index):
            return None
        raise messages.freed_error(node, node._saved)
    return node._saved[index] if node._saved else None


def _with_history(node, index, tensor):
    number = node._output_number(index)
    if number is None:
        return tensor
    twin = tensor._share(tensor._array)
    twin._edge = node._outlet() or node, number
    return twin


def _is_changed(node, tensor, version) -> bool:
    """True if it was written to, or taken out of its graph, since the node was made."""
    detached = node._minds and tensor._detached < node._order
    return detached or tensor._storage.version != version


def _first_changed(node, entries):
    """The entry that PyTorch looks at first."""
    ordered = (entries[index] for index in in_order(node.saves))
    return next(e for e in ordered if e.__class__ is tuple and _is_changed(node, *e))


def in_order(saves) -> list[int]:
    """The indices of the entries as PyTorch makes and opens them: inputs before what the op makes,
    each by name.
    """
    ordered = sorted(saves, key=lambda name: (name.startswith(MADE), name))
    return [list(saves).index(name) for name in ordered]


def _changed(node, entry):
    tensor, version = entry
    if node._minds and tensor._detached < node._order and tensor.grad_fn is None:
        return RuntimeError(messages.DETACHED_IN_PLACE)
    slots = [i for i, other in enumerate(node._saved) if other is entry]
    is_output = slots and node._output_number(slots[0]) is not None
    made_by = node._outlet() or node if is_output else tensor.grad_fn
    if tensor._detached < node._order:  # its own node is forgotten
        made_by = node
    return messages.modified_error(node, tensor, version, made_by)


class SavedTensor:
    """`node._raw_saved_x`: the slot itself; readable as an object also when freed."""

    def __init__(self, node, index):
        self.node, self.index = node, index

    def register_hooks(self, pack, unpack) -> None:
        """Hand this saved tensor to a pair of hooks, as `saved_tensors_hooks` would have."""
        if self.node._saved.__class__ is Freed and not self.node._never_kept(self.index):
            raise RuntimeError(messages.RAW_FREED)
        entry = entry_of(self.node, self.index)
        if entry is None:
            raise RuntimeError(messages.RAW_NONE)
        if entry.__class__ is Packed:
            raise RuntimeError(messages.RAW_TWICE)
        self.node._saved[self.index] = Packed((pack, unpack), entry[0])
