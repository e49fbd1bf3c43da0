"""R17 hit 1. Code: siddhantshingi/CoLLT, contrast_models.py (a loss of two embeddings, both ways round).
ends: ok
"""
import torch
import torch.nn.functional as F

torch.manual_seed(0)


class InfoNCE:
    def __init__(self, tau=0.2):
        self.tau = tau

    def __call__(self, anchor, sample, **kwargs):
        sim = F.normalize(anchor) @ F.normalize(sample).t() / self.tau
        return -(F.log_softmax(sim, dim=1).diagonal()).mean()


class WithinEmbedContrast(torch.nn.Module):
    def __init__(self, loss, **kwargs):
        super(WithinEmbedContrast, self).__init__()
        self.loss = loss
        self.kwargs = kwargs

    def forward(self, h1, h2):
        l1 = self.loss(anchor=h1, sample=h2, **self.kwargs)
        l2 = self.loss(anchor=h2, sample=h1, **self.kwargs)
        return (l1 + l2) * 0.5


encoder = torch.nn.Linear(5, 4)
contrast = WithinEmbedContrast(loss=InfoNCE())
opt = torch.optim.Adam(encoder.parameters(), lr=0.01)
x = torch.randn(8, 5)
for _ in range(3):
    h1, h2 = encoder(x + 0.1 * torch.randn_like(x)), encoder(x + 0.1 * torch.randn_like(x))
    loss = contrast(h1, h2)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.shape, loss.grad_fn.name(), round(loss.item(), 4))
