"""Three of torch.distributions: what a policy draws its actions from, and a decoder its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core.dtypes import Size
from minigrad.core.modes import no_grad
from minigrad.core.tensor import Tensor
from minigrad.nn.functional import binary_cross_entropy_with_logits, softplus
from minigrad.ops.arranged import broadcast_tensors
from minigrad.ops.creation import randn, tensor
from minigrad.ops.limits import finfo
from minigrad.ops.ranges import full

BEYOND = (
    "Expected value argument ({} of shape {}) to be within the support ({}) of the distribution "
    "{}, but found invalid values:\n{}"
)

NOT_NUMBERS = (
    "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
    "__torch_function__."
)
APART = "Value is not broadcastable with batch_shape+event_shape: {} vs {}."


def all_tensors(*values) -> tuple:
    """Numbers as tensors, and all of one shape."""
    if not all(isinstance(t, (Tensor, int, float)) for t in values):
        raise ValueError(NOT_NUMBERS)
    beside = next((t for t in values if isinstance(t, Tensor)), None)
    kind = None if beside is None else beside.dtype
    return tuple(
        broadcast_tensors(
            *(t if isinstance(t, Tensor) else tensor(float(t), dtype=kind) for t in values)
        )
    )


class Distribution:
    """Derive from this; `_parameters` names what its repr shows."""

    _parameters: tuple = ()
    batch_shape = Size(())

    stddev = property(lambda self: self.variance.sqrt())

    def _check(self, name, value, holds, constraint) -> None:
        """ValueError unless a parameter is where it may be."""
        if not bool(holds):
            kind, shape = type(value).__name__, tuple(value.shape)
            raise ValueError(
                f"Expected parameter {name} ({kind} of shape {shape}) of distribution {self} to "
                f"satisfy the constraint {constraint}, but found invalid values:\n{value}"
            )

    def _chosen(self, probs, logits) -> tuple:
        """(name, value) of the one of these two that is given."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return ("logits", logits) if probs is None else ("probs", probs)

    def _fits(self, value) -> None:
        """ValueError unless there is a value for each distribution of the batch."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        pairs = zip(reversed(value.shape), reversed(self.batch_shape), strict=False)
        if any(n != m and 1 not in (n, m) for n, m in pairs):
            raise ValueError(APART.format(value.shape, self.batch_shape))

    def _within(self, value, holds, support) -> None:
        """ValueError unless it can be drawn."""
        if not bool(holds):
            kind, shape = type(value).__name__, tuple(value.shape)
            raise ValueError(BEYOND.format(kind, shape, support, self, value))

    def __repr__(self):
        shown = [(n, vars(self)[n]) for n in self._parameters if n in vars(self)]
        texts = [f"{n}: {t if t.numel() == 1 else t.shape}" for n, t in shown]
        return f"{type(self).__name__}({', '.join(texts)})"


def inside(probs):
    """Probabilities that are neither 0 nor 1, whose logarithms are finite."""
    least = finfo(probs.dtype).eps
    return probs.clamp(least, 1 - least)


class Normal(Distribution):
    """Around `loc`, with the deviation `scale`."""

    _parameters = "loc", "scale"

    def __init__(self, loc, scale):
        self.loc, self.scale = all_tensors(loc, scale)
        self.batch_shape = self.loc.shape
        self._check("loc", self.loc, (self.loc == self.loc).all(), "Real()")
        self._check("scale", self.scale, (self.scale > 0).all(), "GreaterThan(lower_bound=0.0)")

    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale.pow(2))

    def rsample(self, sample_shape=()):
        """Numbers through which gradients go to both parameters."""
        shape = (*sample_shape, *self.loc.shape)
        return self.loc + randn(shape, dtype=self.loc.dtype) * self.scale

    def sample(self, sample_shape=()):
        """Numbers, outside of any graph."""
        with no_grad():
            return self.rsample(sample_shape)

    def log_prob(self, value):
        """The logarithm of the density there."""
        self._fits(value)
        self._within(value, (value == value).all(), "Real()")
        square = -((value - self.loc) ** 2) / (2 * self.scale**2)
        return square - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()


class _Weighed(Distribution):
    """Its `probs` and its `logits` say the same: the other of the two is made once asked for."""

    _parameters = "probs", "logits"
    probs: Any
    logits: Any
    _to_probs: Callable
    _to_logits: Callable

    def __getattr__(self, name):
        if name == "probs":
            self.probs = self._to_probs(self.logits)
        elif name == "logits":
            self.logits = self._to_logits(self.probs)
        else:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return vars(self)[name]


class Categorical(_Weighed):
    """One of several, by weights in `probs` or by logarithms of weights in `logits`."""

    _to_probs = staticmethod(lambda logits: logits.softmax(-1))
    _to_logits = staticmethod(lambda probs: inside(probs).log())

    def __init__(self, probs=None, logits=None):
        name, given = self._chosen(probs, logits)
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
        self._param = vars(self)[name]
        self.batch_shape = Size(given.shape[:-1])
        self._check(name, self._param, holds, constraint)

    def _nowhere(self):
        return full(self.batch_shape, math.nan, dtype=self.probs.dtype)

    mean = variance = property(_nowhere)

    def sample(self, sample_shape=()):
        """Which one, so many times."""
        count = self.probs.shape[-1]
        rows = self.probs.detach().reshape(-1, count)
        drawn = rows.multinomial(math.prod(sample_shape), True).t()
        return drawn.reshape((*sample_shape, *self.batch_shape))

    def log_prob(self, value):
        """The logarithm of the probability of each of these."""
        self._fits(value)
        last = self._param.shape[-1] - 1
        holds = ((value >= 0) & (value <= last) & (value == value.long())).all()
        support = f"IntegerInterval(lower_bound=0, upper_bound={last})"
        self._within(value, holds, support)
        shape = np.broadcast_shapes(tuple(value.shape), tuple(self.logits.shape[:-1]))
        index = value.long().unsqueeze(-1).expand(*shape, 1)
        return self.logits.expand(*shape, last + 1).gather(-1, index).squeeze(-1)

    def entropy(self):
        least = float(np.finfo(self.logits.dtype.numpy).min)
        return -(self.logits.clamp(min=least) * self.probs).sum(-1)


def _log_odds(probs):
    probs = inside(probs)
    return probs.log() - (-probs).log1p()


class Bernoulli(_Weighed):
    """1 with a probability in `probs`, or by `logits`, the logarithm of how much likelier it is."""

    _to_probs = staticmethod(lambda logits: logits.sigmoid())
    _to_logits = staticmethod(_log_odds)

    def __init__(self, probs=None, logits=None):
        name, given = self._chosen(probs, logits)
        (given,) = all_tensors(given)
        setattr(self, name, given)
        self.batch_shape = given.shape
        if name == "probs":
            holds = ((given >= 0) & (given <= 1)).all()
            self._check(name, given, holds, "Interval(lower_bound=0.0, upper_bound=1.0)")
        else:
            self._check(name, given, (given == given).all(), "Real()")

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape=()):
        """Zeros and ones, outside of any graph."""
        with no_grad():
            return self.probs.expand((*sample_shape, *self.batch_shape)).bernoulli()

    def log_prob(self, value):
        """The logarithm of the probability of each of these."""
        self._fits(value)
        self._within(value, ((value == 0) | (value == 1)).all(), "Boolean()")
        logits, value = broadcast_tensors(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")


# -- how far one is from another --

CROSSED = (
    "The cross KL-divergence between different exponential families cannot                         "
    "    be computed using Bregman divergences"
)


def kl_divergence(p, q):
    """KL(p || q): how many nats more one needs to write down what p draws with a code for q."""
    if type(p) is not type(q) or type(p) not in DIVERGENCES:
        kinds = f"p type {type(p).__name__} and q type {type(q).__name__}"
        families = isinstance(p, FAMILIES) and isinstance(q, FAMILIES)
        none = f"No KL(p || q) is implemented for {kinds}"
        raise NotImplementedError(CROSSED if families else none)
    return DIVERGENCES[type(p)](p, q)


def _of_normals(p, q):
    ratio = (p.scale / q.scale).pow(2)
    far = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + far - 1 - ratio.log())


def _of_categories(p, q):
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


def _of_bernoullis(p, q):
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


FAMILIES = Normal, Bernoulli  # exponential ones
DIVERGENCES = {Normal: _of_normals, Categorical: _of_categories, Bernoulli: _of_bernoullis}
