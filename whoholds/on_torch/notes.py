"""What is noted of PyTorch's tensors and nodes: what is new about them, and when they die.

Nodes are found by walking down from tensors; what a node saved is read without unpacking it.
Nothing is held: weak references only, and a node's number lies in the node's own `metadata`, where
it dies with the node. No method here calls code of the program.
"""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from typing import Any

import torch

from whoholds.noting import Noting
from whoholds.on_torch.counted import Bytes
from whoholds.on_torch.guarded import why
from whoholds.on_torch.inside import Inside
from whoholds.on_torch.parts import (
    Known,
    Mark,
    address_of,
    address_of_grad,
    alive,
    followed,
    gone,
    has_saved,
    history_of,
    node_of,
    plain,
    saved,
    shape_of,
    version_of,
)
from whoholds.on_torch.several import parts_of, unfollowed

_keys = itertools.count()


class Notes(Noting):
    """The notes, and what has been told so far."""

    def __init__(self):
        super().__init__()
        self.key = f"whoholds.{next(_keys)}"
        self.marks: dict = {}  # node number -> weak reference to its mark
        self.known: dict = {}  # address of a tensor -> Known
        self.dying: deque = deque()  # addresses of known tensors whose Python objects have died
        self.fresh: list = []  # weak references to results that nothing was told of yet
        self.walks: list = []  # of each walk under way: {node number: node}
        self.at: Any = None  # the node the walk is at, not yet seen freed
        self.seed: int | None = None  # where the making of a walk's first gradient began
        self.left: dict = {}  # id of a tensor that is left out -> (weak reference, turn)
        self.turns = 0  # that are over
        self.several = False  # whether some tensor had several storages
        self.numbers = itertools.count(1)
        self.met = itertools.count()  # of tensors
        self.ledger = Bytes(self)
        self.inside, self.module = Inside(), ""  # where the node was recorded that was told last

    # -- what changed since the last time --

    def catch_up(self, quick=False) -> None:
        """Tell of deaths, and of what the node that ran last let go of."""
        for address in self._dead() if self.dying else ():
            del self.known[address]
            self.note("forget", address)
            self.ledger.loose = None
        self.ledger.quick() if quick else self.ledger.live()
        if self.at is None:
            return
        number, had, is_leaf = self.at
        node = self.walks[-1][number]
        if had and not has_saved(node):
            self.at = None
            self.note("free", number)
        elif is_leaf and address_of_grad(node.variable) is not None:
            self.meet(node.variable)

    def _dead(self) -> list:
        """Addresses of the known tensors that have died, in the order in which they were met."""
        dying = [self.dying.popleft() for _ in range(len(self.dying))]
        dead = [address for address in dying if self.known[address].weak.expired()]
        self.dying.extend(set(dying).difference(dead))  # C++ holds these still
        return sorted(dead, key=lambda address: self.known[address].serial)

    def poll(self) -> None:
        """Tell of new results that live on, and of every change of a known tensor."""
        self.catch_up()
        self.meet_fresh()
        for known in list(self.known.values()):
            for tensor in alive([known.ref]):
                self._safely(tensor, known)
                self._meet_new_node(tensor)
        tensor = None
        self.catch_up()

    def meet_fresh(self) -> None:
        """Tell of new results that live on, and of their nodes."""
        fresh, self.fresh = self.fresh, []
        for tensor in alive(fresh):
            self.meet_made(tensor)

    def meet_made(self, tensor) -> None:
        """Tell of a result, and of its node."""
        self.meet(tensor)
        if (node := node_of(tensor)) is not None:
            self.meet_node(node, tensor)

    def _meet_new_node(self, tensor) -> None:
        """Tell of the node that a write in place has given to a tensor that was known before."""
        node = node_of(tensor)
        if node is not None and self.number_of(node) is None:
            self.meet_node(node, tensor)

    def meet(self, tensor) -> None:
        """Tell of a tensor, unless nothing about it is new."""
        for part in parts_of(tensor):
            self.several = True
            self.ledger.count(part)
        if followed(tensor):
            self._safely(tensor, self.known.get(tensor._cdata))
        else:
            self.leave_out(tensor, unfollowed(tensor))

    def _safely(self, tensor, known) -> None:
        """Tell of a tensor; of one that cannot be asked, that it is left out."""
        if id(tensor) in self.left and self.left[id(tensor)][0]() is tensor:
            return
        try:
            if known is None:
                self.ledger.count(tensor)
                known = self.known[tensor._cdata] = Known(tensor, next(self.met), self._dies)
            self.tell(tensor, known)
        except Exception as problem:
            self.known.pop(tensor._cdata, None)
            self.leave_out(tensor, why(problem))

    def leave_out(self, tensor, reason) -> None:
        """Say that a tensor is not followed, and why; once for all that are alike."""
        if not reason:
            return
        known = self.left.get(id(tensor))
        if known is None or known[0]() is not tensor:
            self.left[id(tensor)] = weakref.ref(tensor), self.turns
            self.lose(f"not followed: {type(tensor).__name__}: {reason}")

    def lose(self, text) -> None:
        raise NotImplementedError

    def has_role(self, tensor, role, of=None) -> None:
        """Tell that an optimizer keeps a tensor, of the parameter `of`, or a module does."""
        tensor = plain(tensor)
        self.meet(tensor)
        if tensor._cdata in self.known:
            self.note("role", address_of(tensor), role, of is not None and of._cdata)

    def tell(self, tensor, known) -> None:
        facts = self._facts(tensor)
        storage = facts[1]
        if known.facts != facts:
            known.facts, self.ledger.loose = facts, None
            self.note("tensor", tensor._cdata, *facts)
        grad = address_of_grad(tensor)
        if known.grad != grad:
            known.grad = grad
            if grad is not None:
                self.meet_made(tensor.grad)  # its graph, too: with create_graph it has one
            self.note("grad", tensor._cdata, grad)
        version = version_of(tensor)
        if known.version != version:
            known.version = version
            if storage not in {k.grad for k in self.known.values()}:
                self.note("write", storage, version)

    def _facts(self, tensor) -> tuple:
        """Shape, storage, is it a leaf, does it want a gradient; its node, what it is a view of."""
        base = tensor._base
        if base is not None:
            self.meet(base)
        node, is_leaf = history_of(tensor)
        fn = node and self.number_of(node)
        if node is None and not is_leaf:  # an outdated view: untold, it still holds the one it had
            fn = (known := self.known[tensor._cdata].facts) and known[4]
        flags = is_leaf, tensor.requires_grad
        return shape_of(tensor), address_of(tensor), *flags, fn, base is not None and base._cdata

    # -- nodes --

    def meet_node(self, start, tensor=None) -> None:
        """Tell of a node and of all below it that are new, the oldest first."""
        found, todo = [], [start]
        while todo:
            node = todo.pop()
            if self.number_of(node) is None:
                node.metadata[self.key] = Mark(0)
                found.append(node)
                todo += [n for n, _ in node.next_functions if n is not None]
        recorded = [n for n in found if not hasattr(n, "variable")]
        for node in sorted(recorded, key=lambda n: n._sequence_nr()):
            for target, _ in node.next_functions:
                if target is not None and self.number_of(target) == 0:
                    self._tell_node(target, None)
            self._tell_node(node, tensor if node is start else None)
        if hasattr(start, "variable") and self.number_of(start) == 0:
            self._tell_node(start, None)

    def number_of(self, node) -> int | None:
        mark = node.metadata.get(self.key)
        return None if mark is None else mark.number

    def _tell_node(self, node, tensor) -> None:
        if self.number_of(node):
            return
        tensor = getattr(node, "variable", tensor)
        if tensor is not None:
            self.meet(tensor)
        mark = node.metadata[self.key] = Mark(next(self.numbers))
        self.marks[mark.number] = gone(mark, mark.number, self._left)
        edges = [x for n, i in node.next_functions for x in (n and self.number_of(n), i)]
        output = tensor is not None and tensor._cdata
        if (module := self.inside.of(node)) != self.module:
            self.module = module
            self.note("module", module)
        self.note("node", mark.number, type(node).__name__, edges, output, ())
        if tensor is not None and not hasattr(node, "variable"):
            self.known[tensor._cdata].facts = self._facts(tensor)  # the node has said whose it is
        for slot, value in saved(node):
            self._tell_saved(mark.number, slot, value)

    def _tell_saved(self, number, slot, tensor) -> None:
        if not issubclass(type(tensor), torch.Tensor) or not followed(tensor):
            return
        storage = address_of(tensor)
        if storage not in self.ledger.watched:
            if tensor.dim() == 0 and tensor._cdata not in self.known:
                return  # a Python number, wrapped: the ledger counts none
            self.ledger.count(tensor)
        known = tensor._cdata if tensor._cdata in self.known else None
        self.note("save", number, (slot, storage, known, self.ledger.watched[storage][1]))

    def _dies(self, ref) -> None:
        self.dying.append(ref.number)

    def _left(self, ref) -> None:
        if self.marks.pop(ref.number, None) is not None:
            self.note("gone", ref.number)
