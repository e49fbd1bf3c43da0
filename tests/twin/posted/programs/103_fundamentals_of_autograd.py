"""R02 hit 2. Page: PyTorch's tutorial The Fundamentals of Autograd (a sine curve, then a tiny model).
ends: ok
"""
import math

import torch

a = torch.linspace(0.0, 2.0 * math.pi, steps=25, requires_grad=True)
b = torch.sin(a)
c = 2 * b
d = c + 1
out = d.sum()
print(out.grad_fn is not None)
print("d:", d.grad_fn)
print(d.grad_fn.next_functions)
print(d.grad_fn.next_functions[0][0].next_functions)
print(d.grad_fn.next_functions[0][0].next_functions[0][0].next_functions)
print(d.grad_fn.next_functions[0][0].next_functions[0][0].next_functions[0][0].next_functions)
print("c:", c.grad_fn)
print("a:", a.grad_fn)
out.backward()
print(a.grad[:4])

torch.manual_seed(0)


class TinyModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = torch.nn.Linear(20, 8)
        self.relu = torch.nn.ReLU()
        self.layer2 = torch.nn.Linear(8, 4)

    def forward(self, x):
        return self.layer2(self.relu(self.layer1(x)))


some_input = torch.randn(16, 20, requires_grad=False)
ideal_output = torch.randn(16, 4, requires_grad=False)
model = TinyModel()
print(model.layer2.weight.grad)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
prediction = model(some_input)
loss = (ideal_output - prediction).pow(2).sum()
loss.backward()
print(model.layer2.weight.grad.shape)
for i in range(0, 5):
    prediction = model(some_input)
    loss = (ideal_output - prediction).pow(2).sum()
    loss.backward()
optimizer.zero_grad(set_to_none=False)
print(model.layer2.weight.grad[0][0:5])


def add_tensors1(x, y):
    return x + y


@torch.no_grad()
def add_tensors2(x, y):
    return x + y


a = torch.ones(2, 3, requires_grad=True) * 2
b = torch.ones(2, 3, requires_grad=True) * 3
print(add_tensors1(a, b))
print(add_tensors2(a, b))
x = torch.ones(5, requires_grad=True)
print(x.detach())
a = torch.linspace(0.0, 2.0 * math.pi, steps=25, requires_grad=True)
try:
    torch.sin_(a)
except RuntimeError as e:
    print(e)
