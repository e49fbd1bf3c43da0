"""R39 hit 8. Code: a neural ODE whose solution is written into an empty tensor step by step.
ends: ok
"""
import torch
import torch.nn as nn

torch.manual_seed(0)


class NeuralODE(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, y0, t, solver):
        solution = torch.empty(len(t), *y0.shape, dtype=y0.dtype, device=y0.device)
        solution[0] = y0
        j = 1
        for t0, t1 in zip(t[:-1], t[1:]):
            dy = solver(self.func, t0, t1 - t0, y0)
            y1 = y0 + dy
            solution[j] = y1
            j += 1
            y0 = y1
        return solution


def rk4(func, t, dt, y):
    k1 = func(t, y)
    k2 = func(t + dt / 2, y + dt * k1 / 2)
    k3 = func(t + dt / 2, y + dt * k2 / 2)
    k4 = func(t + dt, y + dt * k3)
    return (k1 + 2 * k2 + 2 * k3 + k4) * dt / 6


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1)
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y**3)


true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
t = torch.linspace(0.0, 1.0, 6)
y0 = torch.tensor([[2.0, 0.0]])
with torch.no_grad():
    true_y = NeuralODE(lambda t, y: torch.mm(y**3, true_A))(y0, t * 0.1, rk4)
model = NeuralODE(ODEFunc())
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    pred = model(y0, t, rk4)
    loss = torch.mean((pred - true_y) ** 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(pred.shape, pred.grad_fn.name(), round(loss.item(), 3))
