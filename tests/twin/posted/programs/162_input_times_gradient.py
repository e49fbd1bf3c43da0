"""R31 hit 2. Code: KxPlaug/Neural-testing, fast_ig.py.
ends: ok
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        with torch.no_grad():
            self.fc.weight.copy_(torch.tensor([[1.0, 2.0, 3.0], [0.0, -1.0, 1.0]]))
            self.fc.bias.zero_()

    def get_loss(self, data, target):
        return nn.functional.cross_entropy(self.fc(data), target)


class FastIG:
    def __init__(self, model):
        self.model = model

    def __call__(self, data, target):
        data.requires_grad_()
        loss = self.model.get_loss(data, target)
        loss.backward()
        return (data * data.grad).detach().cpu().numpy()


got = FastIG(Model())(torch.tensor([[0.5, -0.5, 1.0], [0.0, 1.0, 0.0]]), torch.tensor([0, 1]))
print(type(got).__name__, got.dtype, got.shape)
print([[round(float(v), 4) for v in row] for row in got])
