"""A caching pool by CuPy's rules: it asks the driver for a segment, and cuts blocks from it.

A freed block stays in the pool for the next one that fits; neighbours that are free grow together.
So "reserved" can be far more than "used", and free bytes in small holes serve no large block.
"""

from __future__ import annotations

import threading

from minigrad.core.messages import OutOfMemoryError

CUDA_OUT_OF_MEMORY = (
    "CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of {} of which {} is "
    "free. Of the allocated memory {} is allocated by minigrad, and {} is reserved by minigrad but "
    "unallocated."
)

ROUND = 512  # bytes: the step in which CuPy's pool and PyTorch's hand out memory


def rounded(size: int) -> int:
    """`size` in whole steps."""
    return -(-size // ROUND) * ROUND


class Block:
    """Bytes in one piece: `size` of them from `start` on in a segment, in use or free."""

    def __init__(self, pool: Pool, start: int, size: int):
        self.pool, self.start, self.size = pool, start, size
        self.before: Block | None = None  # its neighbours in the segment
        self.after: Block | None = None
        self.used = True

    def split(self, size: int) -> None:
        """Keep the first `size` bytes; the rest is a free block of its own."""
        if size < self.size:
            rest = Block(self.pool, self.start + size, self.size - size)
            rest.used, rest.before, rest.after = False, self, self.after
            if self.after:
                self.after.before = rest
            self.after, self.size = rest, size
            self.pool.free.append(rest)

    def join(self) -> None:
        """Become free, together with free neighbours."""
        self.used = False
        first = self.before if self.before and not self.before.used else self
        if first is not self:
            self.pool.free.remove(first)
            first.swallow()
        if first.after and not first.after.used:
            self.pool.free.remove(first.after)
            first.swallow()
        self.pool.free.append(first)

    def swallow(self) -> None:
        """Take over the bytes of the block behind."""
        gone = self.after
        assert gone is not None
        self.size, self.after = self.size + gone.size, gone.after
        if self.after:
            self.after.before = self


class Pool:
    """The pool of a card with `total` bytes; all sizes are in bytes."""

    def __init__(self, total: int):
        self.total = total
        self.most = self.reserved = 0
        self.end = ROUND  # where the next segment begins: no address is given twice
        self.free: list = []
        self.heads: list = []  # the first block of each segment; splitting and joining keep it
        self._used = 0
        self._returned: list = []  # blocks that nobody uses any more and that are not joined yet
        self._lock = threading.Lock()

    def allocate(self, size: int) -> Block:
        """A block of at least `size` bytes: the smallest free one that fits, or a new segment."""
        size = rounded(size)
        with self._lock:
            self._settle()
            block = self._fitting(size) or self._segment(size)
            self._used += size
            self.most = max(self.most, self._used)
            return block

    def give_back(self, block: Block) -> None:
        """Nobody uses the block any more. No lock: Python may delete an array at any moment."""
        self._returned.append(block)

    @property
    def used(self) -> int:
        """Bytes handed out and not given back."""
        with self._lock:
            self._settle()
            return self._used

    def segments(self) -> list:
        """Of each segment, its blocks in the order of their addresses, as (size, in use)."""
        with self._lock:
            self._settle()
            return [[(block.size, block.used) for block in _row(head)] for head in self.heads]

    def free_all(self) -> None:
        """Give back to the driver every segment in which no byte is used."""
        with self._lock:
            self._settle()
            self._release()

    def _settle(self) -> None:
        while self._returned:
            block = self._returned.pop()
            self._used -= block.size
            block.join()

    def _fitting(self, size: int) -> Block | None:
        fitting = [block for block in self.free if block.size >= size]
        if not fitting:
            return None
        block = min(fitting, key=lambda block: block.size)
        self.free.remove(block)
        block.used = True
        block.split(size)
        return block

    def _segment(self, size: int) -> Block:
        if self.reserved + size > self.total:
            self._release()  # as CuPy and PyTorch do before they give up
        if self.reserved + size > self.total:
            raise MemoryError
        start, self.end = self.end, self.end + size
        self.reserved += size
        self.heads.append(Block(self, start, size))
        return self.heads[-1]

    def _release(self) -> None:
        whole = [block for block in self.free if block.before is block.after is None]
        for block in whole:
            self.free.remove(block)
            self.heads.remove(block)
            self.reserved -= block.size


def _row(block):
    """A block and all behind it in its segment."""
    while block:
        yield block
        block = block.after


def out_of_memory(size: int, gpu) -> OutOfMemoryError:
    """PyTorch's sentence, with the bytes that did not fit and where the others are."""
    free, total = gpu.free_and_total()
    used, idle = gpu.used(), gpu.reserved() - gpu.used()
    sizes = [readable(n) for n in (size, total, free, used, idle)]
    return OutOfMemoryError(CUDA_OUT_OF_MEMORY.format(*sizes))


def readable(size: int) -> str:
    """1536 -> '1.50 KiB', as PyTorch's messages write sizes."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):.2f} {unit}"
    return f"{size} bytes"
