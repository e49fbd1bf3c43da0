"""What is noted of tensors and nodes: what is new about them, and when they die.

Only addresses, plain numbers and weak references are kept. The notes stand in one flat list, kind
and line and values, one note after the other: a tuple for each would be one thing more that the
garbage collector looks through, again and again.
"""

from __future__ import annotations

import weakref

from minigrad.core.node import NOWHERE
from minigrad.memory import saves
from whoholds.noting import Noting


class _Ref(weakref.ref):
    """A weak reference that remembers the address of what it referred to."""

    __slots__ = ("facts", "grad", "key")
    key: int
    facts: tuple  # of a tensor: what was last told of it
    grad: int | None  # the storage of its gradient, as last told


def ref_to(thing, callback) -> _Ref:
    ref = _Ref(thing, callback)
    ref.key = id(thing)
    return ref


def facts(tensor) -> tuple:
    """The storage, is it a leaf, does it want a gradient; its node, what it is a view of."""
    owner, edge = tensor._storage.owner, tensor._edge
    made = (edge or tensor._was)[0]
    return id(owner), made is None, edge is not NOWHERE, id(made), id(tensor._base)


class Notes(Noting):
    """The notes, and what has been told so far."""

    def __init__(self):
        super().__init__()
        self.tensors: dict = {}  # address -> weak reference to a tensor that was told of
        self.nodes: dict = {id(None): None}  # the same of nodes; of None there is nothing to tell
        self.met: set = set()  # addresses of those told of for the first time since a look
        self.stale = False  # a tensor may have changed since it was told of
        self.fresh: list = []  # weak references to tensors that nothing was told of yet
        self.gradients: list = []  # weak references to the tensors that a walk made
        self.walks = 0  # backward calls under way
        self.late: list = []  # nodes that save more after they were recorded, and the names told

    def _forgotten(self, ref):
        if self.tensors.pop(ref.key, None) is not None:
            self.notes += ("forget", self.line, ref.key)

    def _left(self, ref):
        if self.nodes.pop(ref.key, None) is not None:
            self.notes += ("gone", self.line, ref.key)

    # -- tensors --

    def settle(self):
        """Tell of the tensors made since the last time, and of what late nodes saved."""
        for ref in self.fresh:
            if (tensor := ref()) is not None and ref.key not in self.tensors:
                self.introduce(tensor, ref)
        self.fresh.clear()
        if self.late:
            late, self.late = self.late, []
            for ref, told in late:
                if (node := ref()) is not None:
                    self.note("save", ref.key, self.kept(node, told))

    def meet(self, tensor):
        """Tell of a tensor, unless nothing about it is new."""
        ref = self.tensors.get(id(tensor))
        if ref is None:
            self.introduce(tensor, ref_to(tensor, self._forgotten))
        else:
            self.tell(tensor, ref)

    def introduce(self, tensor, ref):
        """Tell of a tensor for the first time. (Most are told of once, and never change.)"""
        key = ref.key
        self.tensors[key] = ref
        self.met.add(key)
        ref.facts, ref.grad = facts(tensor), None
        if tensor._base is not None:
            self.meet(tensor._base)
        self.notes += ("tensor", self.line, key, tensor._array.shape, *ref.facts)
        if tensor._grad is not None:
            self.tell(tensor, ref)

    def has_role(self, tensor, role, of=None):
        """Tell that an optimizer keeps a tensor, of the parameter `of`, or a module does."""
        self.settle()
        self.meet(tensor)
        self.note("role", facts(tensor)[0], role, id(of))

    def tell(self, tensor, ref):
        """Tell what is new about a tensor."""
        if ref.facts != (now := facts(tensor)):
            ref.facts = now
            self.note("tensor", ref.key, tensor._array.shape, *now)
        grad = tensor._grad
        held = None if grad is None else id(grad._storage)
        if ref.grad != held:
            ref.grad = held
            if grad is not None:
                self.meet(grad)
            self.note("grad", ref.key, held)

    def poll(self):
        """Settle; look at every tensor, but only if something may have changed one of them."""
        self.settle()
        if self.stale or self.walks:
            self.stale = False
            for ref in list(self.tensors.values()):
                if (tensor := ref()) is not None:
                    self.tell(tensor, ref)

    def turn(self):
        """Somebody says: a turn of the loop is over."""
        self.poll()
        self.note("turn")

    def survivors(self) -> list:
        """The gradients of a walk that somebody holds on to."""
        alive = [tensor for ref in self.gradients if (tensor := ref()) is not None]
        self.gradients.clear()
        return [ref_to(t, self._forgotten) for t in alive if id(t) not in self.tensors]

    # -- nodes --

    def meet_node(self, node):
        """Tell of a node that is older than the recording, and of all below it."""
        if id(node) in self.nodes:
            return
        for older in reversed(saves.nodes(node)):
            if id(older) not in self.nodes:
                self.tell_node(older, getattr(older, "variable", None))

    def tell_node(self, node, out, told=False):
        """Tell of a node; before it, of those it leads to and of its tensor, if not yet `told`."""
        edges: list = []
        nodes = self.nodes
        for target, number in node.next_functions:
            if id(target) not in nodes:
                self.meet_node(target)
            edges += (id(target), number)
        if out is not None and not told:
            self.meet(out)
        nodes[id(node)] = ref = ref_to(node, self._left)
        self.met.add(ref.key)
        kept = self.kept(node) if node._saved else ()
        told = kept[::4]
        if node.saves and (not node._saved or "result" in node.saves and "result" not in told):
            self.late.append((ref, told))  # the result of an op in place is saved when it is there
        name = node.__class__.__name__
        self.notes += ("node", self.line, ref.key, name, tuple(edges), id(out), kept)

    def kept(self, node, told=()) -> tuple:
        """name, storage, tensor, bytes of each tensor that a node has saved, in one row; without
        those of the names that were told.
        """
        if node._saved.__class__ is not list:
            return ()
        row: list = []
        for name, entry in zip(node.saves or saves.slot_names(node), node._saved, strict=False):
            if name in told:
                continue
            if entry.__class__ is tuple:
                row += (name, *_held(entry[0]))
            elif entry is not None:
                for tensor in saves.tensors_in(entry):
                    row += (name, *_held(tensor))
        return tuple(row)


def _held(tensor) -> tuple:
    """The storage, the tensor, and the bytes."""
    owner = tensor._storage.owner
    return id(owner), id(tensor), owner.bytes
