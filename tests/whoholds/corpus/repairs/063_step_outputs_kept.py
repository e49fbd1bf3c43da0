"""Repair of programs/063_step_outputs_kept.py.
Repair: the outputs are detached before they are collected.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Predictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))

    def training_step(self, batch):
        preds = self.net(batch[0])
        return {"loss": F.mse_loss(preds, batch[1]), "preds": preds, "targets": batch[1]}

    def epoch_end(self, outs):
        p, t = (torch.cat([o[k] for o in outs]) for k in ("preds", "targets"))
        return (p - t).abs().mean().item()


m = Predictor()
opt = torch.optim.Adam(m.parameters(), lr=0.01)
for epoch in range(2):
    outs = []
    for _ in range(6):
        out = m.training_step((torch.randn(8, 5), torch.randn(8, 1)))
        opt.zero_grad()
        out["loss"].backward()
        opt.step()
        outs.append({k: v.detach() for k, v in out.items()})
    print(epoch, len(outs), round(m.epoch_end(outs), 4))
