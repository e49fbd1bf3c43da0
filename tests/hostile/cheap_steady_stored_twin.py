# kind: cheap
# exercise: steady
# how: the stored twin under checkpoints
# needs: one depth, at which what they keep is within the limit
from course.stored_twin import through
from minigrad.utils.checkpoint import checkpoint


def steady(x, blocks):
    for i in range(0, len(blocks), 4):
        x = checkpoint(through, x, blocks[i : i + 4], use_reentrant=False)
    return x
