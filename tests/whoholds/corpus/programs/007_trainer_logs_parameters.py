"""Q04 hit 2. Forum thread: discuss.pytorch.org/t/159283 (out of memory during training step).
What it does: a trainer object with fit and training_step that keeps several named losses and logs parameters.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1))
        self.heat, self.offset = nn.Conv2d(4, 1, 1), nn.Conv2d(4, 2, 1)

    def forward(self, x):
        f = self.body(x)
        return {"heat": self.heat(f), "offset": self.offset(f)}


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
        self.sched = torch.optim.lr_scheduler.StepLR(self.opt, 2, 0.5)
        self.log = []

    def training_step(self, batch):
        out = self.model(batch["x"])
        parts = {k: F.mse_loss(out[k], batch[k]) for k in out}
        total = sum(parts.values())
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        self.log.append({k: v.item() for k, v in parts.items()})
        return total

    def fit(self, batches, epochs):
        for epoch in range(epochs):
            all_loss = 0.0
            for b in batches:
                all_loss += self.training_step(b).item()
            self.sched.step()
            w = next(self.model.parameters())
            print(epoch, round(all_loss, 4), round(w.norm().item(), 4), self.sched.get_last_lr())


data = [{"x": torch.randn(2, 2, 6, 6), "heat": torch.randn(2, 1, 6, 6), "offset": torch.randn(2, 2, 6, 6)} for _ in range(3)]
Trainer(Detector()).fit(data, 3)
