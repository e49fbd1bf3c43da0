"""What is recorded on this thread: PyTorch's module of that name."""

# ruff: noqa: F401  (the public face)

from __future__ import annotations

from minigrad.autograd.inference import inference_mode
from minigrad.core.modes import enable_grad, no_grad, set_grad_enabled


class set_multithreading_enabled:
    """Backward runs on the thread that asks for it, whatever is set here."""

    def __init__(self, mode: bool):
        self.mode = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error) -> None:
        pass
