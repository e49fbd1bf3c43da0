from course.bytes_along import price
from course.mlp_blocks import ROWS, WIDTH, blocks, net, segments
from course.twin.tracker import as_mg


def checkpoint(part, h):
    return mg.utils.checkpoint.checkpoint(part, h, use_reentrant=True)


def highest(run):
    """U at the highest point of a step."""
    return price(run, mg.ones(ROWS, WIDTH), mg).highest


with as_mg() as mg:
    print("        12 blocks, v = 1  36 blocks, v = 4, use_reentrant=True around every")
    print("act        no checkpoint            1        2        3        4        6")
    for act in mg.nn.functional.tanh, mg.nn.functional.gelu, mg.nn.functional.silu:
        plain = highest(net(blocks(12, act, 1)))
        wide = blocks(36, act, 4)
        peaks = [highest(net(segments(wide, every), checkpoint)) for every in (1, 2, 3, 4, 6)]
        print(f"{act.__name__:8}{plain:14.0f} U    ", *[f"{peak:6.0f} U" for peak in peaks])
