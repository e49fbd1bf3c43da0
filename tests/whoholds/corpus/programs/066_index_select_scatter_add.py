"""Q33 hit 1. Notes on PyG (index_select of the sources, scatter_add to the targets).
What it does: four nodes, four edges, one message round, gradient of the node table.
ends: ok
"""
import torch

torch.manual_seed(0)
table = torch.randn(4, 3, requires_grad=True)
edges = torch.tensor([[0, 1, 3, 2], [1, 2, 2, 3]])
msg = torch.index_select(table, 0, edges[0])
out = torch.zeros(4, 3).scatter_add(0, edges[1][:, None].expand(-1, 3), msg)
print([round(v, 4) for v in out.sum(1).tolist()])
out.pow(2).sum().backward()
print(round(table.grad.norm().item(), 4))
