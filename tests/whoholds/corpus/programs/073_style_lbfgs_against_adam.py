"""Q30 hit 3. Project page: dangdatascience.com (style transfer; L-BFGS against Adam), with a small random net.
What it does: the same picture is fitted once by L-BFGS with a closure and once by Adam.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
conv = nn.Conv2d(3, 5, 3).requires_grad_(False)
style, content = torch.rand(1, 3, 7, 7), torch.rand(1, 3, 7, 7)


def gram(x):
    f = conv(x).flatten(2)[0]
    return f @ f.t() / f.numel()


goal_s, goal_c = gram(style), conv(content)
for kind in (torch.optim.LBFGS, torch.optim.Adam):
    img, run = content.clone().requires_grad_(True), []
    opt = kind([img], lr=0.1)

    def closure():
        opt.zero_grad()
        loss = 20 * F.mse_loss(gram(img), goal_s) + F.mse_loss(conv(img), goal_c)
        loss.backward()
        run.append(loss.item())
        return loss

    for _ in range(3):
        opt.step(closure)
    print(kind.__name__, round(run[0], 4), run[-1] < run[0])
