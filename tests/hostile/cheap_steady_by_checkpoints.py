# kind: cheap
# exercise: steady
# how: plain checkpoints: nothing is reversible, so nothing drifts
# needs: one depth, at which what they keep is within the limit
import minigrad as mg
from minigrad.utils.checkpoint import checkpoint


def steady(x, blocks):
    def seg(bs):
        def run(h):
            y1, y2 = h.chunk(2, -1)
            for f, g in bs:
                y1 = y1 + f(y2)
                y2 = y2 + g(y1)
            return mg.cat([y1, y2], -1)

        return run

    h = x
    for i in range(0, len(blocks), 4):
        h = checkpoint(seg(blocks[i : i + 4]), h, use_reentrant=False)
    return h
