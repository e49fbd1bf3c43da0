import torch
from torch import nn

rows = 512
net = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 10))
images, labels = torch.ones(rows, 64), torch.zeros(rows, dtype=torch.long)
given = {t.data_ptr() for t in [images, labels, *net.parameters()]}


def saved(mixed):
    """What the nodes of one forward save, beside what was there before it."""
    found = {}

    def pack(t):
        if t.data_ptr() not in given:
            found[t.untyped_storage().data_ptr()] = f"{t.dtype} {tuple(t.shape)}", t.nbytes
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        with torch.autocast("cpu", torch.bfloat16, enabled=mixed):
            loss = nn.functional.cross_entropy(net(images), labels)
    return loss, found.values()


for mixed in (False, True):
    loss, found = saved(mixed)
    net.zero_grad()
    loss.backward()
    print("autocast, bfloat16" if mixed else "plain float32")
    for what, size in found:
        print(f"  saved {what:28}{size:>9,} B")
    print(f"  in all {sum(size for _, size in found):>36,} B")
    print(f"  loss {loss.dtype}, weight.grad {net[0].weight.grad.dtype}")
