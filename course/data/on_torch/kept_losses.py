import ctypes

import torch

FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class Handed(ctypes.Structure):  # what the C library has handed out to this process
    _fields_ = [(name, ctypes.c_size_t) for name in FIELDS.split()]


handed_out = ctypes.CDLL(None).mallinfo2  # Linux; Python's objects count with PYTHONMALLOC=malloc
handed_out.restype = Handed
x = torch.arange(2048.0).view(64, 32) / 2048
w = torch.full((32, 32), 0.01, requires_grad=True)


def iteration():
    loss = (x @ w).tanh().tanh().tanh().sum()
    loss.backward()
    return loss


def for_each(keep, times=2_000):
    kept, before = [None] * times, handed_out().uordblks
    for i in range(times):
        kept[i] = keep(iteration())
    return round((handed_out().uordblks - before) / times, -1)


ways = {
    "loss": lambda loss: loss,
    "loss.detach()": lambda loss: loss.detach(),
    "loss.item()": lambda loss: loss.item(),
}
for_each(ways["loss"])  # what is made only once is made now
for name, keep in ways.items():
    print(f"{name:14} about {for_each(keep):,.0f} B of the process")
