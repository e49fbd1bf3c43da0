"""PyTorch's names for the graph: what a node is, and hooks for what a node saves."""

# ruff: noqa: F401  (the public face)

from minigrad.core.node import Node
from minigrad.core.packing import saved_tensors_hooks
from minigrad.utils.offload import save_on_cpu
