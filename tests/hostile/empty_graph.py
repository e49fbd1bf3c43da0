# kind: empty
# exercise: graph_bytes
# how: memory.saved of tensors without an element, as text
# deserves: 5
def graph_bytes(layers, rows, width):
    x = mg.zeros((0, 0)); h = x
    for act, trains in layers:
        h = h @ mg.zeros((0, 0), requires_grad=trains)
        h = h.tanh() if act == "tanh" else h.sin() if act == "sin" else h + 1
    if h.grad_fn is None: return 0
    L = [l for l in str(mg.memory.saved(h)).splitlines()[:-1] if "mat2" not in l]
    n = sum("same buffer" not in l for l in L) - layers[0][1]
    return n * rows * width * 4
