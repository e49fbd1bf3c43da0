"""Q12 hit 2. Pull request: asappresearch/sru #171 (a potential memory leak in a custom op).
What it does: a simple recurrent unit as a Function that puts its inner cell states on ctx instead of saving them.
ends: ok
Grows: a step whose output is kept without backward keeps the cell states on ctx too, here in a list of last outputs.
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
        ctx.states = torch.stack(states)
        ctx.save_for_backward(u, f)
        return ctx.states.clone()

    @staticmethod
    def backward(ctx, up):
        u, f = ctx.saved_tensors
        du, df, carry = torch.zeros_like(u), torch.zeros_like(f), torch.zeros_like(u[0])
        for t in reversed(range(u.shape[0])):
            g = up[t] + carry
            before = ctx.states[t - 1] if t else torch.zeros_like(u[0])
            du[t], df[t] = g * (1 - f[t]), g * (before - u[t])
            carry = g * f[t]
        return du, df


lin, gate = nn.Linear(3, 4), nn.Linear(3, 4)
opt = torch.optim.SGD([*lin.parameters(), *gate.parameters()], lr=0.1)
last = []
for step in range(4):
    x = torch.randn(6, 2, 3)
    h = SimpleUnit.apply(lin(x), torch.sigmoid(gate(x)))
    last.append(h)
    loss = h[-1].pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4), len(last))
