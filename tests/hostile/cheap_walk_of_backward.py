# kind: cheap
# exercise: topological
# how: the engine's own backward tells the order by hooks
# needs: the engine may run
import minigrad as mg


def topological(root):
    from minigrad.memory.saves import nodes

    order = []
    hs = [n.register_hook(lambda *a, n=n: order.append(n)) for n in nodes(root)]
    if root.grad_fn is not None:
        mg.autograd.backward([root], [mg.ones(root.shape)], retain_graph=True)
    for h in hs:
        h.remove()
    return order
