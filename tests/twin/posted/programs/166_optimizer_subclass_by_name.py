"""R33 hit 10. Code: ptutils, a subclass of Optimizer that makes another one by its name.
ends: ok
"""
import torch


class Optimizer(torch.optim.Optimizer):
    def __init__(self, optimizer, param_groups=None, **kwargs):
        if isinstance(optimizer, str):
            optimizer = getattr(torch.optim, optimizer)
        self.optimizer = optimizer(param_groups, **kwargs)
        super().__init__(self.optimizer.param_groups, self.optimizer.defaults)

    def step(self, closure=None):
        return self.optimizer.step(closure)

    def zero_grad(self):
        return self.optimizer.zero_grad()


w = torch.tensor([1.0, -2.0], requires_grad=True)
for name in ("SGD", "RMSprop", "Adamax", "NAdam"):
    opt = Optimizer(name, [w], lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        (w**2).sum().backward()
        opt.step()
    print(name, w.detach(), sorted(opt.optimizer.state[w]))
