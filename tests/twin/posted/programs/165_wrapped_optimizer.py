"""R33 hit 7. Code: an optimizer kept in an object, which wants one group of parameters.
ends: ValueError
"""
import torch.optim


class _Optimizer(object):
    def __init__(self, args, optimizer: torch.optim.Optimizer):
        super().__init__()
        if len(optimizer.param_groups) > 1:
            raise ValueError(f"Expected number of param_groups to be 1, got {len(optimizer.param_groups)} instead.")
        self.args = args
        self._optimizer = optimizer
        self._step = 0

    @property
    def optimizer(self):
        return self._optimizer

    @property
    def param_groups(self):
        return self.optimizer.param_groups

    def step(self):
        self._step += 1
        self._optimizer.step()


w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
opt = _Optimizer(None, torch.optim.Adagrad([w], lr=0.1))
(w * torch.tensor([1.0, 2.0])).sum().backward()
opt.step()
print(w, sorted(opt.param_groups[0]), opt._step)
print(opt.optimizer)
_Optimizer(None, torch.optim.Adagrad([{"params": [w]}, {"params": [v]}], lr=0.1))
