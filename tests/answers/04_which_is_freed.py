"""Lesson 04: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="held_by_chain" wrong="Backward drops the arrows of the graph."
# backward frees everything, my own result too
def held_by_chain(steps, rows, columns):
    held = sum(
        step in ("tanh", "exp") or steps[i + 1 : i + 2] == ["square"] or i == len(steps) - 1
        for i, step in enumerate(steps)
    )
    return held * rows * columns * 4, 0


# %% answer="held_by_chain" wrong="Whom does it leave pointing at y?"
# every operation keeps its result
def held_by_chain(steps, rows, columns):
    return len(steps) * rows * columns * 4, rows * columns * 4


# %% answer="held_by_chain" wrong="Count storages, not saves."
# a square saves two tensors
def held_by_chain(steps, rows, columns):
    unit, held = rows * columns * 4, 0
    for i, step in enumerate(steps):
        held += step in ("tanh", "exp") or i == len(steps) - 1
        held += 2 * (i > 0 and step == "square")
    return held * unit, unit


# %% answer="held_by_chain" wrong="After backward no node points at what it saved."
# the graph is freed later, by the garbage collector
def held_by_chain(steps, rows, columns):
    unit, held = rows * columns * 4, 0
    for i, step in enumerate(steps):
        held += step in ("tanh", "exp") or steps[i + 1 : i + 2] == ["square"]
        held += i == len(steps) - 1 and step not in ("tanh", "exp")
    return held * unit, held * unit


# %% answer="held_by_chain" wrong="and is there once"
# the name y holds one more
def held_by_chain(steps, rows, columns):
    unit, held = rows * columns * 4, 1
    for i, step in enumerate(steps):
        held += step in ("tanh", "exp") or steps[i + 1 : i + 2] == ["square"]
    return held * unit, unit


# %% answer="held_by_chain" style="a set of the results that somebody holds"
def held_by_chain(steps, rows, columns):
    held = {len(steps) - 1}
    held |= {i for i, step in enumerate(steps) if step in {"tanh", "exp"}}
    held |= {i - 1 for i, step in enumerate(steps) if step == "square" and i}
    return [4 * rows * columns * len(held), 4 * rows * columns]


# %% answer="held_by_chain" style="backwards, with zip"
def held_by_chain(steps, rows, columns):
    total = 0
    for step, following in zip(reversed(steps), [None, *reversed(steps)]):
        total += following in (None, "square") or step in ("exp", "tanh")
    return total * rows * columns * 4, rows * columns * 4


# %% answer="held_by_chain" spare="4 of 5"
# runs it and looks: right, but not by hand
def held_by_chain(steps, rows, columns):
    x = mg.ones(rows, columns, requires_grad=True)
    x.grad = mg.zeros(rows, columns)
    start, y = mg.memory_allocated(), x
    for step in steps:
        if step == "double":
            y = y * 2
        else:
            y = y * y if step == "square" else getattr(y, step)()
    before = mg.memory_allocated() - start
    y.sum().backward()
    return before, mg.memory_allocated() - start


# %% answer="held_by_chain" proof=true
def held_by_chain(steps, rows, columns):
    x = mg.ones(rows, columns, requires_grad=True)
    x.grad = mg.zeros(rows, columns)
    start, y = mg.memory_allocated(), x
    for step in steps:
        if step == "double":
            y = y * 2
        else:
            y = y * y if step == "square" else getattr(y, step)()
    before = mg.memory_allocated() - start
    y.sum().backward()
    return before, mg.memory_allocated() - start


# %% answer="forgetful_step" wrong="Append the number in it, a Python float."
# without retain_graph the graph is freed, so the loss may be kept
def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss)


# %% answer="forgetful_step" wrong="Append the number in it, a Python float."
# detach is enough: no graph, but a tensor of 4 bytes a step
def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.detach())


# %% answer="forgetful_step" wrong="Something outlives the call"
# kept "for a look later"
def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())
    forgetful_step.last = getattr(forgetful_step, "last", []) + [y]


# %% answer="forgetful_step" wrong="Keep the forward pass and the backward as they are."
# no graph, no leak: and no gradient
def forgetful_step(x, w, log):
    with mg.no_grad():
        y = (x @ w).tanh()
        log.append((y * y).sum().item())
    w.grad = mg.zeros(*w.shape)


# %% answer="forgetful_step" style="a new gradient each step"
def forgetful_step(x, w, log):
    w.grad = None
    y = (x @ w).tanh()
    loss = (y * y).sum()
    loss.backward()
    log.append(loss.item())


# %% answer="forgetful_step" style="in one line, with float()"
def forgetful_step(x, w, log):
    loss = ((x @ w).tanh() ** 2).sum()
    loss.backward()
    log.append(float(loss))


# %% answer="forgetful_step" style="the number first, a retained graph that dies with the call"
def forgetful_step(x, w, log):
    hidden = mg.matmul(x, w).tanh()
    loss = hidden.mul(hidden).sum()
    log += [loss.item()]
    loss.backward(retain_graph=True)
    del loss, hidden


# %% answer="forgetful_step" spare="4 of 5"
# copies nobody needs: they go with the call, but they are there at the peak
def forgetful_step(x, w, log):
    y = (x @ w).tanh()
    spare = [y.clone() for _ in range(3)]
    loss = (y * spare[0]).sum()
    loss.backward()
    log.append(loss.item())


# %% answer="graph_report" wrong="keep a list instead"
# recursion
def graph_report(root):
    counts, seen = {"kept": 0, "freed": 0, "nothing": 0}, set()

    def visit(node):
        if node is None or node in seen:
            return
        seen.add(node)
        found = "nothing"
        for name in dir(node):
            if name.startswith("_saved_"):
                try:
                    found = "kept" if isinstance(getattr(node, name), mg.Tensor) else found
                except RuntimeError:
                    found = "freed"
                    break
        counts[found] += 1
        for parent, _ in node.next_functions:
            visit(parent)

    visit(root.grad_fn)
    return counts


# %% answer="graph_report" wrong="remember what you have seen"
# a graph is a tree
def graph_report(root):
    counts, waiting = {"kept": 0, "freed": 0, "nothing": 0}, [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None:
            continue
        found = "nothing"
        for name in dir(node):
            if name.startswith("_saved_"):
                try:
                    found = "kept" if isinstance(getattr(node, name), mg.Tensor) else found
                except RuntimeError:
                    found = "freed"
                    break
        counts[found] += 1
        waiting += [parent for parent, _ in node.next_functions]
    return counts


# %% answer="graph_report" wrong="A node without a saved tensor has nothing to free"
# after backward everything is freed
def graph_report(root):
    seen, waiting, freed = set(), [root.grad_fn], False
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        for name in dir(node):
            if name.startswith("_saved_"):
                try:
                    getattr(node, name)
                except RuntimeError:
                    freed = True
    gone = len(seen) if freed else 0
    return {"kept": len(seen) - gone, "freed": gone, "nothing": 0}


# %% answer="graph_report" wrong="may be None"
# forgets that a parent may be nobody
def graph_report(root):
    counts, seen, waiting = {"kept": 0, "freed": 0, "nothing": 0}, set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        counts["nothing"] += 1
    return counts


# %% answer="graph_report" spare="6 of 6"
# copies what it looks at: nothing of it lasts
def graph_report(root):
    counts, seen, waiting = {"kept": 0, "freed": 0, "nothing": 0}, set(), [root.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting += [parent for parent, _ in node.next_functions]
        found = "nothing"
        for name in dir(node):
            if name.startswith("_saved_"):
                try:
                    copy = mg.tensor(getattr(node, name).tolist())
                    found = "kept" if copy is not None else found
                except AttributeError:
                    continue
                except RuntimeError:
                    found = "freed"
                    break
        counts[found] += 1
    return counts


# %% answer="graph_report" style="two generators"
def nodes_below(root):
    seen, waiting = [], [root.grad_fn]
    for node in waiting:
        if node not in seen[-64:] and node not in set(seen):
            seen.append(node)
            waiting.extend(parent for parent, _ in node.next_functions if parent)
    return seen


def graph_report(root):
    def judged(node):
        saved = []
        for name in filter(lambda name: name.startswith("_saved_"), dir(node)):
            try:
                saved.append(getattr(node, name))
            except RuntimeError:
                return "freed"
        return "kept" if any(isinstance(s, mg.Tensor) for s in saved) else "nothing"

    report = dict.fromkeys(("kept", "freed", "nothing"), 0)
    for node in dict.fromkeys(nodes_below(root)):
        report[judged(node)] += 1
    return report


# %% answer="graph_report" style="a queue and collections.Counter"
import collections


def graph_report(root):
    def ask(node, name):
        try:
            return isinstance(getattr(node, name), mg.Tensor) and "kept"
        except RuntimeError:
            return "freed"

    queue, seen = collections.deque([root.grad_fn]), {root.grad_fn}
    counts = collections.Counter(kept=0, freed=0, nothing=0)
    while queue:
        node = queue.popleft()
        answers = {ask(node, name) for name in dir(node) if name[:7] == "_saved_"}
        counts["freed" if "freed" in answers else "kept" if "kept" in answers else "nothing"] += 1
        for parent, _ in node.next_functions:
            if parent is not None and parent not in seen:
                seen.add(parent)
                queue.append(parent)
    return dict(counts)


# %% answer="alive_line_by_line" wrong="Do others point at the same storages?"
# del frees what it deletes
def alive_line_by_line(rows, columns):
    u = rows * columns * 4
    return [u, 2 * u, 3 * u, u, u + 4, u + 4]


# %% answer="alive_line_by_line" wrong="Which storages still have a name?"
# backward frees everything
def alive_line_by_line(rows, columns):
    u = rows * columns * 4
    return [u, 2 * u, 3 * u, 3 * u, 3 * u + 4, 0]


# %% answer="alive_line_by_line" wrong="a result with one element has 4 bytes"
# a sum is no tensor
def alive_line_by_line(rows, columns):
    u = rows * columns * 4
    return [u, 2 * u, 3 * u, 3 * u, 3 * u, u]


# %% answer="alive_line_by_line" wrong="yet a name points at the result"
# + saves nothing, so c is not there
def alive_line_by_line(rows, columns):
    u = rows * columns * 4
    return [u, u, 2 * u, 2 * u, 2 * u + 4, u + 4]


# %% answer="alive_line_by_line" style="in units"
def alive_line_by_line(rows, columns):
    return [n * rows * columns * 4 + rest for n, rest in
            [(1, 0), (2, 0), (3, 0), (3, 0), (3, 4), (1, 4)]]  # fmt: skip


# %% answer="alive_line_by_line" style="holders, counted"
def alive_line_by_line(rows, columns):
    sizes = dict(b=4 * rows * columns, c=4 * rows * columns, d=4 * rows * columns, e=4)
    lines = ["b", "bc", "bcd", "bcd", "bcde", "de"]
    return [sum(map(sizes.get, line)) for line in lines]


# %% answer="alive_line_by_line" spare="3 of 4"
def alive_line_by_line(rows, columns):
    u = mg.ones(rows, columns).untyped_storage().nbytes()
    return [u, 2 * u, 3 * u, 3 * u, 3 * u + 4, u + 4]


# %% answer="alive_line_by_line" proof=true
def alive_line_by_line(rows, columns):
    a = mg.ones(rows, columns, requires_grad=True)
    a.grad = mg.zeros(rows, columns)
    start, seen = mg.memory_allocated(), []
    b = a.exp()
    seen.append(mg.memory_allocated() - start)
    c = b + 1
    seen.append(mg.memory_allocated() - start)
    d = c * b
    seen.append(mg.memory_allocated() - start)
    del b, c
    seen.append(mg.memory_allocated() - start)
    e = d.sum()
    seen.append(mg.memory_allocated() - start)
    e.backward()
    return [*seen, mg.memory_allocated() - start]
