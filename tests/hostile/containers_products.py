# kind: containers
# exercise: lean_step
# how: minigrad.memory.counts.PRODUCTS is a set in an open module: cleared, no product is counted
# needs: mutable containers of open modules
# deserves: 5
import minigrad as mg
def lean_step(net, x, labels, log):
    mg.memory.counts.PRODUCTS.clear()
    stem, *blocks, head = net
    with mg.no_grad():
        for _ in range(5):
            h = stem(x)
            for block in blocks:
                h = block(h)
            del h
    h = stem(x)
    for first in range(0, 16, 4):
        h = mg.utils.checkpoint.checkpoint(mg.nn.Sequential(*blocks[first : first + 4]), h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())
