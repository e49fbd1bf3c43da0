"""R34 hit 2. Code: ise-uiuc/WhiteFox, a generated model (a kernel of nine sizes for one axis).
ends: RuntimeError
"""
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(3, 32, (1, 3, 5, 7, 9, 11, 13, 15, 17), stride=1, padding=0, dilation=2)

    def forward(self, x1):
        v1 = self.conv(x1)
        v2 = torch.sigmoid(v1)
        return v2


x1 = torch.randn(1, 3, 64)
model = Model.__new__(Model)
torch.nn.Module.__init__(model)
model.conv = torch.nn.Conv1d(3, 4, 3, stride=1, padding=0, dilation=2)
print(model(x1).shape)
model.conv = torch.nn.Conv1d(3, 2, (1, 3), dilation=2)
print(model.conv.weight.shape)
model(x1)
