"""Q27 hit 4. Notes: davis-karen/distributed_nn, experiments/notes.md.
What it does: a model in shared memory, trained by one process after the other (so that the result is fixed).
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
import torch.multiprocessing as mp


def train(model, seed):
    torch.manual_seed(seed)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        x = torch.randn(8, 3)
        opt.zero_grad()
        F.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        opt.step()


if __name__ == "__main__":
    model = nn.Linear(3, 1)
    model.share_memory()
    for rank in range(2):
        p = mp.get_context("fork").Process(target=train, args=(model, rank))
        p.start()
        p.join()
    print([round(v, 4) for v in model.weight.tolist()[0]])
