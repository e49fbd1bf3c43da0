"""Helpers built on the engine: what `torch.utils` is to torch."""

from minigrad.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
