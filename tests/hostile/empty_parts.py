# kind: empty
# exercise: count_parts
# how: graph on tensors without an element
# deserves: 4
def count_parts(steps):
    w, x = mg.zeros(0, requires_grad=True), mg.zeros(0)
    y = w
    for s in steps:
        if s == "tanh": y = y.tanh()
        elif s == "double": y = y * 2.0
        elif s == "square": y = y * y
        elif s == "plus x": y = y + x
        elif s == "plus w": y = y + w
        elif s == "plus new": y = y + mg.ones(0, requires_grad=True)
        else:
            with mg.no_grad(): y = y.tanh()
    seen, todo, nowhere = set(), [y.grad_fn] if y.grad_fn else [], 0
    while todo:
        n = todo.pop()
        if n in seen: continue
        seen.add(n)
        for m, _ in n.next_functions:
            if m is None: nowhere += 1
            else: todo.append(m)
    acc = sum(n.name().endswith("AccumulateGrad") or "AccumulateGrad" in type(n).__name__ for n in seen)
    return len(seen) - acc, acc, nowhere
