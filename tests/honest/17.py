"""Lesson 17: honest answers in further styles."""


# %% answer="Watched" style="a beginner: one thing a line, every name spelled out, no lambda"
class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    def __init__(self, body, head):
        super().__init__()
        self.body = body
        self.head = head
        self.losses = []
        self.slopes = []
        self.spread = 0.0

    def forward(self, x):
        before = self.body(x)
        h = before.tanh()
        # only the values, no graph
        values = h.detach()
        squares = values * values
        average = squares.mean()
        average = average.item()
        old = self.spread
        new = 0.75 * old + 0.25 * average
        self.spread = new

        def when_the_gradient_comes(grad):
            product = grad * values
            how_much = product.sum()
            number = how_much.item()
            self.slopes.append(number)

        h.register_hook(when_the_gradient_comes)
        answer = self.head(h)
        return answer

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        guess = self(x)
        difference = guess - target
        squared = difference.pow(2)
        loss = squared.mean()
        loss.backward()
        optimizer.step()
        number = loss.item()
        self.losses.append(number)


my_net = Watched(mg.nn.Linear(32, 8), mg.nn.Linear(8, 1))
my_optimizer = mg.optim.SGD(my_net.parameters(), lr=0.1)
for i in range(3):
    my_net.step(x, mg.zeros(64, 1), my_optimizer)
    print("step", i, "alive", mg.memory_allocated())
print(my_net.losses)
print(my_net.slopes)
print(my_net.spread)
del my_net, my_optimizer


# %% answer="Watched" style="golf: one default argument, everything in a tuple"
class Watched(mg.nn.Module):
    def __init__(s, b, h):
        super().__init__(); s.body, s.head, s.losses, s.slopes, s.spread = b, h, [], [], 0.
    def forward(s, x):
        h = s.body(x).tanh(); v = h.detach()
        s.spread = .75*s.spread + (v*v).mean().item()/4
        h.register_hook(lambda g, v=v: s.slopes.append((g*v).sum().item()))
        return s.head(h)
    def step(s, x, t, o):
        o.zero_grad(); l = (s(x)-t).pow(2).mean(); l.backward(); o.step(); s.losses += l.item(),


# %% answer="Watched" style="classes: a Meter for each of the three, __slots__, __call__, properties"
class RunningMean:
    __slots__ = ("value", "old")

    def __init__(self, old):
        self.value, self.old = 0.0, old

    def see(self, number):
        self.value = self.old * self.value + (1 - self.old) * number


class SlopeHook:
    """Called with the gradient of a layer; writes a number."""

    __slots__ = ("layer", "book")

    def __init__(self, layer, book):
        self.layer, self.book = layer.detach(), book

    def __call__(self, gradient):
        self.book.append(float((gradient * self.layer).sum()))


class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes = [], []
        self._mean = RunningMean(0.75)

    @property
    def spread(self):
        return self._mean.value

    def hidden(self, x):
        return self.body(x).tanh()

    def forward(self, x):
        h = self.hidden(x)
        self._mean.see(float(h.detach().square().mean()))
        h.register_hook(SlopeHook(h, self.slopes))
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).square().mean()
        loss.backward()
        optimizer.step()
        self.losses.append(float(loss))


# %% answer="Watched" style="functions: partial, methodcaller, a hook composed of three"
from functools import partial, reduce
from operator import methodcaller, mul


def then(*steps):
    return lambda given: reduce(lambda value, step: step(value), steps, given)


def number_of(kind):
    return then(methodcaller(kind), methodcaller("item"))


class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = then(self.body, mg.tanh)(x)
        plain = h.detach()
        self.spread = sum(map(mul, (0.75, 0.25), (self.spread, number_of("mean")(plain**2))))
        h.register_hook(then(partial(mg.mul, plain), number_of("sum"), self.slopes.append))
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = number_of("mean")  # of a tensor without history
        error = (self(x) - target) ** 2
        error.mean().backward()
        optimizer.step()
        self.losses.append(loss(error.detach()))


# %% answer="Watched" style="as in PyTorch: type hints, a no_grad helper for the hook, mse_loss"
Tensor = mg.Tensor


class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    momentum: float = 0.75

    def __init__(self, body: mg.nn.Module, head: mg.nn.Module) -> None:
        super().__init__()
        self.body = body
        self.head = head
        self.losses: list[float] = []
        self.slopes: list[float] = []
        self.spread: float = 0.0

    @mg.no_grad()
    def _update_spread(self, h: Tensor) -> None:
        self.spread = self.momentum * self.spread + (1 - self.momentum) * h.pow(2).mean().item()

    @mg.no_grad()
    def _note_slope(self, h: Tensor, grad: Tensor) -> None:
        self.slopes.append((grad * h).sum().item())

    def forward(self, x: Tensor) -> Tensor:
        h = self.body(x).tanh()
        self._update_spread(h)
        if h.requires_grad:
            values = h.detach()
            h.register_hook(lambda grad: self._note_slope(values, grad))
        return self.head(h)

    def step(self, x: Tensor, target: Tensor, optimizer) -> None:
        optimizer.zero_grad(set_to_none=True)
        loss = mg.nn.functional.mse_loss(self(x), target)
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())


# %% answer="prefix_growth" style="a beginner: while loops, a list for everything, prints at the end"
def prefix_growth(make):
    """[bytes that each turn adds, for the first part, the first two, and so on]."""
    answer = []
    how_many = len(make())
    length = 1
    while length <= how_many:
        all_parts = make()
        some_parts = []
        i = 0
        while i < length:
            some_parts.append(all_parts[i])
            i = i + 1
        # warm up
        turn = 0
        while turn < 20:
            for part in some_parts:
                part()
            turn = turn + 1
        before = mg.memory_allocated()
        # now measure
        turn = 0
        while turn < 10:
            for part in some_parts:
                part()
            turn = turn + 1
        after = mg.memory_allocated()
        growth = (after - before) / 10
        answer.append(growth)
        length = length + 1
    return answer


kept_things = []
print(prefix_growth(lambda: [lambda: kept_things.append(mg.ones(10)), lambda: mg.ones(5)]))
kept_things.clear()


# %% answer="prefix_growth" style="golf: -t()+t(), a comprehension run for what it does"
def prefix_growth(make):
    def g(n):
        p = make()[:n+1]
        def t():
            for _ in "x"*7: [f() for f in p]
            return mg.memory_allocated()
        return (-t()+t())//7
    return [*map(g, range(len(make())))]


# %% answer="prefix_growth" style="classes: a Program that is run, a Scale as context manager"
class Scale:
    """Weighs what its block adds."""

    def __enter__(self):
        self.bytes = -mg.memory_allocated()
        return self

    def __exit__(self, *error):
        self.bytes += mg.memory_allocated()


class Program:
    WARM, TURNS = 12, 8

    def __init__(self, parts):
        self.parts = tuple(parts)

    def run(self, turns):
        for _ in range(turns):
            for part in self.parts:
                part()

    def growth(self):
        self.run(self.WARM)
        with Scale() as scale:
            self.run(self.TURNS)
        return scale.bytes // self.TURNS


def prefix_growth(make):
    """[bytes that each turn adds, for the first part, the first two, and so on]."""
    found, length = [], 0
    while True:
        parts = make()
        if length == len(parts):
            return found
        length += 1
        found.append(Program(parts[:length]).growth())


# %% answer="prefix_growth" style="itertools: islice, repeat, chain into a deque; recursion over the prefixes"
from collections import deque
from itertools import chain, islice, repeat


def consume(parts, times):
    deque((part() and None for part in chain.from_iterable(repeat(parts, times))), maxlen=0)
    return mg.memory_allocated()


def prefix_growth(make, length=1):
    """[bytes that each turn adds, for the first part, the first two, and so on]."""
    parts = make()
    if length > len(parts):
        return []
    prefix = list(islice(parts, length))
    del parts
    first, second = (consume(prefix, 6) for _ in range(2))
    return [(second - first) // 6, *prefix_growth(make, length + 1)]


# %% answer="prefix_growth" style="as in PyTorch: type hints, gc.collect, numpy's diff and median"
from collections.abc import Callable

import numpy as np

Part = Callable[[], object]


def allocated_after(parts: list[Part], n_iters: int) -> np.ndarray:
    """Bytes that are allocated after each iteration."""
    stats = np.empty(n_iters, dtype=np.int64)
    for i in range(n_iters):
        for part in parts:
            part()
        gc.collect()
        stats[i] = mg.memory_allocated()
    return stats


def prefix_growth(make: Callable[[], list[Part]]) -> list[int]:
    """[bytes that each turn adds, for the first part, the first two, and so on]."""
    warmup, measured = 10, 6
    n_parts = len(make())
    return [
        int(np.median(np.diff(allocated_after(make()[: k + 1], warmup + measured)[warmup - 1 :])))
        for k in range(n_parts)
    ]


# %% answer="in_budget" style="a beginner: while and counters, names for everything, del at the end"
def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    number_of_rows = x.shape[0]
    fits = size // each
    start = 0
    total = 0.0
    while start < number_of_rows:
        end = start + fits
        if end > number_of_rows:
            end = number_of_rows
        x_part = x[start:end]
        y_part = y[start:end]
        how_many = end - start
        loss = loss_of(x_part, y_part)
        share = how_many / number_of_rows
        weighted_loss = loss * share
        weighted_loss.backward()
        number = weighted_loss.item()
        total = total + number
        del loss
        del weighted_loss
        start = end
    return total


weight = mg.ones(32, 1, requires_grad=True)
answer = in_budget(lambda a, b: (a @ weight - b).pow(2).mean(), x, mg.ones(64, 1), 300, 4000)
print("loss", answer)
print("gradient", weight.grad.shape)
del weight


# %% answer="in_budget" style="golf: a nested function and sum over a range with steps"
def in_budget(loss_of, x, y, each, size):
    n, r = len(x), size//each
    def f(i):
        l = loss_of(x[i:i+r], y[i:i+r]) * (min(r, n-i)/n); l.backward(); return l.item()
    return sum(f(i) for i in range(0, n, r))


# %% answer="in_budget" style="classes: Portions is an iterable, Portion a dataclass that walks"
from dataclasses import dataclass


@dataclass(frozen=True)
class Portion:
    x: object
    y: object
    share: float

    def walked(self, loss_of):
        """Its part of the whole loss; the gradient has been added."""
        loss = loss_of(self.x, self.y)
        loss.backward(mg.full_like(loss, self.share))
        return loss.item() * self.share


class Portions:
    def __init__(self, x, y, rows):
        self.x, self.y, self.rows = x, y, rows

    def __iter__(self):
        all_rows = self.x.size(0)
        for first in range(0, all_rows, self.rows):
            rows = slice(first, first + self.rows)
            part = self.x[rows]
            yield Portion(part, self.y[rows], len(part) / all_rows)


def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    total = 0.0
    for portion in Portions(x, y, size // each):
        total += portion.walked(loss_of)
    return total


# %% answer="in_budget" style="recursion on the rest, even portions by divmod, fsum"
from math import ceil, fsum


def even(rows, portions):
    """As many sizes, as alike as can be, which add up to `rows`."""
    small, more = divmod(rows, portions)
    return [small + 1] * more + [small] * (portions - more)


def losses(loss_of, x, y, sizes, rows):
    if not sizes:
        return ()
    first, *rest = sizes
    loss = loss_of(x[:first], y[:first]).mul(first / rows)
    loss.backward()
    number = loss.item()
    del loss
    return number, *losses(loss_of, x[first:], y[first:], rest, rows)


def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    rows = len(x)
    return fsum(losses(loss_of, x, y, even(rows, ceil(rows / (size // each))), rows))


# %% answer="in_budget" style="as in PyTorch: gradient accumulation over split, type hints, a running tensor"
from collections.abc import Callable

Tensor = mg.Tensor


def in_budget(
    loss_of: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor, each: int, size: int
) -> float:
    """The loss of all rows; their gradient is added up in portions that fit."""
    micro_batch = max(size // each, 1)
    total_loss = 0.0
    for xb, yb in zip(x.split(micro_batch), y.split(micro_batch), strict=True):
        loss = loss_of(xb, yb) * xb.size(0) / x.size(0)
        loss.backward()
        total_loss += loss.detach().item()
    return total_loss


# %% answer="job_account" style="a beginner: the loop played through, prints for every turn"
def job_account(rows, width, hidden, turns, every):
    """[bytes at A, bytes at B, bytes that zero_grad frees]: all float32."""
    bytes_of_a_float = 4
    tanh_result = rows * hidden * bytes_of_a_float
    out = rows * 1 * bytes_of_a_float
    one_loss = bytes_of_a_float
    first_weight = width * hidden * bytes_of_a_float
    first_bias = hidden * bytes_of_a_float
    second_weight = hidden * 1 * bytes_of_a_float
    second_bias = 1 * bytes_of_a_float
    gradients = 0
    log = 0
    graphs = 0
    last_graph = 0
    for turn in range(1, turns + 1):
        if turn % every == 0:
            last_graph = 0
            gradients = first_weight + first_bias + second_weight + second_bias
        else:
            last_graph = tanh_result
            graphs = graphs + tanh_result
        log = log + one_loss
    a = gradients + log + graphs + out
    b = gradients + one_loss + last_graph + out
    c = gradients
    return [a, b, c]


for t in range(1, 5):
    print("turns", t, job_account(2, 3, 4, t, 2))


# %% answer="job_account" style="golf: everything in floats, bool times number"
def job_account(r, w, h, t, e):
    g = w*h+2*h+1; a = g+r
    return [4*(a+t+(t-t//e)*r*h), 4*(a+1+(t%e>0)*r*h), 4*g]


# %% answer="job_account" style="classes: a Memory of named buffers, holders counted, names rebound"
class Memory:
    def __init__(self):
        self.sizes, self.holders = {}, {}

    def new(self, floats):
        number = len(self.sizes)
        self.sizes[number], self.holders[number] = 4 * floats, set()
        return number

    def hold(self, holder, *buffers):
        self.let_go(holder)
        for buffer in buffers:
            self.holders[buffer].add(holder)

    def let_go(self, holder):
        for held in self.holders.values():
            held.discard(holder)

    @property
    def alive(self):
        return sum(self.sizes[n] for n, held in self.holders.items() if held)


class Job:
    def __init__(self, rows, width, hidden):
        self.memory = Memory()
        self.rows, self.hidden = rows, hidden
        self.weights = width * hidden, hidden, hidden, 1

    def turn(self, number, walked):
        saved, out, loss = map(self.memory.new, (self.rows * self.hidden, self.rows, 1))
        graph = () if walked else (saved,)
        self.memory.hold("out", out, *graph)
        self.memory.hold("loss", loss, *graph)
        self.memory.hold(("log", number), loss, *graph)
        if walked:
            for place, floats in enumerate(self.weights):
                self.memory.hold(("grad", place), self.memory.new(floats))


def job_account(rows, width, hidden, turns, every):
    """[bytes at A, bytes at B, bytes that zero_grad frees]: all float32."""
    job = Job(rows, width, hidden)
    for turn in range(1, turns + 1):
        job.turn(turn, turn % every == 0)
    at_a = job.memory.alive
    for turn in range(1, turns + 1):
        job.memory.let_go(("log", turn))
    at_b = job.memory.alive
    for place in range(len(job.weights)):
        job.memory.let_go(("grad", place))
    return [at_a, at_b, at_b - job.memory.alive]


# %% answer="job_account" style="itertools: a generator of walks, compress, accumulate; map(4 .__mul__)"
from itertools import accumulate, compress, cycle, islice


def walks(every):
    return cycle([*[0] * (every - 1), 1])


def job_account(rows, width, hidden, turns, every):
    """[bytes at A, bytes at B, bytes that zero_grad frees]: all float32."""
    walked = [*islice(walks(every), turns)]
    waiting = [1 - one for one in walked]
    graph = rows * hidden
    *_, kept = accumulate(compress([graph] * turns, waiting), initial=0)
    gradient = sum((width * hidden, hidden, hidden, 1))
    floats = (
        gradient + kept + turns + rows,
        gradient + graph * waiting[-1] + 1 + rows,
        gradient,
    )
    return list(map((4).__mul__, floats))


# %% answer="job_account" style="as in PyTorch: numel of shapes with numpy, itemsize, a NamedTuple, type hints"
from typing import NamedTuple

import numpy as np

ITEMSIZE = np.dtype(np.float32).itemsize


class Account(NamedTuple):
    at_a: int
    at_b: int
    freed: int


def nbytes(*shapes: tuple[int, ...]) -> int:
    return int(sum(np.prod(shape, dtype=np.int64) for shape in shapes)) * ITEMSIZE


def job_account(rows: int, width: int, hidden: int, turns: int, every: int) -> list[int]:
    """[bytes at A, bytes at B, bytes that zero_grad frees]: all float32."""
    grads = nbytes((hidden, width), (hidden,), (1, hidden), (1,))
    activation, out, scalar = nbytes((rows, hidden)), nbytes((rows, 1)), nbytes(())
    steps = np.arange(1, turns + 1)
    alive = np.where(steps % every == 0, 0, activation)
    account = Account(
        at_a=grads + out + turns * scalar + alive.sum(),
        at_b=grads + out + scalar + alive[-1],
        freed=grads,
    )
    return list(account)


# %% answer="Watched" style="weak reference to self in the hook, a bound method, try and finally around the step"
import weakref


class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    def __init__(self, body, head):
        super().__init__()
        self.body = body
        self.head = head
        self.losses = []
        self.slopes = []
        self.spread = 0.0

    def forward(self, x):
        h = mg.tanh(self.body(x))
        seen = h.detach()
        with mg.no_grad():
            self.spread = 0.75 * self.spread + 0.25 * seen.square().mean().item()
        slopes = weakref.proxy(self)

        def hook(grad):
            slopes.slopes.append(mg.sum(grad * seen).item())

        h.register_hook(hook)
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        try:
            loss = mg.nn.functional.mse_loss(self(x), target)
            loss.backward()
            optimizer.step()
            self.losses.append(loss.item())
        finally:
            loss = None


# %% answer="Watched" style="post hook by retain_grad: the gradient read after backward, no hook at all"
class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = self.body(x).tanh()
        d = h.detach()
        self.spread = 0.75 * self.spread + 0.25 * float((d ** 2).mean())

        def look(g, d=d, to=self.slopes):
            to.append(float(mg.dot(g.flatten(), d.flatten())))

        h.register_hook(look)
        return self.head(h)

    def step(self, x, target, optimizer):
        def closure():
            optimizer.zero_grad()
            loss = ((self(x) - target) ** 2).mean()
            loss.backward()
            self.losses.append(float(loss))
            return None

        closure()
        optimizer.step()


# %% answer="prefix_growth" style="a nested class, divmod, statistics.median, numpy ints returned"
import statistics

import numpy as np


def prefix_growth(make):
    """[bytes that each turn adds, for the first part, the first two, and so on]."""
    n = len(make())
    answer = np.zeros(n, dtype=np.int64)
    for k in range(n):
        parts = make()[: k + 1]

        def turn():
            for p in parts:
                p()

        for _ in range(7):
            turn()
        marks = [mg.memory_allocated()]
        for _ in range(6):
            for _ in range(5):
                turn()
            marks.append(mg.memory_allocated())
        steps = [b - a for a, b in zip(marks, marks[1:])]
        answer[k] = statistics.median(steps) // 5
        del parts, turn
    return list(answer)


# %% answer="prefix_growth" style="difference of growths summed up: each part alone measured in the prefix, list of ints"
def prefix_growth(make):
    """[bytes that each turn adds, for the first part, the first two, and so on]."""
    sizes = []
    count = 1
    while count <= len(make()):
        parts = make()[:count]
        levels = {}
        for turn in range(1, 31):
            for part in parts:
                part()
            if turn in (10, 30):
                levels[turn] = mg.memory_allocated()
        sizes.append((levels[30] - levels[10]) / 20)
        parts = None
        count += 1
    return sizes


# %% answer="in_budget" style="split by mg.split, zip, weights by shape, float math"
def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    chunk = int(size / each)
    N = x.shape[0]
    total_loss = 0.0
    for bx, by in zip(x.split(chunk), y.split(chunk)):
        loss = loss_of(bx, by) * bx.size(0) / N
        loss.backward()
        total_loss += float(loss)
        print(f"portion of {bx.size(0)}: {float(loss):.3f}")
    return total_loss


# %% answer="in_budget" style="gradient scaled by backward(gradient), TensorDataset-like class"
class Batches:
    def __init__(self, *tensors, batch_size):
        self.tensors, self.batch_size = tensors, batch_size

    def __len__(self):
        return -(-len(self.tensors[0]) // self.batch_size)

    def __getitem__(self, i):
        if i >= len(self):
            raise IndexError(i)
        s = slice(i * self.batch_size, (i + 1) * self.batch_size)
        return tuple(t[s] for t in self.tensors)


def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    total, n = 0.0, len(x)
    for xs, ys in Batches(x, y, batch_size=size // each):
        loss = loss_of(xs, ys)
        share = len(xs) / n
        loss.backward(gradient=mg.tensor(share))
        total += share * loss.item()
    return total


# %% answer="job_account" style="a ledger dict of lists, walrus, floats"
def job_account(rows, width, hidden, turns, every):
    """[bytes at A, bytes at B, bytes that zero_grad frees]: all float32."""
    F4 = 4.0
    parameters = {"w1": width * hidden, "b1": hidden, "w2": hidden, "b2": 1}
    grads = F4 * sum(parameters.values())
    graphs = [t for t in range(1, turns + 1) if t % every]
    a = grads + F4 * (turns + rows) + len(graphs) * F4 * rows * hidden
    b = grads + F4 * (1 + rows)
    if (last := turns) in graphs:
        b += F4 * rows * hidden
    return a, b, grads


# %% answer="job_account" style="list subclass"
class Account(list):
    pass
def job_account(rows, width, hidden, turns, every):
    g = 4 * (width * hidden + 2 * hidden + 1)
    n = turns - turns // every
    return Account([n * rows * hidden * 4 + turns * 4 + rows * 4 + g, (rows * hidden * 4 if turns % every else 0) + 4 + rows * 4 + g, g])


# %% answer="Watched" style="detach in forward, item everywhere, comments"
class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses, self.slopes, self.spread = [], [], 0.0

    def forward(self, x):
        h = self.body(x).tanh()
        value = h.detach()  # the bytes, no node
        self.spread = 0.75 * self.spread + 0.25 * (value * value).mean().item()
        h.register_hook(lambda grad: self.slopes.append((grad * value).sum().item()))
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())


# %% answer="Watched" style="methods instead of a lambda, functools.partial, no_grad context, prints every tenth step"
import functools


class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself, and watches what it does."""

    EVERY = 10

    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head
        self.losses: list[float] = []
        self.slopes: list[float] = []
        self.spread: float = 0.0

    @mg.no_grad()
    def note_spread(self, h):
        self.spread = 0.75 * self.spread + 0.25 * (h * h).mean().item()

    def note_slope(self, h, grad):
        self.slopes.append((grad * h).sum().item())

    def forward(self, x):
        h = self.body(x).tanh()
        self.note_spread(h)
        h.register_hook(functools.partial(self.note_slope, h.detach()))
        return self.head(h)

    def step(self, x, target, optimizer):
        optimizer.zero_grad()
        loss = (self(x) - target).pow(2).mean()
        loss.backward()
        optimizer.step()
        self.losses.append(loss.item())
        if len(self.losses) % self.EVERY == 0:
            print(f"{len(self.losses):>5} {self.losses[-1]:.4f} {self.spread:.4f} {self.slopes[-1]:.4f}")


# %% answer="prefix_growth" style="helper with turns, list comprehension"
TURNS = 10


def alive_after_turns(parts):
    for _ in range(TURNS):
        for part in parts:
            part()
    return mg.memory_allocated()


def growth(parts):
    first = alive_after_turns(parts)
    second = alive_after_turns(parts)
    return (second - first) // TURNS


def prefix_growth(make):
    """[bytes that each turn adds, for the first part, the first two, and so on]."""
    return [growth(make()[: i + 1]) for i in range(len(make()))]


# %% answer="prefix_growth" style="statistics.mode of the differences, pairwise, gc.collect in finally, a generator"
import gc
import statistics
from itertools import pairwise


def levels(parts, turns):
    """bytes alive after each turn"""
    for _ in range(turns):
        for part in parts:
            part()
        yield mg.memory_allocated()


def prefix_growth(make):
    """[bytes that each turn adds, for the first part, the first two, and so on]."""
    found = []
    try:
        count = len(make())
        for n in range(1, count + 1):
            parts = make()[:n]
            *_, = warm = list(levels(parts, 12))
            after = list(levels(parts, 8))
            found.append(statistics.mode(b - a for a, b in pairwise([warm[-1], *after])))
            del parts
    finally:
        gc.collect()
    print(f"{found = }")
    return found


# %% answer="in_budget" style="range with step, weighted, print of the portions"
def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    rows = size // each
    total = 0.0
    for first in range(0, len(x), rows):
        part, answers = x[first : first + rows], y[first : first + rows]
        share = len(part) / len(x)
        loss = loss_of(part, answers) * share
        loss.backward()
        total += loss.item()
        print(f"rows {first}..{first + len(part) - 1}: {loss.item() / share:.4f}")
        del loss
    return total


# %% answer="in_budget" style="generator of slices, gradient argument of backward for the share, math.fsum, assert"
import math


def portions(count, rows):
    assert rows >= 1, "not even one row fits"
    first = 0
    while first < count:
        yield slice(first, min(count, first := first + rows))


def walk(loss_of, x, y, share):
    loss = loss_of(x, y)
    loss.backward(mg.full(loss.shape, share))
    return share * loss.item()


def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    n = x.shape[0]
    return math.fsum(
        walk(loss_of, x[part], y[part], (part.stop - part.start) / n)
        for part in portions(n, size // each)
    )


# %% answer="job_account" style="a class that keeps accounts with properties, then the real loop in minigrad for comparison"
class Account:
    def __init__(self, rows, width, hidden, turns, every):
        self.rows, self.hidden, self.turns, self.every = rows, hidden, turns, every
        self.parameters = [width * hidden, hidden, hidden, 1]

    @property
    def grads(self):
        return 4 * sum(self.parameters)

    @property
    def graph(self):
        return 4 * self.rows * self.hidden     # the result of the tanh, for two nodes

    @property
    def out(self):
        return 4 * self.rows

    @property
    def at_a(self):
        unwalked = self.turns - self.turns // self.every
        return unwalked * self.graph + 4 * self.turns + self.out + self.grads

    @property
    def at_b(self):
        last = self.graph if self.turns % self.every else 0
        return last + 4 + self.out + self.grads


def job_account(rows, width, hidden, turns, every):
    """[bytes at A, bytes at B, bytes that zero_grad frees]: all float32."""
    a = Account(rows, width, hidden, turns, every)
    return [a.at_a, a.at_b, a.grads]


def real(rows, width, hidden, turns, every):
    net = mg.nn.Sequential(mg.nn.Linear(width, hidden), mg.nn.Tanh(), mg.nn.Linear(hidden, 1))
    data, seen = mg.ones(rows, width), []
    start = mg.memory_allocated()
    log = []
    for turn in range(1, turns + 1):
        out = net(data)
        loss = out.mean()
        if turn % every == 0:
            loss.backward()
        log.append(loss)
    seen.append(mg.memory_allocated() - start)
    log = [loss.item() for loss in log]
    seen.append(mg.memory_allocated() - start)
    net.zero_grad()
    return [*seen, seen[-1] - mg.memory_allocated() + start]


print(job_account(5, 3, 4, 7, 3), real(5, 3, 4, 7, 3))


# %% answer="prefix_growth" style="itertools.accumulate of parts, closure for a turn, tries it at the bottom on two parts"
def prefix_growth(make):
    """[bytes that each turn adds, for the first part, the first two, and so on]."""

    def bytes_a_turn(length, turns=8):
        parts = make()[:length]

        def turn():
            for part in parts:
                part()

        for _ in range(turns):
            turn()
        level = mg.memory_allocated()
        for _ in range(turns):
            turn()
        added, rest = divmod(mg.memory_allocated() - level, turns)
        if rest:
            print("odd:", length, rest)
        return added

    return [bytes_a_turn(n) for n, _ in enumerate(make(), start=1)]


def two_parts():
    shelf = []
    return [lambda: mg.zeros(5), lambda: shelf.append(mg.zeros(5))]


assert prefix_growth(two_parts) == [0, 20], prefix_growth(two_parts)


# %% answer="in_budget" style="while loop with an index, recursion-free, del, random trial below with torch-like allclose"
def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    rows_at_once, n = int(size / each), len(x)
    losses, counts = [], []
    i = 0
    while i < n:
        j = min(i + rows_at_once, n)
        loss = loss_of(x[i:j], y[i:j])
        (loss * ((j - i) / n)).backward()
        losses.append(loss.item())
        counts.append(j - i)
        loss = None
        i = j
    print(list(zip(counts, losses)))
    return sum(c * l for c, l in zip(counts, losses)) / n


weight = mg.full((32, 1), 0.1, requires_grad=True)
mse = lambda a, b: ((a @ weight - b) ** 2).mean()
print(in_budget(mse, x, mg.ones(64, 1), 100, 1700), mse(x, mg.ones(64, 1)).item())
small = weight.grad.clone()
weight.grad = None
mse(x, mg.ones(64, 1)).backward()
assert mg.allclose(small, weight.grad, rtol=1e-4)
del weight, small


# %% answer="job_account" style="short formula, named tuple result converted, sum of a generator"
def job_account(rows, width, hidden, turns, every):
    """[bytes at A, bytes at B, bytes that zero_grad frees]: all float32."""
    shapes = (width, hidden), (hidden,), (hidden, 1), (1,)
    grads = out = 0
    for shape in shapes:
        n = 4
        for side in shape:
            n *= side
        grads += n
    out = 4 * rows
    graphs = [turn for turn in range(1, turns + 1) if turn % every]
    a = len(graphs) * 4 * rows * hidden + turns * 4 + out + grads
    b = (turns in graphs) * 4 * rows * hidden + 4 + out + grads
    return [a, b, grads]


# %% answer="Watched" style="two hooks by a helper method, deque of numbers, properties"
class Watched(mg.nn.Module):
    """A net with one hidden layer that trains itself."""

    def __init__(self, body, head):
        super().__init__()
        self.body = body
        self.head = head
        self.losses = []
        self.slopes = []
        self.spread = 0.0

    def forward(self, x):
        h = mg.tanh(self.body(x))
        self._watch(h)
        return self.head(h)

    def _watch(self, h):
        seen = h.detach()
        self.spread += 0.25 * (float((seen**2).mean()) - self.spread)

        def note(grad):
            self.slopes.append(float((grad * seen).sum()))

        h.register_hook(note)

    def step(self, x, target, optimizer):
        optimizer.zero_grad(set_to_none=True)
        loss = mg.nn.functional.mse_loss(self(x), target)
        loss.backward()
        optimizer.step()
        self.losses.append(float(loss))


# %% answer="in_budget" style="split into portions with zip, math.fsum"
from math import fsum


def in_budget(loss_of, x, y, each, size):
    """The loss of all rows; their gradient is added up in portions that fit."""
    n = size // each
    parts = []
    for a, b in zip(x.split(n), y.split(n), strict=True):
        share = len(a) / len(x)
        loss = loss_of(a, b) * share
        loss.backward()
        parts.append(loss.item())
        del loss
    return fsum(parts)
