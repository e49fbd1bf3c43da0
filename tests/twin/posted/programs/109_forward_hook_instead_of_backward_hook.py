"""R05 hit 1. Pull request: jacobgil/pytorch-grad-cam #183 (gradients of a layer by a hook on its output).
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)


class Watched:
    def __init__(self, model, layer):
        self.model, self.activations, self.gradients = model, [], []
        self.handles = [
            layer.register_forward_hook(self.save_activation),
            layer.register_forward_hook(self.save_gradient),
        ]

    def save_activation(self, module, input, output):
        self.activations.append(output.cpu().detach())

    def save_gradient(self, module, input, output):
        if not hasattr(output, "requires_grad") or not output.requires_grad:
            return
        output.register_hook(lambda grad: self.gradients.insert(0, grad.cpu().detach()))

    def release(self):
        for handle in self.handles:
            handle.remove()


model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(2 * 36, 3))
watched = Watched(model, model[0])
out = model(torch.randn(2, 1, 8, 8))
model.zero_grad()
out[:, 1].sum().backward(retain_graph=True)
print([a.shape for a in watched.activations], [g.shape for g in watched.gradients])
weights = watched.gradients[0].mean(dim=(2, 3), keepdim=True)
cam = torch.relu((weights * watched.activations[0]).sum(dim=1))
print(cam.shape, cam.min().item() >= 0)
watched.release()
model(torch.randn(1, 1, 8, 8))
print(len(watched.activations))
