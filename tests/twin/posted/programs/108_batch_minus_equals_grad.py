"""R04 hit 5. Issue: BaiTheBest/SparseLLM #13 (a leaf updated in place after backward).
ends: RuntimeError
"""
import torch

torch.manual_seed(0)
s = torch.randn(6, 4).to(torch.float16)
weight = torch.randn(6, 6)
s_learning_rate = 0.1
chunk = slice(0, 4)
s_batch = s[:, chunk].float().clone().detach().requires_grad_(True)
loss_s = ((weight @ s_batch) ** 2).mean()
loss_s.backward()
print(s_batch.grad.shape, s_batch.is_leaf, s.dtype)
moved = s_batch - s_learning_rate * s_batch.grad
print(moved.requires_grad)
s_batch -= s_learning_rate * s_batch.grad
s_batch.grad.zero_()
s[:, chunk] = s_batch.detach().to(dtype=torch.float16)
