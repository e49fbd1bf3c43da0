"""Record a function once, forward and backward; then repeat its numpy calls on new data.

    @replay.record
    def step(x, target):
        loss = ((net(x) - target) ** 2).mean()
        loss.backward()
        return loss

    step(x1, t1)    # runs as always, and is noted down
    step(x2, t2)    # a replay: the same numpy calls, on the same buffers

A replay builds no graph, makes no array and runs no line of `step`. It reads the parameters where
they lie, so it sees what an optimizer wrote; gradients add up in `.grad` as they always do. On a
GPU the calls are CuPy's, and copies from and to the host are repeated too.

Results and gradients are tensors of your own: one that you still hold when the next replay would
overwrite it is moved to bytes of its own first. Only a view or numpy array of it cannot follow,
and then the replay is refused. The buffers of all steps stay, `nbytes` of them: time for bytes.

Refused, never guessed: another shape, dtype or layout; a number that the function takes out of a
tensor; anything it reads that is not as it was (see guards.py); anything that it changes. With
`on_change="record"` a change makes the call an ordinary one that is recorded anew.

What cannot be seen from here: what Python gives the function through other libraries' objects or
at random in ways that guards.py does not know, files, and what the function only does once in a
replay's life: printing, for one. `check=n` runs each n-th replay beside the function itself and
compares every bit. One thread at a time.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from minigrad import gpu
from minigrad.core import arrays, observer
from minigrad.core.storage import book, owner
from minigrad.core.tensor import Tensor, wrap
from minigrad.ops.reading import seen
from minigrad.replay import session
from minigrad.replay.buffers import Lent
from minigrad.replay.guards import PLAIN, Guards, same
from minigrad.replay.tape import ReplayError, Tape, refusals
from minigrad.utils.rng import random_numbers, rng_states, standing_still

CHANGED = (
    "{}, so a replay would be wrong: record the function again, or let "
    'record(..., on_change="record") do so'
)
CHANGES = (
    "the recorded function changes what it reads: {}, and a replay would not repeat that; leave it "
    "to the caller"
)
WRITES = "the recorded function writes into its argument, which a replay cannot reach: clone() it"
NO_BACKWARD = (
    "the recorded function returns a tensor with a graph, and a replay builds none: call "
    "backward() inside the function, or return it detached"
)
TOUCHED = "the recorded function changes .grad of a leaf that has one: set it to None before"
DIFFERS = (
    "the replay and the function differ in tensor {} of the results and gradients: it reads or "
    "does something that a recording cannot see; do not replay it"
)
WANTS_GRAD = (
    "an argument requires a gradient: let the function read that leaf by its name, and pass data"
)
NO_ARGUMENT = "an argument is a {}: pass tensors, numbers and strings"
NO_RESULT = "the recorded function returns a {}: return tensors, in lists, tuples or dicts"

__all__ = ["Replay", "ReplayError", "record"]


def record(function=None, *, on_change="refuse", check=0):
    """`function` as a Replay; also a decorator, with or without its options.

    `on_change`: "refuse", or "record" to run and record again when something differs.
    `check`: every how many replays the function itself runs beside it; 0 for never.
    """
    if function is None:
        return functools.partial(record, on_change=on_change, check=check)
    if on_change not in ("refuse", "record"):
        raise ValueError(f'on_change must be "refuse" or "record", not {on_change!r}')
    return Replay(function, on_change, check)


class Replay:
    """Calls `function` once for real; from then on repeats what it made numpy do."""

    def __init__(self, function, on_change, check):
        self.function, self.on_change, self.check = function, on_change, check
        self.tape: Any = None
        self.replays = 0
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *inputs):
        if session.running:
            raise ReplayError(session.NESTED)
        if self.tape is None:
            return self._record(inputs)
        if change := self.changed(inputs):
            if self.on_change == "refuse":
                raise ReplayError(CHANGED.format(change))
            return self._record(inputs)
        self.replays += 1
        careful = self.check and self.replays % self.check == 0
        return self._checked(inputs) if careful else self._replay(inputs)

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers, which live as long as the recording."""
        return sum(storage.bytes for storage in self.storages.values())

    @property
    def allocating(self) -> list:
        """The calls for which numpy makes an array at each replay all the same."""
        return self.tape.allocating

    def changed(self, inputs):
        """What is not as it was when the function was recorded, or None."""
        looks = [_look(value) for value in inputs]
        for i, (was, now) in enumerate(itertools.zip_longest(self.looks, looks)):
            if not same(was, now):
                return f"argument {i} was {_worded(was, now)} and is {_worded(now, was)} now"
        if _owners(inputs) & _owners(self.outside):
            return "an argument shares its bytes with a tensor that the function writes"
        return self.guards.changed()

    # -- recording --

    def _record(self, inputs):
        self.tape = None  # until it is done: what fails half-way must not be replayed
        guards, tape = Guards(self.function), Tape()
        self.looks = [_look(value) for value in inputs]
        copies = _copies(inputs)
        self.inputs = [t._array for t in copies if isinstance(t, Tensor)]
        for array in self.inputs:
            tape.buffer(array)
        with session.recording(tape, guards) as run:
            result = self.function(*copies)
        self._check_effects(guards, run, result, {*map(id, self.inputs), *_owners(inputs)})
        return self._settle(guards, run, result)

    def _check_effects(self, guards, run, result, given) -> None:
        """Refuse what a replay would not repeat; the run that is over was a run like any other."""
        if refusals[0]:  # and the function has caught it
            raise ReplayError(refusals[0])
        if change := guards.changed():
            raise ReplayError(CHANGES.format(change))
        if given & run.tape.written.keys():
            raise ReplayError(WRITES)
        if {t.grad_fn for t in _tensors(result)} - {None} - run.walked:
            raise ReplayError(NO_BACKWARD)

    def _settle(self, guards, run, result):
        """From here on the buffers belong to this recording, and what it gives is lent."""
        tape = run.tape
        self.storages = {key: book(array) for key, array in tape.made.items()}
        self.outside = [guards.tensors[key] for key in tape.written if key in guards.tensors]
        self.touched = run.touched
        self.lent: list = []
        found = [(t, g) for t, g in run.found if id(owner(t._array)) in guards.tensors]
        self.leaves = [(leaf, self._lend(grad)) for leaf, grad in found]
        self.result = _mapped(lambda t: self._lend(t) if _made(t, tape) else t, result)
        tape.finish([lent.array for lent in self.lent])
        for (leaf, lent), (_, grad) in zip(self.leaves, found, strict=True):
            leaf._grad = lent.lend() if leaf._grad is grad else leaf._grad
        if any(arrays.device_of(array).type == "cuda" for array in tape.made.values()):
            guards.checks.append((gpu.in_use, (), gpu.in_use(), "the GPU in use"))
        self.guards, self.tape, self.replays = guards, tape, 0
        return self._results()

    def _lend(self, t) -> Lent:
        self.lent.append(Lent(t._array, self.storages[id(owner(t._array))]))
        return self.lent[-1]

    def _results(self):
        return _mapped(lambda t: t.lend() if isinstance(t, Lent) else t, self.result)

    # -- replaying --

    def _replay(self, inputs, compare=lambda: None):
        """The tape between two acts of keeping house: no array comes to be."""
        for tell in observer.on_replayed:
            tell(self)
        self._make_room()
        grads = [leaf._grad for leaf, _ in self.leaves]
        written = [*self.outside, *(grad for grad in grads if grad is not None)]
        observer.tell_moving(written)
        given = [t._array for t in inputs if isinstance(t, Tensor)]
        for buffer, array in zip(self.inputs, given, strict=True):
            np.copyto(buffer, array)
        try:
            self.tape.run()
            compare()
        except BaseException:
            for lent in [lent for leaf, lent in self.leaves if _holds(leaf, lent)]:
                lent.array[...] = lent.older
            raise
        for leaf, lent in self.leaves:
            _accumulate(leaf, lent)
        for t in self.outside:
            t._storage.version += 1
        observer.tell_moved(written)
        return self._results()

    def _make_room(self) -> None:
        """Nothing that the program still holds may be overwritten."""
        kept = {id(lent) for leaf, lent in self.leaves if _holds(leaf, lent)}
        for leaf, _ in self.leaves:
            if leaf._grad is not None and id(leaf) in self.touched:
                raise ReplayError(TOUCHED)
        for lent in self.lent:
            if id(lent) in kept:
                lent.keep_older()
            else:
                lent.recall()

    def _checked(self, inputs):
        """A replay, beside the function itself on copies of everything that it may write."""
        arrays = [t._array.copy() for t in self.outside]
        grads = [leaf._grad for leaf, _ in self.leaves]
        for leaf, _ in self.leaves:
            leaf._grad = None
        try:
            with random_numbers(rng_states()), standing_still():
                truth = _tensors(self.function(*_copies(inputs)))
            truth += [leaf._grad for leaf, _ in self.leaves]
        finally:
            for t, array in zip(self.outside, arrays, strict=True):
                t._array[...] = array
            for (leaf, _), grad in zip(self.leaves, grads, strict=True):
                leaf._grad = grad
        return self._replay(inputs, lambda: self._compare(truth))

    def _compare(self, truth) -> None:
        mine = _tensors(self.result) + [lent for _, lent in self.leaves]
        for i, (one, other) in enumerate(itertools.zip_longest(mine, truth)):
            if one is None or other is None or _bits(one) != _bits(other):
                raise seen(ReplayError(DIFFERS.format(i)))


def _holds(leaf, lent) -> bool:
    return leaf._grad is not None and leaf._grad is lent.last()


def _accumulate(leaf, lent) -> None:
    """What AccumulateGrad does: the first gradient is `.grad`, later ones are added to it."""
    if leaf._grad is None:
        leaf._grad = lent.lend()
    else:
        older = lent.older if _holds(leaf, lent) else leaf._grad._array
        np.add(older, lent.array, out=leaf._grad._array)
        leaf._grad._storage.version += 1


def _bits(t) -> bytes:
    return arrays.on_host(t.array if isinstance(t, Lent) else t._array).tobytes()


def _owners(things) -> set:
    return {id(owner(t._array)) for t in things if isinstance(t, Tensor)}


def _copies(inputs) -> list:
    return [wrap(t._array.copy()) if isinstance(t, Tensor) else t for t in inputs]


def _look(value):
    """What has to be the same of an argument: all but the numbers in a tensor."""
    if isinstance(value, Tensor):
        if value._requires_grad:
            raise ReplayError(WANTS_GRAD)
        array = value._array
        return array.dtype.name, array.shape, array.strides, value.device.type
    if not isinstance(value, PLAIN):
        raise ReplayError(NO_ARGUMENT.format(type(value).__name__))
    return value


def _worded(look, other) -> str:
    """An argument's dtype and shape; steps and device where `other` has different ones."""
    if not isinstance(look, tuple):
        return repr(look)
    dtype, shape, steps, where = look
    elsewhere = other if isinstance(other, tuple) else look
    apart = elsewhere[:2] == look[:2] and elsewhere[2] != steps
    by_step = f" in steps of {list(steps)} bytes" if apart else ""
    return f"{dtype} {list(shape)}{by_step}" + f" on {where}" * (elsewhere[3] != where)


def _made(t, tape) -> bool:
    return id(owner(t._array)) in tape.made


def _mapped(function, thing):
    """`thing` with function(tensor) in place of each tensor in its lists, tuples and dicts."""
    if isinstance(thing, (Tensor, Lent)):
        return function(thing)
    if isinstance(thing, dict):
        return {key: _mapped(function, value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return type(thing)([_mapped(function, value) for value in thing])
    if not isinstance(thing, PLAIN):
        raise ReplayError(NO_RESULT.format(type(thing).__name__))
    return thing


def _tensors(thing) -> list:
    found: list = []
    _mapped(found.append, thing)
    return found
