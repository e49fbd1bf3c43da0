"""torch.nn.utils.rnn: sequences of several lengths as one tensor."""

from __future__ import annotations

from collections.abc import Iterable

from minigrad.core.words import kind_of
from minigrad.ops.checks import all_tensors
from minigrad.ops.ranges import full


def pad_sequence(
    sequences, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
):
    """All sequences in one tensor, each filled up to the length of the longest."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    sequences = all_tensors(tuple(sequences))
    if not isinstance(batch_first, bool):
        kind = kind_of(batch_first)
        raise TypeError(
            f"pad_sequence(): argument 'batch_first' (position 2) must be bool, not {kind}"
        )
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    if not sequences[0].ndim:
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
    return _filled_up(sequences, batch_first, padding_value, padding_side == "left")


def _filled_up(sequences, batch_first, value, left):
    first, longest = sequences[0], max(one.shape[0] for one in sequences)
    both = (len(sequences), longest) if batch_first else (longest, len(sequences))
    out = full((*both, *first.shape[1:]), value, dtype=first.dtype, device=first.device)
    for i, one in enumerate(sequences):
        n = one.shape[0]
        start = longest - n if left else 0
        if batch_first:
            out.select(0, i).narrow(0, start, n).copy_(one)
        else:
            out.narrow(0, start, n).select(1, i).copy_(one)
    return out
