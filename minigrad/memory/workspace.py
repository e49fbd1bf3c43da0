"""What NumPy needs beside what PyTorch would: the workspace of a rule.

A rule is written in NumPy's functions, and some of them make arrays on the way that PyTorch's
kernels do without: a mask, a copy in another order, the windows of a convolution. The ledger counts
what PyTorch allocates; these bytes are outside of it, of peaks and of budgets. Here each rule
declares how many they are at most. tests/minigrad/test_workspace.py asks NumPy's own allocator.
"""

from __future__ import annotations

import math

from minigrad.core.observer import Observer
from minigrad.core.tensor import Tensor

# In arrays of the size of the largest one that goes in or comes out: forward, backward; and the
# same of half floats, which many rules compute as whole ones. A rule that is not here needs none.
ARRAYS = {
    "AbsBackward0": (0, 0.5, 0, 1.75),
    "AcosBackward0": (0, 0, 0, 1.25),
    "AcoshBackward0": (0, 0, 0, 3.25),
    "AdaptiveAvgPool2DBackward0": (1, 1, 1, 1),
    "AddcdivBackward0": (1.25, 0, 9.25, 0),
    "AddcmulBackward0": (1.25, 0, 9.25, 0),
    "AddmmBackward0": (0, 0, 4.25, 0),
    "AsinBackward0": (0, 0, 0, 2.25),
    "AsinhBackward0": (0, 0, 0, 3.25),
    "AsStridedBackward0": (0, 0.75, 0, 2.25),
    "AvgPool2DBackward0": (1.25, 1.25, 4.75, 5.5),
    "BaddbmmBackward0": (0, 0, 4.25, 0),
    "BernoulliBackward0": (0.5, 0, 5.25, 0),
    "BinaryCrossEntropyBackward0": (4.25, 2.25, 4, 2.25),
    "BinaryCrossEntropyWithLogitsBackward0": (5.25, 3.25, 10.25, 8),
    "CdistBackward0": (2.25, 2.5, 0, 0),
    "CeluBackward0": (2.25, 3.25, 7.5, 7),
    "CeluBackward1": (2.5, 2.5, 7.5, 2.5),
    "ConvolutionBackward0": (2, 3.5, 6, 3.5),
    "CumprodBackward0": (4.25, 3.75, 4.25, 5.25),
    "CumsumBackward0": (4.25, 2.25, 4.25, 2.25),
    "DivBackward2": (1.25, 0, 7.25, 0),
    "EluBackward0": (2.25, 3.25, 7.5, 7),
    "EluBackward1": (2.5, 2.5, 7.5, 2.5),
    "ErfBackward0": (17, 0, 35, 0),
    "ErfcBackward0": (17, 0, 35, 0),
    "FmodBackward1": (0, 0, 0, 4),
    "GatherBackward0": (0.5, 0.5, 0.5, 2.75),
    "GeluBackward0": (7.25, 7.25, 17, 19),
    "GluBackward0": (1.75, 1.75, 5.75, 5.25),
    "HardshrinkBackward0": (0.75, 0.75, 1.25, 1.25),
    "HardsigmoidBackward0": (1.25, 1.25, 5.25, 7.25),
    "HardswishBackward0": (1.25, 1.75, 5.25, 8.25),
    "HardtanhBackward0": (0, 0.5, 0, 0.5),
    "HuberLossBackward0": (4.25, 1.25, 13.25, 1),
    "IndexAddBackward0": (1, 1, 3.25, 1),
    "IndexBackward0": (0, 3.25, 0, 6.25),
    "IndexSelectBackward0": (0, 0, 0, 2.25),
    "LeakyReluBackward0": (1.25, 1.25, 1.5, 1.5),
    "LeakyReluBackward1": (1.25, 1.25, 1.5, 1.5),
    "LerpBackward0": (1.25, 0, 7.25, 0),
    "LerpBackward1": (2.5, 0, 11.75, 0),
    "LinalgVectorNormBackward0": (2.25, 2.5, 7, 2.5),
    "Log10Backward0": (2.25, 0, 4.25, 0),
    "LogaddexpBackward0": (0, 0, 3.25, 0),
    "LogcumsumexpBackward0": (2.25, 0, 2.25, 0),
    "LogitBackward0": (2.25, 1.75, 2.25, 1.75),
    "LogSigmoidBackward0": (2.25, 2.5, 9.5, 12),
    "LogSoftmaxBackward0": (1.5, 1.5, 4, 6.25),
    "LogsumexpBackward0": (2.25, 0, 4.25, 0),
    "MaskedSelectBackward0": (0, 1.25, 0, 3),
    "MaxBackward0": (0.25, 0.25, 0.75, 0.75),
    "MaximumBackward0": (0, 0.5, 0, 0.75),
    "MaxPool2DWithIndicesBackward0": (0.5, 0.5, 0.5, 0.5),
    "MeanBackward1": (0.25, 0, 1, 0),
    "MedianBackward0": (3.5, 0.5, 7, 0.75),
    "MedianBackward1": (1, 1, 1, 1),
    "MinBackward0": (0.5, 0.5, 0.5, 0.5),
    "MinimumBackward0": (0, 0.5, 0, 0.75),
    "MishBackward0": (1, 4.25, 5, 13),
    "MseLossBackward0": (1.25, 2, 1, 2),
    "NanToNumBackward0": (1.25, 0, 2.75, 0),
    "NativeBatchNormBackward0": (2.25, 4.25, 10, 15.25),
    "NativeGroupNormBackward0": (2.25, 4.5, 7.25, 15.25),
    "NativeLayerNormBackward0": (1.25, 4.5, 6.25, 15.25),
    "NormalBackward1": (1.25, 0, 2.25, 0),
    "NormalBackward2": (1.25, 0, 2.25, 0),
    "NormalBackward3": (2.25, 0, 2.25, 0),
    "NormBackward1": (2, 1, 6, 1),
    "PowBackward1": (2.25, 0, 3.25, 0),
    "PreluKernelBackward0": (1.5, 1.5, 1.75, 1.75),
    "ProdBackward0": (0, 4, 1, 4.75),
    "ProdBackward1": (0, 4, 1.25, 3.5),
    "ReluBackward0": (0, 0.5, 0, 0.5),
    "RemainderBackward0": (2.5, 0, 3, 0),
    "RemainderBackward1": (2.5, 0, 3, 4),
    "RsqrtBackward0": (1.25, 0, 5.25, 0),
    "SafeSoftmaxBackward0": (0.5, 1.25, 0, 0),
    "ScaledDotProductFlashAttentionForCpuBackward0": (2.25, 4.75, 0, 0),
    "ScatterAddBackward0": (0.75, 0.5, 0.75, 0.5),
    "ScatterBackward0": (0.75, 0.5, 0.75, 0.5),
    "ScatterBackward1": (0.25, 0.25, 0.5, 0.5),
    "SigmoidBackward0": (1.25, 1.25, 4, 1),
    "SignBackward0": (0.25, 0, 0.5, 0),
    "SiluBackward0": (1.25, 3.25, 5, 11),
    "SmoothL1LossBackward0": (3.25, 1.25, 3.5, 1),
    "SoftMarginLossBackward0": (0, 3.25, 0, 3.25),
    "SoftmaxBackward0": (0.5, 1.25, 2.25, 7.25),
    "SoftplusBackward0": (1.25, 3.25, 5.5, 11.5),
    "SoftshrinkBackward0": (3.75, 0.75, 10.5, 1.25),
    "SortBackward0": (1.5, 0.5, 0.75, 0.5),
    "SortBackward1": (1.25, 0.25, 0.75, 0.5),
    "StdBackward0": (4.25, 0, 4.25, 5),
    "SumBackward1": (0, 0, 2.25, 0),
    "TanhBackward0": (0, 1.25, 0, 7.25),
    "ThresholdBackward0": (0.5, 0.5, 1.75, 1.75),
    "ThresholdBackward1": (0.5, 0.5, 1.75, 1.75),
    "TopkBackward0": (0.5, 0.25, 0.25, 0.25),
    "TrilBackward0": (1, 0.5, 0.5, 0.5),
    "TriuBackward0": (0.25, 0.25, 0.75, 0.75),
    "Unique2Backward0": (1.25, 0, 1.25, 0),
    "UniqueDimBackward0": (2.75, 0, 2.75, 0),
    "UpsampleBilinear2DBackward0": (3, 2.25, 5.75, 5),
    "UpsampleNearest2DBackward0": (1, 1, 1, 3),
    "VarBackward0": (1, 0, 4, 6),
    "VarMeanBackward0": (1, 0, 4, 0),
    "XlogyBackward0": (1.5, 1, 2, 1),
}
WINDOWS = {  # rules whose measure is another: windows of an image, pairs of rows, places
    **dict.fromkeys(  # the distances from a mean, and thrice the means
        ("StdBackward0", "VarBackward0", "VarMeanBackward0"),
        lambda node, out, given: given[0].nbytes + 3 * out.nbytes,
    ),
    "ConvolutionBackward0": lambda node, out, given: (
        (given[0] if node.arguments[-1] else out).nbytes  # of a transposed one, what goes in
        // max(len(given[1]), 1)
        * math.prod(given[1].shape[1:])
    ),
    "ScaledDotProductFlashAttentionForCpuBackward0": lambda node, out, given: (
        out.nbytes // max(out.shape[-1], 1) * max(a.shape[-2] for a in given[:3])
    ),
    "MaxPool2DWithIndicesBackward0": lambda node, out, given: out.nbytes * window(node.arguments),
    "AvgPool2DBackward0": lambda node, out, given: out.nbytes * window(node.arguments),
    "CdistBackward0": lambda node, out, given: out.nbytes * given[1].shape[-1],
    "Unique2Backward0": lambda node, out, given: given[0].nbytes + 16 * given[0].size,
    "UniqueDimBackward0": lambda node, out, given: (
        given[0].nbytes + 16 * given[0].shape[node.arguments[0]]
    ),
    "UpsampleNearest2DBackward0": lambda node, out, given: image_and_places(out, given[0]),
    "UpsampleBilinear2DBackward0": lambda node, out, given: image_and_places(out, given[0]),
}


class workspace(Observer):
    """`with memory.workspace() as beside:` what the rules recorded inside need beside the ledger.

    `beside.most` is the most bytes that one of them needs, in its forward or its backward: no part
    of memory_allocated(), of max_memory_allocated() or of a budget.
    """

    def __init__(self):
        self.most = 0
        self.later: dict = {}  # address of a node -> bytes of its backward

    def recorded(self, node, out, inputs):
        forward = later = 0
        if node.__class__.__name__ in ARRAYS:
            arrays = [t._array for t in flat(inputs) if isinstance(t, Tensor)]
            forward, later = declared(node, out._array, arrays)
        self.later[id(node)] = later
        if shares(out, inputs) and not getattr(node, "view", False):
            forward += out._array.nbytes  # in place: what is written is computed first
        if forward > self.most:
            self.most = forward

    def visited(self, node):
        self.most = max(self.most, self.later.get(id(node), 0))


def declared(node, out, given: list) -> tuple:
    """Bytes, at most, of a forward and of its backward: of a node, its result and its inputs."""
    name = type(node).__name__
    counts = ARRAYS.get(name, (0, 0, 0, 0))
    forward, backward = counts[2:] if out.dtype.itemsize == 2 else counts[:2]
    size = max([out.nbytes, *(a.nbytes for a in given)])
    if name in WINDOWS:
        size = max(size, WINDOWS[name](node, out, given))
    return math.ceil(forward * size), math.ceil(backward * size)


def shares(out, inputs) -> bool:
    """True if a result has its bytes from a tensor that went in: a view, or a write in place."""
    owner = out._storage
    for given in inputs:
        if getattr(given, "_storage", None) is owner:
            return True
    return False


def window(arguments) -> int:
    """How many elements a window of a pooling has."""
    sides = arguments[0]
    return math.prod(sides) if isinstance(sides, tuple) else sides**2


def image_and_places(*images) -> int:
    """Bytes of the larger image, and of where it is looked at: two numbers of 8 bytes an axis."""
    return max(a.nbytes for a in images) + 16 * max(sum(a.shape[-2:]) for a in images)


def flat(inputs):
    """The inputs of a rule one by one, also those that come as a list."""
    for given in inputs:
        yield from given if isinstance(given, list) else [given]
