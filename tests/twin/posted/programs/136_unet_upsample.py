"""R18 hit 2. Code: oreilly-japan/deep-learning-from-scratch-5, simple_unet.py.
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class ConvBlock(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.convs = nn.Sequential(
            nn.Conv2d(in_ch, out_ch, 3, padding=1),
            nn.BatchNorm2d(out_ch),
            nn.ReLU(),
            nn.Conv2d(out_ch, out_ch, 3, padding=1),
            nn.BatchNorm2d(out_ch),
            nn.ReLU(),
        )

    def forward(self, x):
        return self.convs(x)


class UNet(nn.Module):
    def __init__(self, in_ch=1):
        super().__init__()
        self.down1 = ConvBlock(in_ch, 4)
        self.down2 = ConvBlock(4, 8)
        self.bot1 = ConvBlock(8, 16)
        self.up2 = ConvBlock(8 + 16, 8)
        self.up1 = ConvBlock(8 + 4, 4)
        self.out = nn.Conv2d(4, in_ch, 1)
        self.maxpool = nn.MaxPool2d(2)
        self.upsample = nn.Upsample(scale_factor=2, mode="bilinear")

    def forward(self, x):
        x1 = self.down1(x)
        x = self.maxpool(x1)
        x2 = self.down2(x)
        x = self.maxpool(x2)
        x = self.bot1(x)
        x = self.upsample(x)
        x = torch.cat([x, x2], dim=1)
        x = self.up2(x)
        x = self.upsample(x)
        x = torch.cat([x, x1], dim=1)
        x = self.up1(x)
        return self.out(x)


model = UNet()
x = torch.randn(2, 1, 8, 8)
y = model(x)
print(y.shape)
((y - x) ** 2).mean().backward()
print(model.bot1.convs[0].weight.grad.shape)
