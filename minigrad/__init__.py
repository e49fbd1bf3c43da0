"""minigrad: an autograd engine small enough to read, and true to PyTorch in what it keeps and frees.

To read it: storage.py (who owns the bytes), autograd/graph.py (what a node is), autograd/saved.py
(what it keeps), ops/elementwise.py (the rules), autograd/engine.py (backward, and freeing).
"""

from minigrad import autograd, backend, cuda, memory, nn, optim
from minigrad.autograd import (
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from minigrad.backend import manual_seed
from minigrad.factories import *  # noqa: F403
from minigrad.functional import *  # noqa: F403
from minigrad.memory import max_memory_allocated, memory_allocated, reset_peak_memory_stats
from minigrad.tensor import Tensor
from minigrad.types import Size, device, dtype, float16, float32, float64, int32, int64, uint8
from minigrad.types import bool_ as bool

backend.keep_heap()
