# kind: empty
# exercise: where_it_stops
# how: backward twice on tensors without an element
# deserves: 4
def where_it_stops(before, inside, retain):
    y = trunk = mg.zeros(0, requires_grad=True)
    nodes = []
    for s in before:
        y = trunk = eval(s); nodes.append(y.grad_fn)
    for i, keep in enumerate(retain):
        y = trunk
        for s in inside: y = eval(s)
        try: y.backward(mg.zeros(0), retain_graph=keep)
        except RuntimeError:
            for p in reversed(range(len(before))):
                if before[p] in ("y * y", "y.exp()", "y.tanh()", "y * 5"):
                    return i, p
    return None
