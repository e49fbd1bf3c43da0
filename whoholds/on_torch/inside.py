"""Which module of the program recorded a node of the graph: the innermost whose call ran then.

The frames of the program tell. Hooks on modules would do so too, but PyTorch warns of them where it
meets a compiled module, and they put a line into the program's tracebacks.
"""

from __future__ import annotations

import sys
from bisect import bisect_right

import torch

from whoholds.frames import variable
from whoholds.on_torch.paths import CALL, Paths

next_node = torch._C._autograd._get_sequence_nr  # PyTorch numbers the nodes that a thread records


class Inside:
    """`look()` at each op; `of(node)` later."""

    def __init__(self):
        self.paths = Paths()
        self.next = next_node()
        self.marks, self.owners = [self.next], [""]  # from this number on, nodes are of this module

    def look(self) -> bool:
        """An op runs: the nodes since the last one are of the module that runs now; is it new?"""
        modules = running(sys._getframe(1))
        inner = next(modules, None)
        path = "" if inner is None else self.paths.of(inner, modules)
        new = path != self.owners[-1]
        if new:
            self.marks.append(self.next)
            self.owners.append(path)
        self.next = next_node()
        return new

    def of(self, node) -> str:
        """`net.layers.0`; "" for what no module recorded, and for AccumulateGrad."""
        if hasattr(node, "variable"):
            return ""
        return self.owners[max(0, bisect_right(self.marks, node._sequence_nr()) - 1)]


def running(frame):
    """The modules whose calls run, the innermost first."""
    while frame is not None:
        if frame.f_code is CALL:
            yield variable(frame, "self")
        frame = frame.f_back
