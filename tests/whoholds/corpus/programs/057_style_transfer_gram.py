"""Q30 hit 2. Notebook: isfar12/70-Days-70-Project (neural style transfer), with a small random net for VGG.
What it does: Adam on the picture itself, content and Gram losses from chosen layers.
ends: ok
"""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
vgg = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 6, 3, padding=1), nn.ReLU()).requires_grad_(False)


def features(img):
    got, x = {}, img
    for i, layer in enumerate(vgg):
        x = layer(x)
        if i in (1, 3):
            got[i] = x
    return got


def gram(f):
    f = f.flatten(2).squeeze(0)
    return f @ f.t() / f.numel()


content, style = torch.rand(1, 3, 8, 8), torch.rand(1, 3, 8, 8)
want = features(content)[3]
grams = {k: gram(v) for k, v in features(style).items()}
img = content.clone().requires_grad_(True)
opt = torch.optim.Adam([img], lr=0.05)
for step in range(4):
    f = features(img)
    loss = F.mse_loss(f[3], want) + 50 * sum(F.mse_loss(gram(f[k]), grams[k]) for k in grams)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 5))
