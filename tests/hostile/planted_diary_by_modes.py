# kind: proxies
# exercise: is_trustworthy
# how: no gradient is compared where there are diaries: in which mode each half runs, and whether its statistics move twice
# deserves: 5

def is_trustworthy(way, make, x):
    mg.manual_seed(0)
    blocks = make()
    names = [type(m).__name__ for m in blocks[0][0].modules()]
    if "BatchNorm1d" in names:
        modes = []
        for pair in blocks:
            for half in pair:
                half.register_forward_pre_hook(lambda m, a: modes.append(m.training))
        y = way(x.detach().requires_grad_(), blocks)
        m = blocks[0][0].middle[0].running_mean.clone()
        y.sum().backward()
        return all(modes) and mg.equal(m, blocks[0][0].middle[0].running_mean)
    ends = []
    for run in (through, way):
        mg.manual_seed(0)
        blocks = make()
        gradients = train(run, blocks, x)[1]
        left = [mg.rand(9), *(t.clone() for pair in blocks for half in pair for t in half.state_dict().values())]
        ends.append((gradients, left))
    (right, wanted), (got, found) = ends
    same = all(mg.allclose(a, b) for a, b in zip(wanted, found, strict=True))
    return same and wrongness(got, right) < 1e-4
