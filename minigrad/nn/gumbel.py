"""gumbel_softmax: a class drawn by chance, through which a gradient still finds its way."""

from __future__ import annotations

from minigrad.core.frames import warn
from minigrad.ops.creation import empty_like, zeros_like
from minigrad.ops.formats import contiguous_format


def gumbel_softmax(
    logits, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
):  # fmt: skip
    """softmax of the logits and Gumbel's noise; hard: 1 at the largest, with the same gradient."""
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    noise = -empty_like(logits, memory_format=contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    places = soft.max(dim, keepdim=True)[1]
    one = zeros_like(logits, memory_format=contiguous_format).scatter_(dim, places, 1.0)
    return one - soft.detach() + soft
