"""Embedding: a table with a row for each word, or for whatever has a number."""

from __future__ import annotations

from typing import Any

from minigrad.core.dtypes import int32, int64
from minigrad.core.stand_ins import through
from minigrad.nn.checks import not_known
from minigrad.nn.init import begin_table, zeros_
from minigrad.nn.module import Module, Parameter, vacant
from minigrad.ops.embedding import EmbeddingBackward0
from minigrad.ops.reading import seen

NO_INDICES = (
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
    "Int; but got {} instead (while checking arguments for embedding)"
)


def embedding(
    x, weight, padding_idx=None, max_norm=None, norm_type: float = 2.0,
    scale_grad_by_freq: bool = False, sparse: bool = False,
):  # fmt: skip
    """The row of `weight` for each number in `x`; that of `padding_idx` gets no gradient."""
    not_known("embedding()", max_norm=max_norm, sparse=sparse)
    padding = -1 if padding_idx is None else padded_row(padding_idx, weight.shape[0])
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if x.dtype not in (int32, int64):
        raise RuntimeError(NO_INDICES.format(x.dtype.legacy))
    if x._array.size:
        through(_in_range, x._array, weight.shape[0])
    arguments = weight.shape[0], padding, scale_grad_by_freq, False
    return EmbeddingBackward0.call(weight, x, *arguments)


def padded_row(i: int, rows: int) -> int:
    """The number of the padding row, counted from the front."""
    if not -rows <= i < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return i % rows


def _in_range(indices, rows) -> None:
    if not (indices.min() >= 0 and indices.max() < rows):
        raise seen(IndexError("index out of range in self"))


class Embedding(Module):
    """A table of `num_embeddings` rows of `embedding_dim` numbers each, which are learnt."""

    weight: Any

    def __init__(
        self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
        scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None,
        dtype=None,
    ):  # fmt: skip
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padded_row(padding_idx, num_embeddings)
        self.max_norm, self.norm_type, self.sparse = max_norm, norm_type, sparse
        self.scale_grad_by_freq = scale_grad_by_freq
        not_known("Embedding", max_norm=max_norm, sparse=sparse)
        if _weight is None:
            vacant(self, {"weight": (num_embeddings, embedding_dim)}, device, dtype)
            self.weight.requires_grad_(not _freeze)
            self.reset_parameters()
        elif tuple(_weight.shape) != (num_embeddings, embedding_dim):
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        else:
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        begin_table(self.weight)
        if self.padding_idx is not None:
            zeros_(self.weight[self.padding_idx])

    @classmethod
    def from_pretrained(
        cls, embeddings, freeze: bool = True, padding_idx=None, max_norm=None, norm_type=2.0,
        scale_grad_by_freq=False, sparse=False,
    ):  # fmt: skip
        """One with the numbers of a 2-d tensor, which stay as they are unless freeze is False."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, width = embeddings.shape
        how = max_norm, norm_type, scale_grad_by_freq, sparse
        return cls(rows, width, padding_idx, *how, embeddings, freeze)

    def forward(self, x):
        how = self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        return embedding(x, self.weight, self.padding_idx, *how)

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += f", padding_idx={self.padding_idx}" if self.padding_idx is not None else ""
        return text + ", scale_grad_by_freq=True" * self.scale_grad_by_freq
