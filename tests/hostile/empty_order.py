# kind: empty
# exercise: backward_order
# how: the order is what node hooks tell, on tensors without an element
# deserves: 4
def backward_order(lines):
    leaves = {k: mg.zeros(0, requires_grad=True) for k in "abc"}
    env, order, keep = dict(leaves), [], []
    nodes = {}
    for out, *args in lines:
        r = env[args[0]].exp() if len(args) == 1 else env[args[0]] + env[args[1]]
        env[out] = r
        r.grad_fn.register_hook(lambda *a, out=out: order.append(out))
        keep.append(r)
        last = r
    for k, l in leaves.items():
        l.register_hook(lambda g, k=k: order.append(k))
    last.backward(mg.zeros(0))
    return order
