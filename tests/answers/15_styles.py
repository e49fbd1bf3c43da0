"""Lesson 15: right answers in other styles, written from the task cards alone."""


# %% answer="lean_step" style="a helper for forward ends the scope of h, Sequential segments of 4"
def forward_in_segments(net, x, k):
    stem, *blocks, head = net
    h = stem(x)
    for i in range(0, len(blocks), k):
        segment = mg.nn.Sequential(*blocks[i : i + k])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    return head(h)


def lean_step(net, x, labels, log):
    loss = cross_entropy(forward_in_segments(net, x, 4), labels)
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" style="everything in one function, del h, segments of 2, a plain function"
def lean_step(net, x, labels, log):
    stem, *blocks, head = net

    def run(h, first, second):
        h = first(h)
        h = second(h)
        return h

    h = stem(x)
    for first, second in zip(blocks[::2], blocks[1::2], strict=True):
        h = mg.utils.checkpoint.checkpoint(run, h, first, second, use_reentrant=False)
    scores = head(h)
    del h
    loss = cross_entropy(scores, labels)
    del scores
    log.append(loss.item())
    loss.backward()


# %% answer="lean_step" style="the course's Checkpointed"
from course.twins_on_digits import Checkpointed


def lean_step(net, x, labels, log):
    loss = cross_entropy(Checkpointed(net, 4)(x), labels)
    log.append(loss.item())
    loss.backward()


# %% answer="lean_step" style="reduce over segments; the last one is stored, as it comes first"
from functools import partial, reduce
from minigrad.utils.checkpoint import checkpoint


def through(blocks, h):
    return reduce(lambda h, block: block(h), blocks, h)


def lean_step(net, x, labels, log):
    stem, *blocks, head = net
    segments = [blocks[i : i + 4] for i in range(0, len(blocks), 4)]
    steps = [partial(checkpoint, partial(through, s), use_reentrant=False) for s in segments[:-1]]
    last = [*segments[-1], head]
    loss = cross_entropy(through([stem, *steps, *last], x), labels)
    loss.backward()
    log.append(float(loss))


# %% answer="lean_step" style="a module of segments, explicit names, backward by mg.autograd"
class Segment(mg.nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = mg.nn.Sequential(*blocks)

    def forward(self, h):
        return mg.utils.checkpoint.checkpoint(self.blocks, h, use_reentrant=False)


def lean_step(net, x, labels, log):
    layers = list(net)
    stem, head = layers[0], layers[-1]
    blocks = layers[1:-1]
    assert len(blocks) == 16, "the sum is done for 16 blocks"
    first = Segment(blocks[0:4])
    second = Segment(blocks[4:8])
    third = Segment(blocks[8:12])
    fourth = Segment(blocks[12:16])
    lean_net = mg.nn.Sequential(stem, first, second, third, fourth, head)
    loss = cross_entropy(lean_net(x), labels)
    mg.autograd.backward(loss)
    value = loss.item()
    log.append(value)


# %% answer="step_on" style="the ways in the order of their products, the first that fits"
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    L, U = len(blocks), x.nbytes // 2
    room = size - (labels.nbytes + 8)

    def forward(k):
        if k == 0:
            return net(x)
        h = stem(x)
        for i in range(0, L, k):
            segment = mg.nn.Sequential(*blocks[i : i + k])
            h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
        return head(h)

    ways = [(0, 2 * L + 5)]
    ways += [(k, L // k + 2 * k + 4) for k in range(1, L + 1) if L % k == 0]
    for k, units in ways:
        if units * U <= room:
            loss = cross_entropy(forward(k), labels)
            loss.backward()
            return loss.item()
    raise ValueError(f"no way to do it in {size} bytes")


# %% answer="step_on" style="a planner by itself, the course's Checkpointed"
from course.twins_on_digits import Checkpointed


def planned(depth, units):
    """0 to store everything, or the smallest k whose checkpoints fit; None if none does."""
    if 2 * depth + 5 <= units:
        return 0
    fitting = (k for k in range(1, depth) if depth % k == 0 and depth // k + 2 * k + 4 <= units)
    return next(fitting, None)


def step_on(net, x, labels, size):
    depth = len(list(net)) - 2
    unit = x.nbytes / 2
    k = planned(depth, (size - labels.nbytes - 8) / unit)
    if k is None:
        raise mg.memory.OutOfMemoryError(f"{depth} blocks do not fit into {size} bytes")
    model = Checkpointed(net, k) if k else net
    loss = cross_entropy(model(x), labels)
    loss.backward()
    return loss.item()


# %% answer="step_on" style="all but the last segment are checkpointed, the cheapest by min"
def step_on(net, x, labels, size):
    stem, *blocks, head = net
    depth = len(blocks)
    units = (size - labels.nbytes - 8) // (x.nbytes // 2)
    checkpoint = mg.utils.checkpoint.checkpoint

    plans = []
    for k in range(1, depth + 1):
        for m in range(0, depth + 1, k):  # the first m blocks in segments of k, the rest is stored
            need = m // k + max(2 * (depth - m) + 5, 2 * k + 4 if m else 0)
            again = 2 * m - m // k  # products that are run a second time
            if need <= units:
                plans.append((again, k, m))
    _, k, m = min(plans)

    def scores():
        h = stem(x)
        for i in range(0, m, k):
            h = checkpoint(mg.nn.Sequential(*blocks[i : i + k]), h, use_reentrant=False)
        for block in blocks[m:]:
            h = block(h)
        return head(h)

    loss = cross_entropy(scores(), labels)
    loss.backward()
    return loss.item()


# %% answer="step_on" style="explicit beginner, a table as a dict, names deleted"
def step_on(net, x, labels, size):
    layers = list(net)
    stem = layers[0]
    head = layers[-1]
    blocks = layers[1:-1]
    number_of_blocks = len(blocks)
    one_unit = x.nbytes // 2
    small = labels.nbytes + 8

    bytes_needed = {"store": (2 * number_of_blocks + 5) * one_unit + small}
    for k in range(1, number_of_blocks):
        if number_of_blocks % k == 0:
            units = number_of_blocks // k + 2 * k + 4
            bytes_needed[k] = units * one_unit + small

    products_again = {"store": 0}
    for k in bytes_needed:
        if k != "store":
            products_again[k] = 2 * number_of_blocks - number_of_blocks // k

    best = None
    for way in bytes_needed:
        if bytes_needed[way] <= size:
            if best is None or products_again[way] < products_again[best]:
                best = way
    if best is None:
        raise RuntimeError("the GPU is too small for every way that I know")

    h = stem(x)
    if best == "store":
        for block in blocks:
            h = block(h)
    else:
        for i in range(0, number_of_blocks, best):
            segment = mg.nn.Sequential(*blocks[i : i + best])
            h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    scores = head(h)
    del h
    loss = cross_entropy(scores, labels)
    del scores
    loss.backward()
    loss_value = loss.item()
    return loss_value


# %% answer="step_on" style="a class for a way, min of what fits"
class Way:
    """A checkpoint every `k` blocks, or with k = 0 none."""

    def __init__(self, depth, k):
        self.depth, self.k = depth, k

    def units(self):
        if self.k == 0:
            return 2 * self.depth + 5
        return self.depth // self.k + 2 * self.k + 4

    def extra_products(self):
        return 0 if self.k == 0 else 2 * self.depth - self.depth // self.k

    def __call__(self, net, x):
        if self.k == 0:
            return net(x)
        stem, *blocks, head = net

        def segment(h, *some):
            for block in some:
                h = block(h)
            return h

        h = stem(x)
        while blocks:
            some, blocks = blocks[: self.k], blocks[self.k :]
            h = mg.utils.checkpoint.checkpoint(segment, h, *some, use_reentrant=False)
        return head(h)


def step_on(net, x, labels, size):
    depth = len([*net]) - 2
    ways = [Way(depth, k) for k in range(depth) if k == 0 or depth % k == 0]
    fitting = [w for w in ways if w.units() * (x.nbytes // 2) + labels.nbytes + 8 <= size]
    way = min(fitting, key=Way.extra_products)
    loss = cross_entropy(way(net, x), labels)
    loss.backward()
    return loss.item()
