"""Helpers built on the engine: what `torch.utils` is to torch."""

from minigrad.utils import checkpoint

__all__ = ["checkpoint"]
