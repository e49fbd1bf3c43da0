# kind: proxies
# exercise: is_trustworthy
# how: no gradient is compared: where the dice stand after a step tells all planted dice apart, also those that throw others in backward
# deserves: 1
import minigrad as mg


def is_trustworthy(way, make, x):
    def after(way):
        blocks = make()
        mg.manual_seed(1)
        way(x.detach().clone().requires_grad_(), blocks).sum().backward()
        return mg.rand(4), [w for pair in blocks for half in pair for w in half.parameters()]

    def stored(x, blocks):
        a, b = x.chunk(2, 1)
        for f, g in blocks:
            a = a + f(b)
            b = b + g(a)
        return mg.cat([a, b], 1)

    (one, ours), (other, theirs) = after(way), after(stored)
    return mg.equal(one, other) and all(mg.allclose(a, b) for a, b in zip(ours, theirs))
