"""How much was computed: matrix products, recorded operations, node visits; never seconds.

A count is the same on every machine, so a lesson can promise it.
"""

from __future__ import annotations

from minigrad.autograd import function
from minigrad.core import record as recording
from minigrad.core.node import Node
from minigrad.memory.seams import Seams, around, subclasses
from minigrad.ops.linear import AddmmBackward0, BmmBackward0, MmBackward0

PRODUCTS = (MmBackward0, BmmBackward0, AddmmBackward0)


class count_ops:
    """`with memory.count_ops() as n:` then n.matmuls, n.ops and n.visits.

    matmuls: products of matrices, those of backward too. ops: operations that left a node.
    visits: nodes that a backward ran.
    """

    def __init__(self):
        self.matmuls = self.ops = self.visits = 0
        self.seams = Seams()

    def __enter__(self):
        for op in PRODUCTS:
            self.seams.wrap(op, "forward", self._multiplied)
            self.seams.wrap(op, "backward", around(self._differentiated))
        for owner, name in subclasses(Node, "apply"):
            self.seams.wrap(owner, name, around(self._visited))
        ran = {recording.record: around(self._recorded), function._outputs: around(self._ran)}
        self.seams.everywhere(ran)
        return self

    def __exit__(self, *exc):
        self.seams.restore()

    def __repr__(self):
        return f"{self.matmuls} matmuls, {self.ops} operations recorded, {self.visits} nodes run"

    def _multiplied(self, original):
        def inside(*args):
            self.matmuls += 1
            return original.__func__(*args)

        return staticmethod(inside)

    def _differentiated(self, original, node, grad, *saved):
        results = original(node, grad, *saved)
        self.matmuls += sum(g is not None for g in results[-2:])
        return results

    def _visited(self, original, node, grads, asked=None):
        self.visits += 1
        return original(node, grads, asked)

    def _recorded(self, original, *args):
        self.ops += 1
        return original(*args)

    def _ran(self, original, node, tensors, results, recorded):
        self.ops += bool(recorded)
        return original(node, tensors, results, recorded)
