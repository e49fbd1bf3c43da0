"""Backwards of one rule that PyTorch records as one operation, under a name of its own.

Its own backward is that of the rule, recorded: see layers.Again.
"""

from __future__ import annotations

from minigrad.ops.activations import (
    EluBackward0,
    EluBackward1,
    GeluBackward0,
    GluBackward0,
    HardswishBackward0,
    HardtanhBackward0,
    LeakyReluBackward0,
    LeakyReluBackward1,
    SoftplusBackward0,
)
from minigrad.ops.criteria import HuberLossBackward0, SmoothL1LossBackward0, SoftMarginLossBackward0
from minigrad.ops.embedding import EmbeddingBackward0
from minigrad.ops.shrinking import (
    CeluBackward0,
    CeluBackward1,
    HardshrinkBackward0,
    SoftshrinkBackward0,
    ThresholdBackward0,
    ThresholdBackward1,
)
from minigrad.second.layers import Again, records
from minigrad.second.stand_in import TensorStandIn

NAMES = {
    LeakyReluBackward0: "LeakyReluBackwardBackward0",
    LeakyReluBackward1: "LeakyReluBackwardBackward0",
    EluBackward0: "EluBackwardBackward0",
    EluBackward1: "EluBackwardBackward0",
    CeluBackward0: "EluBackwardBackward0",
    CeluBackward1: "EluBackwardBackward0",
    SoftshrinkBackward0: "SoftshrinkBackwardBackward0",
    HardshrinkBackward0: "HardshrinkBackwardBackward0",
    ThresholdBackward0: "ThresholdBackwardBackward0",
    ThresholdBackward1: "ThresholdBackwardBackward0",
    GeluBackward0: "GeluBackwardBackward0",
    HardtanhBackward0: "HardtanhBackwardBackward0",
    SoftplusBackward0: "SoftplusBackwardBackward0",
    GluBackward0: "GluBackwardBackward0",
    HardswishBackward0: "HardswishBackwardBackward0",
    SoftMarginLossBackward0: "SoftMarginLossBackwardBackward0",
    SmoothL1LossBackward0: "SmoothL1LossBackwardBackward0",
    HuberLossBackward0: "HuberLossBackwardBackward0",
    EmbeddingBackward0: "EmbeddingDenseBackwardBackward0",
}
LINEAR = {
    LeakyReluBackward0, LeakyReluBackward1, HardtanhBackward0, EmbeddingBackward0,
    SoftshrinkBackward0, HardshrinkBackward0, ThresholdBackward0, ThresholdBackward1,
}  # fmt: skip


def fused(first):
    """That rule's backward as a Function."""

    class Fused(Again):
        unneeded = (0,) if first in LINEAR else ()
        zeros = True  # where a gradient does not depend on a tensor, as that of leaky_relu

        @classmethod
        def formula(cls, arguments, wanted, *tensors):
            node = first()
            node.arguments = arguments
            node.next_functions = [(one or None, 0) for one in wanted]  # what the rule asks it
            found = node.backward(*map(TensorStandIn, tensors))
            found = found if isinstance(found, tuple) else (found,)
            return tuple(None if g is None else g.tensor for g in found)

    return Fused


for rule, name in NAMES.items():
    records(rule, name)(fused(rule))
