"""How high is the peak, and how far apart should checkpoints be, if act saves its input too?"""

from course.torch_runs import mlp_blocks

EVERY = 1, 2, 3, 4, 6


def lines(mg):
    """The table, row by row: U at the highest point."""
    functions = mg.nn.functional
    acts = {"tanh": mg.tanh, "GELU": functions.gelu, "SiLU": functions.silu}
    rows = [
        "        12 blocks, v = 1,   36 blocks, v = 4, use_reentrant=True around every",
        _row("act", ["no checkpoint", *EVERY]),
    ]
    for name, act in acts.items():
        plain = _highest(mg, mlp_blocks.blocks(mg, 12, act, 1))
        wide = mlp_blocks.blocks(mg, 36, act, 4)
        rows.append(_row(name, [plain, *(_highest(mg, wide, every) for every in EVERY)]))
    return rows


def _row(name, figures):
    first, *rest = map(str, figures)
    return f"{name:8}{first:>16}    {''.join(f'{figure:>9}' for figure in rest)}"


def _highest(mg, parts, every=None):
    """U at the highest point of a step, without checkpoints or with one around every so many."""

    def wrap(part, h):
        return mg.utils.checkpoint.checkpoint(part, h, use_reentrant=True)

    run = (
        mlp_blocks.net(mlp_blocks.segments(parts, every), wrap) if every else mlp_blocks.net(parts)
    )
    return f"{mlp_blocks.price(mg, run).highest:.0f} U"
