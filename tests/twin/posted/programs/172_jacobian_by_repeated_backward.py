"""R36 hit 5. Forum: why backward(retain_graph=True) gives other values each time (a Jacobian row by row).
ends: ok
"""
import torch
from torch import empty, tensor, zeros

x = tensor([1.0, 2.0], requires_grad=True)
y = empty(3)
y[0] = 3 * x[0] ** 2
y[1] = x[0] ** 2 + 2 * x[1] ** 3
y[2] = 10 * x[1]
J = zeros((y.shape[0], x.shape[0]))
for i in range(y.shape[0]):
    xU = zeros(y.shape[0])
    xU[i] = 1.0
    y.backward(xU, retain_graph=True)
    J[i, :] = x.grad
print(J)
x.grad = None
y[0].backward(retain_graph=True)
print(x.grad)
y[0].backward(retain_graph=True)
print(x.grad)
for i in range(3):
    xU = zeros(3)
    xU[i] = 1.0
    J[i, :] = torch.autograd.grad(outputs=y, inputs=x, grad_outputs=xU, retain_graph=True, create_graph=True)[0]
print(J)
