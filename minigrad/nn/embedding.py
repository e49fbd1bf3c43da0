"""Embedding: a table with a row for each word, or for whatever has a number."""

from __future__ import annotations

from minigrad.core.dtypes import int32, int64
from minigrad.core.modes import no_grad
from minigrad.core.stand_ins import through
from minigrad.nn.module import Module, Parameter, begun, placed
from minigrad.ops.creation import randn
from minigrad.ops.embedding import EmbeddingBackward0
from minigrad.ops.reading import seen

NO_INDICES = (
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
    "Int; but got {} instead (while checking arguments for embedding)"
)


def embedding(x, weight, padding_idx=None, scale_grad_by_freq: bool = False):
    """The row of `weight` for each number in `x`; that of `padding_idx` gets no gradient."""
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

    @placed
    def __init__(
        self, num_embeddings, embedding_dim, padding_idx=None, *, scale_grad_by_freq=False
    ):
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padded_row(padding_idx, num_embeddings)
        self.scale_grad_by_freq = scale_grad_by_freq
        self.weight = begun(randn(num_embeddings, embedding_dim))
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0

    @classmethod
    def from_pretrained(cls, embeddings, freeze: bool = True, padding_idx=None):
        """One with the numbers of a 2-d tensor, which stay as they are unless freeze is False."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, width = embeddings.shape
        made = cls(rows, width, padding_idx)
        made.weight = Parameter(embeddings, requires_grad=not freeze)
        return made

    def forward(self, x):
        return embedding(x, self.weight, self.padding_idx, self.scale_grad_by_freq)

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += f", padding_idx={self.padding_idx}" if self.padding_idx is not None else ""
        return text + ", scale_grad_by_freq=True" * self.scale_grad_by_freq
