"""Q38 hit 2. Commit: NielsRogge/transformers 8ffc01a (an early stopping callback).
What it does: a trainer with callbacks; one counts evaluations without a large enough improvement and stops training.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class EarlyStop:
    def __init__(self, patience, threshold=0.0):
        self.patience, self.threshold, self.count, self.best = patience, threshold, 0, None

    def on_evaluate(self, trainer, metric):
        if self.best is None or metric < self.best - self.threshold:
            self.best, self.count = metric, 0
            trainer.best_state = {k: v.clone() for k, v in trainer.model.state_dict().items()}
        else:
            self.count += 1
            trainer.stop = self.count >= self.patience


class Trainer:
    def __init__(self, model, callbacks):
        self.model, self.callbacks, self.stop, self.best_state = model, callbacks, False, None
        self.opt = torch.optim.SGD(model.parameters(), lr=0.3)

    def train(self, x, y, epochs):
        for epoch in range(epochs):
            loss = F.mse_loss(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            with torch.no_grad():
                metric = F.mse_loss(self.model(x), y).item()
            for cb in self.callbacks:
                cb.on_evaluate(self, metric)
            if self.stop:
                break
        return epoch, metric


x = torch.randn(30, 2)
t = Trainer(nn.Linear(2, 1), [EarlyStop(2, 1e-2)])
epoch, metric = t.train(x, x.sum(1, keepdim=True), 30)
print(epoch, round(metric, 4), len(t.best_state))
