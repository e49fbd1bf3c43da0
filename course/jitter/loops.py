"""The inner loops of numpy's functions: each is followed by a move of what it has written.

numpy lets a program replace the loop of a ufunc (PyUFunc_ReplaceLoopBySignature, part of its C
interface). So every call is met, by operator, by name, with `out=`, in place, and no array and no
function becomes another object.
"""

import ctypes
import functools
import itertools
import os
import re
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from . import exact, known, moves

ONE = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh "
    "arccosh arctanh cbrt"
).split()
TWO = "power float_power arctan2 hypot logaddexp".split()
PRODUCTS = "matmul vecdot matvec vecmat".split()
KINDS = "efd"
PART = 1024  # elements at a time: who measures what numpy allocates shall hardly see a move
REPLACE = 30  # its place in numpy's table of functions; numpy only adds to the end
LOOP = ctypes.CFUNCTYPE(
    None,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_ssize_t),
    ctypes.POINTER(ctypes.c_ssize_t),
    ctypes.c_void_p,
)

_replaced: list = []  # (ufunc, its kinds, the address of numpy's own loop)


def start(seed: str) -> None:
    for name in ONE + TWO + PRODUCTS:
        for kind in KINDS:
            ufunc = getattr(np, name, None)
            if ufunc is not None and f"{kind * ufunc.nin}->{kind}" in ufunc.types:
                _replace(ufunc, kind, seed)


def stop() -> None:
    while _replaced:
        ufunc, kinds, address = _replaced.pop()
        _set(ufunc, kinds, address)


def _replace(ufunc, kind, seed):
    kinds = [np.dtype(kind).num] * ufunc.nargs
    loop, told = _ours(ufunc, kind)
    told["seed"] = seed
    address = _set(ufunc, kinds, ctypes.cast(loop, ctypes.c_void_p).value)
    told["original"] = LOOP(address)
    _replaced.append((ufunc, kinds, address))


@functools.cache  # numpy may call it as long as the process lives
def _ours(ufunc, kind):
    """Our loop, and what it is told each time that it is put in place."""
    told: dict = {}
    follow: Callable = _product if ufunc.signature else _function
    return LOOP(_followed(ufunc, np.dtype(kind), told, follow)), told


def _set(ufunc, kinds, address):
    """Make it the loop; gives the address of the one before."""
    before = ctypes.c_void_p()
    numbers = (ctypes.c_int * len(kinds))(*kinds)
    if _replace_loop()(ufunc, address, numbers, ctypes.byref(before)):
        raise RuntimeError(f"numpy does not let the loop of {ufunc.__name__} be replaced")
    return before.value


def _replace_loop() -> Any:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(
        pointer(import_module("numpy._core._multiarray_umath")._UFUNC_API, None),
        ctypes.POINTER(ctypes.c_void_p),
    )
    kinds = ctypes.py_object, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)
    return ctypes.PYFUNCTYPE(ctypes.c_int, *kinds, ctypes.POINTER(ctypes.c_void_p))(table[REPLACE])


def _followed(ufunc, dtype, told, follow):
    """numpy's own loop, then the move by a seed; `told` has both."""

    def loop(addresses, sizes, steps, data):
        try:
            run = functools.partial(told["original"], addresses, sizes, steps, data)
            follow(ufunc, dtype, told["seed"], run, addresses, sizes, steps)
        except Exception:  # numpy cannot pass it on, and a result that was not moved proves nothing
            traceback.print_exc()
            os._exit(70)

    return loop


def _function(ufunc, dtype, seed, run, addresses, sizes, steps):
    """f(x) or f(x, y) of `sizes[0]` elements; the move depends on the elements alone."""
    *given, result = (
        _seen(addresses[i], (sizes[0],), (steps[i],), dtype) for i in range(ufunc.nargs)
    )
    called = known.name(ufunc.__name__, *given)
    if known.give(called, result):
        return
    given = [array.copy() if np.may_share_memory(array, result) else array for array in given]
    run()
    starts = [moves.key(seed, ufunc.__name__, number) for number in range(ufunc.nin)]
    for begin in range(0, sizes[0], PART):
        part = slice(begin, begin + PART)
        drawn = np.zeros(result[part].size, np.uint32)
        for start, array in zip(starts, given, strict=True):
            drawn = moves.mixed(drawn + moves.bits(array[part]), start)
        moves.move(result[part], drawn, exact.value(result[part]))
    known.keep(called, result)


def _product(ufunc, dtype, seed, run, addresses, sizes, steps):
    """left @ right, as often as the leading axis says; vectors are seen as matrices."""
    left, right, result = _operands(ufunc, dtype, addresses, sizes, steps)
    if left.ndim == 2:
        left, result = left[:, None, :], result[:, None]
    if right.ndim == 2:
        right, result = right[:, :, None], result[..., None]
    called = known.name("product", left, right)
    if known.give(called, result):
        return
    start = moves.key(seed, "product", left.shape, right.shape, left.tobytes(), right.tobytes())
    terms = exact.Terms(left, right)  # now: the loop may write over them
    run()
    places = np.arange(result.size, dtype=np.uint32).reshape(result.shape)
    moves.move(result, moves.mixed(places, start), terms.fit(dtype.itemsize))
    known.keep(called, result)


def _operands(ufunc, dtype, addresses, sizes, steps):
    """The arrays that a loop is given: one leading axis, then those of the signature.

    `sizes` and `steps` begin with those of the leading axis; then come the sizes of the named axes
    and the steps along them, both in the signature's order.
    """
    for i, (lengths, strides) in enumerate(_axes(ufunc.signature)):
        shape = (sizes[0], *[sizes[place] for place in lengths])
        yield _seen(addresses[i], shape, (steps[i], *[steps[place] for place in strides]), dtype)


@functools.cache
def _axes(signature):
    """Of each operand: where the sizes of its axes stand, and where the steps along them do."""
    axes = [re.findall(r"\w+", part) for part in re.findall(r"\(([^)]*)\)", signature)]
    names = list(dict.fromkeys(name for part in axes for name in part))
    step = itertools.count(len(axes))
    return [([1 + names.index(name) for name in part], [next(step) for _ in part]) for part in axes]


def _seen(address, sizes, steps, dtype):
    """The elements at an address, as an array that owns nothing; steps are bytes, of any sign."""
    if 0 in sizes:
        return np.empty(sizes, dtype)
    low, memory = _span(sizes, steps, dtype.itemsize)
    return np.ndarray(sizes, dtype, memory.from_address(address + low), -low, steps)


@functools.lru_cache(1024)
def _span(sizes, steps, itemsize):
    """Where the lowest element lies, seen from the first; the type of all bytes between the ends.

    To make a type takes longer than to use it.
    """
    low = high = 0
    for n, step in zip(sizes, steps, strict=True):
        if step < 0:
            low += (n - 1) * step
        else:
            high += (n - 1) * step
    return low, ctypes.c_char * (high - low + itemsize)
