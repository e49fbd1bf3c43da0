import torch
import torch.nn.functional as F

from model import Net, Report

torch.manual_seed(0)
net = Net()
report = Report()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(20):
    x, y = torch.randn(16, 8), torch.randn(16, 1)
    loss = F.mse_loss(out := net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    report.offer(out, loss)
    if step % 5 == 0:
        print(step, round(loss.item(), 4))
