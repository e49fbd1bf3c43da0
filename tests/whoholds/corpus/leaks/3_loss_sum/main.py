import torch
import torch.nn.functional as F

from model import Meter, Net

torch.manual_seed(0)
net = Net()
meter = Meter()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(20):
    x, y = torch.randn(16, 8), torch.randn(16, 1)
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    meter.add(loss)
    if step % 5 == 0:
        print(step, round(meter.mean(), 4))
