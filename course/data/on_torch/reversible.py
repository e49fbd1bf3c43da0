import torch
from torch import nn

from course.twin.tracker import as_mg
from for_torch.reversible import ReversibleBlock, ReversibleSequential, wrongness

ROWS, WIDTH = 1024, 32
U = ROWS * WIDTH * 4


def half(middle=nn.Identity):
    first = nn.Linear(WIDTH // 2, WIDTH, bias=False)
    return nn.Sequential(first, middle(), nn.ReLU(), nn.Linear(WIDTH, WIDTH // 2))


def chain(depth, middle=nn.Identity, times=1.0, **options):
    torch.manual_seed(0)
    blocks = [ReversibleBlock(half(middle), half(middle)) for _ in range(depth)]
    net = ReversibleSequential(*blocks, **options)
    with torch.no_grad():
        for w in net.parameters():
            w.mul_(times)
    return net


def highest(depth, mg):
    net, stem = chain(depth), nn.Linear(WIDTH, WIDTH)
    weights = [*net.parameters(), *stem.parameters()]
    for w in weights:
        w.grad = torch.zeros_like(w)
    for _ in range(2):  # in the second step the ledger has seen all weights
        start = mg.memory_allocated()
        mg.reset_peak_memory_stats()
        x = torch.ones(ROWS, WIDTH)
        y = net(stem(x))
        y.backward(torch.ones_like(y))
        del x, y
    return (mg.max_memory_allocated() - start) / U


def tell(what, found):
    print(f"{what:36} {found}")


def right(net):
    return "right" if wrongness(net, x) < 1e-5 else "WRONG"


torch.manual_seed(1)
x = torch.randn(64, WIDTH)
with as_mg() as mg:
    tops = [highest(depth, mg) for depth in (4, 16, 32)]
tell("highest point, 4, 16, 32 blocks:", ", ".join(f"{top:.1f} U" for top in tops))
tell("plain blocks:", right(chain(4)))
tell("dropout:", right(chain(4, lambda: nn.Dropout(0.1))))
with torch.autocast("cpu", torch.bfloat16):
    tell("autocast with bfloat16:", right(chain(4)))
net = chain(4, lambda: nn.BatchNorm1d(WIDTH))
net(x).sum().backward()
tell("BatchNorm, batches counted a step:", net[0].F[1].num_batches_tracked.item())
net = chain(4)
net(x).sum().backward()
reached = all(w.grad is not None for w in net.parameters())
tell("raw data: each weight is reached:", reached)
net(nn.functional.relu(nn.Linear(WIDTH, WIDTH)(x))).sum().backward()
tell("a relu in front of the chain:", "no error")
try:
    x.requires_grad_()
    torch.autograd.grad(net(x).square().sum(), x, create_graph=True)
except NotImplementedError:
    tell("create_graph=True:", "refused")
large = {"depth": 16, "times": 2.2}
try:
    chain(**large)(x).sum().backward()
except RuntimeError:
    tell("16 blocks, weights 2.2 times:", "refused")
tell("the same with float64 streams:", right(chain(**large, stream_dtype=torch.float64)))
