"""R37 hit 2. Code: Eun0/T2I_GAN, miscc.py.
ends: ok
"""
import torch


def weight_init(m):
    if isinstance(m, torch.nn.Conv2d) or isinstance(m, torch.nn.Linear):
        torch.nn.init.kaiming_normal_(m.weight, mode="fan_in", nonlinearity="relu")
        if m.bias is not None:
            torch.nn.init.constant_(m.bias, 0)


def count_params(model):
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3, bias=False), torch.nn.BatchNorm2d(4), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 2)
)
model.apply(weight_init)
print(count_params(model), model[3].bias)
model[0].requires_grad_(False)
print(count_params(model), round(model[3].weight.norm().item(), 3))
out = model(torch.randn(2, 3, 8, 8))
out.logsumexp(1).sum().backward()
print(model[0].weight.grad, model[1].weight.grad.shape)
