"""What is noted of tensors and nodes: what is new about them, and when they die.

Only addresses, plain numbers and weak references are kept.
"""

from __future__ import annotations

import weakref

from minigrad import saves
from minigrad.storage import Storage


class _Ref(weakref.ref):
    """A weak reference that remembers the address of what it referred to."""

    __slots__ = ("key",)
    key: int


def ref_to(thing, callback) -> _Ref:
    ref = _Ref(thing, callback)
    ref.key = id(thing)
    return ref


class Notes:
    """A growing list of (kind, line, values), and what has been told so far."""

    def __init__(self):
        self.notes: list = []
        self.line = 0
        self.refs: dict = {}  # address -> weak reference to a tensor or node
        self.facts: dict = {}  # address of a tensor -> what was last told of it
        self.fresh: list = []  # weak references to tensors that nothing was told of yet
        self.gradients: list = []  # weak references to the tensors that a walk made
        self.late: list = []  # nodes whose saved tensors are set after they were recorded

    def note(self, kind, *values):
        self.notes.append((kind, self.line, *values))

    def _forgotten(self, ref):
        if self.refs.pop(ref.key, None) is not None and self.facts.pop(ref.key, None):
            self.note("forget", ref.key)

    def _left(self, ref):
        if self.refs.pop(ref.key, None) is not None:
            self.note("gone", ref.key)

    def settle(self):
        """Tell of the tensors made since the last time, and of what late nodes saved."""
        fresh, self.fresh = self.fresh, []
        for ref in fresh:
            tensor = ref()
            if tensor is not None:
                self.refs[ref.key] = ref
                self.tell(tensor)
        late, self.late = self.late, []
        for ref in late:
            if (node := ref()) is not None:
                self.tell_saved(node)

    def meet(self, tensor):
        """Tell of a tensor, unless nothing about it is new."""
        if id(tensor) not in self.refs:
            self.refs[id(tensor)] = ref_to(tensor, self._forgotten)
        self.tell(tensor)

    def tell(self, tensor):
        owner = tensor._storage
        if owner.__class__ is not Storage:
            owner = owner.owner
        grad, key = tensor._grad, id(tensor)
        leaf, wants = tensor.grad_fn is None, tensor._requires_grad
        held = None if grad is None else id(grad._storage)
        facts = (id(owner), leaf, wants, held)
        before = self.facts.get(key)
        if before == facts:
            return
        if before is None or before[:3] != facts[:3]:
            shape = tensor._array.shape
            self.notes.append(("tensor", self.line, key, id(owner), shape, leaf, wants))
        self.facts[key] = facts
        if (before[3] if before else None) != held:
            if grad is not None:
                self.meet(grad)
            self.note("grad", key, held)

    def poll(self):
        """Tell of every change that came without a seam: requires_grad_(), .grad = None."""
        self.settle()
        for key in list(self.facts):
            ref = self.refs.get(key)
            tensor = ref and ref()
            if tensor is not None:
                self.tell(tensor)

    def meet_node(self, node):
        """Tell of a node that is older than the recording, and of all below it."""
        if id(node) in self.refs:
            return
        for older in reversed(saves.nodes(node)):
            if id(older) not in self.refs:
                self.tell_node(older, getattr(older, "variable", None))

    def tell_node(self, node, out):
        for target, _ in node.next_functions:
            if target is not None and id(target) not in self.refs:
                self.meet_node(target)
        if out is not None:
            self.meet(out)
        self.refs[id(node)] = ref = ref_to(node, self._left)
        edges = tuple([(id(n), i) for n, i in node.next_functions])
        self.note("node", id(node), type(node).__name__, edges, id(out))
        if node.saved:
            self.tell_saved(node)
        elif node.saves:
            self.late.append(ref)

    def tell_saved(self, node):
        if not isinstance(node.saved, list):
            return
        for name, entry in zip(saves.slot_names(node), node.saved, strict=False):
            for tensor in saves.tensors_in(entry):
                owner = getattr(tensor._storage, "owner", tensor._storage)
                key = id(tensor) if id(tensor) in self.refs else None
                self.note("save", id(node), name, id(owner), key, owner.bytes)

    def survivors(self) -> list:
        """The gradients of a walk that somebody holds on to."""
        alive = [tensor for ref in self.gradients if (tensor := ref()) is not None]
        self.gradients.clear()
        return [ref_to(t, self._forgotten) for t in alive if id(t) not in self.refs]
