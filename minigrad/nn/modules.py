"""torch.nn.modules: the same classes once more, by the files in which PyTorch keeps them.

So a program finds `torch.nn.modules.batchnorm._BatchNorm`, the base of several.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from minigrad import nn
from minigrad.missing.files import shown
from minigrad.nn.convolutions import _Convolution, _ConvTranspose
from minigrad.nn.criteria import _Loss, _WeightedLoss
from minigrad.nn.layers import _BatchNorm
from minigrad.nn.recurrent import _Cell, _Recurrent


def _ntuple(n: int, name: str = "parse"):
    """What makes n numbers of one, and a tuple of several: sizes of windows, say."""

    def parse(x: Any) -> tuple:
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = name
    return parse


OTHERS = {
    "_BatchNorm": _BatchNorm, "_ConvNd": _Convolution, "_ConvTransposeNd": _ConvTranspose,
    "_Loss": _Loss, "_WeightedLoss": _WeightedLoss, "RNNBase": _Recurrent, "RNNCellBase": _Cell,
    "_ntuple": _ntuple, "_single": _ntuple(1, "_single"), "_pair": _ntuple(2, "_pair"),
    "_triple": _ntuple(3, "_triple"), "_quadruple": _ntuple(4, "_quadruple"),
}  # fmt: skip
FILES = """
activation CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid
    LogSoftmax Mish MultiheadAttention PReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmin Softplus
    Softshrink Softsign Tanh Tanhshrink Threshold
batchnorm _BatchNorm BatchNorm1d BatchNorm2d
container ModuleDict ModuleList ParameterDict ParameterList Sequential
conv _ConvNd _ConvTransposeNd Conv1d Conv2d ConvTranspose1d ConvTranspose2d
distance CosineSimilarity PairwiseDistance
dropout Dropout Dropout1d Dropout2d
flatten Flatten Unflatten
instancenorm InstanceNorm1d InstanceNorm2d InstanceNorm3d
linear Identity Linear
loss _Loss _WeightedLoss BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss
    GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss NLLLoss
    PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss
module Module
normalization GroupNorm LayerNorm RMSNorm
pooling AdaptiveAvgPool1d AdaptiveAvgPool2d AvgPool1d AvgPool2d MaxPool1d MaxPool2d
rnn RNNBase RNNCellBase GRU GRUCell LSTM LSTMCell RNN RNNCell
sparse Embedding
transformer TransformerEncoder TransformerEncoderLayer
upsampling Upsample
utils _ntuple _pair _quadruple _single _triple
"""

shown(__name__, FILES, vars(nn) | OTHERS)
globals().update(
    {name: vars(nn)[name] for name in FILES.split() if name[0].isupper() and name in vars(nn)}
)
