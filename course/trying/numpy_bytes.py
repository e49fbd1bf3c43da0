"""Every data byte that numpy allocates, told by numpy itself.

A memory handler of our own (NEP 49) stands in numpy's place for a while: it hands out libc's
memory and adds up the sizes. It knows nothing of tensors, so it can judge a ledger of theirs.

NumPy also frees while an error of its own is on its way, and no function written in Python survives
that: the error is lost, and a SystemError comes in its place. So it is kept here, as `lost`.
"""

import ctypes
from importlib import import_module

SET_HANDLER = 304  # PyDataMem_SetHandler's place in numpy's C API, since 1.22
_numpy = import_module("numpy._core._multiarray_umath")
POINTER, SIZE = ctypes.c_void_p, ctypes.c_size_t
MALLOC = ctypes.CFUNCTYPE(POINTER, POINTER, SIZE)
CALLOC = ctypes.CFUNCTYPE(POINTER, POINTER, SIZE, SIZE)
REALLOC = ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, SIZE)
FREE = ctypes.CFUNCTYPE(None, POINTER, POINTER, SIZE)


class Handler(ctypes.Structure):
    """PyDataMem_Handler."""

    _fields_ = [
        ("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("ctx", POINTER),
        ("malloc", MALLOC), ("calloc", CALLOC), ("realloc", REALLOC), ("free", FREE),
    ]  # fmt: skip


class NumpyBytes:
    """`with NumpyBytes() as bytes:` counts what is allocated inside: `live` and `peak`."""

    def __init__(self):
        self.live = self.peak = 0
        self.lost = None  # the last error of NumPy's that was on its way
        libc = ctypes.CDLL(None)
        libc.malloc.restype = libc.calloc.restype = libc.realloc.restype = POINTER
        libc.malloc.argtypes, libc.calloc.argtypes = [SIZE], [SIZE, SIZE]
        libc.realloc.argtypes, libc.free.argtypes = [POINTER, SIZE], [POINTER]
        self.libc, self.sizes = libc, {}
        self.handler = Handler(
            b"counting", 1, None, MALLOC(self._keeping(self._malloc)),
            CALLOC(self._keeping(self._calloc)), REALLOC(self._keeping(self._realloc)),
            FREE(self._keeping(self._free)),
        )  # fmt: skip
        _kept.append(self)  # an array remembers its handler as long as it lives

    def __enter__(self):
        self.before = _set_handler(_capsule(ctypes.addressof(self.handler), b"mem_handler", None))
        return self

    def __exit__(self, *exc):
        _set_handler(self.before)

    def _keeping(self, call):
        """That function, which first takes the error that is on its way: Python needs it gone."""

        def called(*given):
            _fetch(*_AT)
            if _KIND.value:
                self.lost = _error()
            return call(*given)

        return called

    def _count(self, pointer, size):
        self.sizes[pointer] = size
        self.live += size
        self.peak = max(self.peak, self.live)
        return pointer

    def _forget(self, pointer):
        self.live -= self.sizes.pop(pointer, 0)

    def _malloc(self, ctx, size):
        return self._count(self.libc.malloc(size or 1), size)

    def _calloc(self, ctx, n, size):
        return self._count(self.libc.calloc(n or 1, size or 1), n * size)

    def _realloc(self, ctx, pointer, size):
        self._forget(pointer)
        return self._count(self.libc.realloc(pointer, size or 1), size)

    def _free(self, ctx, pointer, size):
        self._forget(pointer)
        self.libc.free(pointer)


# An error is of a kind, has a value, and a traceback: three places that Python writes to.
_KIND, _VALUE, _TRACEBACK = _PLACES = POINTER(), POINTER(), POINTER()
_AT = tuple(map(ctypes.byref, _PLACES))  # converted beforehand: that, too, would fail
_fetch = ctypes.pythonapi.PyErr_Fetch
_fetch.restype = None


def _error():
    """What was written to these places, as one error."""
    kind, value, _ = found = [_object(place.value) for place in _PLACES]
    for place, one in zip(_PLACES, found, strict=True):
        if one is not None:
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(one))
        place.value = None
    return value if isinstance(value, BaseException) else kind(value)


def _object(address):
    return ctypes.cast(address, ctypes.py_object).value if address else None


_kept: list = []
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [POINTER, ctypes.c_char_p, POINTER]


def _set_handler(capsule):
    """Put a handler in place; returns the one before."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = POINTER, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(_numpy._ARRAY_API, None), ctypes.POINTER(POINTER))
    call = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[SET_HANDLER])
    return call(capsule)
