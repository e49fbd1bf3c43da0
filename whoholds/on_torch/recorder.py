"""Real PyTorch, told in the events of minigrad's recorder, so that one view serves both.

Bytes come from the byte-exact ledger beside it. It must not change what it measures, and no error
of its own may reach the program: where one happens, following ends there, and the trace says so.
What the thread does that began the recording is told; of others, what they make (`beside.py`).
"""

from __future__ import annotations

import sys

import torch
from torch.nn.modules.module import register_module_buffer_registration_hook
from torch.optim.optimizer import register_optimizer_step_post_hook

from whoholds.events import LEFT_OUT, Trace
from whoholds.frames import no_error
from whoholds.holders.held import Finder
from whoholds.holders.unasked import own_dict
from whoholds.mentioned import mentioned
from whoholds.on_torch.beside import Beside
from whoholds.on_torch.guarded import Guarded
from whoholds.on_torch.leads import leads
from whoholds.on_torch.ledger import Watch, warm_up
from whoholds.on_torch.notes import Notes
from whoholds.on_torch.objects import Objects
from whoholds.on_torch.parts import alive, has_saved, plain, root_of
from whoholds.on_torch.scopes import Scopes
from whoholds.places import Places
from whoholds.turns import ASKED, looks


class TorchRecorder(Notes, Guarded):
    """`with TorchRecorder() as r:` notes what happens; `r.trace()` tells it.

    `names` are the variables to follow; None means those that the caller's code mentions. A stepper
    calls `tick(line, frame)` before each statement; else each op says where the program is.
    """

    live, older = 0, ()  # of the ledger, when the recording began
    version = str(torch.__version__)

    def __init__(self, names=None, frame=None):
        Notes.__init__(self)
        Guarded.__init__(self)
        self.names, self.frame = names, frame
        self.watch = Watch(self.ledger)
        self.finder = Finder(self, Objects(self))
        self.places = Places(frame.f_code.co_filename)
        self.beside = Beside(self.places)
        self.place = 0  # a row of the places
        self.stepping = self.leaving = False
        self.said: set = set()  # what is lost
        self.ended: BaseException | None = None  # what ended the program, at the last look

    # -- from where to where --

    def __enter__(self):
        warm_up()  # torch's late imports happen now
        api = torch.autograd
        self.originals = api._engine_run_backward, api._make_grads
        api._engine_run_backward, api._make_grads = self._walked, self._seeded
        self.get_rng_state, torch.get_rng_state = torch.get_rng_state, self._random_state
        names = mentioned(self.frame, lambda value: False) if self.names is None else self.names
        self.scopes = Scopes(names, self.frame, self)
        self.guarded(self.look, self.frame)
        self.hooks = [
            register_optimizer_step_post_hook(lambda *given: self.guarded(self._stepped, *given)),
            register_module_buffer_registration_hook(
                lambda *given: self.guarded(self._registered, *given)
            ),
        ]
        self.watch.__enter__()
        self.beside.__enter__()
        return self

    def __exit__(self, kind, error, trace):
        self.beside.__exit__()
        self.leaving, self.ended = True, error
        try:
            self.guarded(self.look, self.frame)
            if not no_error(error):
                self.error(error)
        finally:
            self.watch.__exit__(None, None, None)
            for hook in self.hooks:
                hook.remove()
            api = torch.autograd
            api._engine_run_backward, api._make_grads = self.originals
            torch.get_rng_state = self.get_rng_state
            self.marks.clear()
            self.frame = self.scopes.frame = self.ended = None
            self.tell_followers()

    def trace(self, source="", title="") -> Trace:
        """What was noted so far, as events."""
        trace = Trace(self.told(), source, "torch", title, self.places.rows, self.version)
        trace.bounds = self.finder.bounds
        return trace

    def told(self) -> list:
        return self.finder.events()

    def after_step(self, call):
        """Have `call` called after each step of any optimizer; gives a handle with remove()."""
        return register_optimizer_step_post_hook(call)

    def lose(self, text):
        if text not in self.said:
            self.said.add(text)
            self.note("lost", text)

    def turn(self) -> None:
        """Somebody says: a turn of the loop is over."""
        self.guarded(self._turn, self.turns + 1)
        self.guarded(self.note, "turn")

    def stepped(self, steps, other) -> None:
        """Somebody says: an optimizer has stepped, and whether others end the turns than before."""
        self.guarded(self._turn, steps.turns) if steps.over or other else None
        self.guarded(self.note, "stepped", steps.marks[-1], steps.over)
        if other:
            self.guarded(self.note, "chosen", steps.ender, steps.first)

    def look_around(self) -> None:
        self.guarded(super().look_around)

    def _turn(self, turns):
        """So many turns are over."""
        self.poll()
        self.turns = turns
        if any(0 < turn <= self.turns + 1 - ASKED for turn, _ in self.left_out()):
            self.lose(f"{LEFT_OUT}: what is left out of each turn is alive two turns later")
        if looks(self.turns) and self.frame is not None:
            self.finder.look(self.frame.f_globals)
            if self.asked is None:  # grows() looks by itself
                self.finder.look_for_bounds(self.frame.f_globals)

    def left_out(self):
        """(the turn in which it was met, a tensor) of those that are left out and live."""
        for ref, turn in self.left.values():
            for tensor in alive([ref]):
                yield turn, tensor

    # -- lines and names --

    def tick(self, line, frame, begins=False, calls=(), again=False) -> None:
        """A stepper says: the statement on `line` is about to run, and whether a call begins; or
        the head of this statement `again`.
        """
        self.stepping = True
        self.guarded(self.look, frame, begins)
        self.stand(line, calls)
        self.note("again" if again else "line")

    def back(self, line, calls) -> None:
        """A stepper says: the program is on this line, in these calls, and nothing begins."""
        self.guarded(self.catch_up)
        self.stand(line, calls)

    def spot(self) -> tuple:
        """The frame of the main file that the program is at, its line, and its place."""
        if self.stepping:
            return None, self.line, self.place
        inner, main = self.places.of(sys._getframe(1))
        line = self.line if main is None else main.f_lineno
        return main, line, 0 if inner is main else self.places.number(inner)

    def where(self, spot=None) -> None:
        """Tell where the program is."""
        main, line, place = spot or self.spot()
        if (line, place) != (self.line, self.place):
            self.meet_fresh()  # the nodes that the line before has recorded
        if line != self.line:
            looked = main is self.frame and not self.walks
            if looked:
                self.look(main)  # what the line before has bound
            self.line = line
            if looked:
                self.ledger.live()  # looking lets go of a copy of the variables
        if place != self.place:
            self.place = place
            self.note("place", place)

    def meet_fresh(self) -> None:
        """Also tell of what other threads have made and still lives."""
        super().meet_fresh()
        here = self.line, self.place
        for tensor, line, at in self.beside.made():
            self._stand(here[0] if line is None else line, self.places.number(at))
            self.meet_made(tensor)
        self._stand(*here)

    def _stand(self, line, place) -> None:
        if (line, place) != (self.line, self.place):
            self.line, self.place = line, place
            self.note("place", place)

    def rests(self, spot) -> bool:
        """Whether the program is where it was last told to be, and no backward runs."""
        return spot[1:] == (self.line, self.place) and not self.walks

    def look(self, frame, begins=False) -> None:
        """Tell which names lead elsewhere now, and who holds what no arrow leads to."""
        self.scopes.look(frame, begins)
        if self.stepping or self.leaving:
            self.finder.look(frame.f_globals, self.leaving, self.ended)

    def leads(self, value):
        """The tensors and nodes that a variable leads to."""
        return leads(value, self)

    def error(self, error, node=None) -> None:
        """Tell what went wrong; once, however far it travels."""
        self.guarded(self.note_error, error, node)

    # -- what optimizers and modules keep --

    def _stepped(self, optimizer, args, options):
        for parameter, state in own_dict(optimizer).get("state", {}).items():
            for value in state.values() if isinstance(state, dict) else ():
                if isinstance(value, torch.Tensor):
                    self.has_role(value, "state", plain(parameter))

    def _registered(self, module, name, value):
        if isinstance(value, torch.Tensor):
            self.has_role(value, "buffer")

    def _random_state(self):
        """torch.get_rng_state(), with which each checkpoint begins: no op makes its bytes."""
        state = self.get_rng_state()
        self.ledger.see(state)
        return state

    # -- backward --

    def _seeded(self, *args, **options):
        self.guarded(self._begin_seed)
        try:
            return self.originals[1](*args, **options)
        finally:
            del self, args, options  # a kept error keeps this frame

    def _begin_seed(self):
        self.poll()
        self.where()
        self.seed = len(self.notes)

    def _walked(self, outputs, grads=None, keep=False, *rest, **options):
        walk = self.guarded(self._begin_walk, outputs, keep)
        try:
            return self.originals[0](outputs, grads, keep, *rest, **options)
        except Exception as error:
            if walk is not None:
                self.guarded(self._failed, error)
            raise
        finally:
            if walk is not None:
                self.guarded(self._end_walk, *walk)
            del self, outputs, grads, rest, options, walk  # a kept error keeps this frame

    def _begin_walk(self, outputs, keep):
        """Handles of the hooks, and the node at which the walk around this one is (checkpoint)."""
        place, self.seed = self.seed, None
        known = len(self.notes)
        roots = [root for root in map(root_of, outputs) if root is not None]
        for root in roots:
            self.meet_node(root)
        made = [] if place is None else self.notes[place:known]
        if made:  # the first gradient: it belongs to the walk
            del self.notes[place:known]
        self.where()
        self.note("backward", tuple(self.number_of(n) for n in roots), bool(keep))
        self.notes += made
        outer, self.at = self.at, None
        return self._watch_walk(roots), outer

    def _failed(self, error):
        self.catch_up()
        self.error(error, self.at and self.at[0])

    def _end_walk(self, handles, outer):
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
        return lambda _: self.guarded(self._visit, number)

    def _visit(self, number):
        self.catch_up()
        self.note("visit", number)
        node = self.walks[-1].get(number)
        if node is not None:
            self.at = number, has_saved(node), hasattr(node, "variable")
