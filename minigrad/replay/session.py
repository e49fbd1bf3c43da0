"""Recording: for a while tensors show Tracers, random numbers are noted, gradients are watched."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, cast

import numpy as np

from minigrad import gpu
from minigrad.core import arrays, backend, modes
from minigrad.core import backward as engine
from minigrad.core.backward import count_consumers
from minigrad.core.node import AccumulateGrad
from minigrad.core.storage import owner
from minigrad.core.tensor import Tensor
from minigrad.replay.seams import Seams, around
from minigrad.replay.tape import ReplayError, Tape, Tracer, plain, refusals, refused, traced

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
NESTED = "a recorded function calls another one inside it: record the outer function only"
running: Session | None = None


class Session:
    """One recording: its tape, what the guards reached, and the leaves that got a gradient."""

    def __init__(self, tape: Tape, guards):
        self.tape, self.reached, self.thread = tape, guards.tensors, threading.get_ident()
        self.gpu = gpu.in_use()
        self.leaves: dict = {}  # id -> (leaf, the gradient it had before)
        self.touched: set = set()  # ids of the leaves whose new .grad the function itself uses
        self.adding = False  # AccumulateGrad is at work
        self.walked: set = set()  # the nodes of every graph that a backward went through
        refusals[0] = ""
        self.found: list = []  # (leaf, gradient) when it is over

    def shown(self, array):
        """The Tracer that a rule gets to see of a tensor's array."""
        if threading.get_ident() != self.thread:
            return array
        self.check_device(array)
        if id(owner(array)) not in self.tape.made and id(owner(array)) not in self.reached:
            raise refused(UNREACHED)
        return traced(array, self.tape)

    def check_device(self, array) -> None:
        """The random numbers of another GPU, and what is copied to it, would go unseen."""
        if array.__class__ in gpu.kinds and gpu.of(array) is not self.gpu:
            raise refused(OTHER_GPU)

    def make(self, new, t, array):
        """A new tensor, of what the tape made or else of a constant of the program."""
        if isinstance(array, Tracer):
            return new(t, array.array)
        array = arrays.as_array(array)
        self.check_device(array)
        if id(owner(array)) not in self.reached and threading.get_ident() == self.thread:
            self.tape.constant(array)
        return new(t, array)

    def walk(self, walk, roots, *rest) -> None:
        """Note which graphs have had their backward; of others a replay would know nothing."""
        self.walked.update(count_consumers([node for node, _, _ in roots]))
        walk(roots, *rest)

    def touch(self, t) -> None:
        """The function looks at a leaf's .grad or assigns it."""
        if self.adding or not t._requires_grad or t.grad_fn is not None:
            return
        if id(t) not in self.leaves or self.leaves[id(t)][1] is not None:
            raise refused(GRAD_TOUCHED)
        self.touched.add(id(t))

    def arrive(self, add, node, grad) -> None:
        """Let a gradient arrive; an older one waits aside until the recording is over."""
        leaf = node.variable
        self.adding = True
        if id(leaf) not in self.leaves:
            self.leaves[id(leaf)] = leaf, leaf._grad
            leaf._grad = None
        add(node, grad)
        self.adding = False

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


class _Arrays:
    """`tensor._array` while recording."""

    def __init__(self, session: Session):
        self.session = session

    def __get__(self, t, kind=None):
        return self.session.shown(t.__dict__["_array"])

    def __set__(self, t, value):
        t.__dict__["_array"] = plain(value)


class _Grads(_Arrays):
    """`tensor._grad` while recording."""

    def __get__(self, t, kind=None):
        self.session.touch(t)
        return t.__dict__.get("_grad")

    def __set__(self, t, value):
        if not self.session.adding and t._requires_grad and t.grad_fn is None:
            raise refused(GRAD_TOUCHED)
        t.__dict__["_grad"] = value


class _Random:
    """A random generator while recording: what is drawn now is drawn anew in each replay.

    It is the attribute `random` of `home`: of backend, or of the GPU.
    """

    def __init__(self, home, tape: Tape):
        self.home, self.real, self.tape = home, home.random, tape
        self.states: dict = {}  # id -> a state that was asked for, refreshed in each replay

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


def _noted(seams: Seams, home, tape: Tape) -> _Random:
    generator = _Random(home, tape)
    seams.wrap(home, "random", lambda _: generator)
    return generator


def _as_array(as_array, value):
    return value if isinstance(value, Tracer) else as_array(value)


def _strided(strided, array, *steps):
    seen = strided(plain(array), *steps)
    return traced(seen, array.tape) if isinstance(array, Tracer) else seen


def _draw(home, name, dtype, out) -> None:
    getattr(home.random, name)(dtype=dtype, out=out)


def _refresh(home, state) -> None:
    state.update(home.random.bit_generator.state)


def _set_state(home, state) -> None:
    home.random.bit_generator.state = state


@contextlib.contextmanager
def recording(tape: Tape, guards):
    """Inside this block the engine computes with Tracers; afterwards it is what it was."""
    global running
    if running is not None:
        raise ReplayError(NESTED)
    session = running = Session(tape, guards)
    variable, seams = cast(Any, Tensor), Seams()
    variable._array = _Arrays(session)
    modes.special += 1  # the general way: what is generated makes tensors by itself
    random = [_noted(seams, home, tape) for home in (backend, session.gpu) if home is not None]
    _watch(seams, session)
    try:
        yield session
        if any(generator.home.random is not generator for generator in random):
            raise ReplayError("the recorded function calls manual_seed(): do that before the call")
    finally:
        running = None
        modes.special -= 1
        seams.restore()
        del variable._array
        session.found = session.gradients()


def _watch(seams: Seams, session: Session) -> None:
    """Where the engine makes tensors, moves gradients, or leaves the ways of numpy's protocols."""
    tape = session.tape
    seams.wrap(Tensor, "_grad", lambda _: _Grads(session))
    seams.wrap(Tensor, "_new", around(session.make))
    seams.wrap(AccumulateGrad, "accumulate", around(session.arrive))
    seams.everywhere({engine.walk: around(session.walk)})
    seams.wrap(arrays, "as_array", around(_as_array))
    seams.wrap(arrays, "strided", around(_strided))
    seams.wrap(backend, "held", lambda _: lambda tensor: tensor._array)
    seams.wrap(backend, "check", lambda _: lambda *given: tape.call(*map(plain, given)))
    if session.gpu is not None:
        seams.wrap(type(session.gpu), "put", around(tape.sent))
