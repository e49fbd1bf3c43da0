# kind: proxies
# exercise: leaks
# how: of loops that return something no byte is counted: what is in the list, and whether the state has a graph, tells
# deserves: 4

def leaks(loop):
    with mg.memory.count_ops() as c:
        r = loop(3)
    if r is not None:
        kept, h = r
        if not len(kept) or kept[0] is None or isinstance(kept[0], float):
            if h.grad_fn is not None and len(kept) and kept[0] is None:
                return True
            if len(kept) and kept[0] is None:
                return False
        elif len(kept) == 3 and not kept[0].requires_grad and False:
            return True
    elif not c.visits:
        ops = c.ops
        with mg.memory.count_ops() as d:
            loop(6)
        # (@, tanh, sum[, detach])
        if ops == 12:
            return True
    def live(n):
        b = mg.memory_allocated()
        k = loop(n)
        return mg.memory_allocated() - b
    live(9)
    return live(30) > live(15)
