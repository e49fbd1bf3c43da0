"""R10 hit 2. Code: pjavia/GAN, dcgan/README.md (the layers of both nets, applied one by one).
ends: ok
"""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.d_layer_1 = nn.Conv2d(3, 4, 5, stride=2)
        self.d_layer_2 = nn.Conv2d(4, 8, 5, stride=2)
        self.batch_norm_2 = nn.BatchNorm2d(8)
        self.leaky_relu = nn.LeakyReLU(0.2)
        self.reduce = nn.Linear(8 * 5 * 5, 1)
        self.sigmoid = nn.Sigmoid()

    def forward(self, x):
        x = self.leaky_relu(self.d_layer_1(x))
        x = self.leaky_relu(self.batch_norm_2(self.d_layer_2(x)))
        return self.sigmoid(self.reduce(x.view(x.size(0), -1)))


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(10, 8 * 3 * 3)
        self.batch_norm_2 = nn.BatchNorm2d(4)
        self.relu, self.tanh = nn.ReLU(), nn.Tanh()
        self.g_layer_1 = nn.ConvTranspose2d(8, 4, 3, stride=2)
        self.g_layer_2 = nn.ConvTranspose2d(4, 4, 3, stride=2)
        self.g_layer_3 = nn.ConvTranspose2d(4, 3, 4, stride=2)

    def forward(self, z):
        x = self.relu(self.project(z)).view(-1, 8, 3, 3)
        x = self.relu(self.batch_norm_2(self.g_layer_1(x)))
        x = self.relu(self.g_layer_2(x))
        return self.tanh(self.g_layer_3(x))


D, G = Discriminator(), Generator()
print(D)
print(G)
image = G(torch.randn(2, 10))
print(image.shape)
D(image).log().mean().neg().backward()
print({name: tuple(p.grad.shape) for name, p in G.named_parameters()})
