"""Which module of the program recorded a node of the graph: the innermost whose call ran then.

The frames of the program tell. Hooks on modules would do so too, but PyTorch warns of them where it
meets a compiled module, and they put a line into the program's tracebacks.
"""

from __future__ import annotations

import sys

import torch

from whoholds.frames import variable
from whoholds.modules import Owners
from whoholds.on_torch.paths import CALL, Paths

next_node = torch._C._autograd._get_sequence_nr  # PyTorch numbers the nodes that a thread records


class Inside:
    """`look()` at each op; `of(node)` later."""

    def __init__(self):
        self.paths = Paths()
        self.next, self.path = next_node(), ""  # of the module that ran last
        self.owners = Owners(self.next, self.path)

    def look(self) -> bool:
        """An op runs: the nodes since the last one are of the module that runs now; is it new?"""
        modules = running(sys._getframe(1))
        inner = next(modules, None)
        path = "" if inner is None else self.paths.of(inner, modules)
        new, self.path = path != self.path, path
        if new:
            self.owners.begin(self.next, path)
        self.next = next_node()
        return new

    def of(self, node) -> str:
        """`net.layers.0`; "" for what no module recorded, and for AccumulateGrad."""
        return "" if hasattr(node, "variable") else self.owners.of(node._sequence_nr())


def running(frame):
    """The modules whose calls run, the innermost first."""
    while frame is not None:
        if frame.f_code is CALL:
            yield variable(frame, "self")
        frame = frame.f_back
