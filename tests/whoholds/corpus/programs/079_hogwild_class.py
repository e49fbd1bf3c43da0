"""Q27 hit 5. Code: bxtorch, nn/training/hogwild.py (title only its class and imports in the excerpt).
What it does: a Hogwild object starts two processes on one shared model at the same time; only a coarse result is printed.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
import torch.multiprocessing as mp


class Hogwild:
    def __init__(self, model, workers):
        self.model, self.workers = model, workers

    def run(self, rank):
        torch.manual_seed(rank)
        torch.set_num_threads(1)
        opt = torch.optim.SGD(self.model.parameters(), lr=0.05)
        for _ in range(40):
            x = torch.randn(8, 3)
            opt.zero_grad()
            F.mse_loss(self.model(x), x.sum(1, keepdim=True)).backward()
            opt.step()

    def train(self):
        self.model.share_memory()
        crew = [mp.get_context("fork").Process(target=self.run, args=(r,)) for r in range(self.workers)]
        for p in crew:
            p.start()
        for p in crew:
            p.join()


if __name__ == "__main__":
    net = nn.Linear(3, 1)
    Hogwild(net, 2).train()
    print((net.weight - 1).abs().max().item() < 0.5)
