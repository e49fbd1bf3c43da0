"""What it costs to keep some operations' results and to recompute the rest, for three blocks."""

from functools import partial

from course.torch_runs import mlp_blocks

COUNT = 16
HEADS = "no checkpoint", "recompute all", "keep products", "keep act"


def lines(mg):
    """The table, row by row: U at the highest point, and products of matrices."""
    functions = mg.nn.functional
    kinds = {
        "ReLU, v = 1": (mg.relu, 1),
        "ReLU, v = 4": (mg.relu, 4),
        "GELU, v = 4": (functions.gelu, 4),
    }
    rows = [_row("16 blocks", HEADS)]
    for name, (act, times) in kinds.items():
        parts = mlp_blocks.blocks(mg, COUNT, act, times)
        prices = [mlp_blocks.price(mg, mlp_blocks.net(parts, way)) for way in _ways(mg)]
        rows.append(_row(name, [f"{one.highest:.0f} U, {one.products}" for one in prices]))
    return rows


def _row(name, cells):
    return f"{name:12}" + "".join(f"{cell:>16}" for cell in cells)


def _ways(mg):
    """How a block is called, for each of HEADS."""
    checkpoint = partial(mg.utils.checkpoint.checkpoint, use_reentrant=False)
    products = [mg.ops.aten.addmm.default, mg.ops.aten.mm.default]
    acts = [mg.ops.aten.relu.default, mg.ops.aten.gelu.default]

    def keep(ops):
        make = mg.utils.checkpoint.create_selective_checkpoint_contexts
        return partial(checkpoint, context_fn=partial(make, ops))

    return None, checkpoint, keep(products), keep(acts)
