"""R30 hit 2. Code: gapatron/interview_prep, solution_lora_linear.py.
ends: ok
"""
import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, scale: float = 1.0):
        super().__init__()
        self.base = base
        self.rank = rank
        self.scale = scale
        self.base.requires_grad_(False)
        in_f = base.in_features
        out_f = base.out_features
        self.lora_A = nn.Parameter(torch.empty(rank, in_f))
        self.lora_B = nn.Parameter(torch.zeros(out_f, rank))
        nn.init.kaiming_uniform_(self.lora_A, a=5**0.5)

    def forward(self, x):
        base_out = self.base(x)
        lora_weight = self.lora_B @ self.lora_A
        lora_out = F.linear(x, lora_weight)
        return base_out + self.scale * lora_out


torch.manual_seed(0)
base = nn.Linear(8, 4)
lora = LoRALinear(base, rank=2, scale=1.0)
x = torch.randn(3, 8)
out = lora(x)
print(out.shape, not any(p.requires_grad for p in base.parameters()))
out.sum().backward()
print(base.weight.grad, lora.lora_A.grad.abs().max(), lora.lora_B.grad.shape)
print([name for name, p in lora.named_parameters() if p.requires_grad])
