"""The writing operations as functions, as torch.exp_(x) beside x.exp_()."""

from __future__ import annotations

from minigrad.core.tensor import Tensor

# fmt: off
abs_, clamp_, clip_, cos_ = Tensor.abs_, Tensor.clamp_, Tensor.clip_, Tensor.cos_
exp_, fill_, log_, neg_ = Tensor.exp_, Tensor.fill_, Tensor.log_, Tensor.neg_
detach_ = Tensor.detach_
reciprocal_, relu_, sigmoid_, sin_ = Tensor.reciprocal_, Tensor.relu_, Tensor.sigmoid_, Tensor.sin_
sqrt_, square_, tanh_, zero_ = Tensor.sqrt_, Tensor.square_, Tensor.tanh_, Tensor.zero_
# fmt: on
