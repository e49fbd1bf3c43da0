"""Q33 hit 2. Code: zengkaipeng/UAlign, GINConv.py.
What it does: a graph convolution with edge features that sums messages by scatter_add_.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Gin(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.LayerNorm(2 * d), nn.ReLU(), nn.Linear(2 * d, d))
        self.eps = nn.Parameter(torch.zeros(1))

    def forward(self, nodes, edges, index):
        msg = torch.relu(nodes.index_select(0, index[1]) + edges)
        got = torch.zeros_like(nodes)
        got.scatter_add_(0, index[0][:, None].expand_as(msg), msg)
        return self.mlp((1 + self.eps) * nodes + got)


net = nn.ModuleList([Gin(4), Gin(4)])
opt = torch.optim.SGD(net.parameters(), lr=0.05)
index = torch.randint(0, 6, (2, 12))
nodes, edges, y = torch.randn(6, 4), torch.randn(12, 4), torch.randn(6, 4)
for step in range(3):
    h = nodes
    for conv in net:
        h = conv(h, edges, index)
    loss = F.mse_loss(h, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 4))
