"""R11 hit 4. Page: PyTorch's documentation of TransformerEncoder (a layer, a stack of them, a random source).
ends: ok
"""
import torch
from torch import nn

torch.manual_seed(0)
encoder_layer = nn.TransformerEncoderLayer(d_model=16, nhead=4, dim_feedforward=32, dropout=0.0)
transformer_encoder = nn.TransformerEncoder(encoder_layer, num_layers=2)
src = torch.rand(10, 3, 16)
out = transformer_encoder(src)
print(out.shape)
out.mean().backward()
print(len(list(transformer_encoder.parameters())), encoder_layer.linear1.weight.grad)
