"""Q02 hit 3. Code page: the Python baseline of the C++ extension example (LLTM cell as an autograd Function).
What it does: a recurrent cell with forward and backward by hand, trained over a few steps.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class CellFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, h, c):
        joined = torch.cat([h, x], 1)
        gates = joined @ w.t() + b
        i, o, g = gates.chunk(3, 1)
        i, o, cand = torch.sigmoid(i), torch.sigmoid(o), F.elu(g)
        new_c = c + cand * i
        new_h = torch.tanh(new_c) * o
        ctx.save_for_backward(joined, w, i, o, new_c, cand, gates)
        return new_h, new_c

    @staticmethod
    def backward(ctx, dh, dc):
        joined, w, i, o, new_c, cand, gates = ctx.saved_tensors
        th = torch.tanh(new_c)
        d_o = th * dh * o * (1 - o)
        d_c = dc + dh * o * (1 - th ** 2)
        d_i = d_c * cand * i * (1 - i)
        g = gates.chunk(3, 1)[2]
        d_g = d_c * i * torch.where(g > 0, torch.ones_like(g), g.exp())
        d = torch.cat([d_i, d_o, d_g], 1)
        dj = d @ w
        n = dh.shape[1]
        return dj[:, n:], d.t() @ joined, d.sum(0), dj[:, :n], d_c


class Cell(nn.Module):
    def __init__(self, nin, nh):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3 * nh, nin + nh) * 0.2)
        self.b = nn.Parameter(torch.zeros(3 * nh))

    def forward(self, x, state):
        return CellFn.apply(x, self.w, self.b, *state)


cell = Cell(3, 5)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
xs, want = torch.randn(4, 2, 3), torch.randn(2, 5)
for epoch in range(3):
    h = c = torch.zeros(2, 5)
    for x in xs:
        h, c = cell(x, (h, c))
    loss = F.mse_loss(h, want)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(round(loss.item(), 4))
