"""minigrad and PyTorch on one card, each with the three memory functions of its own pool.

On the stand-in PyTorch computes on the processor, and its ledger counts each storage in whole
steps of 512 bytes, as both pools do. The peak is not compared, and is here what lives now: what a
kernel needs for a moment is its library's affair.
"""

from __future__ import annotations

import contextlib
import importlib.util
import time
import types
from collections.abc import Iterator
from typing import Any

import minigrad
from benchmarks.gpu.place import Place
from course.twin.facade import Facade
from minigrad.gpu.pool import rounded

NO_TORCH = "PyTorch is not installed here"
NO_CUDA = "PyTorch {} is installed, and has no CUDA here"
SETTLING = 0.001  # seconds


def pooled() -> Facade:
    """minigrad whose memory functions ask the GPU's pool."""
    return Facade(minigrad, **memory_functions(minigrad.cuda.memory_allocated))


def memory_functions(allocated) -> dict:
    """The three of them, from the one that tells what lives."""
    return {
        "memory_allocated": allocated,
        "max_memory_allocated": allocated,
        "reset_peak_memory_stats": lambda device=None: None,
    }


def why_no_torch(place: Place) -> str:
    """A sentence if there is no PyTorch to compare with; "" if there is."""
    if importlib.util.find_spec("torch") is None:
        return NO_TORCH
    import torch

    if place.simulated or torch.cuda.is_available():
        return ""
    return NO_CUDA.format(torch.__version__)


def torch_name(place: Place) -> str:
    return "PyTorch on the processor" if place.simulated else "PyTorch CUDA"


@contextlib.contextmanager
def torch_beside(place: Place) -> Iterator[Any]:
    """PyTorch where minigrad is: its new tensors are made on the card, its pool counts them."""
    import torch

    torch.set_warn_always(True)
    if place.simulated:
        from course.twin.tracker import TorchTwin

        twin = TorchTwin()
        twin.ledger.probe = InSteps(twin.ledger.probe)
        with twin:
            yield Facade(twin, **memory_functions(twin.memory_allocated))
        return
    full_precision(torch)
    torch.set_default_device("cuda")
    try:
        warm_up(torch)
        yield on_cuda(torch)
    finally:
        torch.set_default_device(None)


def full_precision(torch) -> None:
    """Products and convolutions in float32, as CuPy's: by default PyTorch rounds some to TF32."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False


class InSteps:
    """Reads what another probe reads, with the bytes in whole steps of a pool."""

    def __init__(self, probe):
        self.probe = probe

    def read(self, address):
        weak, size = self.probe.read(address)
        return weak, rounded(size)


def warm_up(torch) -> None:
    """Let each library make its handles and workspaces now, in the thread of backward too."""
    x = torch.ones(8, 8, requires_grad=True)
    y = torch.nn.functional.linear(x, x, x[0]) @ x + (x @ x[0])
    (y.exp().sum() + (x[None] @ x[None]).sum()).backward()
    torch.cuda.synchronize()


def on_cuda(torch) -> Facade:
    """PyTorch whose memory functions ask its CUDA pool, without the workspaces of cuBLAS."""
    clear = getattr(torch._C, "_cuda_clearCublasWorkspaces", lambda: None)

    def allocated(device=None):
        # The thread of backward lets go of its last node a moment after backward has returned.
        time.sleep(SETTLING)
        clear()
        return torch.cuda.memory_allocated()

    own = memory_functions(allocated)
    memory = types.SimpleNamespace(**own, count_ops=counted_products)
    return Facade(torch, **own, cuda=Facade(torch.cuda, **own), memory=memory)


@contextlib.contextmanager
def counted_products():
    """What the twin cases call `mg.memory.count_ops()`; no bytes are counted by it."""
    from course.twin.tracker import CountOps, Ledger, Watch

    ledger = Ledger()
    with Watch(ledger), CountOps(ledger) as found:
        yield found
