"""How much was computed: matrix products, recorded operations, node visits; never seconds.

A count is the same on every machine, so a lesson can promise it.
"""

from __future__ import annotations

from minigrad.core.observer import Observer
from minigrad.ops.linear import AddmmBackward0, BmmBackward0, MmBackward0

PRODUCTS = frozenset({MmBackward0, BmmBackward0, AddmmBackward0})


class count_ops(Observer):
    """`with memory.count_ops() as n:` then n.matmuls, n.ops and n.visits.

    matmuls: products of matrices, those of backward too. ops: operations that left a node.
    visits: nodes that a backward ran.
    """

    def __init__(self):
        self.matmuls = self.ops = self.visits = 0

    def __repr__(self):
        return f"{self.matmuls} matmuls, {self.ops} operations recorded, {self.visits} nodes run"

    def computed(self, op, gradients=None):
        if op in PRODUCTS:  # a backward has one product for each factor's gradient
            self.matmuls += 1 if gradients is None else sum(g is not None for g in gradients[-2:])

    def visited(self, node):
        self.visits += 1

    def recorded(self, node, out, inputs):
        self.ops += 1
