"""Watch the engine as one of its observers: it tells of its events while a recording runs.

A recording must not change what it measures. So it notes addresses and plain numbers, holds
nothing but weak references, and leaves serial numbers, categories and totals to `translate`,
which works on the notes afterwards. The engine itself knows of no recorder.
"""

from __future__ import annotations

import functools
import sys
import weakref
from importlib.metadata import distributions

from minigrad.core import observer, storage
from minigrad.core.function import BackwardCFunction
from minigrad.core.observer import Observer
from minigrad.core.storage import Storage
from minigrad.core.tensor import Tensor
from minigrad.memory import workspace
from minigrad.memory.budgets import living
from whoholds import frames
from whoholds.events import Trace
from whoholds.mentioned import mentioned
from whoholds.noting import Noting
from whoholds.on_minigrad.names import Scope, inside, stays
from whoholds.on_minigrad.notes import Notes, ref_to
from whoholds.places import Places
from whoholds.translate import translate


@functools.cache
def version() -> str:
    """That of minigrad; "" where its folder is used without being installed."""
    return next((found.version for found in distributions(name="minigrad-course")), "")


class Recorder(Notes, Observer):
    """`with Recorder() as r:` notes what happens; `r.trace()` tells it.

    `names` are the variables to follow; None means those that the caller's code mentions.
    """

    def __init__(self, names=None, frame=None):
        super().__init__()
        self.followed, self.frame = names, frame
        self.live = 0  # of the ledger, when the recording began
        self.older: dict = {}  # address -> bytes of the storages that lived before
        self.scopes: dict = {}  # address of a frame -> its Scope
        self.place = 0  # a row of the places
        self.stepping = False  # somebody else says on which line the program is
        self.seed: int | None = None  # where in the notes the next walk begins
        self.at: int | None = None  # the node that a walk is at
        self.version = version()
        self.beside = workspace()  # what numpy needs for itself; it is told, and is in no event

    # -- from where to where --

    def __enter__(self):
        self.frame = self.frame or frames.caller()
        self.outermost = id(self.frame)
        self.places = Places(self.frame.f_code.co_filename, inside)
        if self.followed is None:
            self.followed = mentioned(self.frame, stays)
        self.followed = sorted(self.followed)
        self._take_stock()
        observer.watch(self)
        return self

    def __exit__(self, kind, error, traceback):
        try:
            self.look(self.frame)
            if error is not None:
                self.error(error)
        finally:
            observer.leave(self)
            self.frame = None
            for known in self.tensors, self.nodes, self.fresh:
                known.clear()
            self.tell_followers()

    def trace(self, source="", title="") -> Trace:
        """What was noted so far, as events."""
        trace = Trace(self.told(), source, "minigrad", title, self.places.rows, self.version)
        trace._workspace = self.beside.most
        return trace

    def told(self) -> list:
        """The events, of all that was noted so far."""
        return translate(self.notes, self.live, self.older)

    def _take_stock(self):
        """What lives already: what the followed names lead to is told, the rest only counted."""
        self.older = {id(s): s.bytes for s in living(Storage)}
        self.live = storage.live
        self.look(self.frame)

    # -- what the engine tells --

    def made(self, tensor, owns):
        if self.walks:  # gradients: told of when the walk is over, if they still live
            self.gradients.append(weakref.ref(tensor))
        else:
            if self.fresh:
                self.settle()
            if not self.stepping:
                self.where(sys._getframe(1))  # the caller is the engine
            self.fresh.append(ref_to(tensor, self._forgotten))
        if owns:
            owner = tensor._storage
            here = self.line, self.place
            if self.walks and not self.stepping:
                self.where(sys._getframe(1))  # perhaps in a hook
            self.notes += ("born", self.line, id(owner), owner.bytes)
            self._stand(*here)
            if self.followers:
                self.tell_followers()

    def died(self, owner):
        if owner.bytes:  # an alias owns none
            self.notes += ("died", self.line, id(owner))

    def passed(self, size):
        block = object()  # like a storage that is made and goes
        self.notes += ("born", self.line, id(block), size, "died", self.line, id(block))

    def changed(self):
        self.stale = True  # a tensor may have changed; it is told when the line is over

    def joined(self, tensor, role, of=None):
        self.has_role(tensor, role, of)

    def written(self, tensor):
        self.meet(tensor)
        self.note("write", id(tensor._storage), tensor._storage.version)

    def recorded(self, node, out, inputs):
        self.beside.recorded(node, out, inputs)
        if isinstance(node, BackwardCFunction):
            self.stale = True
            self.poll()
            self.tell_node(node, out)
            return
        tensors, fresh = self.tensors, self.fresh
        for t in inputs:
            if id(t) not in tensors and isinstance(t, Tensor):
                self.meet(t)
        new = fresh and fresh[-1].key == id(out)
        self.settle()
        self.tell_node(node, out, new)

    def asked(self, tensors, inputs, capture):
        if not self.stepping:
            self.where(sys._getframe(1))
        self.settle()
        self.seed = len(self.notes)  # the walk begins with the making of its first gradient

    def started(self, roots, keep_graph):
        self.poll()
        for node, _, _ in roots:
            self.meet_node(node)
        nodes = tuple(id(node) for node, _, _ in roots)
        place = len(self.notes) if self.seed is None else self.seed
        self.notes[place:place] = "backward", self.line, nodes, keep_graph
        self.seed = None
        self.walks += 1

    def visited(self, node):
        self.beside.visited(node)
        self.at = key = id(node)
        if key not in self.nodes:
            self.meet_node(node)
        self.notes += ("visit", self.line, key)

    def accumulated(self, leaf):
        self.meet(leaf)

    def freed(self, node):
        self.notes += ("free", self.line, id(node))

    def ended(self, error):
        if isinstance(error, Exception):
            self.error(error, self.at)
        self.note("end")
        self.fresh += self.survivors()
        self.poll()
        self.walks -= 1

    def where(self, frame):
        """The line of the program that is running; a stepper says it by itself."""
        inner, main = self.places.of(frame)
        if main is not None and (line := main.f_lineno) != self.line:
            if main is self.frame:
                self.look(main)  # what the line before has bound
            self.line = line
        self._stand(self.line, 0 if inner is main else self.places.number(inner))

    def _stand(self, line, place):
        """The program is there."""
        self.line = line
        if place != self.place:
            self.place = place
            self.note("place", place)

    # -- lines, names, errors --

    def tick(self, line, frame=None, begins=False, calls=(), again=False):
        """A stepper says: the statement on `line` is about to run, and whether a call begins; or
        the head of this statement `again`.
        """
        self.stepping = True
        frame = frame or sys._getframe(1)
        self.look(frame, begins)
        self.back(line, calls)
        self.note("again" if again else "line")

    back = Noting.stand  # as a stepper says it

    def look(self, frame, begins=False):
        """Tell which names were bound or unbound since the last time."""
        closely = self.stale or self.walks
        if closely or self.fresh or self.late:
            self.poll()
        scope = self.scopes.get(id(frame))
        if scope is None or len(self.scopes) > 1:
            scope = self._scope(frame, begins)
        if found := scope.changes(frame, self, closely):
            self._rebind(scope, found)
        self.met.clear()
        if scope.met:
            scope.met.clear()

    def _scope(self, frame, begins):
        """The scope of this call; those of calls that are over lose their names.

        A call that begins may have the address of one that is over.
        """
        running = frames.chain(frame.f_back if begins else frame)
        for key, scope in list(self.scopes.items()):
            scope.met |= self.met
            if running.get(key) is not scope.code:
                self._rebind(self.scopes.pop(key), dict.fromkeys(scope.names, ()))
        if id(frame) not in self.scopes:
            label = "" if id(frame) == self.outermost else frame.f_code.co_name + "."
            self.scopes[id(frame)] = Scope(frame, self.followed, label)
        return self.scopes[id(frame)]

    def _rebind(self, scope, found):
        """Tell which of these names lead elsewhere now; an old address may be a new thing's."""
        bound, label = scope.bound, scope.label
        if () in found.values():
            for name in [n for n in found if not found[n] and bound.pop(n, None)]:
                self.note("unbind", label + name)
        for name, targets in found.items():
            if targets != bound.get(name, ()) or self._met(scope, targets):
                bound[name] = targets
                self.notes += ("bind", self.line, label + name, targets)

    def _met(self, scope, targets):
        return any(address in self.met or address in scope.met for _, address, *_ in targets)

    error = Noting.note_error
