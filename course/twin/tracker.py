"""torch under minigrad's memory names: the facade that a twin cell calls `mg`.

`torch.cuda.memory_allocated()` says 0 on a CPU build, so lessons and tests that compare bytes
need a ledger; `whoholds.on_torch.ledger` has it.
"""

import types

import torch

from course.twin.facade import Facade
from whoholds.on_torch.ledger import Ledger, Watch, warm_up


class CountOps:
    """`with mg.memory.count_ops() as n:` n.matmuls: products of matrices, backward's too."""

    def __init__(self, ledger):
        self.matmuls, self.ledger = 0, ledger

    def __enter__(self):
        self.ledger.counts.append(self)
        return self

    def __exit__(self, *_):
        self.ledger.counts.remove(self)


class TorchTwin(Facade):
    """torch with a byte-exact memory_allocated(); counts from `install()` to `remove()`."""

    def __init__(self):
        ledger = Ledger()
        own = {
            "memory_allocated": lambda device=None: ledger.live(),
            "max_memory_allocated": lambda device=None: ledger.peak,
            "reset_peak_memory_stats": lambda device=None: ledger.reset_peak(),
        }
        memory = types.SimpleNamespace(**own, count_ops=lambda: CountOps(ledger))
        super().__init__(torch, **own, cuda=Facade(torch.cuda, **own), memory=memory)
        self.ledger, self._watch = ledger, None

    def install(self):
        if self._watch is None:
            warm_up()  # first: what it makes must not count
            self._watch = Watch(self.ledger)
            self._watch.__enter__()
        return self

    def remove(self):
        if self._watch is not None:
            self._watch.__exit__(None, None, None)
            self._watch = None

    __enter__ = install

    def __exit__(self, *_):
        self.remove()


def as_mg():
    """torch under minigrad's memory names, counting from now on (`with as_mg() as mg:` ends it)."""
    return TorchTwin().install()
