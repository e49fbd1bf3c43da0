"""Q09 hit 5. Forum thread: discuss.pytorch.org/t/190094 (save the gradient of an intermediate tensor).
What it does: an exp Function whose backward appends a detached gradient to a global list.
ends: ok
Grows: the list gets one more gradient at each backward, wanted here.
"""
import gc

import torch

torch.manual_seed(0)
seen = []


class KeepExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        out = v.exp()
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, up):
        (out,) = ctx.saved_tensors
        seen.append(up.detach())
        return up * out


for i in range(3):
    v = torch.tensor([3.0, 4.0], requires_grad=True)
    KeepExp.apply(v).mul(i + 1).sum().backward()
gc.collect()
print([s.tolist() for s in seen], [round(q, 4) for q in v.grad.tolist()])
