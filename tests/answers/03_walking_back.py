"""Lesson 03: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="backward_order" wrong="the one of the latest line runs first"
# level by level, as one reads a drawing; a node goes when its consumers have gone
def backward_order(lines):
    made = {name: inputs for name, *inputs in lines}
    reached, order = [lines[-1][0]], []
    for name in reached:
        reached += [one for one in made.get(name, []) if one not in reached]
    waiting = Counter(one for name in reached for one in made.get(name, []))
    ready = [lines[-1][0]]
    while ready:
        name = ready.pop(0)
        order.append(name)
        for one in made.get(name, []):
            waiting[one] -= 1
            if waiting[one] == 0:
                ready.insert(0 if one not in made else len(ready), one)
    return order


# %% answer="backward_order" wrong="AccumulateGrad jumps the queue"
# the leaves come last: they are the end of the graph
def backward_order(lines):
    needed, made = {lines[-1][0]}, [name for name, *_ in lines]
    for name, *inputs in reversed(lines):
        needed |= set(inputs) if name in needed else set()
    nodes = [name for name in reversed(made) if name in needed]
    return nodes + sorted(needed - set(made))


# %% answer="backward_order" wrong="cannot be reached from the last line"
# backward runs everything that was recorded
def backward_order(lines):
    made = {name for name, *_ in lines}
    waiting = Counter(one for _, *inputs in lines for one in inputs)
    order = []
    for name, *inputs in reversed(lines):
        order.append(name)
        for one in inputs:
            waiting[one] -= 1
            if waiting[one] == 0 and one not in made:
                order.append(one)
    return order


# %% answer="backward_order" wrong="waits for all its consumers, and runs once"
# one visit for each path
def backward_order(lines):
    made = {name: inputs for name, *inputs in lines}
    order = [lines[-1][0]]
    for name in order:
        order += made.get(name, [])
    return order


# %% answer="backward_order" style="last uses first"
def backward_order(lines):
    needed, order = {lines[-1][0]}, []
    for name, *inputs in lines[::-1]:
        if name in needed:
            needed.update(inputs)
            order.append(name)
    first_use = {}
    for name, *inputs in lines:
        for one in inputs if name in needed else ():
            first_use.setdefault(one, name)
    leaves = {first_use[one]: one for one in needed - {line[0] for line in lines}}
    return [one for name in order for one in (name, leaves.get(name)) if one is not None]


# %% answer="backward_order" style="a heap, as the engine has it"
import heapq


def backward_order(lines):
    age = {name: i for i, (name, *_) in enumerate(lines)}
    inputs_of = {name: inputs for name, *inputs in lines}
    reached, stack = set(), [lines[-1][0]]
    while stack:
        name = stack.pop()
        if name not in reached:
            reached.add(name)
            stack += inputs_of.get(name, [])
    waiting = Counter(one for name in reached for one in inputs_of.get(name, []))
    ready, order = [(0, lines[-1][0])], []
    while ready:
        order.append(heapq.heappop(ready)[1])
        for one in inputs_of.get(order[-1], []):
            waiting[one] -= 1
            if not waiting[one]:
                heapq.heappush(ready, (-age.get(one, len(lines)), one))
    return order


# %% answer="backward_order" spare="4 of 5"
# runs it and looks: right, but not by hand
def backward_order(lines):
    values, names, visits = {one: mg.ones(2, requires_grad=True) for one in "abc"}, {}, []
    for name, *inputs in lines:
        first, *rest = [values[one] for one in inputs]
        values[name] = first + rest[0] if rest else first.exp()
        names[values[name].grad_fn] = name
    root = values[lines[-1][0]]
    for node in nodes(root.grad_fn):
        name = names.get(node) or next(n for n in "abc" if values[n] is node.variable)
        node.register_hook(lambda *_, name=name: visits.append(name))
    root.backward(mg.ones(2))
    return visits


# %% answer="backward_order" proof=true
def backward_order(lines):
    values, names, visits = {one: mg.ones(2, requires_grad=True) for one in "abc"}, {}, []
    for name, *inputs in lines:
        first, *rest = [values[one] for one in inputs]
        values[name] = first + rest[0] if rest else first.exp()
        names[values[name].grad_fn] = name
    root = values[lines[-1][0]]
    found = [root.grad_fn]
    for node in found:
        name = names.get(node) or next(n for n in "abc" if values[n] is node.variable)
        node.register_hook(lambda *_, name=name: visits.append(name))
        targets = {target for target, _ in node.next_functions} - {None}
        found += [target for target in targets if target not in found]
    root.backward(mg.ones(2))
    return visits


# %% answer="grads_and_bytes" wrong="Which gradients stay"
# every tensor keeps its gradient
def grads_and_bytes(rows, columns, p, q):
    u = rows * columns * 4
    return [n * u for n in (1, 2, 2, 2, 5, 5, 5, 5, 6)], [2 * p * p * q + q, q, q]


# %% answer="grads_and_bytes" wrong="Which node still leads to b"
# del frees the tensor
def grads_and_bytes(rows, columns, p, q):
    u = rows * columns * 4
    return [n * u for n in (1, 2, 2, 1, 3, 3, 3, 3, 4)], [2 * p * p * q + q, q, q]


# %% answer="grads_and_bytes" wrong="Where does it put its own"
# the second walk makes a new sum, and what was kept stays as it was
def grads_and_bytes(rows, columns, p, q):
    u = rows * columns * 4
    return [n * u for n in (1, 2, 2, 2, 3, 3, 4, 3, 4)], [2 * p * p * q, q, q]


# %% answer="grads_and_bytes" wrong="Who else leads to these bytes"
# a.grad = None frees the gradient
def grads_and_bytes(rows, columns, p, q):
    u = rows * columns * 4
    return [n * u for n in (1, 2, 2, 2, 3, 3, 3, 2, 3)], [2 * p * p * q + q, q, q]


# %% answer="grads_and_bytes" wrong="is the second walk in it"
# each backward begins by clearing the old gradients
def grads_and_bytes(rows, columns, p, q):
    u = rows * columns * 4
    return [n * u for n in (1, 2, 2, 2, 3, 3, 3, 3, 4)], [2 * p * p * q, q, q]


# %% answer="grads_and_bytes" wrong="Who names it afterwards"
# a sum is a tensor, so it is there
def grads_and_bytes(rows, columns, p, q):
    u = rows * columns * 4
    units = zip((1, 2, 2, 2, 3, 3, 3, 3, 4), (0, 0, 0, 0, 4, 4, 8, 8, 12))
    return [n * u + sums for n, sums in units], [2 * p * p * q + q, q, q]


# %% answer="grads_and_bytes" style="a line, and what it adds"
import itertools


def grads_and_bytes(rows, columns, p, q):
    changes = [1, 1, 0, 0, 2 - 1, 0, 0, 0, 1]
    bytes_of = [4 * rows * columns * n for n in itertools.accumulate(changes)]
    first = 2 * (1 * p) * p * q
    return bytes_of, (float(first + q), float(q), float(q))


# %% answer="grads_and_bytes" style="who is alive, line by line"
def grads_and_bytes(rows, columns, p, q):
    lines = "b", "bc", "bc", "bc", "c12", "c12", "c12", "c12", "c123"
    return [[len(line) * rows * columns * 4 for line in lines], [q * (2 * p**2 + 1), q, q]]


# %% answer="grads_and_bytes" spare="5 of 6"
# asks a tensor for its size
def grads_and_bytes(rows, columns, p, q):
    u = mg.zeros(rows, columns).nbytes
    return [n * u for n in (1, 2, 2, 2, 3, 3, 3, 3, 4)], [2 * p * p * q + q, q, q]


# %% answer="grads_and_bytes" proof=true
def grads_and_bytes(rows, columns, p, q):
    a = mg.ones(rows, columns, requires_grad=True)
    start, seen = mg.memory_allocated(), []
    b = a * p
    seen.append(mg.memory_allocated() - start)
    c = b * b
    seen.append(mg.memory_allocated() - start)
    c.retain_grad()
    seen.append(mg.memory_allocated() - start)
    del b
    seen.append(mg.memory_allocated() - start)
    (c * q).sum().backward()
    seen.append(mg.memory_allocated() - start)
    kept = a.grad
    seen.append(mg.memory_allocated() - start)
    (a * q).sum().backward()
    seen.append(mg.memory_allocated() - start)
    a.grad = None
    seen.append(mg.memory_allocated() - start)
    (a * q).sum().backward()
    seen.append(mg.memory_allocated() - start)
    return seen, [kept[0, 0].item(), a.grad[0, 0].item(), c.grad[0, 0].item()]


# %% answer="mean_gradient" wrong="How often does a walk go through each part"
# .grad takes over the last gradient, so the walk from the mean puts all right
def mean_gradient(w, parts):
    w.grad = None
    total = 0.0
    for part in parts:
        loss = ((part @ w).tanh() ** 2).sum()
        loss.backward(retain_graph=True)
        total = total + loss
    mean = total / len(parts)
    mean.backward()
    return mean.item()


# %% answer="mean_gradient" wrong="no backward empties `.grad`"
# each backward begins by clearing the old gradients
def mean_gradient(w, parts):
    mean = 0.0
    for part in parts:
        loss = ((part @ w).tanh() ** 2).sum() / len(parts)
        loss.backward()
        mean += loss.item()
    return mean


# %% answer="mean_gradient" wrong="you wrote into its bytes"
# zeros are as good as None
def mean_gradient(w, parts):
    if w.grad is not None:
        w.grad.zero_()
    mean = 0.0
    for part in parts:
        loss = ((part @ w).tanh() ** 2).sum() / len(parts)
        loss.backward()
        mean += loss.item()
    return mean


# %% answer="mean_gradient" wrong="the graph of another part"
# one loss, one backward
def mean_gradient(w, parts):
    w.grad = None
    mean = sum(((part @ w).tanh() ** 2).sum() for part in parts) / len(parts)
    mean.backward()
    return mean.item()


# %% answer="mean_gradient" wrong="What is in `w.grad` when each walk begins"
# zero_grad before every backward, as one has learnt
def mean_gradient(w, parts):
    mean = 0.0
    for part in parts:
        w.grad = None
        loss = ((part @ w).tanh() ** 2).sum() / len(parts)
        loss.backward()
        mean += loss.item()
    return mean


# %% answer="mean_gradient" style="the start gradient as the share"
def mean_gradient(w, parts):
    w.grad, losses = None, []
    for part in parts:
        y = (part @ w).tanh()
        loss = (y * y).sum()
        loss.backward(mg.tensor(1 / len(parts)))
        losses.append(loss.item())
    return sum(losses) / len(losses)


# %% answer="mean_gradient" style="one part in a function, the share at the end"
def mean_gradient(w, parts):
    def walk(part):
        loss = (part @ w).tanh().pow(2).sum()
        loss.backward()
        return loss.item()

    w.grad = None
    total = sum(walk(part) for part in parts)
    w.grad = w.grad / len(parts)
    return total / len(parts)


# %% answer="mean_gradient" style="names in a function end with each part"
def mean_gradient(w, parts):
    def step(part):
        z = part @ w
        h = z.tanh()
        loss = (h**2).sum() / len(parts)
        loss.backward()
        return loss.item()

    w.grad = None
    return sum(step(part) for part in parts)


# %% answer="mean_gradient" style="by hand, without a graph"
def mean_gradient(w, parts):
    mean, total = 0.0, mg.zeros(*w.shape)
    with mg.no_grad():
        for part in parts:
            h = (part @ w).tanh()
            mean += (h * h).sum().item() / len(parts)
            total += part.t() @ (2 * h * (1 - h * h)) / len(parts)
    w.grad = total
    return mean


# %% answer="mean_gradient" wrong="a result that no node saves"
# each product goes into a list, detached, to be looked at later
def mean_gradient(w, parts):
    w.grad, mean, products = None, 0.0, []
    for part in parts:
        z = part @ w
        products.append(z.detach())
        loss = (z.tanh() ** 2).sum() / len(parts)
        loss.backward()
        mean += loss.item()
    return mean


# %% answer="mean_gradient" spare="4 of 6"
# keeps the results, to look at them later
def mean_gradient(w, parts):
    w.grad = None
    mean, seen = 0.0, []
    for part in parts:
        y = (part @ w).tanh()
        seen.append(y.clone())
        loss = (y**2).sum() / len(parts)
        loss.backward()
        mean += loss.item()
    return mean


# %% answer="net_by_hand" wrong="the slope of tanh comes from h"
# the derivative at the input: f'(z)
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        z = x @ w1
        h = z.tanh()
        y = h @ w2
        g = y * 2
        return (y * y).sum().item(), x.t() @ ((g @ w2.t()) * (1 - z * z)), h.t() @ g


# %% answer="net_by_hand" wrong="minigrad made no product"
# in numpy from end to end, where nobody counts
import numpy as np


def net_by_hand(x, w1, w2):
    x, w1, w2 = (t.detach().numpy() for t in (x, w1, w2))
    h = np.tanh(x @ w1)
    y = h @ w2
    dy = 2 * y
    dh = (dy @ w2.T) * (1 - h**2)
    return float(np.sum(y**2)), mg.tensor(x.T @ dh), mg.tensor(h.T @ dy)


# %% answer="net_by_hand" wrong="for w2 is a multiple of the right one"
# the gradient for y is y
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        h = (x @ w1).tanh()
        y = h @ w2
        return (y * y).sum().item(), x.t() @ ((y @ w2.t()) * (1 - h * h)), h.t() @ y


# %% answer="net_by_hand" wrong="for w1 is a multiple of the right one"
# both factors of a square, once more
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        h = (x @ w1).tanh()
        y = h @ w2
        g = y * 2
        return (y * y).sum().item(), x.t() @ ((2 * g @ w2.t()) * (1 - h * h)), h.t() @ g


# %% answer="net_by_hand" wrong="The engine ran"
# the engine knows best
def net_by_hand(x, w1, w2):
    a, b = w1.detach().requires_grad_(), w2.detach().requires_grad_()
    loss = (((x @ a).tanh() @ b) ** 2).sum()
    loss.backward()
    return loss.item(), a.grad, b.grad


# %% answer="net_by_hand" wrong="Which is a, which is b"
# a gradient goes through a product as the values did
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        h = (x @ w1).tanh()
        y = h @ w2
        g = y * 2
        return (y * y).sum().item(), x.t() @ ((g @ w2) * (1 - h * h)), h.t() @ g


# %% answer="net_by_hand" wrong="Was a graph recorded"
# without backward there is no graph
def net_by_hand(x, w1, w2):
    h = (x @ w1).tanh()
    y = h @ w2
    g = y * 2
    return (y * y).sum().item(), x.t() @ ((g @ w2.t()) * (1 - h * h)), h.t() @ g


# %% answer="net_by_hand" wrong="leads to something that no later line needs"
# every intermediate value is needed on the way back
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        z = x @ w1
        h = z.tanh()
        y = h @ w2
        g = y * 2
        return (y * y).sum().item(), x.t() @ ((g @ w2.t()) * (1 - h * h)), h.t() @ g


# %% answer="net_by_hand" wrong="Which is computed twice"
# computes h again, to hold nothing
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        y = (x @ w1).tanh() @ w2
        h = (x @ w1).tanh()
        g = y * 2
        return (y * y).sum().item(), x.t() @ ((g @ w2.t()) * (1 - h * h)), h.t() @ g


# %% answer="net_by_hand" style="detached weights, in place"
def net_by_hand(x, w1, w2):
    w1, w2 = w1.detach(), w2.detach()
    h = mg.matmul(x, w1).tanh()
    g = mg.matmul(h, w2)
    loss = (g**2).sum().item()
    g = 2 * g
    for_w2 = h.t().matmul(g)
    g = g.matmul(w2.t())
    g *= 1 - h.pow(2)
    return [loss, x.t().matmul(g), for_w2]


# %% answer="net_by_hand" style="two functions"
def through_tanh(g, h):
    return g - g * h * h


def net_by_hand(x, w1, w2):
    with mg.no_grad():
        h = (x @ w1).tanh()
        y = h @ w2
        before_tanh = through_tanh(y @ w2.t(), h) * 2
        return float((y * y).sum()), x.t() @ before_tanh, 2 * (h.t() @ y)


# %% answer="net_by_hand" spare="5 of 7"
# a copy, to be safe
def net_by_hand(x, w1, w2):
    with mg.no_grad():
        h = (x @ w1).tanh()
        safe = h.clone()
        y = h @ w2
        g = y * 2
        return (y * y).sum().item(), x.t() @ ((g @ w2.t()) * (1 - safe * safe)), h.t() @ g


# %% answer="net_by_hand" wrong="Is the loss that you return a tensor?"
@mg.no_grad()
def net_by_hand(x, w1, w2):
    h = (x @ w1).tanh()
    y = h @ w2
    loss = (y * y).sum()
    g = 2 * y
    del y
    d2 = h.t() @ g
    g = g @ w2.t()
    h *= h
    g *= 1 - h
    del h
    return loss, x.t() @ g, d2
