"""Two of torch.distributions: what a policy draws its actions from, and a decoder its numbers."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.dtypes import Size
from minigrad.core.modes import no_grad
from minigrad.core.tensor import Tensor
from minigrad.ops.creation import randn, tensor

BEYOND = (
    "Expected value argument ({} of shape {}) to be within the support ({}) of the distribution "
    "{}, but found invalid values:\n{}"
)


class Distribution:
    """Derive from this; `_parameters` names what its repr shows."""

    _parameters: tuple = ()
    batch_shape = Size(())

    def _check(self, name, value, holds, constraint) -> None:
        """ValueError unless a parameter is where it may be."""
        if not bool(holds):
            kind, shape = type(value).__name__, tuple(value.shape)
            raise ValueError(
                f"Expected parameter {name} ({kind} of shape {shape}) of distribution {self} to "
                f"satisfy the constraint {constraint}, but found invalid values:\n{value}"
            )

    def _within(self, value, holds, support) -> None:
        """ValueError unless it can be drawn."""
        if not bool(holds):
            kind, shape = type(value).__name__, tuple(value.shape)
            raise ValueError(BEYOND.format(kind, shape, support, self, value))

    def __repr__(self):
        shown = [(n, vars(self)[n]) for n in self._parameters if n in vars(self)]
        texts = [f"{n}: {t if t.numel() == 1 else t.shape}" for n, t in shown]
        return f"{type(self).__name__}({', '.join(texts)})"


class Normal(Distribution):
    """Around `loc`, with the deviation `scale`."""

    _parameters = "loc", "scale"

    def __init__(self, loc, scale):
        loc, scale = (t if isinstance(t, Tensor) else tensor(float(t)) for t in (loc, scale))
        shape = np.broadcast_shapes(tuple(loc.shape), tuple(scale.shape))
        self.loc, self.scale = loc.expand(shape), scale.expand(shape)
        self.batch_shape = self.loc.shape
        self._check("loc", loc, (loc == loc).all(), "Real()")
        self._check("scale", scale, (scale > 0).all(), "GreaterThan(lower_bound=0.0)")

    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale.pow(2))

    def rsample(self, sample_shape=()):
        """Numbers through which gradients go to both parameters."""
        shape = (*sample_shape, *self.loc.shape)
        return self.loc + randn(*shape, dtype=self.loc.dtype) * self.scale

    def sample(self, sample_shape=()):
        """Numbers, outside of any graph."""
        with no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value):
        """The logarithm of the density there."""
        self._within(value, (value == value).all(), "Real()")
        square = -((value - self.loc) ** 2) / (2 * self.scale**2)
        return square - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class Categorical(Distribution):
    """One of several, by weights in `probs` or by logarithms of weights in `logits`."""

    _parameters = "probs", "logits"

    def __init__(self, probs=None, logits=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = given - given.logsumexp(-1, keepdim=True)
            holds, constraint = (
                (self.logits == self.logits).all(),
                "IndependentConstraint(Real(), 1)",
            )
        else:
            self.probs = given / given.sum(-1, keepdim=True)
            near = (self.probs.sum(-1) - 1).abs() < 1e-6
            holds, constraint = near.all() & (self.probs >= 0).all(), "Simplex()"
        self.batch_shape = Size(given.shape[:-1])
        self._check(name, vars(self)[name], holds, constraint)

    def __getattr__(self, name):
        """The weights as the other of the two, once somebody asks."""
        if name == "probs":
            self.probs = self.logits.softmax(-1)
        elif name == "logits":
            least = float(np.finfo(self.probs.dtype.numpy).eps)
            self.logits = self.probs.clamp(least, 1 - least).log()
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return vars(self)[name]

    def sample(self, sample_shape=()):
        """Which one, so many times."""
        count = self.probs.shape[-1]
        rows = self.probs.detach().reshape(-1, count)
        drawn = rows.multinomial(math.prod(sample_shape), True).t()
        return drawn.reshape(*sample_shape, *self.batch_shape)

    def log_prob(self, value):
        """The logarithm of the probability of each of these."""
        last = self.logits.shape[-1] - 1
        holds = ((value >= 0) & (value <= last) & (value == value.long())).all()
        support = f"IntegerInterval(lower_bound=0, upper_bound={last})"
        self._within(value, holds, support)
        shape = np.broadcast_shapes(tuple(value.shape), tuple(self.logits.shape[:-1]))
        index = value.long().unsqueeze(-1).expand(*shape, 1)
        return self.logits.expand(*shape, last + 1).gather(-1, index).squeeze(-1)

    def entropy(self):
        least = float(np.finfo(self.logits.dtype.numpy).min)
        return -(self.logits.clamp(min=least) * self.probs).sum(-1)
