"""R16 hit 2. Page: deepinout.com element 0 of tensors does not require grad (item() cuts the graph).
ends: AttributeError
"""
import torch

x = torch.tensor([1.0], requires_grad=True)
y = torch.sin(x)
z = torch.tensor([y.item()])
try:
    z.backward()
except RuntimeError as e:
    print(e)
z = y.item()
z.backward()
