"""Q35 hit 3. Pull request: TorchSim/torch-sim #559 (detach optimizer-state buffers).
What it does: a hand-made L-BFGS on positions that require grad, whose history is extended by torch.cat each step.
ends: ok
Grows: the new history has a grad_fn that keeps the old history and the energy's graph, step after step.
"""
import torch

torch.manual_seed(0)
pos = torch.randn(6, 2)
hist, old_f = torch.zeros(0, 12), None
for step in range(6):
    p = pos.clone().requires_grad_(True)
    gap = torch.cdist(p, p) + torch.eye(6)
    energy = ((gap - 1) ** 2).sum()
    force = -torch.autograd.grad(energy, p, create_graph=True)[0]
    move = 0.01 * (force + p * 0)
    hist = torch.cat([hist, move.reshape(1, -1)], dim=0)
    pos = (p + move).detach()
    print(step, round(energy.item(), 4), tuple(hist.shape))
