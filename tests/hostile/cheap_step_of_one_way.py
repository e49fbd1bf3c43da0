# kind: cheap
# exercise: step_on
# how: a checkpoint every two, whatever the size
# needs: how it ends is right with what always fits
# deserves: 1
import minigrad as mg
from minigrad.nn.functional import cross_entropy


def step_on(net, x, labels, size):
    stem, *blocks, head = net
    h = stem(x)
    for i in range(0, len(blocks), 2):
        h = mg.utils.checkpoint.checkpoint(
            mg.nn.Sequential(*blocks[i : i + 2]), h, use_reentrant=False
        )
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()
