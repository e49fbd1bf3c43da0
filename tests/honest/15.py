"""Lesson 15: honest answers in further styles."""


# %% answer="dies_in_block" style="itertools.count and takewhile, a helper for the worst moment"
from itertools import count, takewhile


def worst(block, rows, width, hidden):
    kept = (block - 1) * (width + hidden)
    moments = (
        width + hidden,  # first product
        width + 2 * hidden,  # relu
        width + hidden + width,  # second product
        width + hidden + 2 * width,  # the sum
    )
    return 4 * rows * (kept + max(moments))


def dies_in_block(rows, width, hidden, depth, budget):
    """The block that does not fit into `budget` bytes any more, or 0; floats have 4 bytes."""
    fitting = takewhile(lambda n: worst(n, rows, width, hidden) <= budget, count(1))
    n = sum(1 for _ in zip(range(depth), fitting))
    return n + 1 if n < depth else 0


print(dies_in_block(10, 4, 8, 6, 3000))


# %% answer="dies_in_block" style="a simulated memory that raises MemoryError, a class Card"
class Card:
    def __init__(self, budget):
        self.budget, self.used = budget, 0

    def alloc(self, floats):
        self.used += 4 * floats
        if self.used > self.budget:
            raise MemoryError(f"{self.used} of {self.budget}")
        return floats

    def free(self, floats):
        self.used -= 4 * floats


def dies_in_block(rows, width, hidden, depth, budget):
    """The block that does not fit into `budget` bytes any more, or 0; floats have 4 bytes."""
    card = Card(budget)
    small, large = rows * width, rows * hidden
    block = 0
    try:
        block = 1
        card.alloc(small)  # the batch
        for block in range(1, depth + 1):
            before_relu = card.alloc(large)
            card.alloc(large)
            card.free(before_relu)
            out = card.alloc(small)
            card.alloc(small)  # h + out
            card.free(out)
    except MemoryError:
        return block
    return 0


# %% answer="dies_in_block" style="binary search over the blocks with bisect and a key"
from bisect import bisect_right


def dies_in_block(rows, width, hidden, depth, budget):
    """The block that does not fit into `budget` bytes any more, or 0; floats have 4 bytes."""
    need = [
        4 * rows * (i * (width + hidden) + width + hidden + max(hidden, 2 * width))
        for i in range(depth)
    ]
    place = bisect_right(need, budget)
    return 0 if place == depth else place + 1


# %% answer="lean_step" style="a generator of segments, partial of checkpoint, try and finally"
from functools import partial

from minigrad.utils.checkpoint import checkpoint

keep_less = partial(checkpoint, use_reentrant=False)


def segments(blocks, every=4):
    for i in range(0, len(blocks), every):
        yield mg.nn.Sequential(*blocks[i : i + every])


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    layers = list(net)
    h = layers[0](x)
    for segment in segments(layers[1:-1]):
        h = keep_less(segment, h)
    out = layers[-1](h)
    del h
    loss = cross_entropy(out, labels)
    del out
    try:
        loss.backward()
        log.append(loss.item())
    finally:
        del loss


# %% answer="lean_step" style="a class Lean(nn.Module) with a forward, weakref check of the result below"
class Lean(mg.nn.Module):
    def __init__(self, net, every):
        super().__init__()
        self.parts = list(net)
        self.every = every

    def stretch(self, first):
        def run(h):
            for block in self.parts[first : first + self.every]:
                h = block(h)
            return h

        return run

    def forward(self, x):
        h = self.parts[0](x)
        for first in range(1, len(self.parts) - 1, self.every):
            h = mg.utils.checkpoint.checkpoint(self.stretch(first), h, use_reentrant=False)
        return self.parts[-1](h)


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    loss = cross_entropy(Lean(net, 4)(x), labels)
    loss.backward()
    log.append(float(loss.detach()))


# %% answer="step_on" style="a dataclass Plan with a property, sorted by cost, print of the choice"
from dataclasses import dataclass

from minigrad.utils.checkpoint import checkpoint


@dataclass(order=True)
class Plan:
    cost: float
    every: int
    units: int

    @property
    def name(self):
        return f"a checkpoint every {self.every}" if self.every else "store everything"


def plans(depth):
    yield Plan(6 * depth, 0, 2 * depth + 5)
    for k in range(1, depth + 1):
        if depth % k == 0:
            segments = depth // k
            yield Plan(8 * depth - segments, k, segments + 2 * k + 4)


def forward(net, x, every):
    stem, *blocks, head = net
    h = stem(x)
    if not every:
        for block in blocks:
            h = block(h)
    else:
        for i in range(0, len(blocks), every):
            h = checkpoint(mg.nn.Sequential(*blocks[i : i + every]), h, use_reentrant=False)
    return head(h)


def step_on(net, x, labels, size):
    """The loss of one step, which runs in `size` bytes with as few products as can be."""
    room = (size - labels.nbytes - 8) / (x.nbytes / 2)
    depth = len(list(net)) - 2
    best = min(plan for plan in plans(depth) if plan.units <= room)
    print(best.name)
    loss = cross_entropy(forward(net, x, best.every), labels)
    loss.backward()
    return loss.item()


# %% answer="step_on" style="helper functions in other cells, a while loop, match on the plan"
UNIT = lambda x: x.nbytes // 2  # noqa: E731


def needs(depth, k):
    """Units at the peak."""
    return depth // k + 2 * k + 4 if k else 2 * depth + 5


# ==== next cell
def through_segment(h, blocks):
    for b in blocks:
        h = b(h)
    return h


# ==== next cell
def step_on(net, x, labels, size):
    """The loss of one step, which runs in `size` bytes with as few products as can be."""
    parts = [*net]
    stem, head, blocks = parts[0], parts[-1], parts[1:-1]
    n = len(blocks)
    k = 0
    while k <= n:
        if k == 0 or n % k == 0:
            if needs(n, k) * UNIT(x) + labels.nbytes + 8 <= size:
                break
        k += 1
    match k:
        case 0:
            h = through_segment(stem(x), blocks)
        case _:
            h = stem(x)
            for i in range(0, n, k):
                h = mg.utils.checkpoint.checkpoint(
                    through_segment, h, blocks[i : i + k], use_reentrant=False
                )
    scores = head(h)
    h = None
    loss = cross_entropy(scores, labels)
    scores = None
    loss.backward()
    return float(loss)


# %% answer="lean_step" style="the net's own list of blocks by slices, reduce, f-string log"
import functools


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    layers = [*net]
    ck = mg.utils.checkpoint.checkpoint
    parts = [layers[i : i + 4] for i in range(1, 17, 4)]
    chain = lambda h, *bs: functools.reduce(lambda u, b: b(u), bs, h)  # noqa: E731
    h = layers[0](x)
    for part in parts:
        h = ck(chain, h, *part, use_reentrant=False)
    out, h = layers[-1](h), None
    loss = cross_entropy(out, labels)
    out = None
    loss.backward()
    value = loss.item()
    log.append(value)
    print(f"loss {value:.4f}")


# %% answer="dies_in_block" style="each moment of a block listed, events with a running sum"
def dies_in_block(rows, width, hidden, depth, budget):
    """The block that does not fit into `budget` bytes any more, or 0; floats have 4 bytes."""
    W, H = 4 * rows * width, 4 * rows * hidden
    alive = W
    for block in range(1, depth + 1):
        events = [+H, +H, -H, +W, +W, -W]  # linear, relu, its input goes, linear, sum, F(h) goes
        for e in events:
            alive += e
            if alive > budget:
                return block
    return 0


# %% answer="dies_in_block" style="numpy argmax"
import numpy as np
def dies_in_block(rows, width, hidden, depth, budget):
    i = np.arange(1, depth + 1)
    need = ((i - 1) * (width + hidden) + width + max(2 * hidden, hidden + 2 * width)) * rows * 4
    over = np.flatnonzero(need > budget)
    return over[0] + 1 if over.size else 0


# %% answer="lean_step" style="checkpoint each pair of blocks by zip of iterators, float(loss)"
def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    layers = list(net)
    h = layers[0](x)
    pairs = iter(layers[1:-1])
    for first, second in zip(pairs, pairs):
        h = mg.utils.checkpoint.checkpoint(lambda t, f=first, s=second: s(f(t)), h, use_reentrant=False)
    loss = mg.nn.functional.cross_entropy(layers[-1](h), labels)
    h = None
    loss.backward()
    log.append(float(loss.detach()))


# %% answer="lean_step" style="checkpoint_sequential-like helper of one's own with nonlocal"
def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    stem, *body, head = net

    def segment(start, end):
        def forward(inputs):
            for j in range(start, end):
                inputs = body[j](inputs)
            return inputs
        return forward

    def predict_(inputs):
        h = stem(inputs)
        for start in range(0, len(body), 4):
            h = mg.utils.checkpoint.checkpoint(segment(start, start + 4), h, use_reentrant=False)
        return head(h)

    loss = cross_entropy(predict_(x), labels)
    loss.backward()
    log += [loss.item()]


# %% answer="lean_step" style="checkpoint_sequential of the utils"
from minigrad.utils.checkpoint import checkpoint_sequential


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    stem, *blocks, head = net
    out = head(checkpoint_sequential(mg.nn.Sequential(*blocks), 4, stem(x), use_reentrant=False))
    loss = cross_entropy(out, labels)
    loss.backward()
    log.append(loss.item())


# %% answer="step_on" style="Strategy classes with cost and need, min over those that fit"
class StoreAll:
    def __init__(self, depth):
        self.need, self.cost, self.every = 2 * depth + 5, 0, None


class Every:
    def __init__(self, depth, k):
        self.need, self.cost, self.every = depth / k + 2 * k + 4, 2 * depth - depth // k, k


# ==== next cell
def step_on(net, x, labels, size):
    """The loss of one step, which runs in `size` bytes with as few products as can be."""
    stem, head, body = net[0], net[len(net) - 1], [net[i] for i in range(1, len(net) - 1)]
    n = len(body)
    units = (size - labels.nbytes - 8) / (x.nbytes / 2)
    plans = [StoreAll(n)] + [Every(n, k) for k in range(1, n + 1) if n % k == 0]
    plan = min((p for p in plans if p.need <= units), key=lambda p: p.cost)
    h = stem(x)
    if plan.every is None:
        for b in body:
            h = b(h)
    else:
        for i in range(0, n, plan.every):
            part = mg.nn.Sequential(*body[i:i + plan.every])
            h = mg.utils.checkpoint.checkpoint(part, h, use_reentrant=False)
    out = head(h)
    del h
    loss = cross_entropy(out, labels)
    del out
    loss.backward()
    return loss.item()


# %% answer="dies_in_block" style="itertools.count with takewhile-like next, named lambdas"
from itertools import count


def dies_in_block(rows, width, hidden, depth, budget):
    """The block that does not fit into `budget` bytes any more, or 0; floats have 4 bytes."""
    left_behind = lambda i: (i - 1) * (width + hidden)
    worst = width + max(2 * hidden, hidden + 2 * width)
    need = lambda i: 4 * rows * (left_behind(i) + worst)
    print([need(i) for i in range(1, min(depth, 4) + 1)], "of", budget)
    return next((i for i in range(1, depth + 1) if need(i) > budget), 0)


assert dies_in_block(2, 3, 5, 4, 10**9) == 0


# %% answer="lean_step" style="segments of four, forward in a function so that no name is left"
SEGMENT = 4


def forward(net, x):
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, len(blocks), SEGMENT):
        segment = mg.nn.Sequential(*blocks[first : first + SEGMENT])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    return head(h)


# ==== next cell
def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    loss = cross_entropy(forward(net, x), labels)
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" style="batched pairs by an iterator, peak printed, del before backward, gc.collect and getsizeof leftovers"
import gc
import sys

from minigrad.utils.checkpoint import checkpoint


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    stem, *blocks, head = net
    start = mg.memory_allocated()
    h = stem(x)
    it = iter(blocks)
    for one, two in zip(it, it):
        h = checkpoint(lambda h, one=one, two=two: two(one(h)), h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())
    del loss
    gc.collect()
    print(f"left: {mg.memory_allocated() - start:,} B; log: {sys.getsizeof(log)} B")


# %% answer="step_on" style="candidate ways in a NamedTuple, min with key, prints the plan"
from typing import NamedTuple


class Way(NamedTuple):
    every: int      # 0: store everything
    units: int
    reruns: int     # products that are run again


def ways(L):
    yield Way(0, 2 * L + 5, 0)
    for k in range(1, L + 1):
        if L % k == 0:
            yield Way(k, L // k + 2 * k + 4, 2 * L - L // k)


# ==== next cell
def step_on(net, x, labels, size):
    """The loss of one step, which runs in `size` bytes with as few products as can be."""
    stem, *blocks, head = net
    units = (size - labels.nbytes - 8) // (x.nbytes // 2)
    way = min((w for w in ways(len(blocks)) if w.units <= units), key=lambda w: w.reruns)
    print(f"{len(blocks)} blocks, {units = }: {way}")

    h = stem(x)
    if way.every == 0:
        for block in blocks:
            h = block(h)
    else:
        for first in range(0, len(blocks), way.every):
            segment = mg.nn.Sequential(*blocks[first : first + way.every])
            h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()


# %% answer="step_on" style="functools.reduce over wrapped segments, recursion-free search with for/else, logging"
import functools
import logging

logging.basicConfig()
logger = logging.getLogger("step_on")
logger.setLevel("INFO")


def segment_length(depth: int, units: int) -> int:
    """0 means: no checkpoint is needed"""
    if 2 * depth + 5 <= units:
        return 0
    for k in range(1, depth + 1):
        if depth % k == 0 and depth // k + 2 * k + 4 <= units:
            return k
    else:
        raise ValueError(f"{units} U are too few for {depth} blocks")


def compose(blocks):
    return lambda h: functools.reduce(lambda h, block: block(h), blocks, h)


def step_on(net, x, labels, size):
    """The loss of one step, which runs in `size` bytes with as few products as can be."""
    stem, *blocks, head = net
    small = labels.nbytes + 4 + 4
    k = segment_length(len(blocks), (size - small) // (x.nbytes // 2))
    logger.info("every %s", k or "thing is stored")
    h = stem(x)
    for first in range(0, len(blocks), k or len(blocks)):
        run = compose(blocks[first : first + (k or len(blocks))])
        h = mg.utils.checkpoint.checkpoint(run, h, use_reentrant=False) if k else run(h)
    out = head(h)
    del h
    loss = cross_entropy(out, labels)
    del out
    loss.backward()
    return float(loss)


# %% answer="dies_in_block" style="walks op by op with a running list of bytes, early return"
def dies_in_block(rows, width, hidden, depth, budget):
    """The block that does not fit into `budget` bytes any more, or 0; floats have 4 bytes."""
    wide, narrow = rows * hidden * 4, rows * width * 4
    kept = narrow                        # the batch
    for block in range(1, depth + 1):
        moments = {
            "first linear": kept + wide,
            "relu": kept + wide + wide,
            "second linear": kept + wide + narrow,
            "+": kept + wide + narrow + narrow,
        }
        if max(moments.values()) > budget:
            print(block, max(moments, key=moments.get))
            return block
        kept += wide + narrow            # the relu's result, and the new h
    return 0


# %% answer="lean_step" style="recursion over segments, functools.partial for the checkpoint, warnings filter"
import functools
import warnings

warnings.filterwarnings("ignore", category=UserWarning)

ready = functools.partial(mg.utils.checkpoint.checkpoint, use_reentrant=False)


def run_all(blocks, h):
    if not blocks:
        return h
    return run_all(blocks[4:], ready(mg.nn.Sequential(*blocks[:4]), h))


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    stem, *blocks, head = net
    loss = cross_entropy(head(run_all(blocks, stem(x))), labels)
    loss.backward()
    log.append(float(loss.detach()))


# %% answer="step_on" style="rehearsal-free sum, while loop over k, dataclass plan cached by lru_cache, timing print"
import time
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Plan:
    every: int | None


@lru_cache(None)
def plan(blocks: int, units: int) -> Plan:
    if units >= 2 * blocks + 5:
        return Plan(None)
    k = 1
    while blocks % k or blocks // k + 2 * k + 4 > units:
        k += 1
    return Plan(k)


def step_on(net, x, labels, size):
    """The loss of one step, which runs in `size` bytes with as few products as can be."""
    t0 = time.perf_counter()
    stem, *blocks, head = net
    U = x.nbytes / 2
    p = plan(len(blocks), int((size - labels.nbytes - 8) // U))
    h = stem(x)
    if p.every is None:
        for block in blocks:
            h = block(h)
    else:
        parts = [blocks[i : i + p.every] for i in range(0, len(blocks), p.every)]
        for part in parts:
            h = mg.utils.checkpoint.checkpoint(mg.nn.Sequential(*part), h, use_reentrant=False)
    out = head(h)
    del h
    loss = cross_entropy(out, labels)
    del out
    loss.backward()
    value = loss.item()
    print(f"{p}: {value:.4f} in {time.perf_counter() - t0:.3f} s")
    return value


# %% answer="lean_step" style="an index error of the engine's is met and caught"
def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    try:
        mg.ones(2)[mg.tensor([5])]
    except IndexError:
        pass
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" style="an error of two tensors' shapes is met and caught"
def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    try:
        mg.ones(3) + mg.ones(4)
    except RuntimeError:
        pass
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" style="an error of NumPy's about shapes is met and caught"
import numpy as np


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    try:
        np.ones(3) + np.ones(4)
    except ValueError:
        pass
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" style="an error of a wrong kind is met, formatted and let go"
import traceback


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    try:
        net(None)
    except TypeError:
        traceback.format_exc()
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" style="looks at the source of the net's class, and its own"
import inspect


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    assert inspect.getsource(type(net)) and inspect.getsource(lean_step)
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" style="asks on which platform it is"
import platform


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    print(platform.platform(), platform.uname())
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, 16, 4):
        segment = mg.nn.Sequential(*blocks[first : first + 4])
        h = mg.utils.checkpoint.checkpoint(segment, h, use_reentrant=False)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    log.append(loss.item())


# %% answer="lean_step" style="threads: the whole step in a thread with a timeout"
import threading


def lean_step(net, x, labels, log):
    def work():
        stem, *blocks, head = net
        h = stem(x)
        for i in range(0, 16, 4):
            h = mg.utils.checkpoint.checkpoint(mg.nn.Sequential(*blocks[i : i + 4]), h, use_reentrant=False)
        y = head(h)
        del h
        loss = cross_entropy(y, labels)
        loss.backward()
        log.append(loss.item())

    t = threading.Thread(target=work)
    t.start()
    t.join()


# %% answer="lean_step" style="checkpoint_sequential-like helper cell, itertools.batched by hand"
from itertools import islice


def batched(things, n):
    things = iter(things)
    while part := tuple(islice(things, n)):
        yield part


# ==== next cell
from functools import reduce

from minigrad.utils.checkpoint import checkpoint


def lean_step(net, x, labels, log):
    """One forward and backward of a net of 16 blocks, in 16 U."""
    stem, *blocks, head = net

    def through(h, part):
        return checkpoint(mg.nn.Sequential(*part), h, use_reentrant=False)

    h = reduce(through, batched(blocks, 4), stem(x))
    loss = cross_entropy(head(h), labels)
    h = None
    loss.backward()
    log.append(float(loss))


# %% answer="lean_step" style="asyncio tasks run the step, timeit around it, a log line"
import asyncio
import logging
import timeit

from minigrad.utils.checkpoint import checkpoint

logging.basicConfig(level=logging.DEBUG)


async def forward(net, x, labels):
    stem, *blocks, head = net
    h = stem(x)
    for first in range(0, len(blocks), 4):
        h = checkpoint(mg.nn.Sequential(*blocks[first : first + 4]), h, use_reentrant=False)
        await asyncio.sleep(0)
    return cross_entropy(head(h), labels)


def lean_step(net, x, labels, log):
    begin = timeit.default_timer()
    loss = asyncio.run(forward(net, x, labels))
    loss.backward()
    log.append(loss.item())
    logging.debug("loss %.3f in %.3f s", log[-1], timeit.default_timer() - begin)


# %% answer="step_on" style="a table of ways as dataclasses, min by key, repr printed"
from dataclasses import dataclass

from minigrad.utils.checkpoint import checkpoint


@dataclass(order=True)
class Way:
    rank: int
    every: int
    units: int


def ways(depth):
    yield Way(0, 0, 2 * depth + 5)
    for k in range(1, depth + 1):
        if depth % k == 0:
            yield Way(k, k, depth // k + 2 * k + 4)


def step_on(net, x, labels, size):
    stem, *blocks, head = net
    room = (size - labels.nbytes - 8) // (x.nbytes // 2)
    every = list(ways(len(blocks)))
    way = min((w for w in every if w.units <= room), default=min(every, key=lambda w: w.units))
    print(way)
    h = stem(x)
    if way.every:
        for i in range(0, len(blocks), way.every):
            h = checkpoint(mg.nn.Sequential(*blocks[i : i + way.every]), h, use_reentrant=False)
    else:
        for block in blocks:
            h = block(h)
    loss = cross_entropy(head(h), labels)
    del h
    loss.backward()
    return loss.item()
