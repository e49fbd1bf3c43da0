"""Lesson 05: what people write. Each cell is one answer; course/build/README.md tells its keys."""


# %% answer="where_it_stops" wrong="does any old node miss something"
# a graph can be walked only once
def where_it_stops(before, inside, retain):
    return (retain.index(False) + 1, len(before) - 1)


# %% answer="where_it_stops" wrong="some step of `before` saved something"
# y is made anew in each iteration, so its graph is new (thread 003)
def where_it_stops(before, inside, retain):
    return None


# %% answer="where_it_stops" wrong="Which saver of `before` does it meet first?"
# backward runs the nodes in the order in which they were written
def where_it_stops(before, inside, retain):
    saves = [step in ("y * 5", "y * y", "y.exp()", "y.tanh()") for step in before]
    if not any(saves) or all(retain[:-1]):
        return None
    return retain.index(False) + 1, saves.index(True)


# %% answer="where_it_stops" wrong="and a call has freed it"
# the second backward fails, unless it says retain_graph=True itself
def where_it_stops(before, inside, retain):
    saves = [step in ("y * 5", "y * y", "y.exp()", "y.tanh()") for step in before]
    late = [i for i, keep in enumerate(retain) if i and not keep]
    return (late[0], max(i for i, s in enumerate(saves) if s)) if any(saves) and late else None


# %% answer="where_it_stops" wrong="some step of `before` saved something"
# 5 is no tensor, so y * 5 saves nothing
def where_it_stops(before, inside, retain):
    saves = [step in ("y * y", "y.exp()", "y.tanh()") for step in before]
    if not any(saves) or all(retain[:-1]):
        return None
    return retain.index(False) + 1, max(i for i, s in enumerate(saves) if s)


# %% answer="where_it_stops" style="a walk over the iterations"
def where_it_stops(before, inside, retain):
    free = False
    for iteration, keep in enumerate(retain):
        for place in range(len(before) - 1, -1, -1):
            if free and before[place] not in {"y + 5", "5 - y", "-y", "y.clone()"}:
                return [iteration, place]
        free = free or not keep
    return None


# %% answer="where_it_stops" style="next() with a default"
def where_it_stops(before, inside, retain):
    keeps = {"y * 5": 1, "y * y": 1, "y.exp()": 1, "y.tanh()": 1}
    place = next((p for p in reversed(range(len(before))) if before[p] in keeps), None)
    call = next((i for i, keep in enumerate(retain[:-1]) if not keep), None)
    return None if place is None or call is None else (call + 1, place)


# %% answer="where_it_stops" spare="4 of 5"
# runs it and looks: right, but not by hand
def where_it_stops(before, inside, retain):
    ran = []
    y = trunk = mg.ones(3, requires_grad=True)
    for place, step in enumerate(before):
        y = trunk = eval(step)
        y.grad_fn.register_prehook(lambda grads, place=place: ran.append(place))
    for iteration, keep in enumerate(retain):
        y = trunk
        for step in inside:
            y = eval(step)
        try:
            y.sum().backward(retain_graph=keep)
        except RuntimeError:
            return iteration, ran[-1]
    return None


# %% answer="where_it_stops" proof=true
def where_it_stops(before, inside, retain):
    ran = []
    y = trunk = mg.ones(3, requires_grad=True)
    for place, step in enumerate(before):
        y = trunk = eval(step)
        y.grad_fn.register_prehook(lambda grads, place=place: ran.append(place))
    for iteration, keep in enumerate(retain):
        y = trunk
        for step in inside:
            y = eval(step)
        try:
            y.sum().backward(retain_graph=keep)
        except RuntimeError:
            return iteration, ran[-1]
    return None


# %% answer="FourLoops" wrong="the card asks for a mend without it"
# retain_graph is the remedy that the message itself names
class FourLoops:
    def shared(x, w, targets):
        h = (x @ w).tanh()
        for t in targets:
            (h * t).sum().backward(retain_graph=True)

    def carried(x, w, steps):
        h = x
        for _ in range(steps):
            h = (h @ w).tanh()
            h.sum().backward(retain_graph=True)

    def updated(x, w, steps):
        loss = (x @ w).tanh().sum()
        for _ in range(steps):
            loss.backward(retain_graph=True)
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()

    def doubled(x, w):
        loss = (x @ w).tanh().sum()
        loss.backward(retain_graph=True)
        loss.backward()


# %% answer="FourLoops" wrong="Which second call walks an old graph?"
# the cell as it was
class FourLoops:
    def shared(x, w, targets):
        h = (x @ w).tanh()
        for t in targets:
            (h * t).sum().backward()


# %% answer="FourLoops" wrong="none of them cuts the trunk off"
# detach makes every error go away
class FourLoops:
    def shared(x, w, targets):
        h = (x @ w).tanh()
        h.sum().backward()
        h = h.detach().requires_grad_()
        for t in targets:
            (h * t).sum().backward()

    def carried(x, w, steps):
        h = x
        for _ in range(steps):
            h = (h.detach() @ w).tanh()
            h.sum().backward()

    def updated(x, w, steps):
        for _ in range(steps):
            (x @ w).tanh().sum().backward()
            w.detach().sub_(0.1 * w.grad)
            w.grad.zero_()

    def doubled(x, w):
        loss = (2 * (x @ w).tanh()).sum()
        loss.backward()


# %% answer="FourLoops" wrong="Which line must run again in each step?"
# gradients add up: n steps are one step with n times the gradient
class FourLoops:
    def shared(x, w, targets):
        (((x @ w).tanh()) * sum(targets)).sum().backward()

    def carried(x, w, steps):
        h = x
        for _ in range(steps):
            h = (h.detach() @ w).tanh()
            h.sum().backward()

    def updated(x, w, steps):
        (x @ w).tanh().sum().backward()
        with mg.no_grad():
            w -= 0.1 * steps * w.grad
            w.grad.zero_()

    def doubled(x, w):
        (2 * (x @ w).tanh().sum()).backward()


# %% answer="FourLoops" wrong="add before you walk"
# everything anew, as in examples 1 and 4: right, and twice the work
class FourLoops:
    def shared(x, w, targets):
        for t in targets:
            ((x @ w).tanh() * t).sum().backward()

    def carried(x, w, steps):
        h = x
        for _ in range(steps):
            h = (h.detach() @ w).tanh()
            h.sum().backward()

    def updated(x, w, steps):
        for _ in range(steps):
            (x @ w).tanh().sum().backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()

    def doubled(x, w):
        for _ in range(2):
            (x @ w).tanh().sum().backward()


# %% answer="FourLoops" style="gradients as arguments of backward"
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        h = (x @ w).tanh()
        h.backward(sum(targets))

    @staticmethod
    def carried(x, w, steps):
        state = x
        for _ in range(steps):
            h = (state @ w).tanh()
            h.backward(mg.ones_like(h))
            state = h.detach()

    @staticmethod
    def updated(x, w, steps):
        for _ in range(steps):
            (x @ w).tanh().sum().backward()
            w.detach().sub_(0.1 * w.grad)
            w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        (x @ w).tanh().sum().backward(mg.tensor(2.0))


# %% answer="FourLoops" style="an optimizer, the gradient of h first, an average"
class FourLoops:
    def shared(x, w, targets):
        trunk = (x @ w).tanh()
        h = trunk.detach().requires_grad_()
        for t in targets:
            (h * t).sum().backward()
        trunk.backward(h.grad)

    def carried(x, w, steps):
        h = x
        while steps:
            loss = (h := (h @ w).tanh()).sum()
            loss.backward()
            h, steps = h.detach(), steps - 1

    def updated(x, w, steps):
        optimizer = mg.optim.SGD([w], lr=0.1)
        for _ in range(steps):
            optimizer.zero_grad()
            mg.matmul(x, w).tanh().sum().backward()
            optimizer.step()

    def doubled(x, w):
        loss = (x @ w).tanh().sum()
        (loss + loss).backward()


# %% answer="FourLoops" spare="6 of 7"
# all states of `carried` in a list, one backward at the end
class FourLoops:
    def shared(x, w, targets):
        h = (x @ w).tanh()
        sum((h * t).sum() for t in targets).backward()

    def carried(x, w, steps):
        states = [x]
        for _ in range(steps):
            states.append((states[-1].detach() @ w).tanh())
        sum(h.sum() for h in states[1:]).backward()

    def updated(x, w, steps):
        for _ in range(steps):
            (x @ w).tanh().sum().backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()

    def doubled(x, w):
        (2 * (x @ w).tanh().sum()).backward()


# %% answer="price_of_retaining" wrong="does a name or list lead to a graph that kept its results?"
# you retain every graph, so all are there in the end
def price_of_retaining(layers, steps, retain, then):
    return (steps * layers + 2, steps * layers) if retain else (layers + 1, 0)


# %% answer="price_of_retaining" wrong="does a name or list lead to a graph that kept its results?"
# a list of losses keeps all graphs, whatever backward did
def price_of_retaining(layers, steps, retain, then):
    kept = {"del y": 0, "nothing": layers * retain, "log.append(y)": steps * layers}[then]
    return max(kept, layers + 1), kept


# %% answer="price_of_retaining" wrong="keeps its old graph until the new one is complete"
# the old graph goes when the new iteration begins
def price_of_retaining(layers, steps, retain, then):
    if not retain:
        return layers + 1, 0
    after = {"del y": 0, "nothing": layers, "log.append(y)": steps * layers}[then]
    return max(after, layers) + 2, after


# %% answer="price_of_retaining" wrong="while one runs, what is alive beside its result?"
# memory is highest at the end of forward
def price_of_retaining(layers, steps, retain, then):
    if not retain:
        return layers, 0
    if then == "nothing":
        return max(2 * layers, layers + 2), layers
    after = steps * layers if then == "log.append(y)" else 0
    return max(after, layers) + 2, after


# %% answer="price_of_retaining" wrong="What is left of the old graph"
# both graphs, and the gradients of backward on top
def price_of_retaining(layers, steps, retain, then):
    if not retain:
        return layers + 1, 0
    if then == "log.append(y)":
        return steps * layers + 2, steps * layers
    return (layers + 2, 0) if then == "del y" else (2 * layers + 2, layers)


# %% answer="price_of_retaining" wrong="what has `del y` taken away"
# a graph that was retained is still there when the next one is made
def price_of_retaining(layers, steps, retain, then):
    if not retain:
        return layers + 1, 0
    if then == "log.append(y)":
        return steps * layers + 2, steps * layers
    return 2 * layers + 2, layers * (then == "nothing")


# %% answer="price_of_retaining" style="the larger of the ends of forward and of backward"
def price_of_retaining(layers, steps, retain, then):
    if not retain:
        return [layers + 1, 0]
    graphs = {"del y": 1, "nothing": 1, "log.append(y)": steps}[then]
    built = graphs + 1 if then == "nothing" else graphs
    after = 0 if then == "del y" else graphs * layers
    return [max(built * layers, graphs * layers + 2), after]


# %% answer="price_of_retaining" style="step by step"
def price_of_retaining(layers, steps, retain, then):
    held, highest = 0, 0
    for _ in range(steps):
        built = held + layers
        highest = max(highest, built)
        if then == "nothing":
            held = 0  # y has moved on
        alive = held + layers
        highest = max(highest, alive + (2 if retain else 1))
        held = held if then == "del y" or not retain else alive
    return highest, held


# %% answer="price_of_retaining" spare="4 of 5"
def price_of_retaining(layers, steps, retain, then):
    number = mg.tensor([layers + 1.0, 0.0])
    if not retain:
        return int(number[0].item()), 0
    graphs = steps if then == "log.append(y)" else 1
    after = 0 if then == "del y" else graphs * layers
    both = 2 * layers if then == "nothing" else 0
    return max(both, graphs * layers + 2), after


# %% answer="price_of_retaining" proof=true
def price_of_retaining(layers, steps, retain, then):
    def net(h):
        for _ in range(layers):
            h = h.tanh()
        return h.sum()

    x = mg.ones(64, 32, requires_grad=True)
    x.grad = mg.zeros(64, 32)
    start, log = mg.memory_allocated(), []
    mg.reset_peak_memory_stats()
    for _ in range(steps):
        y = net(x)
        y.backward(retain_graph=retain)
        if then == "del y":
            del y
        if then == "log.append(y)":
            log.append(y)
    highest = mg.max_memory_allocated() - start
    return highest // x.nbytes, (mg.memory_allocated() - start) // x.nbytes


# %% answer="all_or_nothing" wrong="a second name for them is no copy"
# the old gradients are safe in a list
def all_or_nothing(loss, leaves):
    before = [leaf.grad for leaf in leaves]
    try:
        loss.backward()
    except RuntimeError:
        for leaf, old in zip(leaves, before):
            leaf.grad = old
        raise


# %% answer="all_or_nothing" wrong="Throwing all gradients away"
# after a failure: zero_grad
def all_or_nothing(loss, leaves):
    try:
        loss.backward()
    except RuntimeError:
        for leaf in leaves:
            leaf.grad = None
        raise


# %% answer="all_or_nothing" wrong="The error is the caller's to see"
# repaired, so nobody needs to know
def all_or_nothing(loss, leaves):
    before = [None if leaf.grad is None else leaf.grad.clone() for leaf in leaves]
    try:
        loss.backward()
    except RuntimeError:
        for leaf, old in zip(leaves, before):
            leaf.grad = old


# %% answer="all_or_nothing" wrong="this leaf's `.grad` was None"
# None and zeros are the same
def all_or_nothing(loss, leaves):
    before = [mg.zeros_like(leaf) if leaf.grad is None else leaf.grad.clone() for leaf in leaves]
    try:
        loss.backward()
    except RuntimeError:
        for leaf, old in zip(leaves, before):
            leaf.grad = old
        raise


# %% answer="all_or_nothing" wrong="Each leaf needs bytes of its own"
# autograd.grad gives the gradients, so they can be hung up as they are
def all_or_nothing(loss, leaves):
    for leaf, new in zip(leaves, mg.autograd.grad(loss, leaves)):
        leaf.grad = new if leaf.grad is None else leaf.grad + new


# %% answer="all_or_nothing" wrong="A gradient has changed"
# a backward that fails changes nothing
def all_or_nothing(loss, leaves):
    loss.backward()


# %% answer="all_or_nothing" style="copies, put back"
def all_or_nothing(loss, leaves):
    copies = [leaf.grad.clone() if leaf.grad is not None else None for leaf in leaves]
    try:
        loss.backward()
    except Exception:
        for leaf, copy in zip(leaves, copies):
            leaf.grad = copy
        raise


# %% answer="all_or_nothing" style="autograd.grad, which touches no .grad"
def all_or_nothing(loss, leaves):
    found = mg.autograd.grad(loss, leaves, allow_unused=True)
    for leaf, new in zip(leaves, found):
        if new is None:
            continue
        if leaf.grad is None:
            leaf.grad = new.clone()
        else:
            leaf.grad += new


# %% answer="all_or_nothing" wrong="Which option of yours keeps the graph"
# what may fail should be repeatable
def all_or_nothing(loss, leaves):
    copies = [leaf.grad.clone() if leaf.grad is not None else None for leaf in leaves]
    try:
        loss.backward(retain_graph=True)
    except RuntimeError:
        for leaf, copy in zip(leaves, copies):
            leaf.grad = copy
        raise


# %% answer="all_or_nothing" spare="7 of 8"
# copies before and after
def all_or_nothing(loss, leaves):
    copies = [leaf.grad.clone() if leaf.grad is not None else None for leaf in leaves]
    more = [copy.clone() if copy is not None else None for copy in copies]
    more += [copy.clone() if copy is not None else None for copy in copies]
    try:
        loss.backward()
    except RuntimeError:
        for leaf, copy in zip(leaves, copies):
            leaf.grad = copy
        raise


# %% answer="FourLoops" wrong="what must not go on with them?"
# retain_graph where the state is carried on
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        h = (x @ w).tanh()
        sum((h * t).sum() for t in targets).backward()

    @staticmethod
    def carried(x, w, steps):
        h = x
        for _ in range(steps):
            h = (h @ w).tanh()
            h.sum().backward(retain_graph=True)

    @staticmethod
    def updated(x, w, steps):
        for _ in range(steps):
            (x @ w).tanh().sum().backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        (2 * (x @ w).tanh().sum()).backward()
