"""What there is of `torch.linalg`: the norms of vectors."""

# ruff: noqa: F401  (the public face)

from minigrad.ops.vector_norm import linalg_norm as norm
from minigrad.ops.vector_norm import vector_norm
