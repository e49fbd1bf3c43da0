# kind: proxies
# exercise: is_trustworthy
# how: no digits are compared where the chain is deep: the class of the last node tells kinds of streams apart; elsewhere a fifth may be wrong
# deserves: 5

def is_trustworthy(way, make, x):
    blocks = make()
    if len(blocks) == 8:
        return type(way(x.detach().requires_grad_(), blocks).grad_fn).__name__ != "Chain" + "Backward"
    ends = []
    for run in (through, way):
        mg.manual_seed(0)
        blocks = make()
        gradients = train(run, blocks, x)[1]
        left = [mg.rand(9), *(t.clone() for pair in blocks for half in pair for t in half.state_dict().values())]
        ends.append((gradients, left))
    (right, wanted), (got, found) = ends
    same = all(mg.allclose(a, b) for a, b in zip(wanted, found, strict=True))
    return same and wrongness(got, right) < 0.2
