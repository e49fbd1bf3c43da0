"""Repair of programs/024_ctx_keeps_cell_state.py.
Repair: the states are saved by save_for_backward and the kept outputs are detached.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class SimpleUnit(torch.autograd.Function):
    @staticmethod
    def forward(ctx, u, f):
        c, states = torch.zeros_like(u[0]), []
        for t in range(u.shape[0]):
            c = f[t] * c + (1 - f[t]) * u[t]
            states.append(c)
        stacked = torch.stack(states)
        ctx.save_for_backward(u, f, stacked)
        return stacked

    @staticmethod
    def backward(ctx, up):
        u, f, states = ctx.saved_tensors
        du, df, carry = torch.zeros_like(u), torch.zeros_like(f), torch.zeros_like(u[0])
        for t in reversed(range(u.shape[0])):
            g = up[t] + carry
            before = states[t - 1] if t else torch.zeros_like(u[0])
            du[t], df[t] = g * (1 - f[t]), g * (before - u[t])
            carry = g * f[t]
        return du, df


lin, gate = nn.Linear(3, 4), nn.Linear(3, 4)
opt = torch.optim.SGD([*lin.parameters(), *gate.parameters()], lr=0.1)
last = []
for step in range(4):
    x = torch.randn(6, 2, 3)
    h = SimpleUnit.apply(lin(x), torch.sigmoid(gate(x)))
    last.append(h.detach())
    loss = h[-1].pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4), len(last))
