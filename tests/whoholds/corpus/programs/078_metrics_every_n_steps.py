"""Q39 hit 6. Pull request: datamol-io/graphium #409 (metrics logging logic).
What it does: training_step returns the large tensors only in the steps in which metrics are wanted.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Predictor(nn.Module):
    def __init__(self, every):
        super().__init__()
        self.every, self.net = every, nn.Linear(4, 1)

    def training_step(self, batch, i):
        x, y = batch
        p = self.net(x)
        out = {"loss": F.l1_loss(p, y)}
        if i % self.every == 0:
            out.update(preds=p.detach(), targets=y)
        return out


m = Predictor(3)
opt = torch.optim.SGD(m.parameters(), lr=0.05)
for i in range(7):
    out = m.training_step((torch.randn(6, 4), torch.randn(6, 1)), i)
    opt.zero_grad()
    out["loss"].backward()
    opt.step()
    if "preds" in out:
        print(i, round((out["preds"] - out["targets"]).pow(2).mean().item(), 4))
