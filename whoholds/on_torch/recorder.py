"""Real PyTorch, told in the events of minigrad's recorder, so that one view serves both.

Bytes come from the byte-exact ledger beside it; nodes are found by walking down
from the named tensors after each statement and before each backward; what a node saved is read
without unpacking it. It must not change what it measures: it holds weak references only, and a
node's number lies in the node's own `metadata`, where it dies with the node. Only what the main
thread does is told.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch

from whoholds.events import Trace
from whoholds.holders.held import Finder
from whoholds.on_torch.ledger import Watch, warm_up
from whoholds.on_torch.objects import Objects
from whoholds.on_torch.parts import (
    Bytes,
    Gone,
    Known,
    Mark,
    address_of,
    address_of_grad,
    alive,
    history_of,
    node_of,
    root_of,
    saved,
)
from whoholds.on_torch.scopes import Scopes

MOST = 24  # targets shown of one list or module
_keys = itertools.count()


class TorchRecorder:
    """`tick(line, frame)` before each statement; then `trace()`."""

    def __init__(self, names=None, frame=None):
        self.frame = frame
        self.notes: list = []
        self.line = 0
        self.key = f"minigrad.step.{next(_keys)}"
        self.marks: dict = {}  # node number -> weak reference to its mark
        self.known: dict = {}  # address of a tensor -> Known
        self.fresh: list = []  # weak references to results that nothing was told of yet
        self.walks: list = []  # of each walk under way: {node number: node}
        self.at: Any = None  # the node the walk is at, not yet seen freed
        self.seed: int | None = None  # where the making of a walk's first gradient began
        self.numbers = itertools.count(1)
        self.ledger = Bytes(self)
        self.watch = Watch(self.ledger)
        self.scopes = Scopes(names, frame, self)
        self.finder = Finder(self, Objects(self))
        self.leaving = False
        self.ended: BaseException | None = None  # what ended the snippet, at the last look

    def __enter__(self):
        warm_up()
        api = torch.autograd
        self.originals = api._engine_run_backward, api._make_grads
        api._engine_run_backward, api._make_grads = self._walked, self._seeded
        self.look(self.frame)
        self.watch.__enter__()
        return self

    def __exit__(self, kind, error, traceback):
        self.leaving, self.ended = True, error
        try:
            self.look(self.frame)
            if error is not None:
                self.error(error)
        finally:
            self.watch.__exit__(None, None, None)
            api = torch.autograd
            api._engine_run_backward, api._make_grads = self.originals
            self.marks.clear()
            self.frame = self.scopes.frame = self.ended = None

    def trace(self, source="", title="") -> Trace:
        """What was noted so far, as events."""
        return Trace(self.finder.events(), source, "torch", title)

    def note(self, kind, *values):
        self.notes += (kind, self.line, *values)

    def tick(self, line, frame) -> None:
        """The statement on `line` is about to run."""
        self.look(frame)
        self.line = line
        self.note("line")

    def look(self, frame) -> None:
        """Tell which names lead elsewhere now, and who holds what no arrow leads to."""
        self.scopes.look(frame)
        self.finder.look(frame.f_globals, self.leaving, self.ended)

    def error(self, error, node=None) -> None:
        """Tell what went wrong; once, however far it travels."""
        if getattr(error, "told_to", None) != id(self):
            error.told_to = id(self)  # on the error: a new one may get a dead one's address
            notes = tuple(getattr(error, "__notes__", ()))
            self.note("error", f"{type(error).__name__}: {error}", notes, node)

    # -- what changed since the last time --

    def catch_up(self) -> None:
        """Tell of deaths, and of what the node that ran last let go of."""
        for address in [a for a, known in self.known.items() if known.weak.expired()]:
            del self.known[address]
            self.note("forget", address)
        self.ledger.live()
        if self.at is None:
            return
        number, had, is_leaf = self.at
        node = self.walks[-1][number]
        if had and not saved(node):
            self.at = None
            self.note("free", number)
        elif is_leaf and address_of_grad(node.variable) is not None:
            self.meet(node.variable)

    def poll(self) -> None:
        """Tell of new results that live on, and of every change of a known tensor."""
        self.catch_up()
        fresh, self.fresh = self.fresh, []
        for tensor in alive(fresh):
            self.meet(tensor)
            if (node := node_of(tensor)) is not None:
                self.meet_node(node, tensor)
        for known in list(self.known.values()):
            for tensor in alive([known.ref]):
                self.tell(tensor, known)
        tensor = None
        self.catch_up()

    def meet(self, tensor) -> None:
        """Tell of a tensor, unless nothing about it is new."""
        if tensor.device.type != "cpu" or tensor.layout != torch.strided:
            return
        self.ledger.count(tensor)
        known = self.known.get(tensor._cdata)
        if known is None:
            known = self.known[tensor._cdata] = Known(tensor)
        self.tell(tensor, known)

    def tell(self, tensor, known) -> None:
        facts = self._facts(tensor)
        storage = facts[1]
        if known.facts != facts:
            known.facts = facts
            self.note("tensor", tensor._cdata, *facts)
        grad = address_of_grad(tensor)
        if known.grad != grad:
            known.grad = grad
            if grad is not None:
                self.meet(tensor.grad)
            self.note("grad", tensor._cdata, grad)
        if known.version != tensor._version:
            known.version = tensor._version
            if storage not in {k.grad for k in self.known.values()}:
                self.note("write", storage, tensor._version)

    def _facts(self, tensor) -> tuple:
        """Shape, storage, is it a leaf, does it want a gradient; its node, what it is a view of."""
        base = tensor._base
        if base is not None:
            self.meet(base)
        node, is_leaf = history_of(tensor)
        fn = node and self.number_of(node)
        flags = is_leaf, tensor.requires_grad
        return tuple(tensor.shape), address_of(tensor), *flags, fn, base is not None and base._cdata

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
        self.marks[mark.number] = Gone(mark, self._left)
        edges = [x for n, i in node.next_functions for x in (n and self.number_of(n), i)]
        output = tensor is not None and tensor._cdata
        self.note("node", mark.number, type(node).__name__, edges, output, ())
        if tensor is not None and not hasattr(node, "variable"):
            self.known[tensor._cdata].facts = self._facts(tensor)  # the node has said whose it is
        for slot, value in saved(node):
            self._tell_saved(mark.number, slot, value)

    def _tell_saved(self, number, slot, tensor) -> None:
        if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cpu":
            return
        storage = address_of(tensor)
        if storage not in self.ledger.watched:
            if tensor.dim() == 0 and tensor._cdata not in self.known:
                return  # a Python number, wrapped: the ledger counts none
            self.ledger.count(tensor)
        known = tensor._cdata if tensor._cdata in self.known else None
        self.note("save", number, (slot, storage, known, self.ledger.watched[storage][1]))

    def _left(self, ref) -> None:
        if self.marks.pop(ref.number, None) is not None:
            self.note("gone", ref.number)

    # -- backward --

    def _seeded(self, *args, **options):
        self.poll()
        self.seed = len(self.notes)
        return self.originals[1](*args, **options)

    def _walked(self, outputs, grads=None, keep=False, *rest, **options):
        place, self.seed = self.seed, None
        known = len(self.notes)
        roots = [root for root in map(root_of, outputs) if root is not None]
        for root in roots:
            self.meet_node(root)
        made = [] if place is None else self.notes[place:known]
        if made:  # the first gradient: it belongs to the walk
            del self.notes[place:known]
        self.note("backward", tuple(self.number_of(n) for n in roots), bool(keep))
        self.notes += made
        handles = self._watch_walk(roots)
        roots, root = [], None  # nothing here may keep the graph alive
        outer, self.at = self.at, None  # this walk may stand inside another (checkpoint)
        try:
            return self.originals[0](outputs, grads, keep, *rest, **options)
        except Exception as error:
            self.catch_up()
            self.error(error, self.at and self.at[0])
            raise
        finally:
            self.catch_up()
            self.at = outer
            for handle in handles:
                handle.remove()
            self.walks.pop()
            self.note("end")
            if not self.walks:
                self.poll()

    def _watch_walk(self, roots) -> list:
        """A pre-hook on each node that can be reached: it says when the walk is there."""
        nodes, todo = {}, list(roots)
        while todo:
            node = todo.pop()
            number = self.number_of(node)
            if number not in nodes:
                nodes[number] = node
                todo += [n for n, _ in node.next_functions if n is not None]
        self.walks.append(nodes)
        return [node.register_prehook(self._visitor(number)) for number, node in nodes.items()]

    def _visitor(self, number):
        def visit(_):
            self.catch_up()
            self.note("visit", number)
            node = self.walks[-1].get(number)
            if node is not None:
                self.at = number, bool(saved(node)), hasattr(node, "variable")

        return visit

    # -- names --

    def leads(self, value, depth=0):
        """The tensors and nodes that a variable leads to."""
        if isinstance(value, torch.Tensor):
            self.meet(value)
            if (node := node_of(value)) is not None:
                self.meet_node(node, value)
            yield "t", value._cdata
        elif isinstance(value, torch.autograd.graph.Node) and value._input_metadata:
            self.meet_node(value)  # and no ctx whose forward is still running
            yield "n", self.number_of(value)
        elif isinstance(value, torch.nn.Module):
            for parameter in value.parameters():
                yield from self.leads(parameter)
        elif isinstance(value, (list, tuple, dict)) and depth < 2:
            items = value.values() if isinstance(value, dict) else value
            for item in list(items)[:MOST]:
                yield from self.leads(item, depth + 1)
