"""R39 hit 6. Code: a neural ODE package, examples of the spiral (an Euler step as a function, a net of state and time).
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


def odesol_euler(func, z0, t0, t1, steps=4):
    z, t, h = z0, t0, (t1 - t0) / steps
    for _ in range(steps):
        z = z + h * func(z, t)
        t = t + h
    return z


class MultiLayerPerceptronStateTime(nn.Module):
    def __init__(self, dim, width, depth, activation):
        super().__init__()
        layers = [nn.Linear(dim + 1, width), activation()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), activation()]
        self.net = nn.Sequential(*layers, nn.Linear(width, dim))

    def forward(self, z, t):
        return self.net(torch.cat([z, t.expand(z.shape[0], 1)], dim=1))


class SpiralNeuralODE(nn.Module):
    def __init__(self, width=16, depth=3, activation=nn.Tanh, odesol=odesol_euler):
        super().__init__()
        self.func = MultiLayerPerceptronStateTime(2, width, depth, activation)
        self.odesol = odesol

    def forward(self, z0, times):
        states = [z0]
        for t0, t1 in zip(times[:-1], times[1:]):
            states.append(self.odesol(self.func, states[-1], t0, t1))
        return torch.stack(states)


times = torch.linspace(0, 1, 5)
truth = torch.stack([torch.cos(3 * times), torch.sin(3 * times)], dim=-1).unsqueeze(1)
model = SpiralNeuralODE()
opt = torch.optim.RMSprop(model.parameters(), lr=1e-2)
for epoch in range(3):
    pred = model(truth[0], times)
    loss = torch.mean(torch.abs(pred - truth))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(pred.shape, round(loss.item(), 3))
