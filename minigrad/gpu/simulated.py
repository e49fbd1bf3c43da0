"""A GPU to learn on where there is none: numpy computes, and a pool says what a card would.

Its arrays are as strict as CuPy's: they mix with no numpy array, and turn into none unless asked.
The tests run every operation on them, so that what works here can work on a card.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from minigrad.core.storage import owner
from minigrad.gpu import kinds, started
from minigrad.gpu.pool import Pool, out_of_memory, readable

# What the engine uses of CuPy; each is there under the same name, with the same arguments.
FUNCTIONS = frozenset(
    "abs all allclose any argmax argmin argsort array_equal bincount broadcast_to clip concatenate "
    "copyto empty_like expand_dims flip full_like lexsort moveaxis nan_to_num ones_like pad "
    "put_along_axis reshape roll shape split stack take take_along_axis tril triu where "
    "zeros_like".split()
)
METHODS = frozenset(
    "all any argmax argmin astype copy cumprod cumsum fill item max mean min prod ravel reshape "
    "squeeze std sum swapaxes tolist transpose var view".split()
)
LOOKS = frozenset("dtype flags itemsize nbytes ndim shape size strides".split())
UFUNC_OPTIONS = {"out", "dtype", "casting"}
IMPLICIT = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy "
    "array explicitly."
)


class simulate:
    """`with cuda.simulate(bytes):` inside, a GPU of so many bytes is there; its arrays are numpy's.

    It copies where a card copies, its pool rounds, caches and runs full as CuPy's does. Time it
    cannot show. `start()` and `stop()` do the same without a block. A tensor that is on it stays
    usable afterwards.
    """

    __slots__ = ("pool", "random", "kind", "name", "__weakref__")
    pool: Pool
    random: np.random.Generator
    kind: type
    name: str
    simulated = True

    def __new__(cls, bytes: int):
        self = object.__new__(cls)
        if not isinstance(bytes, int) or bytes <= 0:
            raise ValueError(f"a GPU has a number of bytes of memory, 1 or more, not {bytes!r}")
        self.pool = Pool(bytes)
        self.random = np.random.default_rng()
        self.kind = Array
        self.name = f"simulated GPU ({readable(bytes)})"
        return self

    def start(self):
        """Use it until `stop()`."""
        kinds.add(Array)
        started.append(self)
        return self

    def stop(self) -> None:
        if self in started:
            started.remove(self)

    def __enter__(self):
        return self.start()

    def __exit__(self, *error):
        self.stop()

    def __repr__(self):
        used, reserved = readable(self.used()), readable(self.reserved())
        return f"<{self.name}: {used} used, {reserved} reserved>"

    # -- arrays --

    def put(self, array):
        return Array(self, np.array(array))

    def get(self, array):
        return array.get()

    def full(self, shape, value, dtype):
        return Array(self, np.full(shape, value, dtype))

    def strided(self, array, shape, strides):
        seen = np.lib.stride_tricks.as_strided(array.host, shape, strides)
        return Array(self, seen, array.root)

    def held(self, array, owner):
        """A view of the array that keeps `owner` alive."""
        view = Array(self, array.host[...], array.root)
        view.keeps = owner
        return view

    def synchronize(self) -> None:
        """Nothing is ever under way here."""

    # -- bytes --

    def used(self) -> int:
        return self.pool.used

    def peak(self) -> int:
        return self.pool.most

    def reset_peak(self) -> None:
        self.pool.most = self.pool.used

    def reserved(self) -> int:
        return self.pool.reserved

    def free_all(self) -> None:
        self.pool.free_all()

    def free_and_total(self) -> tuple:
        return self.pool.total - self.pool.reserved, self.pool.total


class Array(np.lib.mixins.NDArrayOperatorsMixin):
    """The numpy array `host`, seen as an array on the GPU; a view keeps its `base`, as CuPy's."""

    keeps: Any = None  # what shall live as long as this array

    def __init__(self, gpu: simulate, host: np.ndarray, base: Array | None = None):
        self.gpu, self.host, self.base, self.block = gpu, host, base, None
        if base is None and host.nbytes:
            try:
                self.block = gpu.pool.allocate(host.nbytes)
            except MemoryError:
                raise out_of_memory(host.nbytes, gpu) from None

    def __del__(self):
        if block := vars(self).get("block"):
            self.gpu.pool.give_back(block)

    # -- what CuPy's arrays offer besides numpy's protocols --

    @property
    def root(self) -> Array:
        """The array that owns the bytes."""
        return self if self.base is None else self.base

    @property
    def data(self):
        """`.data.ptr` is the address on the GPU."""
        start = self.root.block.start if self.root.block else 0
        addresses = [a.host.__array_interface__["data"][0] for a in (self, self.root)]
        return SimpleNamespace(ptr=start + addresses[0] - addresses[1])

    def get(self, out=None) -> np.ndarray:
        """A copy as a numpy array, or in one."""
        if out is None:
            return self.host.copy()
        out[...] = self.host
        return out

    def set(self, array: np.ndarray) -> None:
        """Overwrite it with the numbers of a numpy array."""
        self.host[...] = array

    def scatter_add(self, place, value) -> None:
        np.add.at(self.host, _plain(place), _plain(value))

    # -- numpy's protocols, as strict as CuPy --

    def __array__(self, *args, **kwargs):
        raise TypeError(IMPLICIT)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if method != "__call__" or set(options) - UFUNC_OPTIONS:
            raise TypeError(f"CuPy has no {ufunc.__name__}.{method} with {sorted(options)}")
        return self._run(ufunc, inputs, options)

    def __array_function__(self, function, types, arguments, options):
        if function.__name__ not in FUNCTIONS:
            return NotImplemented
        return self._run(function, arguments, options)

    def _run(self, function, arguments, options, *more):
        given = [*more, *_arrays((arguments, list(options.values())))]
        result = function(*_plain(arguments), **{k: _plain(v) for k, v in options.items()})
        return self._shown(result, given)

    def _shown(self, result, given):
        """What came out, on the GPU: one of `given`, a view of one, or an array of its own."""
        if isinstance(result, (tuple, list)):
            return type(result)(self._shown(each, given) for each in result)
        if not isinstance(result, (np.ndarray, np.generic)):
            return result
        result = np.asarray(result)
        for array in given:
            if result is array.host:
                return array
            if result.base is not None and owner(result) is owner(array.host):
                result.flags.writeable = True  # CuPy has no other, not even from broadcast_to
                return Array(self.gpu, result, array.root)
        fresh = Array(self.gpu, owner(result))
        return fresh if result.base is None else Array(self.gpu, result, fresh)

    # -- methods and looks --

    def __getattr__(self, name):
        if name in LOOKS:
            return getattr(self.host, name)
        if name not in METHODS:
            raise AttributeError(f"'cupy.ndarray' stand-in has no attribute {name!r}")
        return lambda *args, **kwargs: self._run(getattr(self.host, name), args, kwargs, self)

    @property
    def T(self):
        return self.transpose()

    def __getitem__(self, index):
        return self._shown(self.host[_plain(index)], [self])

    def __setitem__(self, index, value):
        self.host[_plain(index)] = _plain(value)

    def __pow__(self, exponent):
        return self._run(pow, (self, exponent), {})  # numpy 2.1 rounds np.power otherwise

    # fmt: off
    def __len__(self): return len(self.host)
    def __bool__(self): return bool(self.host)
    def __int__(self): return int(self.host)
    def __float__(self): return float(self.host)
    def __repr__(self): return repr(self.host)
    # fmt: on


def _arrays(thing):
    """The arrays on the GPU in arguments, however deep in lists."""
    if isinstance(thing, Array):
        yield thing
    elif isinstance(thing, (tuple, list)):
        for each in thing:
            yield from _arrays(each)


def _plain(thing) -> Any:
    """numpy's arrays in place of the GPU's; an array of numpy's own is refused, as CuPy does."""
    if isinstance(thing, Array):
        return thing.host
    if isinstance(thing, (tuple, list)):
        return type(thing)(map(_plain, thing))
    if isinstance(thing, np.ndarray):
        raise TypeError(f"Unsupported type {type(thing)}")
    return thing
