"""While a function runs as always, note every numpy call it makes, and keep the arrays as buffers.

A `Tracer` stands for each array that a rule is shown. Whatever is computed with it goes through
the `Tape`, which lets numpy do it and writes down (call, arguments): the array that came out is
the buffer that the same call will write into at each replay. A view needs no call, since its
bytes stay where they are. A Tracer never gives its numbers away: who asks is refused, so no
number can get past the tape.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from minigrad import gpu
from minigrad.core.arrays import as_array
from minigrad.core.frames import call_site, quote
from minigrad.core.stand_ins import StandIn
from minigrad.core.storage import owner


class ReplayError(RuntimeError):
    """Something that a replay could not repeat truly."""


LOOKED = (
    "{} looks at a number computed from tensors, and a replay could not take another way if it "
    "were different: look at results outside the recorded function, or choose with where()"
)
SHAPED = (
    "{} has a result whose shape depends on numbers in a tensor, and a replay has buffers of one "
    "shape: use where() or a product with the mask"
)
UNKNOWN = "{} calls {}, which replay cannot record: leave that line out of the recorded function"

# What can write into a given array; anything else is computed and then copied.
WITH_OUT = frozenset(
    "sum mean max min prod any all argmax argmin cumsum cumprod clip dot round concatenate stack "
    "amax amin einsum get".split()
)
BY_NAME = {np.maximum, np.minimum}  # they want `out` by its name; without one a call is quicker
ABOUT = {np.shape, np.ndim, np.size, np.result_type, np.can_cast}  # shapes and dtypes, no numbers
LOOKS = frozenset("item tolist tobytes tofile dump dumps data ctypes nonzero".split())
ARRANGED = frozenset("copy astype reshape ravel flatten".split())
FILLED = {"zeros_like": 0, "ones_like": 1, "empty_like": 0}
POWERS = {1: np.positive, 2: np.square, 0.5: np.sqrt, -1: np.reciprocal}  # as `array ** number`


refusals: list = [""]  # the last sentence, for a program that catches the error and goes on


def refused(text: str, *more) -> ReplayError:
    """The sentence `text` about the line of the program that is running."""
    refusals[0] = text.format(quote(call_site()), *more)
    return ReplayError(refusals[0])


class Tracer(StandIn, np.lib.mixins.NDArrayOperatorsMixin):
    """What a rule is shown in place of an array while a tape is running."""

    __slots__ = ("array", "tape")

    def __init__(self, array, tape):
        self.array, self.tape = array, tape

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return self.tape.ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function, types, arguments, options):
        return self.tape.function(function, arguments, options)

    def through(self, function, *more):
        return self.tape.through(function, self.array, *more)

    @property
    def base(self):
        """No Tracer: the engine asks whether these bytes are those that a Storage owns."""
        return self.array.base

    def __getattr__(self, name):
        if name in LOOKS or name.startswith("__array"):
            raise refused(LOOKED)
        value = getattr(self.array, name)
        if callable(value):
            return functools.partial(self.tape.method, self.array, name, value)
        return traced(value, self.tape) if is_array(value) else value

    def __getitem__(self, index):
        return self.tape.part(self.array, index)

    def __setitem__(self, index, value):
        self.tape.call(operator.setitem, self.array, plain(index), plain(value), into=self.array)

    def __pow__(self, exponent):
        number = isinstance(exponent, (int, float)) and self.dtype.kind == "f"
        rule = POWERS.get(exponent) if number else None
        return np.power(self, exponent) if rule is None else rule(self)

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def _look(self, *args, **options):
        raise refused(LOOKED)

    __array__ = __bool__ = __int__ = __float__ = __complex__ = __index__ = __contains__ = _look


class OnGpu(Tracer):
    """A Tracer of an array on the GPU, which CuPy computes with at numpy's word."""

    __slots__ = ()


gpu.kinds.add(OnGpu)  # so that the engine treats it as such an array


def is_array(thing) -> bool:
    """True for an array of numpy, or of the GPU."""
    return isinstance(thing, np.ndarray) or thing.__class__ in gpu.kinds


def traced(array, tape) -> Tracer:
    return (OnGpu if array.__class__ in gpu.kinds else Tracer)(array, tape)


def plain(thing):
    """Arrays in place of Tracers, also inside lists and tuples."""
    if isinstance(thing, Tracer):
        return thing.array
    return thing.__class__(map(plain, thing)) if thing.__class__ in (list, tuple) else thing


class Tape:
    """The numpy calls of one run, in order, and the buffers they write into."""

    def __init__(self):
        self.calls: list = []  # (function, arguments)
        self.made: dict = {}  # id -> array that owns bytes which came to be in this run
        self.written: dict = {}  # id -> array that owns bytes which a call wrote in place
        self.constants: list = []  # (place in calls, array, its value when it was made)
        self.allocating: list = []  # what numpy cannot do without an array of its own

    def __repr__(self):
        return " ".join(getattr(call, "func", call).__name__ for call, _ in self.calls)

    def run(self) -> None:
        """The whole replay."""
        for call, arguments in self.calls:
            call(*arguments)

    def call(self, function, *arguments, into=None):
        """Do it and note it; `into` is the array that it writes, if that is an older one."""
        result = function(*arguments)
        self.note(function, *arguments, into=into)
        return result

    def note(self, function, *arguments, into=None) -> None:
        self.calls.append((function, arguments))
        if into is not None:
            self.written[id(owner(into))] = owner(into)

    def buffer(self, array) -> Tracer:
        """An array of this run, which stays for all replays."""
        self.made[id(owner(array))] = owner(array)
        return traced(array, self)

    def constant(self, array) -> None:
        """An array that no noted call has made: numbers that the program wrote down."""
        if id(owner(array)) not in self.made:
            self.constants.append((len(self.calls), array, array.copy()))
            self.buffer(array)

    def finish(self, lent) -> None:
        """Constants that are overwritten, here or by who gets them, are set anew in each replay."""
        touched = {*self.written, *(id(owner(array)) for array in lent)}
        for place, array, value in reversed(self.constants):
            if id(owner(array)) in touched:
                self.calls.insert(place, (np.copyto, (array, value)))

    # -- the five ways to compute with an array --

    def ufunc(self, ufunc, method, inputs, options):
        """np.add(a, b), a += b, np.add.reduce(a), np.add.at(a, i, b)."""
        inputs, options = plain(inputs), {k: plain(v) for k, v in options.items()}
        call, out = getattr(ufunc, method), options.pop("out", ())
        if method == "__call__":
            call = ufunc  # itself: it has a name, and is called faster than its method
            inputs = self._ready(ufunc, inputs)
        if method == "at":
            return self.call(call, *inputs, into=inputs[0])
        results = call(*inputs, out=out, **options) if out else call(*inputs, **options)
        several = isinstance(results, tuple)
        arrays = tuple(map(as_array, results if several else (results,)))
        if options or method != "__call__" or ufunc in BY_NAME:
            self.note(functools.partial(call, out=arrays, **options), *inputs)
        else:
            self.note(call, *inputs, *arrays)
        for array in out:
            self.written[id(owner(array))] = owner(array)
        shown = tuple(traced(a, self) if out else self.buffer(a) for a in arrays)
        return shown if several else shown[0]

    def _ready(self, ufunc, inputs) -> tuple:
        """Numbers and arrays in the dtype that numpy would bring them to at each call."""
        if any(i.__class__ in gpu.kinds for i in inputs):  # CuPy sees to that while it computes
            return inputs
        kinds = [type(i) if type(i) in (int, float) else np.asarray(i).dtype for i in inputs]
        try:
            kinds = ufunc.resolve_dtypes((*kinds, *[None] * ufunc.nout))
            return tuple(map(self._converted, inputs, kinds))
        except (TypeError, OverflowError):
            return inputs

    def _converted(self, thing, dtype):
        if not isinstance(thing, np.ndarray):
            return np.asarray(thing, dtype)
        if thing.dtype == dtype:
            return thing
        result = self.buffer(thing.astype(dtype)).array
        self.note(np.copyto, result, thing, "unsafe")
        return result

    def function(self, function, arguments, options):
        """np.where(a, b, c), np.concatenate(list) and their kin."""
        arguments, options = plain(arguments), {k: plain(v) for k, v in options.items()}
        name = function.__name__
        if function in ABOUT:
            return function(*arguments, **options)
        if function is np.where and len(arguments) == 3:
            return self._where(*arguments)
        call = functools.partial(function, *arguments, **options)
        result = call()
        if result is None:  # copyto, put_along_axis: they write into their first argument
            return self.note(call, into=arguments[0])
        if name in FILLED:
            self.note(result.fill, FILLED[name])
            return self.buffer(result)
        return self._result(call, name, result, arguments)

    def method(self, array, name, method, *arguments, **options):
        """a.sum(), a.reshape(shape), a.fill(number)."""
        arguments, options = plain(arguments), {k: plain(v) for k, v in options.items()}
        call = functools.partial(method, *arguments, **options)
        result = call()
        if result is None:
            return self.note(call, into=array)
        ordered = "order" in options or any(isinstance(a, str) for a in arguments)
        moved = name == "copy" or (name in ARRANGED and not ordered)
        if moved and not _same_bytes(result, array):
            self.note(np.copyto, result.reshape(array.shape), array, "unsafe")
            return self.buffer(result)
        return self._result(call, name, result, (array, *arguments))

    def part(self, array, index):
        """a[index]: a view, or a copy of chosen elements."""
        index = plain(index)
        if any(getattr(i, "dtype", None) == np.bool_ for i in _tuple(index)):
            raise refused(SHAPED)
        result = array[index]
        if not is_array(result):  # a number, which would be lost to the tape
            index = (*_tuple(index), ...)
            result = array[index]
        call = functools.partial(operator.getitem, array, index)
        return self._result(call, "indexing", result, (array,))

    def through(self, function, array, *more):
        """What numpy hands to nobody: a check of numbers, other steps, a copy on the GPU."""
        more = tuple(map(plain, more))
        result = function(array, *more)
        if result is None:
            return self.note(function, array, *more)
        if _same_bytes(result, array):
            return traced(result, self)
        self.note(result.set, array)
        return self.buffer(result)

    def _result(self, call, name, result, sources):
        if isinstance(result, (list, tuple)) and all(_same_bytes(r, *sources) for r in result):
            return [traced(r, self) for r in result]
        if isinstance(result, np.generic):
            result = np.asarray(result)
        if not is_array(result):
            raise refused(UNKNOWN, name) if isinstance(result, (list, tuple)) else refused(LOOKED)
        if _same_bytes(result, *sources):
            return traced(result, self)
        if name in WITH_OUT:
            self.note(functools.partial(call, out=result))
        else:
            self.allocating.append(name)
            self.note(_copied, result, call, quote(call_site()))
        return self.buffer(result)

    def _where(self, condition, x, y):
        """Two copies, since np.where takes no `out`."""
        result: Any = np.where(condition, x, y)
        if result.__class__ is np.ndarray:  # a number would become an array again at each call
            x, y = (np.asarray(v, result.dtype) if type(v) in (int, float) else v for v in (x, y))
        self.note(np.copyto, result, y, "unsafe")
        self.note(functools.partial(np.copyto, where=condition), result, x, "unsafe")
        return self.buffer(result)


def _tuple(index) -> tuple:
    return index if isinstance(index, tuple) else (index,)


def _same_bytes(result, *sources) -> bool:
    """True if `result` is a view of one of the sources."""
    whose = [owner(array) for array in sources if is_array(array)]
    return is_array(result) and any(owner(result) is array for array in whose)


def _copied(result, call, line) -> None:
    new = call()
    if new.shape != result.shape:
        raise ReplayError(SHAPED.format(line))
    result[...] = new
