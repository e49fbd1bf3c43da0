"""Lesson 06: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="what_a_write_does" wrong="the counter counts writes to a storage"
# under no_grad nothing is watched, detach is a copy, and times one changes nothing
def what_a_write_does(op, victim, write):
    needed = {"a * b": "b", "a / b": "b", "a @ b": "b", "a.exp()": "y", "a.tanh()": "y"}
    needed |= {"a.log()": "a", "a.sin()": "a", "a ** 2": "a"}
    if needed.get(op) != victim:
        return "right"
    return {"t += 1": "error", "no_grad: t[0] += 1": "right", "t.data.add_(1)": "wrong"}.get(
        write, "right"
    )


# %% answer="what_a_write_does" wrong="which counter does this write move?"
# whoever sees no error can trust the gradients
def what_a_write_does(op, victim, write):
    needed = {"a * b": "b", "a / b": "b", "a @ b": "b", "a.exp()": "y", "a.tanh()": "y"}
    needed |= {"a.log()": "a", "a.sin()": "a", "a ** 2": "a"}
    if needed.get(op) != victim or write in ("t = t + 1", "t.clone().add_(1)"):
        return "right"
    return "error"


# %% answer="what_a_write_does" wrong="or only on something else?"
# autograd saves inputs
def what_a_write_does(op, victim, write):
    saved = "ab" if op in ("a * b", "a / b", "a @ b") else "a" if op[1:3] in ("**", ".") else ""
    saved = saved or ("a" if "(" in op or "**" in op else "")
    if victim not in saved or write in ("t = t + 1", "t.clone().add_(1)"):
        return "right"
    return "wrong" if write == "t.data.add_(1)" else "error"


# %% answer="what_a_write_does" wrong="does the gradient of `a` depend on `t`"
# a write into anything that took part breaks backward
def what_a_write_does(op, victim, write):
    if write in ("t = t + 1", "t.clone().add_(1)"):
        return "right"
    return "wrong" if write == "t.data.add_(1)" else "error"


# %% answer="what_a_write_does" style="a table of ops by what they keep"
def what_a_write_does(op, victim, write):
    keeps = {"b": "*/@", "y": ("exp", "tanh"), "a": ("log", "sin", "**")}[victim]
    found = any(key in op for key in keeps) and not (victim == "b" and "**" in op)
    fresh = "clone" in write or write.startswith("t =")
    return "right" if fresh or not found else ("wrong" if ".data" in write else "error")


# %% answer="what_a_write_does" style="match"
def what_a_write_does(op, victim, write):
    match op.split(" ") if " " in op else ["", op[2:-2], ""]:
        case [_, "*" | "/" | "@", _]:
            saved = "b"
        case [_, "exp" | "tanh", _]:
            saved = "y"
        case [_, "+" | "-", _]:
            saved = None
        case _:
            saved = "a"
    match write:
        case _ if saved != victim:
            return "right"
        case "t = t + 1" | "t.clone().add_(1)":
            return "right"
        case "t.data.add_(1)":
            return "wrong"
    return "error"


# %% answer="what_a_write_does" spare="4 of 5"
# runs it and looks: right, but not by hand
def what_a_write_does(op, victim, write):
    def gradient(write, how=None):
        leaf = mg.full((4, 4), 0.5, requires_grad=True)
        a, b = leaf.clone(), mg.full((4, 4), 2.0)
        y = eval(op)
        loss = (y + 0.0).sum()
        names = {"t": {"a": a, "b": b, "y": y}[victim]}
        with mg.set_grad_enabled(not write.startswith("no_grad: ")):
            exec(write.removeprefix("no_grad: "), names)
        loss.backward()
        return leaf.grad.tolist()

    try:
        return "right" if gradient(write) == gradient("pass") else "wrong"
    except RuntimeError:
        return "error"


# %% answer="what_a_write_does" proof=true
def what_a_write_does(op, victim, write):
    def gradient(write, how=None):
        leaf = mg.full((4, 4), 0.5, requires_grad=True)
        a, b = leaf.clone(), mg.full((4, 4), 2.0)
        y = eval(op)
        loss = (y + 0.0).sum()
        names = {"t": {"a": a, "b": b, "y": y}[victim]}
        with mg.set_grad_enabled(not write.startswith("no_grad: ")):
            exec(write.removeprefix("no_grad: "), names)
        loss.backward()
        return leaf.grad.tolist()

    try:
        return "right" if gradient(write) == gradient("pass") else "wrong"
    except RuntimeError:
        return "error"


# %% answer="scaled_layers" wrong="Could the halving write into something that nobody has saved?"
# an in-place write is mended by writing out of place
def scaled_layers(x, w, layers):
    h = x @ w
    for _ in range(layers):
        h += 0.1
        h = h.tanh()
        h = h * 0.5
        h = h @ w
    return h.sum()


# %% answer="scaled_layers" wrong="which of them writes into a result"
# the wrong one of the two writes
def scaled_layers(x, w, layers):
    h = x @ w
    for _ in range(layers):
        h = h + 0.1
        h = h.tanh()
        h *= 0.5
        h = h @ w
    return h.sum()


# %% answer="scaled_layers" wrong="which of them writes into a result"
# no_grad lets one write
def scaled_layers(x, w, layers):
    h = x @ w
    for _ in range(layers):
        h += 0.1
        h = h.tanh()
        with mg.no_grad():
            h *= 0.5
        h = h @ w
    return h.sum()


# %% answer="scaled_layers" wrong="has a number changed behind a node's back"
# .data makes the error go away
def scaled_layers(x, w, layers):
    h = x @ w
    for _ in range(layers):
        h += 0.1
        h = h.tanh()
        h.data *= 0.5
        h = h @ w
    return h.sum()


# %% answer="scaled_layers" wrong="Do all four steps of every layer"
# the halving may stand anywhere
def scaled_layers(x, w, layers):
    h = x @ w
    for _ in range(layers):
        h += 0.1
        h *= 0.5
        h = h.tanh()
        h = h @ w
    return h.sum()


# %% answer="scaled_layers" style="half of w, once"
def scaled_layers(x, w, layers):
    h, half = x @ w, w * 0.5
    for _ in range(layers):
        h.add_(0.1)
        h = h.tanh()
        h = h @ half
    return h.sum()


# %% answer="scaled_layers" style="halved at the start of the next layer"
def scaled_layers(x, w, layers):
    h = x @ w
    for layer in range(layers):
        h.mul_(0.5 if layer else 1.0).add_(0.1).tanh_()
        h = mg.matmul(h, w)
    return h.sum() * 0.5


# %% answer="scaled_layers" spare="4 of 5"
# one line: `h` holds the last product while the next one is made
def scaled_layers(x, w, layers):
    h = x @ w
    for _ in range(layers):
        h = h.add_(0.1).tanh().mm(w).mul_(0.5)
    return h.sum()


# %% answer="scaled_layers" spare="4 of 5"
# the right place, and out of place
def scaled_layers(x, w, layers):
    h = x @ w
    for _ in range(layers):
        h += 0.1
        h = h.tanh()
        h = h @ w
        h = h * 0.5
    return h.sum()


# %% answer="graph_bytes" wrong="Is that twice?"
# every save costs
def graph_bytes(layers, rows, width):
    saves = sum((i > 0) + (name != "shift") for i, (name, trains) in enumerate(layers))
    return saves * rows * width * 4


# %% answer="graph_bytes" wrong="After the last activation comes a sum"
# sin is like tanh: one tensor a layer
def graph_bytes(layers, rows, width):
    return sum(name != "shift" for name, _ in layers) * rows * width * 4


# %% answer="graph_bytes" wrong="a frozen product keeps no input"
# freezing only spares the gradients of the weights
def graph_bytes(layers, rows, width):
    held = set()
    for i, (activation, _) in enumerate(layers):
        held |= {("result", i - 1)} if i else set()
        held |= {("result" if activation == "tanh" else "product", i)} - {("shift", i)}
        if activation == "shift":
            held.discard(("product", i))
    return len(held) * rows * width * 4


# %% answer="graph_bytes" wrong="its activation still does its own keeping"
# a frozen layer keeps nothing
def graph_bytes(layers, rows, width):
    held = set()
    for i, (activation, trains) in enumerate(layers):
        if trains:
            held |= {("result", i - 1)} if i else set()
            held |= {(activation, i)} if activation == "sin" else set()
            held |= {("result", i)} if activation == "tanh" else set()
    return len(held) * rows * width * 4


# %% answer="graph_bytes" wrong="nodes begin at the first weight that trains"
# an activation keeps what its slope needs, whether or not anything below it trains
def graph_bytes(layers, rows, width):
    held = set()
    for i, (activation, trains) in enumerate(layers):
        held |= {("result", i - 1)} if trains and i else set()
        held |= {("result", i)} if activation == "tanh" else set()
        held |= {("product", i)} if activation == "sin" else set()
    return len(held) * rows * width * 4


# %% answer="graph_bytes" style="from above, one layer at a time"
def graph_bytes(layers, rows, width):
    first = next((i for i, (_, trains) in enumerate(layers) if trains), len(layers))
    units = 0
    for i in range(first, len(layers)):
        name = layers[i][0]
        kept_by_next = i + 1 < len(layers) and layers[i + 1][1]
        units += (name == "sin") + (name == "tanh" or kept_by_next)
    # the input of the first layer that trains, if it is not x
    units += 1 if 0 < first < len(layers) else 0
    return 4 * units * rows * width


# %% answer="graph_bytes" style="two lists"
def graph_bytes(layers, rows, width):
    names = [name for name, _ in layers]
    trains = [one for _, one in layers] + [False]
    wanted = [any(trains[: i + 1]) for i in range(len(layers))]
    products = [n == "sin" and on for n, on in zip(names, wanted)]
    results = [
        (n == "tanh" and on) or following
        for n, on, following in zip(names, wanted, trains[1:])
    ]  # fmt: skip
    return (sum(products) + sum(results)) * rows * width * 4


# %% answer="graph_bytes" spare="5 of 6"
# builds it and looks: right, but not by hand
def graph_bytes(layers, rows, width):
    h = x = mg.ones(rows, width)  # x is the caller's, and stays
    weights = [mg.full((width, width), 0.01, requires_grad=trains) for _, trains in layers]
    start = mg.memory_allocated()
    for (activation, _), weight in zip(layers, weights):
        h = h @ weight
        h = {"tanh": h.tanh, "sin": h.sin, "shift": lambda h=h: h + 1}[activation]()
    loss = h.sum()
    del h
    return mg.memory_allocated() - start - loss.nbytes


# %% answer="graph_bytes" proof=true
def graph_bytes(layers, rows, width):
    h = x = mg.ones(rows, width)  # x is the caller's, and stays
    weights = [mg.full((width, width), 0.01, requires_grad=trains) for _, trains in layers]
    start = mg.memory_allocated()
    for (activation, _), weight in zip(layers, weights):
        h = h @ weight
        h = {"tanh": h.tanh, "sin": h.sin, "shift": lambda h=h: h + 1}[activation]()
    loss = h.sum()
    del h
    return mg.memory_allocated() - start - loss.nbytes


# %% answer="saved_bytes" wrong="one storage. What tells?"
# every saved tensor costs its bytes
def saved_bytes(root):
    total, seen, waiting = 0, set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        try:
            total += sum(t.nbytes for t in saved_by(node).values())
            total += sum(t.nbytes for t in getattr(node, "saved_tensors", ()) if t is not None)
        except RuntimeError:
            pass
    return total


# %% answer="saved_bytes" wrong="Count storages, not tensors."
# an address tells which bytes they are
def saved_bytes(root):
    found, seen, waiting = {}, set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        try:
            found |= {t.data_ptr(): t.nbytes for t in saved_by(node).values()}
        except RuntimeError:
            pass
    return sum(found.values())


# %% answer="saved_bytes" wrong="Reading what was freed raises"
# what is in the graph can be read
def saved_bytes(root):
    found, seen, waiting = {}, set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        for t in [*saved_by(node).values(), *getattr(node, "saved_tensors", ())]:
            if t is not None:
                found[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
    return sum(found.values())


# %% answer="saved_bytes" wrong="look at `saved_tensors`"
# what a node saved has a name with _saved_
def saved_bytes(root):
    found, seen, waiting = {}, set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        try:
            for t in saved_by(node).values():
                found[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        except RuntimeError:
            pass
    return sum(found.values())


# %% answer="saved_bytes" wrong="Remember which nodes it has seen"
# a graph is a tree: whoever goes down meets each node once
def saved_bytes(root):
    found, waiting = {}, [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        waiting += [parent for parent, _ in node.next_functions]
        try:
            for t in [*saved_by(node).values(), *getattr(node, "saved_tensors", ())]:
                if t is not None:
                    found[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        except RuntimeError:
            pass
    return sum(found.values())


# %% answer="saved_bytes" wrong="keep a list"
# recursion
def saved_bytes(root):
    found, seen = {}, set()

    def visit(node):
        if node is None or node in seen:
            return
        seen.add(node)
        try:
            for t in [*saved_by(node).values(), *getattr(node, "saved_tensors", ())]:
                if t is not None:
                    found[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        except RuntimeError:
            pass
        for parent, _ in node.next_functions:
            visit(parent)

    visit(root.grad_fn)
    return sum(found.values())


# %% answer="saved_bytes" style="a generator of nodes, a set of storages"
def nodes_below(root):
    seen = {}
    waiting = [root.grad_fn]
    for node in waiting:
        if node is not None and node not in seen:
            seen[node] = True
            waiting.extend(parent for parent, _ in node.next_functions)
            yield node


def saved_bytes(root):
    storages = set()
    for node in nodes_below(root):
        try:
            tensors = list(saved_by(node).values())
            if hasattr(type(node), "saved_tensors"):
                tensors.extend(filter(lambda t: t is not None, node.saved_tensors))
        except RuntimeError:
            tensors = []
        storages |= {
            (t.untyped_storage().data_ptr(), t.untyped_storage().nbytes()) for t in tensors
        }
    return sum(size for _, size in storages)


# %% answer="saved_bytes" style="the storages themselves, each once"
def saved_bytes(root):
    found, nodes, seen = {}, [root.grad_fn], {None, root.grad_fn}
    for node in nodes:
        below = {one for one, _ in node.next_functions} - seen
        seen |= below
        nodes += below
        try:
            tensors = [*saved_by(node).values(), *getattr(node, "saved_tensors", ())]
        except RuntimeError:
            continue
        for t in tensors:
            if t is not None:
                found[id(t.untyped_storage())] = t.untyped_storage()
    return sum(storage.nbytes() for storage in found.values())


# %% answer="saved_bytes" style="all names of a node in one loop"
def saved_bytes(root):
    found, stack, seen = {}, [root.grad_fn], set()
    while stack:
        node = stack.pop()
        seen.add(node)
        stack.extend(n for n, _ in node.next_functions if n not in seen and n is not None)
        for name in dir(node):
            if name.startswith("_saved_") or name == "saved_tensors":
                try:
                    value = getattr(node, name)
                except RuntimeError:
                    continue
                for t in value if isinstance(value, tuple) else (value,):
                    if isinstance(t, mg.Tensor):
                        found[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
    return sum(found.values())


# %% answer="saved_bytes" spare="7 of 8"
# copies what it looks at
def saved_bytes(root):
    found, seen, waiting = {}, set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        try:
            for t in [*saved_by(node).values(), *getattr(node, "saved_tensors", ())]:
                if t is not None:
                    t.clone()
                    found[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        except RuntimeError:
            pass
    return sum(found.values())


# %% answer="graph_bytes" wrong="counted that was there before the net ran"
# x is counted
def graph_bytes(layers, rows, width):
    held, wanted = set(), False
    for i, (activation, trains) in enumerate(layers):
        if trains:
            held.add(("result", i - 1))
        wanted = wanted or trains
        if wanted and activation != "shift":
            held.add(("result" if activation == "tanh" else "product", i))
    return len(held) * rows * width * 4


# %% answer="scaled_layers" wrong="`w` belongs to the caller"
# the halving goes into the weight, for good
def scaled_layers(x, w, layers):
    h = x @ w
    w.data.mul_(0.5)
    for _ in range(layers):
        h += 0.1
        h = h.tanh() @ w
    return h.sum()
