"""A tensor held by the graph behind a kept loss."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
losses = []
for _ in range(3):
    losses.append(net(torch.randn(5, 4)).mean())
TARGET = lambda: losses[1].grad_fn.next_functions[0][0].next_functions[1][0]._saved_result
EXPECT = [['losses[1]', 'TanhBackward0']]

if __name__ == "__main__":
    print(tuple(TARGET().shape))
