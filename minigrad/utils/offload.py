"""Saved tensors elsewhere: on the CPU, until backward needs them."""

from __future__ import annotations

from minigrad.core.packing import saved_tensors_hooks


class save_on_cpu(saved_tensors_hooks):
    """Inside this block, saved tensors wait on the CPU until backward needs them."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(
            lambda t: (t.device, t.cpu()), lambda packed: packed[1].to(device=packed[0])
        )
