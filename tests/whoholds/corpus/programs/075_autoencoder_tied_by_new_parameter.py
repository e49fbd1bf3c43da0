"""Q36 hit 7. Blog: codegenes.net (tie weights).
What it does: a decoder's weight is set to a new Parameter of the encoder's transposed weight: the bytes are shared, the gradients are not.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Auto(nn.Module):
    def __init__(self, n, h):
        super().__init__()
        self.enc, self.dec = nn.Linear(n, h), nn.Linear(h, n)
        self.dec.weight = nn.Parameter(self.enc.weight.t())

    def forward(self, x):
        return self.dec(self.enc(x))


net = Auto(8, 3)
x = torch.randn(4, 8)
loss = F.mse_loss(net(x), x)
loss.backward()
print(round(loss.item(), 4), net.enc.weight.data_ptr() == net.dec.weight.data_ptr(), torch.equal(net.enc.weight.grad.t(), net.dec.weight.grad))
