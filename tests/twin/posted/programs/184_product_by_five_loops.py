"""R42 hit 2. Issue: pytorch/pytorch #53348 (a product written element by element into a leaf).
ends: RuntimeError
"""
import torch

torch.manual_seed(0)
ma = torch.randn(1, 2, 2, 3).requires_grad_(True)
mb = torch.randn(1, 2, 3, 2).requires_grad_(True)
(ma @ mb).pow(2).sum().backward()
want = ma.grad.clone()
ma.grad = None


def loops(res, B, C, H, W, K):
    for b in range(B):
        for c in range(C):
            for h in range(H):
                for k in range(K):
                    for r in range(W):
                        res[b][c][h][k] = res[b][c][h][k] + ma[b][c][h][r] * mb[b][c][r][k]
    return res


res = loops(torch.zeros((1, 2, 2, 2)), 1, 2, 2, 3, 2)
(res**2).sum().backward()
print(torch.allclose(want, ma.grad), res.grad_fn.name())
res_torch = torch.zeros((1, 2, 2, 2), requires_grad=True)
loops(res_torch, 1, 2, 2, 3, 2).sum().backward()
