"""allow_mutation_on_saved_tensors: what is overwritten after it was saved is cloned before.

Inside, a saved tensor is in the care of hooks, and its storage of a kind that asks before each
write in place.
"""

from __future__ import annotations

import contextlib
import weakref

from minigrad.core.packing import saved_tensors_hooks
from minigrad.core.storage import Storage

NESTED = "allow_mutation_on_saved_tensors contexts cannot be nested"
OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)
active: _AllowMutationOnSavedContext | None = None


class Guarded(Storage):
    """The storage of a tensor that some node has saved."""

    __slots__ = ()

    def check_write(self) -> None:
        if active is not None:
            active.about_to_write(self)


class Handle:
    """Saved in a tensor's place."""


class _AllowMutationOnSavedContext:
    """The saved tensors by their handles: as they are, or cloned before they were overwritten."""

    def __init__(self):
        self.cloned: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self.original: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self.handles: weakref.WeakValueDictionary = weakref.WeakValueDictionary()

    def clear(self) -> None:
        self.cloned.clear()
        self.original.clear()

    def pack(self, tensor):
        """One handle for a tensor as it is now, however often it is saved."""
        place = id(tensor), tensor._storage.data_ptr(), tensor._version
        handle = self.handles.get(place)
        if handle is None:
            handle = self.handles[place] = Handle()
            self.original[handle] = tensor
            if type(tensor._storage) is Storage:
                tensor._storage.__class__ = Guarded
        return handle

    def unpack(self, handle):
        if active is None or not (handle in self.cloned or handle in self.original):
            raise AssertionError(OUTSIDE)
        return self.cloned[handle] if handle in self.cloned else self.original[handle]

    def about_to_write(self, storage) -> None:
        for handle, tensor in list(self.original.items()):
            if tensor._storage is storage:
                self.cloned[handle] = tensor.clone()
                del self.original[handle]


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """Inside, what a node saved may be overwritten: backward gets it as it was."""
    global active
    if active is not None:
        raise RuntimeError(NESTED)
    context = _AllowMutationOnSavedContext()
    with saved_tensors_hooks(context.pack, context.unpack):
        active = context
        try:
            yield context
        finally:
            context.clear()
            active = None
