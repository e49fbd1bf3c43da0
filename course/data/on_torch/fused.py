import torch


def update_between(kind, fused):
    """The loss is 3 * u * v, so 6 is the gradient of u; v is updated before backward."""
    u = torch.tensor([1.0], requires_grad=True)
    v = torch.tensor([2.0], requires_grad=True)
    loss = (3.0 * u * v).sum()
    v.grad = torch.ones(1)
    kind([v], lr=1.0, fused=fused).step()
    try:
        loss.backward()
        return f"version {v._version}, passes, u.grad {u.grad.item():.2f}"
    except RuntimeError:
        return f"version {v._version}, an error"


for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.Adagrad):
    for fused in (False, True):
        print(f"{kind.__name__:8} fused={fused!s:6}", update_between(kind, fused))
