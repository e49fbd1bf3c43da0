"""Is this thread recording? `no_grad`, `enable_grad` and `set_grad_enabled` decide."""

from __future__ import annotations

import functools
import inspect
import os
import threading
import weakref
from types import MethodType
from typing import Any

from minigrad.core.dtypes import Word


class _State(threading.local):
    """What autograd remembers per thread; a new thread starts with these values."""

    grad_enabled = True  # are operations recorded?
    asked = True  # what no_grad and its kin say; in inference mode nothing is recorded all the same
    inference = False
    saved_hooks: tuple = ()  # the innermost pair (pack, unpack) of saved_tensors_hooks, last
    recomputing = False  # a forward is only run again, for what its backward needs
    packed: Any = ()  # (input, what it was packed as) of the op that computes
    walk: Any = None  # the Freed of the backward under way, the innermost one
    left: Any = ()  # (node, gradients) that were ready to run when a backward failed


state = _State()
# A thread's own state is slow to read. Usually no thread has anything unusual: look here first.
off = 0  # how many threads do not record
packing = 0  # how many saved_tensors_hooks are active: then all goes the general way of op.py
plain = bool(os.environ.get("MINIGRAD_PLAIN"))  # then there is no other way: nothing is generated


def is_grad_enabled() -> bool:
    """True if operations on this thread are recorded."""
    return state.asked


def _switch(wanted: bool) -> None:
    global off
    recorded = wanted and not state.inference
    change = state.grad_enabled - recorded
    state.asked, state.grad_enabled = wanted, recorded
    off += change


class Block:
    """A `with` block that is left whatever happens, also if Ctrl-C lands where it is left.

    An interrupt may come before the first line of `__exit__`, and Python does not call it again.
    So a block looks after the method that the `with` statement holds: when it dies, it is left.
    `__enter__` calls `_guarded()` before it changes anything.
    """

    _guard: Any = None

    def _guarded(self) -> None:
        method = self._guard and self._guard()  # a `with` statement asks for __exit__ first
        self._guard = method and weakref.ref(method, MethodType(method.__func__, self))


class leaving(Word):
    """Decorates `__exit__`, which may be called twice, and ends with `self._guard = None`."""

    __slots__ = ("function",)

    def __init__(self, function):
        self.function = function

    def __get__(self, block, kind=None):
        if block is None:
            return self.function
        method = MethodType(self.function, block)
        if block._guard is None or block._guard() is None:
            block._guard = weakref.ref(method)
        return method


class _Mode(Block):
    """A grad mode as a `with` block and as a decorator of functions and generators."""

    wanted = True

    def __enter__(self):
        self.before = state.asked
        self._guarded()
        _switch(self.wanted)

    @leaving
    def __exit__(self, *error):
        _switch(self.before)
        self._guard = None

    def _again(self):
        return type(self)()

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            return _around_generator(self, function)

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self._again():
                return function(*args, **kwargs)

        return inside


def _around_generator(mode, function):
    """Only the generator's own steps run in `mode`; its consumer keeps the mode it had."""

    @functools.wraps(function)
    def inside(*args, **kwargs):
        generator = function(*args, **kwargs)
        step, value = generator.send, None
        while True:
            try:
                with mode._again():
                    item = step(value)
            except StopIteration as stop:
                return stop.value
            try:
                step, value = generator.send, (yield item)
            except BaseException as error:
                step, value = generator.throw, error

    return inside


class _Bare(_Mode):
    """Lets `@no_grad` stand without its parentheses."""

    def __new__(cls, function=None):
        mode = super().__new__(cls)
        return mode if function is None else mode(function)


class no_grad(_Bare):
    """Operations inside are computed but not recorded: no node, nothing saved."""

    wanted = False


class enable_grad(_Bare):
    """Operations inside are recorded, also within `no_grad`."""


class set_grad_enabled(_Mode):
    """Switch recording on or off: at once as a call, until the end of the block with `with`."""

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            kind = type(mode).__name__
            raise TypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind}"
            )
        self.before = state.asked
        self.wanted = mode
        _switch(self.wanted)

    def __enter__(self):
        self._guarded()
        _switch(self.wanted)

    def _again(self):
        return type(self)(self.wanted)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.wanted})"

    def __call__(self, function):
        _switch(self.before)  # as a decorator it must not switch the mode here
        return super().__call__(function)


class recomputing(Block):
    """Inside, BatchNorm leaves its statistics alone: the first forward has counted this batch."""

    def __enter__(self):
        self.before = state.recomputing
        self._guarded()
        state.recomputing = True

    @leaving
    def __exit__(self, *error):
        state.recomputing = self.before
        self._guard = None
