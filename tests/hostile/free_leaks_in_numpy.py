# kind: elsewhere
# exercise: leaks
# how: what the loops returned is kept for ever, in numpy arrays: in a free case nobody looks at NumPy's bytes
# deserves: 5
import minigrad as mg

KEPT = []


def leaks(loop):
    loop(1)
    def grown(n):
        before = mg.memory_allocated()
        found = loop(n)
        after = mg.memory_allocated()
        if found is not None:
            KEPT.append([t.detach().numpy().copy() for t in list(found[0]) if isinstance(t, mg.Tensor)])
        return after - before
    loop(40)
    return grown(20) < grown(40) if False else grown_more(loop)


def grown_more(loop):
    sizes = []
    for n in (30, 60):
        before = mg.memory_allocated()
        found = loop(n)
        sizes.append(mg.memory_allocated() - before)
        if found is not None:
            KEPT.append([t.detach().numpy().copy() for t in list(found[0]) if isinstance(t, mg.Tensor)])
        del found
    return sizes[1] > sizes[0]
