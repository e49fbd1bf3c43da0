"""Q23 hit 4. Issue: pytorch/pytorch #27600 (free memory after an out-of-memory error).
What it does: a function raises while it holds tensors; the error is deleted in the except block and the work is tried again.
ends: ok
"""
import torch

torch.manual_seed(0)


def work(fail):
    held = [torch.randn(50, 50) for _ in range(4)]
    if fail:
        raise MemoryError(f"{len(held)} blocks")
    return sum(h.sum().item() for h in held)


try:
    work(True)
except MemoryError as err:
    print(err)
    del err
print(round(work(False), 3))
