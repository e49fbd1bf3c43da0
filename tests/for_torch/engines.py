"""The reversible chain for PyTorch as an Engine, beside minigrad's."""

from __future__ import annotations

from functools import cached_property

import pytest

from tests.minigrad.reversible_engine import Engine


class Torch(Engine):
    def __init__(self, **kind):
        super().__init__(**kind)
        self.lib = pytest.importorskip("torch", reason="PyTorch is not installed")
        from for_torch import reversible

        self.Block, self.Sequential = reversible.ReversibleBlock, reversible.ReversibleSequential
        self.recomputing = reversible.recomputing

    def stored(self, net, x):
        return net.stored(x)

    @cached_property
    def ledger(self):
        from course.twin.tracker import TorchTwin

        return TorchTwin()
