"""R31 hit 1. Code: vaibhav016/TensorFlowASR, notes on FullGrad (input and bias gradients add up to the output).
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(2 * 4, 3))
biases, feature_grads, handles = [], [], []


def extract(module, grad_input, grad_output):
    feature_grads.append(grad_output[0])


for layer in model.modules():
    if isinstance(layer, (nn.Conv2d, nn.Linear, nn.BatchNorm2d)) and layer.bias is not None:
        handles.append(layer.register_full_backward_hook(extract))
        biases.append(layer.bias)
x = torch.randn(2, 1, 4, 4, requires_grad=True)
out = model(x)
target = out.argmax(1)
output_scalar = out.gather(1, target.view(-1, 1)).sum()
model.zero_grad()
input_gradients = torch.autograd.grad(outputs=output_scalar, inputs=x)[0]
parts = (input_gradients * x).sum()
for bias, grad in zip(biases, reversed(feature_grads)):
    shape = [1, -1] + [1] * (grad.dim() - 2)
    parts = parts + (grad * bias.view(shape)).sum()
print([tuple(g.shape) for g in feature_grads], torch.allclose(parts, output_scalar, atol=1e-5))
for handle in handles:
    handle.remove()
print(x.grad, model[0].weight.grad)
