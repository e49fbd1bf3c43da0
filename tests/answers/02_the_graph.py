"""Lesson 02: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="count_parts" wrong="Tensors are no nodes"
# every tensor is a node, data and numbers too
def count_parts(steps):
    nodes = 1 + sum(1 + step.startswith("plus") for step in steps)
    return nodes, 1, 0


# %% answer="count_parts" wrong="How many different leaves are there?"
# each use of a leaf has an end of its own
def count_parts(steps):
    wants, ops, ends, nowhere = True, 0, 1, 0
    for step in steps:
        leaf = step in ("plus w", "plus new")
        if step == "no grad":
            wants, ops, ends, nowhere = False, 0, 0, 0
        elif wants or leaf:
            ops, ends = ops + 1, ends + leaf + (step == "square" and ops == 0)
            nowhere += step in ("double", "plus x") or not wants
            wants = True
    return ops, ends, nowhere


# %% answer="count_parts" wrong="A result of `no_grad()` has no node"
# no_grad only pauses the recording; the graph goes on after it
def count_parts(steps):
    ops = sum(step != "no grad" for step in steps)
    leaves = 1 + steps.count("plus new")
    return ops, leaves, steps.count("double") + steps.count("plus x")


# %% answer="count_parts" wrong="and it leads nowhere"
# what wants no gradient has no edge
def count_parts(steps):
    wants, ops, leaves = True, 0, {"w"}
    for i, step in enumerate(steps):
        leaf = {"plus w": "w", "plus new": i}.get(step)
        if step == "no grad":
            wants, ops, leaves = False, 0, set()
        elif wants or leaf is not None:
            wants, ops = True, ops + 1
            leaves |= set() if leaf is None else {leaf}
    return ops, len(leaves), 0


# %% answer="count_parts" style="only what comes after the last no_grad"
def count_parts(steps):
    wants = "no grad" not in steps
    while "no grad" in steps:
        steps = steps[steps.index("no grad") + 1 :]
    ops = nowhere = new = 0
    with_w = wants
    for step in steps:
        if not wants and step not in ("plus w", "plus new"):
            continue
        ops += 1
        nowhere += (not wants) + (step == "double") + (step == "plus x")
        new += step == "plus new"
        with_w = with_w or step == "plus w"
        wants = True
    return [ops, new + with_w, nowhere]


# %% answer="count_parts" style="a graph of plain tuples"
def count_parts(steps):
    W, X = ("leaf", "w"), None
    y = W
    for i, step in enumerate(steps):
        inputs = {
            "tanh": (y,),
            "double": (y, None),
            "square": (y, y),
            "plus x": (y, X),
            "plus w": (y, W),
            "plus new": (y, ("leaf", i)),
            "no grad": (None,),
        }[step]
        y = ("op", i, inputs) if any(one is not None for one in inputs) else None
    ops, leaves, nowhere = 0, set(), 0
    while y is not None and y[0] == "op":
        ops, nowhere = ops + 1, nowhere + y[2].count(None)
        leaves |= {one for one in y[2] if one is not None and one[0] == "leaf"}
        y = next((one for one in y[2] if one is not None and one[0] == "op"), None)
    return ops, len(leaves), nowhere


# %% answer="count_parts" spare="4 of 5"
# builds it and looks: right, but not by hand
def count_parts(steps):
    data, weight = mg.ones(3), mg.ones(3, requires_grad=True)
    y = weight
    for step in steps:
        if step == "no grad":
            with mg.no_grad():
                y = y.tanh()
        elif step == "plus new":
            y = y + mg.ones(3, requires_grad=True)
        else:
            y = {
                "tanh": lambda y: y.tanh(),
                "double": lambda y: y * 2.0,
                "square": lambda y: y * y,
                "plus x": lambda y: y + data,
                "plus w": lambda y: y + weight,
            }[step](y)
    seen, waiting, nowhere = set(), [y.grad_fn] if y.grad_fn else [], 0
    while waiting:
        node = waiting.pop()
        if node is None:
            nowhere += 1
        elif node not in seen:
            seen.add(node)
            waiting += [target for target, _ in node.next_functions]
    ends = sum(type(node).__name__ == "AccumulateGrad" for node in seen)
    return len(seen) - ends, ends, nowhere


# %% answer="count_parts" proof=true
def count_parts(steps):
    data, weight = mg.ones(3), mg.ones(3, requires_grad=True)
    y = weight
    for step in steps:
        if step == "no grad":
            with mg.no_grad():
                y = y.tanh()
        elif step == "plus new":
            y = y + mg.ones(3, requires_grad=True)
        else:
            y = {
                "tanh": lambda y: y.tanh(),
                "double": lambda y: y * 2.0,
                "square": lambda y: y * y,
                "plus x": lambda y: y + data,
                "plus w": lambda y: y + weight,
            }[step](y)
    seen, waiting, nowhere = set(), [y.grad_fn] if y.grad_fn else [], 0
    while waiting:
        node = waiting.pop()
        if node is None:
            nowhere += 1
        elif node not in seen:
            seen.add(node)
            waiting += [target for target, _ in node.next_functions]
    ends = sum(type(node).__name__ == "AccumulateGrad" for node in seen)
    return len(seen) - ends, ends, nowhere


# %% answer="peeks" wrong="A node does not lead to it"
# whoever has the node has the tensor
def peeks(v, layers, keep):
    y, seen = v, {}
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            seen[i] = y.grad_fn
    return y, seen


# %% answer="peeks" wrong="which arrow of yours leads to them"
# the graph needs its tensors
def peeks(v, layers, keep):
    y, seen = v, {}
    for i in range(layers):
        y = y * 2.0
        seen[i] = y
    return y, seen


# %% answer="peeks" wrong="nor does a weak reference hold it"
# a weak reference is enough, since the graph holds the tensor
def peeks(v, layers, keep):
    y, seen = v, {}
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            seen[i] = weakref.ref(y)
    return y, {i: watch() for i, watch in seen.items()}


# %% answer="peeks" wrong="The graph must lead from y back to v"
# no memory without a graph
def peeks(v, layers, keep):
    y, seen = v, {}
    with mg.no_grad():
        for i in range(layers):
            y = y * 2.0
            if i in keep:
                seen[i] = y
    return y, seen


# %% answer="peeks" wrong="stands a tensor without a node: it was cut off the chain"
# a value without its graph costs less
def peeks(v, layers, keep):
    y, seen = v, {}
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            seen[i] = y.detach().clone()
    return y, seen


# %% answer="peeks" wrong="stands a copy, or a value that was computed once more"
# the value can be had again at any time
def peeks(v, layers, keep):
    y = v
    for i in range(layers):
        y = y * 2.0
    return y, {i: v * 2.0 ** (i + 1) for i in keep}


# %% answer="peeks" style="all at first, then only those asked for"
def peeks(v, layers, keep):
    seen = {}
    for i in range(layers):
        v = v * 2.0
        seen[i] = v
        if i - 1 not in keep:
            seen.pop(i - 1, None)
    y = v
    return y, {i: seen[i] for i in keep}


# %% answer="peeks" style="a piece of chain from one to the next"
def peeks(v, layers, keep):
    def onward(y, count):
        for _ in range(count):
            y = y * 2.0
        return y

    seen, at = {}, -1
    for i in sorted(keep):
        v = seen[i] = onward(v, i - at)
        at = i
    return onward(v, layers - 1 - at), seen


# %% answer="peeks" spare="5 of 6"
# a copy of each result is safer, for as long as the chain runs
def peeks(v, layers, keep):
    y, seen, safe = v, {}, []
    for i in range(layers):
        y = y * 2.0
        safe.append(y.clone())
        if i in keep:
            seen[i] = y
    return y, seen


# %% answer="topological" wrong="let nodes wait in a list instead"
# recursion
def topological(root):
    order, seen = [], set()

    def visit(node):
        if node is not None and node not in seen:
            seen.add(node)
            for target, _ in node.next_functions:
                visit(target)
            order.append(node)

    visit(root.grad_fn)
    return order[::-1]


# %% answer="topological" wrong="It was found early, on a short path"
# the order in which nodes are found
def topological(root):
    order = [root.grad_fn] if root.grad_fn else []
    found = set(order)
    for node in order:
        for target, _ in node.next_functions:
            if target is not None and target not in found:
                found.add(target)
                order.append(target)
    return order


# %% answer="topological" wrong="turn it round"
# what has been left comes first
def topological(root):
    order, seen, waiting = [], set(), [(root.grad_fn, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            order.append(node)
        elif node is not None and node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(target, False) for target, _ in node.next_functions]
    return order


# %% answer="topological" wrong="it stands in your list more than once"
# a graph is a tree
def topological(root):
    order = [root.grad_fn] if root.grad_fn else []
    for node in order:
        order += [target for target, _ in node.next_functions if target is not None]
    return order


# %% answer="topological" wrong="an edge may lead nowhere"
# forgets that an edge may lead nowhere
def topological(root):
    order = [root.grad_fn]
    for node in order:
        order += [target for target, _ in node.next_functions if target not in order]
    return order


# %% answer="topological" wrong="down to the AccumulateGrad nodes"
# a graph ends where no tensor was computed
def topological(root):
    order, seen, waiting = [], set(), [(root.grad_fn, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            order.append(node)
        elif node is not None and node.next_functions and node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(target, False) for target, _ in node.next_functions]
    return order[::-1]


# %% answer="topological" style="edges counted, then followed"
import collections


def topological(root):
    if root.grad_fn is None:
        return []
    nodes, seen = [root.grad_fn], {root.grad_fn}
    for node in nodes:
        new = {target for target, _ in node.next_functions} - seen - {None}
        seen |= new
        nodes += new
    counts = collections.Counter(target for node in nodes for target, _ in node.next_functions)
    ready, order = [root.grad_fn], []
    while ready:
        node = ready.pop()
        order.append(node)
        for target, _ in node.next_functions:
            counts[target] -= 1
            if target is not None and counts[target] == 0:
                ready.append(target)
    return order


# %% answer="topological" style="iterators on a stack"
def topological(root):
    order, seen, stack = [], {None}, []

    def enter(node):
        if node not in seen:
            seen.add(node)
            stack.append((node, iter(node.next_functions)))

    enter(root.grad_fn)
    while stack:
        node, edges = stack[-1]
        edge = next(edges, None)
        if edge is None:
            order.append(stack.pop()[0])
        else:
            enter(edge[0])
    order.reverse()
    return order


# %% answer="topological" spare="5 of 5"
# a tensor for nothing: it goes with the call
def topological(root):
    spare = mg.zeros(1000)
    order, seen, waiting = [], set(), [(root.grad_fn, False)]
    while waiting and spare is not None:
        node, done = waiting.pop()
        if done:
            order.append(node)
        elif node is not None and node not in seen:
            seen.add(node)
            waiting.append((node, True))
            waiting += [(target, False) for target, _ in node.next_functions]
    return order[::-1]


# %% answer="only_the_node" wrong="`del out`: does a node hold it"
# the graph stores every activation
def only_the_node(batch, inputs, outputs):
    x, p, o = batch * inputs * 4, (inputs + 1) * outputs * 4, batch * outputs * 4
    return [x, x + p, x + p + o, *[x + p + o + 4] * 4, x + p + o, 0]


# %% answer="only_the_node" wrong="But two ends of the graph hold something of it"
# the parameters belong to the module
def only_the_node(batch, inputs, outputs):
    x, p, o = batch * inputs * 4, (inputs + 1) * outputs * 4, batch * outputs * 4
    return [x, x + p, x + p + o, x + p + o + 4, x + p + 4, x + 4, x + 4, x, 0]


# %% answer="only_the_node" wrong="one of the two is saved by a node"
# nodes hold no tensors
def only_the_node(batch, inputs, outputs):
    x, p, o = batch * inputs * 4, (inputs + 1) * outputs * 4, batch * outputs * 4
    return [x, x + p, x + p + o, x + p + o + 4, *[x + p + 4] * 3, p, 0]


# %% answer="only_the_node" wrong="who leads to the graph now"
# weights stay: only the collector can free a graph
def only_the_node(batch, inputs, outputs):
    x, p, o = batch * inputs * 4, (inputs + 1) * outputs * 4, batch * outputs * 4
    return [x, x + p, x + p + o, x + p + o + 4, *[x + p + 4] * 3, x + p, p]


# %% answer="only_the_node" wrong="a weight for each input and output, and a bias"
# forgets the bias
def only_the_node(batch, inputs, outputs):
    x, p, o = batch * inputs * 4, inputs * outputs * 4, batch * outputs * 4
    return [x, x + p, x + p + o, x + p + o + 4, *[x + p + 4] * 3, x + p, 0]


# %% answer="only_the_node" style="a line, and what it adds"
import itertools


def only_the_node(batch, inputs, outputs):
    x, p, o = batch * inputs, (inputs + 1) * outputs, batch * outputs
    changes = [x, p, o, 1, -o, 0, 0, -1, -x - p]
    return [4 * total for total in itertools.accumulate(changes)]


# %% answer="only_the_node" style="who is alive, line by line"
def only_the_node(batch, inputs, outputs):
    floats = {"x": batch * inputs, "w": inputs * outputs, "b": outputs, "o": batch * outputs}
    floats["t"] = 1
    lines = ["x", "xwb", "xwbo", "xwbot", "xwbt", "xwbt", "xwbt", "xwb", ""]
    return tuple(sum(4 * floats[name] for name in line) for line in lines)


# %% answer="only_the_node" spare="4 of 5"
# asks a layer for its bytes
def only_the_node(batch, inputs, outputs):
    layer = mg.nn.Linear(inputs, outputs)
    x, p, o = batch * inputs * 4, layer.weight.nbytes + layer.bias.nbytes, batch * outputs * 4
    return [x, x + p, x + p + o, x + p + o + 4, *[x + p + 4] * 3, x + p, 0]


# %% answer="only_the_node" proof=true
def only_the_node(batch, inputs, outputs):
    start, seen = mg.memory_allocated(), []
    x = mg.ones(batch, inputs)
    seen.append(mg.memory_allocated() - start)
    layer = mg.nn.Linear(inputs, outputs)
    seen.append(mg.memory_allocated() - start)
    out = layer(x)
    seen.append(mg.memory_allocated() - start)
    total = out.sum()
    seen.append(mg.memory_allocated() - start)
    del out
    seen.append(mg.memory_allocated() - start)
    del layer
    seen.append(mg.memory_allocated() - start)
    node = total.grad_fn
    seen.append(mg.memory_allocated() - start)
    del total, x
    seen.append(mg.memory_allocated() - start)
    del node
    return [*seen, mg.memory_allocated() - start]


# %% answer="peeks" wrong="You return the dictionary first"
def peeks(v, layers, keep):
    y, seen = v, {}
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            seen[i] = y
    return seen, y


# %% answer="peeks" wrong="a dictionary with the numbers of `keep` as its keys"
def peeks(v, layers, keep):
    y, seen = v, []
    for i in range(layers):
        y = y * 2.0
        if i in keep:
            seen.append(y)
    return y, seen


# %% answer="peeks" wrong="Return two things"
def peeks(v, layers, keep):
    for _ in range(layers):
        v = v * 2.0
    return v
