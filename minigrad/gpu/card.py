"""A real GPU: CuPy's arrays, and its memory pool with the most bytes it ever handed out."""

from __future__ import annotations

import numpy as np

from minigrad.gpu.pool import out_of_memory


class Card:
    """The current device of CuPy. Making one asks nothing of the device yet."""

    simulated = False

    def __init__(self):
        import cupy

        self.cupy, self.kind = cupy, cupy.ndarray
        self.pool = cupy.get_default_memory_pool()
        self.random = np.random.default_rng()
        self.most = 0
        cupy.cuda.set_allocator(self._allocate)

    @property
    def name(self) -> str:
        number = self.cupy.cuda.Device().id
        return self.cupy.cuda.runtime.getDeviceProperties(number)["name"].decode()

    def _allocate(self, size):
        """Every allocation of CuPy comes by here: the pool knows no peak, and no MiB."""
        try:
            memory = self.pool.malloc(size)
        except self.cupy.cuda.memory.OutOfMemoryError:
            raise out_of_memory(size, self) from None
        self.most = max(self.most, self.pool.used_bytes())
        return memory

    # -- arrays --

    def put(self, array):
        """A copy of a numpy array on the card."""
        return self.cupy.array(array)

    def get(self, array):
        """A copy of the card's array as a numpy array; it waits for the card."""
        return array.get()

    def full(self, shape, value, dtype):
        return self.cupy.full(shape, value, dtype)

    def strided(self, array, shape, strides):
        return self.cupy.lib.stride_tricks.as_strided(array, shape, strides)

    def held(self, array, owner):
        """A view of the array that keeps `owner` alive."""
        memory = self.cupy.cuda.UnownedMemory(array.data.ptr, array.nbytes, owner)
        pointer = self.cupy.cuda.MemoryPointer(memory, 0)
        return self.cupy.ndarray(array.shape, array.dtype, pointer, array.strides)

    def synchronize(self) -> None:
        """Wait until the card has done all it was told to do."""
        self.cupy.cuda.Device().synchronize()

    # -- bytes --

    def used(self) -> int:
        return self.pool.used_bytes()

    def peak(self) -> int:
        return self.most

    def reset_peak(self) -> None:
        self.most = self.used()

    def reserved(self) -> int:
        return self.pool.total_bytes()

    def free_all(self) -> None:
        self.pool.free_all_blocks()

    def free_and_total(self) -> tuple:
        """Bytes that the driver could still give, and those of the card."""
        return self.cupy.cuda.runtime.memGetInfo()
