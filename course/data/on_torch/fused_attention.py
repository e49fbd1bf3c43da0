import torch
from torch.nn.functional import scaled_dot_product_attention as fused

from course.transformer import attend
from course.twin.tracker import as_mg

BATCH, HEADS, WIDE, LENGTHS = 2, 4, 8, (16, 64, 256, 1024)  # a head is 8 wide


def dropping(q, k, v):
    return fused(q, k, v, dropout_p=0.1)


def qkv(length):
    return [torch.rand(BATCH, HEADS, length, WIDE, requires_grad=True) for _ in "qkv"]


def step(way, length):
    """U of q, k, v and what `way` keeps of them: after forward, and at the highest point."""
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    y = way(*qkv(length))
    held = mg.memory_allocated() - before
    y.backward(torch.ones_like(y))
    return held / y.nbytes, (mg.max_memory_allocated() - before) / y.nbytes


with as_mg() as mg:
    print("U after forward, and U at the highest point")
    print(f"{'tokens':21}", *[f"{n:>12}" for n in LENGTHS])
    ways = {"attend, as above": attend, "one op": fused, "one op, dropout_p=0.1": dropping}
    for name, way in ways.items():
        cells = ["{:.1f}, {:.1f}".format(*step(way, n)) for n in LENGTHS]
        print(f"{name:21}", *[f"{cell:>12}" for cell in cells])
    given = qkv(64)
    print("\nThe one op gives the same:", torch.allclose(fused(*given), attend(*given), rtol=1e-4))
    for way in fused, dropping:
        print("its node:", way(*given).grad_fn.name())
