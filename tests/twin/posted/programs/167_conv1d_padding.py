"""R34 hit 1. Code: AllenCellModeling/pytorch_fnet, nn_test.py.
ends: ok
"""
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv1d(1, 1, 3, padding=1)

    def forward(self, x):
        return self.conv(x)


torch.manual_seed(0)
net = Net()
print(net)
with torch.no_grad():
    net.conv.weight.copy_(torch.tensor([[[1.0, 0.0, -1.0]]]))
    net.conv.bias.fill_(0.5)
x = torch.arange(6.0).view(1, 1, 6)
y = net(x)
print(y, y.shape)
opt = torch.optim.Adam(net.parameters(), lr=0.1)
(y - x).pow(2).mean().backward()
print(net.conv.weight.grad, net.conv.bias.grad)
opt.step()
