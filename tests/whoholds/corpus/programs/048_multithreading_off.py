"""Q22 hit 5. Issue: pytorch/pytorch #184783 (set_multithreading_enabled).
What it does: switches autograd's worker threads off and notes the thread that runs a tensor hook.
ends: ok
"""
import threading

import torch

torch.manual_seed(0)
where = []
with torch.autograd.grad_mode.set_multithreading_enabled(False):
    x = torch.ones(100, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: where.append(threading.current_thread().name))
    y.mean().backward()
print(where, round(x.grad.sum().item(), 4))
