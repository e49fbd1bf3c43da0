from functools import partial

from course.bytes_along import price
from course.mlp_blocks import ROWS, WIDTH, blocks, net
from course.twin.tracker import as_mg

with as_mg() as mg:
    tools, ops = mg.utils.checkpoint, mg.ops.aten
    recompute = partial(tools.checkpoint, use_reentrant=False)

    def keep(*kept):
        contexts = partial(tools.create_selective_checkpoint_contexts, list(kept))
        return partial(recompute, context_fn=contexts)

    ways = {
        "no checkpoint": None,
        "recompute all": recompute,
        "keep products": keep(ops.addmm.default, ops.mm.default),
        "keep act": keep(ops.relu.default, ops.gelu.default),
    }
    print("16 blocks     ", *[f"{way:>14}" for way in ways])
    for act, v in (mg.relu, 1), (mg.relu, 4), (mg.nn.functional.gelu, 4):
        nets = [net(blocks(16, act, v), way) for way in ways.values()]
        prices = [price(one, mg.ones(ROWS, WIDTH), mg) for one in nets]
        name = {"relu": "ReLU", "gelu": "GELU"}[act.__name__]
        cells = [f"{one.highest:.0f} U, {one.products}" for one in prices]
        print(f"{name}, v = {v}   ", *[f"{cell:>14}" for cell in cells])
