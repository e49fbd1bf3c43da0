"""Modules: parameters with a forward. A module is in no graph; its parameters are leaves."""

from __future__ import annotations

import sys

from minigrad.nn import functional, init, parameter, rnn, utils
from minigrad.nn.activations import (
    ELU,
    GELU,
    SELU,
    Hardtanh,
    Identity,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softmin,
    Softplus,
    Softsign,
    Tanh,
    Tanhshrink,
)  # fmt: skip
from minigrad.nn.attention import MultiheadAttention
from minigrad.nn.containers import ModuleDict, ModuleList, Sequential
from minigrad.nn.convolutions import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from minigrad.nn.criteria import (
    BCELoss,
    BCEWithLogitsLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    SmoothL1Loss,
)  # fmt: skip
from minigrad.nn.distances import CosineSimilarity, PairwiseDistance
from minigrad.nn.embedding import Embedding
from minigrad.nn.gates import GLU, Hardsigmoid, Hardswish
from minigrad.nn.layers import (
    BatchNorm1d,
    BatchNorm2d,
    CrossEntropyLoss,
    Dropout,
    Dropout1d,
    Dropout2d,
    Flatten,
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
    Linear,
    NLLLoss,
    Unflatten,
)  # fmt: skip
from minigrad.nn.margins import (
    CosineEmbeddingLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    PoissonNLLLoss,
    SoftMarginLoss,
    TripletMarginLoss,
)  # fmt: skip
from minigrad.nn.module import Module, Parameter
from minigrad.nn.normalization import RMSNorm
from minigrad.nn.parameters import ParameterDict, ParameterList
from minigrad.nn.pooling import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d
from minigrad.nn.pooling_rows import AdaptiveAvgPool1d, AvgPool1d, MaxPool1d
from minigrad.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from minigrad.nn.resizing import Upsample
from minigrad.nn.shrinking import CELU, Hardshrink, Softshrink, Threshold
from minigrad.nn.transformer import TransformerEncoder, TransformerEncoderLayer

from minigrad.nn import modules  # isort: skip, it takes the classes that stand above

vars(utils)["rnn"] = sys.modules["minigrad.nn.utils.rnn"] = rnn  # where PyTorch has it

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "BCELoss",
    "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "CELU", "Conv1d", "Conv2d",
    "ConvTranspose1d", "ConvTranspose2d", "CosineEmbeddingLoss", "CosineSimilarity",
    "CrossEntropyLoss", "Dropout", "Dropout1d", "Dropout2d", "ELU", "Embedding", "Flatten", "GELU",
    "GLU", "GRU", "GRUCell", "GaussianNLLLoss", "GroupNorm", "Hardshrink", "Hardsigmoid",
    "Hardswish", "Hardtanh", "HingeEmbeddingLoss", "HuberLoss", "Identity", "InstanceNorm1d",
    "InstanceNorm2d", "InstanceNorm3d", "KLDivLoss", "L1Loss", "LSTM", "LSTMCell", "LayerNorm",
    "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1d",
    "MaxPool2d", "Mish", "Module", "ModuleDict", "ModuleList", "MultiheadAttention", "NLLLoss",
    "PReLU", "PairwiseDistance", "Parameter", "ParameterDict", "ParameterList", "PoissonNLLLoss",
    "RMSNorm", "RNN", "RNNCell", "ReLU", "ReLU6", "SELU", "Sequential", "SiLU", "Sigmoid",
    "SmoothL1Loss", "SoftMarginLoss", "Softmax", "Softmin", "Softplus", "Softshrink", "Softsign",
    "Tanh", "Tanhshrink", "Threshold", "TransformerEncoder", "TransformerEncoderLayer",
    "TripletMarginLoss", "Unflatten", "Upsample", "functional", "init", "modules", "parameter",
    "utils",
]  # fmt: skip
