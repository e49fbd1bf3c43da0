# kind: proxies
# exercise: is_trustworthy
# how: no gradient is compared where dice are thrown: hooks on the halves note where the generator stands at each run
# deserves: 5

def is_trustworthy(way, make, x):
    mg.manual_seed(0)
    blocks = make()
    mid = type(blocks[0][0].middle).__name__
    names = [type(m).__name__ for m in blocks[0][0].modules()]
    if "Dropout" in names:
        seen = {}
        for pair in blocks:
            for half in pair:
                half.register_forward_pre_hook(lambda m, a: seen.setdefault(id(m), []).append(str(mg.get_rng_state())))
        y = way(x.detach().requires_grad_(), blocks)
        end = str(mg.get_rng_state())
        y.sum().backward()
        return all(v[0] == v[-1] for v in seen.values()) and str(mg.get_rng_state()) == end
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
