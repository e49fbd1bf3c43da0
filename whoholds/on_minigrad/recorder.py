"""Watch the engine from outside: its seams are wrapped while a recording runs, and only then.

A recording must not change what it measures. So it notes addresses and plain numbers, holds
nothing but weak references, and leaves serial numbers, categories and totals to `translate`,
which works on the notes afterwards. The engine itself knows of no recorder.
"""

from __future__ import annotations

import functools
import sys
import weakref
from importlib.metadata import distributions

from minigrad.autograd import function
from minigrad.core import backward, storage
from minigrad.core import record as recording
from minigrad.core.node import AccumulateGrad, Node
from minigrad.core.storage import Storage
from minigrad.core.variable import Variable
from minigrad.memory.seams import Seams, around, living, subclasses
from minigrad.nn.module import Module, clear_grads
from minigrad.ops import views
from minigrad.optim import Optimizer
from minigrad.tensor import Tensor
from whoholds import frames
from whoholds.events import Trace
from whoholds.mentioned import mentioned
from whoholds.on_minigrad.names import Scope, inside, stays
from whoholds.on_minigrad.notes import Notes, ref_to
from whoholds.places import Places
from whoholds.translate import translate


@functools.cache
def version() -> str:
    """That of minigrad; "" where its folder is used without being installed."""
    return next((found.version for found in distributions(name="minigrad-course")), "")


class Recorder(Notes):
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
        self.twins = False  # the tensors being made now are the engine's own
        self.seed: int | None = None  # where in the notes the next walk begins
        self.at: int | None = None  # the node that a walk is at
        self.seams = Seams()
        self.followers: list = []  # called after each birth of a storage, and at the end
        self.version = version()

    # -- from where to where --

    def __enter__(self):
        self.frame = self.frame or frames.caller()
        self.outermost = id(self.frame)
        self.places = Places(self.frame.f_code.co_filename, inside)
        if self.followed is None:
            self.followed = mentioned(self.frame, stays)
        self.followed = sorted(self.followed)
        self._take_stock()
        self._install()
        return self

    def __exit__(self, kind, error, traceback):
        try:
            self.look(self.frame)
            if error is not None:
                self.error(error)
        finally:
            self.seams.restore()
            self.frame = None
            for known in self.tensors, self.nodes, self.fresh:
                known.clear()
            self.tell_followers()

    def trace(self, source="", title="") -> Trace:
        """What was noted so far, as events."""
        return Trace(self.told(), source, "minigrad", title, self.places.rows, self.version)

    def told(self) -> list:
        """The events, of all that was noted so far."""
        return translate(self.notes, self.live, self.older)

    def tell_followers(self):
        for call in self.followers:
            call()

    def _take_stock(self):
        """What lives already: what the followed names lead to is told, the rest only counted."""
        self.older = {id(s): s.bytes for s in living(Storage)}
        self.live = storage.live
        self.look(self.frame)

    # -- the seams --

    def _install(self):
        wrap = self.seams.wrap
        wrap(Storage, "__del__", self._died)
        wrap(Tensor, "_new", self._made)
        wrap(Tensor, "_share", self._made)
        for owner, name in subclasses(Node, "apply"):
            wrap(owner, name, self._applied)
        for owner, name in subclasses(Node, "release"):
            wrap(owner, name, self._released)
        wrap(Tensor, "backward", around(self._backward_called))
        changed = around(self._changed)
        functions = dict.fromkeys((recording.move_on, views._several, clear_grads), changed)
        functions[recording.record] = self._recorded
        functions[recording.overwrite] = around(self._overwritten)
        functions[function._outputs] = around(self._function_ran)
        functions[backward._gradients] = around(self._seeded)
        functions[backward.walk] = around(self._walked)
        self.seams.everywhere(functions)
        for name in ("grad", "data", "requires_grad"):
            wrap(Variable, name, self._assigned)
        wrap(Variable, "detach_", changed)
        wrap(Optimizer, "_memory", around(self._remembered))
        wrap(Module, "register_buffer", around(self._registered))
        wrap(Tensor, "__deepcopy__", changed)

    def where(self, frame):
        """The line of the program that is running; a stepper says it by itself."""
        inner, main = self.places.of(frame)
        if main is not None and (line := main.f_lineno) != self.line:
            if main is self.frame:
                self.look(main)  # what the line before has bound
            self.line = line
        place = 0 if inner is main else self.places.number(inner)
        if place != self.place:
            self.place = place
            self.note("place", place)

    def _changed(self, original, *args, **kwargs):
        """What this was called for may change a tensor; it is told when the line is over."""
        result = original(*args, **kwargs)
        self.stale = True
        return result

    def _assigned(self, original):
        """The same for what assigns to a property or deletes it."""
        put, drop = map(around(self._changed), (original.fset, original.fdel))
        return property(original.fget, put, original.fdel and drop)

    def _remembered(self, original, optimizer, parameter, names):
        found = original(optimizer, parameter, names)
        for kept in optimizer.state[parameter].values():
            if isinstance(kept, Variable):  # and no count of steps
                self.has_role(kept, "state", parameter)
        return found

    def _registered(self, original, module, name, value):
        original(module, name, value)
        if isinstance(value, Variable):
            self.has_role(value, "buffer")

    def _died(self, original):
        note = self.notes.extend

        def inside(old):
            original(old)
            if old.bytes:  # an alias owns none
                note(("died", self.line, id(old)))

        return inside

    def _made(self, original):
        note, forgotten = self.notes.extend, self._forgotten
        fresh, gradients, followers = self.fresh, self.gradients, self.followers
        books, ref = original.__name__ == "_new", weakref.ref

        def inside(tensor, array):
            if self.twins or self.walks:
                out = original(tensor, array)
                if not self.twins:  # gradients: told of when the walk is over, if they still live
                    gradients.append(ref(out))
            else:
                if fresh:
                    self.settle()
                if not self.stepping:
                    self.where(sys._getframe(2))  # the caller is the engine
                out = original(tensor, array)
                fresh.append(ref_to(out, forgotten))
            if books:
                note(("born", self.line, id(out._storage), out._storage.bytes))
                if followers:
                    self.tell_followers()
            return out

        return inside

    def _recorded(self, original):
        tensors, fresh = self.tensors, self.fresh

        def inside(op, out, inputs, edges, plan, arguments=()):
            self.twins = True
            try:
                node = original(op, out, inputs, edges, plan, arguments)
            finally:
                self.twins = False
            for t in inputs:
                if id(t) not in tensors and isinstance(t, Variable):
                    self.meet(t)
            new = fresh and fresh[-1].key == id(out)
            self.settle()
            self.tell_node(node, out, new)
            return node

        return inside

    def _function_ran(self, original, node, tensors, results, recorded):
        outputs = original(node, tensors, results, recorded)
        if recorded:
            self.stale = True
            self.poll()
            self.tell_node(node, next((t for t in outputs if isinstance(t, Variable)), None))
        return outputs

    def _overwritten(self, original, x, compute):
        original(x, compute)
        self.meet(x)
        self.note("write", id(x._storage), x._storage.version)

    def _backward_called(self, original, tensor, *args, **kwargs):
        if not self.stepping:
            self.where(sys._getframe(2))
        return original(tensor, *args, **kwargs)

    def _seeded(self, original, tensors, given):
        self.settle()
        self.seed = len(self.notes)  # the walk begins with the making of its first gradient
        return original(tensors, given)

    def _walked(self, original, roots, keep_graph, wanted=None):
        self.poll()
        for node, _, _ in roots:
            self.meet_node(node)
        nodes = tuple(id(node) for node, _, _ in roots)
        place = len(self.notes) if self.seed is None else self.seed
        self.notes[place:place] = "backward", self.line, nodes, keep_graph
        self.seed = node = None
        self.walks += 1
        try:
            original(roots, keep_graph, wanted)
        except Exception as error:
            self.error(error, self.at)
            raise
        finally:
            self.note("end")
            self.fresh += self.survivors()
            self.poll()
            self.walks -= 1

    def _applied(self, original):
        note, nodes = self.notes.extend, self.nodes

        def inside(node, grads, asked=None):
            self.at = key = id(node)
            if key not in nodes:
                self.meet_node(node)
            note(("visit", self.line, key))
            results = original(node, grads, asked)
            if node.__class__ is AccumulateGrad:
                self.meet(node.variable)
            return results

        return inside

    def _released(self, original):
        note = self.notes.extend

        def inside(node, freed):
            had = bool(node.saved) and node.saved is not freed
            original(node, freed)
            if had:
                note(("free", self.line, id(node)))

        return inside

    # -- lines, names, errors --

    def tick(self, line, frame=None):
        """A stepper says: the statement on `line` is about to run."""
        self.stepping = True
        frame = frame or sys._getframe(1)
        self.look(frame)
        self.line = line
        self.note("line")

    def look(self, frame):
        """Tell which names were bound or unbound since the last time."""
        closely = self.stale or self.walks
        self.poll()
        scope = self.scopes.get(id(frame))
        if scope is None or len(self.scopes) > 1:
            scope = self._scope(frame)
        if found := scope.changes(frame, self, closely):
            self._rebind(scope, found)
        self.met.clear()
        scope.met.clear()

    def _scope(self, frame):
        """The scope of this call; those of calls that are over lose their names."""
        running = frames.chain(frame)
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
            if bound.get(name, ()) != targets or self._met(scope, targets):
                bound[name] = targets
                self.notes += ("bind", self.line, label + name, targets)

    def _met(self, scope, targets):
        return any(address in self.met or address in scope.met for _, address in targets)

    def error(self, error, node=None):
        """Tell what went wrong, where the program stood; once, however far it travels."""
        if getattr(error, "told_to", None) != id(self):
            error.told_to = id(self)  # on the error: a new one may get a dead one's address
            notes = tuple(getattr(error, "__notes__", ()))
            self.note("error", f"{type(error).__name__}: {error}", notes, node)
