"""R20 hit 5. Page: documentation of deepxde.gradients (rows of a Jacobian and a Hessian, computed when asked for).
ends: ok
"""
import torch


class Jacobian:
    def __init__(self, ys, xs):
        self.ys, self.xs, self.J = ys, xs, {}

    def __call__(self, i=0, j=None):
        if i not in self.J:
            y = self.ys[:, i : i + 1]
            self.J[i] = torch.autograd.grad(y, self.xs, grad_outputs=torch.ones_like(y), create_graph=True)[0]
        return self.J[i] if j is None else self.J[i][:, j : j + 1]


def hessian(ys, xs, component, i, j):
    grad_y = Jacobian(ys, xs)(component)
    return Jacobian(grad_y, xs)(i, j)


x = torch.tensor([[0.5, 1.0], [1.5, 2.0], [0.0, -1.0]], requires_grad=True)
y = torch.cat([x[:, :1] ** 3 * x[:, 1:], torch.sin(x[:, :1]) + x[:, 1:] ** 2], dim=1)
J = Jacobian(y, x)
print(J(0), J(1, 1))
print(hessian(y, x, 0, 0, 0).detach())
print(hessian(y, x, 0, 0, 1).detach())
print(hessian(y, x, 1, 0, 0).detach())
residual = hessian(y, x, 0, 0, 0) - J(1, 0)
residual.pow(2).mean().backward()
print(x.grad)
