"""R16 hit 4. Forum 93792 (requires_grad propagation: constants and one tensor that is trained).
ends: ok
"""
import torch

torch.manual_seed(0)
cte1 = torch.rand(5, 3).requires_grad_(False)
cte2 = torch.rand(5, 5).requires_grad_(False)
tensor = torch.ones(3, 5).requires_grad_()
optim = torch.optim.SGD([tensor], lr=1)
print(f"Initial tensor{tensor}")
for i in range(3):
    optim.zero_grad()
    output = cte1 @ tensor + cte2
    print(f"Requires grad? {output.requires_grad}")
    output.sum().backward()
    print(f"Tensor gradients \n {tensor.grad}")
    optim.step()
print(f"Tensors \n {tensor}")
