"""R18 hit 1. Code: AdamNiem/SriLankaSARWebApp, model.py (U-Net with transposed convolutions and a resize if sizes differ).
ends: RuntimeError
Cause: the bottleneck is made for the channels that the way up has left.
"""
import torch
import torch.nn as nn

torch.manual_seed(0)


class DoubleConv(nn.Module):
    def __init__(self, in_ch, out_ch):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(in_ch, out_ch, 3, padding=1),
            nn.BatchNorm2d(out_ch),
            nn.ReLU(inplace=True),
            nn.Conv2d(out_ch, out_ch, 3, padding=1),
            nn.BatchNorm2d(out_ch),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.net(x)


class UNet(nn.Module):
    def __init__(self, in_channels=2, out_channels=1, features=[2, 4, 8]):
        super().__init__()
        self.downs = nn.ModuleList()
        self.ups = nn.ModuleList()
        self.pool = nn.MaxPool2d(2)
        prev_ch = in_channels
        for feat in features:
            self.downs.append(DoubleConv(prev_ch, feat))
            prev_ch = feat
        for feat in reversed(features[:-1]):
            self.ups.append(nn.ConvTranspose2d(prev_ch, feat, kernel_size=2, stride=2))
            self.ups.append(DoubleConv(prev_ch, feat))
            prev_ch = feat
        self.bottleneck = DoubleConv(prev_ch, features[-1])
        self.final = nn.Conv2d(features[0], out_channels, kernel_size=1)

    def forward(self, x):
        skip_connections = []
        for down in self.downs:
            x = down(x)
            skip_connections.append(x)
            x = self.pool(x)
        x = self.bottleneck(x)
        skip_connections = skip_connections[::-1]
        for idx in range(0, len(self.ups), 2):
            x = self.ups[idx](x)
            skip = skip_connections[idx // 2]
            if x.shape != skip.shape:
                x = nn.functional.interpolate(x, size=skip.shape[2:])
            x = torch.cat((skip, x), dim=1)
            x = self.ups[idx + 1](x)
        return torch.sigmoid(self.final(x))


model = UNet()
print([tuple(p.shape) for p in model.ups.parameters()][:4])
print(model(torch.randn(1, 2, 16, 16)).shape)
