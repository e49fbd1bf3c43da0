"""Recording: for a while tensors show Tracers, random numbers are noted, gradients are watched."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import numpy as np

from minigrad import gpu
from minigrad.core import tensor as core
from minigrad.core.backward import count_consumers
from minigrad.core.observer import Observer
from minigrad.core.stand_ins import shown
from minigrad.core.storage import owner
from minigrad.core.tensor import Tensor
from minigrad.ops import generator
from minigrad.replay.tape import ReplayError, Tape, plain, refusals, refused, traced

UNREACHED = (
    "{} uses a tensor that the recording did not find on its way from the function, so a replay "
    "could not tell if it were replaced: pass it as an argument, or name it in the function"
)
GRAD_TOUCHED = (
    "{} touches .grad of a leaf that has one from before, or has none yet, and a replay would not "
    "do that: set .grad to None in the caller, before the call"
)
DRAWN = "{} draws random numbers in a way that replay does not know: use rand() or randn()"
OTHER_GPU = "{} uses a GPU that was not in use before: start it, or ask is_available(), earlier"
SEEDED = "the recorded function calls manual_seed(): do that before the call"
UNSEEDED = "{} seeds a generator by chance, and a replay would not do it again: make it outside"
NESTED = "a recorded function calls another one inside it: record the outer function only"
running: Session | None = None


class Session(Observer):
    """One recording: its tape, what the guards reached, and the leaves that got a gradient."""

    def __init__(self, tape: Tape, guards):
        self.tape, self.reached, self.thread = tape, guards.tensors, threading.get_ident()
        self.gpu = gpu.in_use()
        self.leaves: dict = {}  # id -> (leaf, the gradient it had before)
        self.touched: set = set()  # ids of the leaves whose new .grad the function itself uses
        self.adding: Any = None  # the gradient that the engine itself adds to a leaf's .grad
        self.walked: set = set()  # the nodes of every graph that a backward went through
        refusals[0] = ""
        self.found: list = []  # (leaf, gradient) when it is over

    def read_array(self, t):
        """The Tracer that a rule gets to see of a tensor's array."""
        array = core.own_names(t)["_array"]
        if threading.get_ident() != self.thread:
            return array
        self.check_device(array)
        if id(owner(array)) not in self.tape.made and id(owner(array)) not in self.reached:
            raise refused(UNREACHED)
        return traced(array, self.tape)

    def set_array(self, t, array):
        core.own_names(t)["_array"] = plain(array)

    def check_device(self, array) -> None:
        """The random numbers of another GPU, and what is copied to it, would go unseen."""
        if array.__class__ in gpu.kinds and gpu.of(array) is not self.gpu:
            raise refused(OTHER_GPU)

    def made(self, tensor, owns):
        """Of what the tape made, or else of a constant of the program."""
        array = core.own_names(tensor)["_array"]
        if owns and threading.get_ident() == self.thread:
            self.check_device(array)
            if id(owner(array)) not in self.reached:
                self.tape.constant(array)

    def started(self, roots, keep_graph):
        """Note which graphs have had their backward; of others a replay would know nothing."""
        self.walked.update(count_consumers([node for node, _, _ in roots]))

    def read_grad(self, t):
        """The function looks at a leaf's .grad."""
        if self.of_program(t):
            if id(t) not in self.leaves or self.leaves[id(t)][1] is not None:
                raise refused(GRAD_TOUCHED)
            self.touched.add(id(t))
        return core.own_names(t).get("_grad")

    def set_grad(self, t, grad):
        """The function assigns a leaf's .grad."""
        if self.of_program(t):
            raise refused(GRAD_TOUCHED)
        core.own_names(t)["_grad"] = grad

    def of_program(self, t) -> bool:
        """True for a leaf's .grad, unless it is the engine itself that is at it."""
        return self.adding is None and t._requires_grad and t.grad_fn is None

    def arrived(self, leaf, grad):
        """An older gradient waits aside until the recording is over.

        The new one is held here, so the leaf does not take it over but copies it: a replay adds to
        the gradients that it gives, and nothing else may lie on their bytes.
        """
        self.adding = grad
        if id(leaf) not in self.leaves:
            self.leaves[id(leaf)] = leaf, leaf._grad
            leaf._grad = None

    def accumulated(self, leaf):
        self.adding = None

    def gradients(self) -> list:
        """(leaf, the gradient of this run); what was there before has been added to."""
        found = []
        for leaf, older in self.leaves.values():
            found.append((leaf, leaf._grad))
            if older is not None:
                if leaf._grad is not None:  # else something failed before it arrived
                    older._add_in_place(leaf._grad)
                leaf._grad = older
        return found


class _Random:
    """A random generator while recording: what is drawn now is drawn anew in each replay.

    It is the attribute `random` of `home`: of a Generator, or of the GPU.
    """

    def __init__(self, home, tape: Tape):
        self.home, self.real, self.tape = home, home.random, tape
        self.states: dict = {}  # id -> a state that was asked for, refreshed in each replay

    def __enter__(self):
        self.home.random = self

    def __exit__(self, error, *more):
        found, self.home.random = self.home.random, self.real
        if found is not self and error is None:
            raise ReplayError(SEEDED)

    def random(self, shape, dtype=np.float64):
        return self._drawn("random", shape, dtype)

    def standard_normal(self, shape, dtype=np.float64):
        return self._drawn("standard_normal", shape, dtype)

    def _drawn(self, name, shape, dtype):
        out = np.empty(shape, dtype)
        getattr(self.real, name)(dtype=dtype, out=out)
        self.tape.note(_draw, self.home, name, dtype, out)
        return self.tape.buffer(out)

    @property
    def bit_generator(self):
        return self

    @property
    def state(self):
        state = dict(self.real.bit_generator.state)
        self.states[id(state)] = state
        self.tape.note(_refresh, self.home, state)
        return state

    @state.setter
    def state(self, new):
        if id(new) not in self.states:
            raise refused(DRAWN)
        self.real.bit_generator.state = new
        self.tape.note(_set_state, self.home, new)

    def __getattr__(self, name):
        raise refused(DRAWN)


def _draw(home, name, dtype, out) -> None:
    getattr(home.random, name)(dtype=dtype, out=out)


def _refresh(home, state) -> None:
    state.update(home.random.bit_generator.state)


def _set_state(home, state) -> None:
    home.random.bit_generator.state = state


@contextlib.contextmanager
def unseeded():
    """Inside this block no generator can be seeded by chance."""
    fresh = generator.fresh

    def none():
        raise refused(UNSEEDED)

    generator.fresh = none
    try:
        yield
    finally:
        generator.fresh = fresh


@contextlib.contextmanager
def recording(tape: Tape, guards):
    """Inside this block the engine computes with Tracers; afterwards it is what it was."""
    global running
    if running is not None:
        raise ReplayError(NESTED)
    session = running = Session(tape, guards)
    try:
        with contextlib.ExitStack() as block:
            homes = [*generator.living] + [session.gpu] * (session.gpu is not None)
            for home in homes:
                block.enter_context(_Random(home, tape))
            block.enter_context(unseeded())
            block.enter_context(shown(Tensor, "_array", session.read_array, session.set_array))
            block.enter_context(shown(Tensor, "_grad", session.read_grad, session.set_grad))
            block.enter_context(session)
            yield session
    finally:
        running = None
        session.found = session.gradients()
