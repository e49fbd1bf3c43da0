"""Optimizers, and what changes their learning rates on the way."""

from minigrad.optim import lr_scheduler
from minigrad.optim.by_squares import Adagrad, RMSprop
from minigrad.optim.kin_of_adam import Adamax, NAdam
from minigrad.optim.lbfgs import LBFGS
from minigrad.optim.optimizer import SGD, Adam, AdamW, Optimizer

__all__ = [
    "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "NAdam", "Optimizer", "RMSprop", "SGD",
    "lr_scheduler",
]  # fmt: skip
