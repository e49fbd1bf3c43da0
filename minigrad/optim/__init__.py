"""Optimizers, and what changes their learning rates on the way."""

from minigrad.optim import lr_scheduler, swa_utils
from minigrad.optim.adadelta import Adadelta
from minigrad.optim.adamax_nadam import Adamax, NAdam
from minigrad.optim.lbfgs import LBFGS
from minigrad.optim.optimizer import SGD, Adam, AdamW, Optimizer
from minigrad.optim.rmsprop_adagrad import Adagrad, RMSprop

__all__ = [
    "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "NAdam", "Optimizer", "RMSprop",
    "SGD", "lr_scheduler", "swa_utils",
]  # fmt: skip
