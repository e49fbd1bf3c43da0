"""torch.nn.modules: the same classes once more, by the files in which PyTorch keeps them.

So a program finds `torch.nn.modules.batchnorm._BatchNorm`, the base of several.
"""

from __future__ import annotations

import sys
from types import ModuleType

from minigrad import nn
from minigrad.nn.convolutions import _Convolution, _ConvTranspose
from minigrad.nn.criteria import _Loss
from minigrad.nn.layers import _BatchNorm
from minigrad.nn.recurrent import _Cell, _Recurrent

BASES: dict[str, dict] = {
    "batchnorm": {"_BatchNorm": _BatchNorm},
    "conv": {"_ConvNd": _Convolution, "_ConvTransposeNd": _ConvTranspose},
    "loss": {"_Loss": _Loss},
    "rnn": {"RNNBase": _Recurrent, "RNNCellBase": _Cell},
}
FILES = """
activation ELU GELU Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish MultiheadAttention PReLU ReLU
    ReLU6 SELU SiLU Sigmoid Softmax Softmin Softplus Softsign Tanh Tanhshrink
batchnorm BatchNorm1d BatchNorm2d
container ModuleDict ModuleList ParameterDict ParameterList Sequential
conv Conv1d Conv2d ConvTranspose1d ConvTranspose2d
distance CosineSimilarity PairwiseDistance
dropout Dropout Dropout1d Dropout2d
flatten Flatten
instancenorm InstanceNorm1d InstanceNorm2d InstanceNorm3d
linear Identity Linear
loss BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss
    HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss NLLLoss PoissonNLLLoss
    SmoothL1Loss TripletMarginLoss
module Module
normalization GroupNorm LayerNorm
pooling AdaptiveAvgPool1d AdaptiveAvgPool2d AvgPool1d AvgPool2d MaxPool1d MaxPool2d
rnn GRU GRUCell LSTM LSTMCell RNN RNNCell
sparse Embedding
transformer TransformerEncoder TransformerEncoderLayer
upsampling Upsample
""".replace("\n    ", " ")

for _line in FILES.split("\n")[1:-1]:
    _file, *_names = _line.split()
    _module = sys.modules[f"{__name__}.{_file}"] = ModuleType(f"{__name__}.{_file}")
    _found = {name: vars(nn)[name] for name in _names}
    vars(_module).update(_found | BASES.get(_file, {}))
    globals().update(_found, **{_file: _module})
