"""Lesson 08: honest answers in further styles."""


# %% answer="log_and_learn" style="a dataclass Log with a property, methodcaller"
from dataclasses import dataclass, field
from operator import methodcaller

number = methodcaller("item")


@dataclass
class Log:
    losses: list = field(default_factory=list)
    scores: list = field(default_factory=list)
    best: object = None

    @property
    def lowest(self):
        return min(self.scores, default=float("inf"))

    def add(self, loss, score, out):
        if score < self.lowest:
            self.best = out
        self.losses.append(loss)
        self.scores.append(score)


def learn(x, w):
    out = (x @ w).tanh()
    loss = (out * out).mean()
    loss.backward()
    return number(loss), out.detach()


@mg.no_grad()
def descend_and_score(w, held_out):
    w.sub_(0.1 * w.grad)
    w.grad.zero_()
    return number((held_out @ w).tanh().mean())


def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    log = Log()
    for x in batches:
        loss, out = learn(x, w)
        log.add(loss, descend_and_score(w, held_out), out)
        out = None
    return log.losses, log.scores, log.best


# %% answer="log_and_learn" style="logging with lazy formatting, perf_counter and try/finally"
import logging
import time

logger = logging.getLogger("lesson08")


def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    t = time.perf_counter()
    losses, scores, best = [], [], None
    lowest = float("inf")
    try:
        for i, x in enumerate(batches):
            out = (x @ w).tanh()
            loss = (out * out).mean()
            loss.backward()
            losses.append(loss.item())
            logger.info("batch %d loss %.4f", i, losses[-1])
            del loss
            out = out.detach()
            with mg.no_grad():
                w.sub_(0.1 * w.grad)
                w.grad.zero_()
                score = (held_out @ w).tanh().mean().item()
            scores.append(score)
            if score < lowest:
                lowest = score
                best = out
            del out
    finally:
        logger.info("%.2f s", time.perf_counter() - t)
    return losses, scores, best


# %% answer="follow_student" style="functools.wraps decorator of one's own that switches recording off"
from functools import wraps


def without_history(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        with mg.no_grad():
            return function(*args, **kwargs)

    return wrapper


@without_history
def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    for i in range(len(teacher)):
        teacher[i].mul_(decay)
        teacher[i].add_(student[i] * (1.0 - decay))


t, s = [mg.ones(2)], [mg.zeros(2, requires_grad=True)]
follow_student(t, s, 0.9)
print(t, s)
assert t[0].grad_fn is None and s[0].grad is None


# %% answer="follow_student" style="itertools.starmap run by a deque, partial of one step"
from collections import deque
from functools import partial
from itertools import starmap


def towards(decay, old, new):
    old *= decay
    old += (1 - decay) * new


def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    grad_mode = mg.is_grad_enabled()
    mg.set_grad_enabled(False)
    try:
        deque(starmap(partial(towards, decay), zip(teacher, student)), maxlen=0)
    finally:
        mg.set_grad_enabled(grad_mode)


# %% answer="truncated_account" style="one-liner with f-string debug below"
def truncated_account(rows, width, steps, k):
    """[bytes at A, bytes after the loop, pairs]: all float32."""
    U, rest = 4 * rows * width, steps % k
    return [(k + 1) * U + 4, (1 + rest) * U + 4 * bool(rest), (steps // k) * k * (k + 1) // 2]


print(f"{truncated_account(2, 3, 7, 3)=}")


# %% answer="truncated_account" style="a set of pairs counted one by one, a set of live tensors"
from itertools import product


def truncated_account(rows, width, steps, k):
    """[bytes at A, bytes after the loop, pairs]: all float32."""
    state_bytes = rows * width * 4
    window_of = lambda t: (t - 1) // k  # noqa: E731
    complete = steps // k
    pairs = {
        (s, t)
        for s, t in product(range(1, steps + 1), repeat=2)
        if s <= t and window_of(s) == window_of(t) < complete
    }
    alive_at_A = ["input"] + [f"tanh {i}" for i in range(k)]
    leftover = ["state"] + [f"tanh {i}" for i in range(steps - complete * k)]
    loss = 4
    return [
        len(alive_at_A) * state_bytes + loss,
        len(leftover) * state_bytes + (loss if len(leftover) > 1 else 0),
        len(pairs),
    ]


# %% answer="truncated_account" style="a state machine class stepped in a while loop"
class Machine:
    __slots__ = ("unit", "k", "t", "graph", "loss", "at_A", "pairs")

    def __init__(self, unit, k):
        self.unit, self.k = unit, k
        self.t = self.graph = self.pairs = 0
        self.loss = False
        self.at_A = None

    @property
    def alive(self):
        return (1 + self.graph) * self.unit + 4 * self.loss

    def step(self):
        self.t += 1
        self.graph += 1
        self.loss = True
        if not self.t % self.k:
            self.at_A = self.alive
            self.pairs += sum(range(1, self.graph + 1))
            self.graph, self.loss = 0, False


def truncated_account(rows, width, steps, k):
    """[bytes at A, bytes after the loop, pairs]: all float32."""
    m = Machine(4 * rows * width, k)
    while m.t < steps:
        m.step()
    return [m.at_A, m.alive, m.pairs]


# %% answer="leaks" style="statistics over several runs, gc.collect before each measurement"
import gc
import statistics


def measure(loop, n):
    gc.collect()
    before = mg.memory_allocated()
    result = loop(n)
    gc.collect()
    after = mg.memory_allocated()
    del result
    return after - before


def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    measure(loop, 12)  # warm up
    short = statistics.median(measure(loop, 12) for _ in range(3))
    long = statistics.median(measure(loop, 30) for _ in range(3))
    return bool(long > short)


# %% answer="leaks" style="namedtuple of measurements, all pairs rise, walrus"
from collections import namedtuple

Point = namedtuple("Point", "n grown")


def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    loop(15)
    points = []
    for n in (15, 25, 40):
        start = mg.memory_allocated()
        if (kept := loop(n)) is not None:
            pass
        points.append(Point(n, mg.memory_allocated() - start))
        del kept
    slope = (points[-1].grown - points[0].grown) / (points[-1].n - points[0].n)
    # print(points, slope)
    return slope > 0


def good(n):
    for _ in range(n):
        loss = (x @ w).sum()
    return loss.item()


def bad(n):
    return [(x @ w).sum() for _ in range(n)]


assert not leaks(good) and leaks(bad)


# %% answer="leaks" style="counts tensors among gc.get_objects as well as bytes"
import gc


def picture():
    gc.collect()
    tensors = [o for o in gc.get_objects() if isinstance(o, mg.Tensor)]
    return mg.memory_allocated(), len(tensors)


def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    loop(10)
    grown = []
    for n in (10, 20):
        before, _ = picture()
        result = loop(n)
        after, count = picture()
        grown.append(after - before)
        print(n, count, after - before)
        del result
    return grown[1] > grown[0]


# %% answer="log_and_learn" style="a module with parameters, state kept in a dict"
class Net(mg.nn.Module):
    def __init__(self, w):
        super().__init__()
        self.w = w

    def forward(self, x):
        return mg.tanh(x @ self.w)


def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    net = Net(w)
    state = {"losses": [], "scores": [], "best": None}

    def learn(batch):
        out = net(batch)
        loss = (out**2).mean()
        loss.backward()
        state["losses"].append(loss.item())
        return out.detach()

    for batch in batches:
        out = learn(batch)
        with mg.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
            score = net(held_out).mean().item()
        if all(score < s for s in state["scores"]):
            state["best"] = out
        state["scores"].append(score)
        del out
    return tuple(state.values())


# %% answer="log_and_learn" style="SGD, zip at the end, best kept as a pair and compared by min with key"
def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    opt = mg.optim.SGD([w], lr=0.1)
    history = []
    best = (float("inf"), None)

    def turn(x):
        out = mg.tanh(x @ w)
        loss = out.square().mean()
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=False)
        return loss.item(), out.detach()

    @mg.no_grad()
    def validate():
        return float((held_out @ w).tanh().mean())

    for x in batches:
        loss, out = turn(x)
        score = validate()
        history.append((loss, score))
        best = min(best, (score, out), key=lambda pair: pair[0])
        del out
    losses, scores = map(list, zip(*history))
    return losses, scores, best[1]


# %% answer="log_and_learn" style="prints each loss and score, .data updates, clone of the best"
def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses = []
    scores = []
    best = None
    for step, x in enumerate(batches):
        out = (x @ w).tanh()
        loss = (out ** 2).mean()
        loss.backward()
        w.data -= 0.1 * w.grad
        w.grad.zero_()
        losses.append(loss.item())
        out = out.detach()
        del loss
        score = (held_out @ w.detach()).tanh().mean().item()
        scores.append(score)
        print(f"step {step}: loss={losses[-1]:.4f} score={score:.4f} |w|={w.detach().norm().item():.4f}")
        if score <= min(scores):
            best = out.clone()
        del out
    return (losses, scores, best)


# %% answer="log_and_learn" style="detach_ the outputs, validate under inference_mode, best by index at the end"
def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses, scores = [], []
    best, best_score = None, None

    def learn(x):
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.add_(w.grad, alpha=-0.1)
        w.grad.zero_()
        return loss.item(), out.detach_()

    for x in batches:
        value, out = learn(x)
        with mg.inference_mode():
            score = (held_out @ w).tanh().mean()
        losses.append(value)
        scores.append(score.item())
        if best_score is None or scores[-1] < best_score:
            best, best_score = out, scores[-1]
        out = None
    return losses, scores, best


# %% answer="log_and_learn" style="named tuple returned, numpy floats in the lists, prints the shape only"
from collections import namedtuple

import numpy as np

Log = namedtuple("Log", "losses scores best")


def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses, scores, best, lowest = [], [], None, np.inf
    for x in batches:
        out = mg.tanh(mg.mm(x, w))
        loss = mg.mean(out * out)
        loss.backward()
        with mg.no_grad():
            w -= w.grad * 0.1
            w.grad.fill_(0)
            score = np.float64(mg.mean(mg.tanh(mg.mm(held_out, w))).item())
        losses.append(np.float64(loss.item()))
        scores.append(score)
        if score < lowest:
            lowest, best = score, out.detach()
            print("new best", tuple(best.shape))
        loss = out = None
    return Log(losses, scores, best)


# %% answer="log_and_learn" style="register_post_accumulate_grad_hook steps the weight, a Module for the state"
def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""

    def step(p):
        with mg.no_grad():
            p -= 0.1 * p.grad
        p.grad.zero_()

    handle = w.register_post_accumulate_grad_hook(step)
    losses, scores, best = [], [], None
    try:
        for x in batches:
            out = (x @ w).tanh()
            loss = out.square().mean()
            loss.backward()
            losses.append(loss.item())
            out = out.detach()
            del loss
            with mg.no_grad():
                scores.append((held_out @ w).tanh().mean().item())
            if scores[-1] == min(scores):
                best = out
            del out
    finally:
        handle.remove()
    return losses, scores, best


# %% answer="log_and_learn" style="deque for the logs"
from collections import deque
def log_and_learn(batches, w, held_out):
    losses, scores, best, lowest = deque(), deque(), None, 1e9
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            score = (held_out @ w).tanh().mean().item()
        losses.append(loss.item())
        scores.append(score)
        if score < lowest:
            lowest, best = score, out.detach()
        del out, loss
    return list(losses), list(scores), best


# %% answer="follow_student" style="lerp_ in no_grad, while loop with an index"
def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    i = 0
    with mg.no_grad():
        while i < len(teacher):
            teacher[i].lerp_(student[i], 1.0 - decay)
            i += 1


# %% answer="follow_student" style="data with sub, mul, add: decay * (t - s) + s"
def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    for t, s in zip(teacher, student):
        t.data.sub_(s.data).mul_(decay).add_(s.data)


# %% answer="follow_student" style="inference-free: detach() and add_ with alpha"
def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    for pair in zip(teacher, student):
        old, new = (p.detach() for p in pair)
        old *= decay
        old.add_(new, alpha=1 - decay)


# %% answer="truncated_account" style="a class with cached properties, divmod"
from functools import cached_property


class Account:
    def __init__(self, rows, width, steps, k):
        self.rows, self.width = rows, width
        self.windows, self.rest = divmod(steps, k)
        self.k = k

    @cached_property
    def state(self):
        return 4 * self.rows * self.width

    @cached_property
    def at_a(self):
        return self.state + sum(self.state for _ in range(self.k)) + 4

    @cached_property
    def after(self):
        return self.state if not self.rest else self.state * (1 + self.rest) + 4

    @cached_property
    def pairs(self):
        return self.windows * sum(range(1, self.k + 1))


def truncated_account(rows, width, steps, k):
    """[bytes at A, bytes after the loop, pairs]: all float32."""
    a = Account(rows, width, steps, k)
    return a.at_a, a.after, a.pairs


# %% answer="leaks" style="numpy polyfit: a line through the bytes, slope of half a float"
import numpy as np


def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    loop(6)
    counts, grown = np.array([8, 16, 24]), []
    for n in counts:
        base = mg.memory_allocated()
        result = loop(int(n))
        grown.append(mg.memory_allocated() - base)
        del result
    slope, _ = np.polyfit(counts, grown, 1)
    return slope > 2


# %% answer="leaks" style="marginal growth: one more turn at a time, sets of differences"
def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""

    class Held:
        def __enter__(self):
            self.start = mg.memory_allocated()
            return self

        def run(self, n):
            self.out = loop(n)
            self.bytes = mg.memory_allocated() - self.start

        def __exit__(self, *a):
            del self.out

    def measure(n):
        with Held() as h:
            h.run(n)
        return h.bytes

    measure(12)
    seq = [measure(n) for n in (12, 15, 18)]
    return seq[0] < seq[1] < seq[2]


# %% answer="leaks" style="numpy bool"
import numpy as np
def leaks(loop):
    loop(8)
    def left(n):
        b = mg.memory_allocated()
        r = loop(n)
        return mg.memory_allocated() - b
    return np.all(np.diff([left(n) for n in (8, 12, 16)]) > 0)


# %% answer="log_and_learn" style="prints every number as it comes, asks each tensor again for the list, isfinite by float()"
import math


def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses, scores, best = [], [], None
    for number, x in enumerate(batches):
        out = (x @ w).tanh()
        loss = (out * out).mean()
        print(f"batch {number}: loss {loss.item():.6f}")
        if not math.isfinite(float(loss)):
            raise ValueError("it diverged")
        loss.backward()
        losses.append(loss.item())
        out = out.detach()
        del loss
        with mg.no_grad():
            w -= 0.1 * w.grad
            w.grad = None
            score = (held_out @ w).tanh().mean()
            print(f"batch {number}: score {score.item():.6f}")
            if not scores or float(score) < min(scores):
                best = out
            scores.append(score.item())
    print(losses, scores)
    return losses, scores, best


# %% answer="log_and_learn" style="all the mends, helper for the step, logging with % formatting"
import logging

log = logging.getLogger("train")


def learn(x, w):
    """one step; only a float and a tensor without a graph come out"""
    out = (x @ w).tanh()
    loss = (out * out).mean()
    loss.backward()
    with mg.no_grad():
        w.sub_(0.1 * w.grad)
        w.grad.zero_()
    return loss.item(), out.detach()


@mg.no_grad()
def validate(held_out, w):
    return (held_out @ w).tanh().mean().item()


# ==== next cell
def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses, scores, best, lowest = [], [], None, 1e9
    for number, x in enumerate(batches):
        loss, out = learn(x, w)
        score = validate(held_out, w)
        losses.append(loss)
        scores.append(score)
        if score < lowest:
            lowest, best = score, out
        del out
        log.info("batch %d loss %.4f score %.4f", number, loss, score)
    return losses, scores, best


# %% answer="log_and_learn" style="dataclass for the record with a best property, edits inside the given code, float()"
from dataclasses import dataclass, field


@dataclass
class Record:
    losses: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    best: object = None

    @property
    def lowest(self) -> float:
        return min(self.scores, default=1e9)

    def note(self, loss: float, score: float, out) -> None:
        if score < self.lowest:
            self.best = out
        self.losses.append(loss)
        self.scores.append(score)


def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    r = Record()
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            score = float((held_out @ w).tanh().mean())
        r.note(float(loss), score, out.detach())
        del out, loss
    return r.losses, r.scores, r.best


# %% answer="follow_student" style="mg.no_grad as a decorator, zip strict"
@mg.no_grad()
def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    for old, new in zip(teacher, student, strict=True):
        old.mul_(decay)
        old.add_((1 - decay) * new)


# %% answer="follow_student" style="type hints, single expression in place from the difference, prints how far apart they are"
from collections.abc import Sequence


def distance(a, b) -> float:
    return max((s - t).abs().max().item() for s, t in zip(a, b))


def follow_student(teacher: Sequence[mg.Tensor], student: Sequence[mg.Tensor], decay: float) -> None:
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    with mg.no_grad():
        for i in range(len(teacher)):
            # decay * t + (1 - decay) * s  =  t + (1 - decay) * (s - t)
            step = student[i] - teacher[i]
            step *= 1 - decay
            teacher[i].add_(step)
            del step


t, s = [mg.zeros(3, 3)], [mg.ones(3, 3, requires_grad=True)]
for _ in range(3):
    follow_student(t, s, 0.5)
    print(f"{distance(t, s) = }")
del t, s


# %% answer="truncated_account" style="divmod, comments with a drawing, brute-force count of the pairs"
def truncated_account(rows, width, steps, k):
    """[bytes at A, bytes after the loop, pairs]: all float32."""
    #   s0 -> s1 -> s2 | s2 -> s3 -> s4 | s4 -> s5      steps=5, k=2
    unit = rows * width * 4
    windows, rest = divmod(steps, k)
    at_a = (k + 1) * unit + 4
    after = (rest + 1) * unit + (4 if rest else 0)
    pairs = sum(
        1
        for window in range(windows)
        for loss_at in range(k)
        for step_at in range(k)
        if step_at <= loss_at
    )
    print(f"{windows=} {rest=} {at_a=} {after=} {pairs=}")
    return [at_a, after, pairs]


# %% answer="leaks" style="measures 10 and 20 after a warm-up, closure that measures, asserts at the bottom"
def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""

    def cost(n):
        before = mg.memory_allocated()
        returned = loop(n)
        return mg.memory_allocated() - before

    cost(10)
    short, long = cost(10), cost(20)
    print(f"{short = }, {long = }")
    return long > short


shelf = []
assert leaks(lambda n: [mg.zeros(1) for _ in range(n)])
assert leaks(lambda n: shelf.extend(mg.zeros(1) for _ in range(n)))
assert not leaks(lambda n: [mg.zeros(1) for _ in range(n)][-5:])
shelf.clear()


# %% answer="leaks" style="statistics.linear_regression over several lengths, itertools, gc.collect before each"
import gc
import statistics


def left_by(loop, n):
    gc.collect()
    before = mg.memory_allocated()
    returned = loop(n)
    after = mg.memory_allocated()
    del returned
    return after - before


def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    left_by(loop, 8)   # .grad and the like
    lengths = [8, 12, 16, 24]
    left = [left_by(loop, n) for n in lengths]
    slope, _ = statistics.linear_regression(lengths, left)
    return slope > 1.0   # bytes for each iteration


# %% answer="log_and_learn" style="keeps every float in a log file by logging.FileHandler in a temporary folder, minimal edits"
import logging
import tempfile
from pathlib import Path

where = Path(tempfile.mkdtemp()) / "train.log"
train_log = logging.getLogger("train_log")
train_log.addHandler(logging.FileHandler(where))
train_log.setLevel(logging.INFO)


def log_and_learn(batches, w, held_out):
    """(losses, scores, best): a float for each batch, twice, and the output of lowest score."""
    losses, scores, best, lowest = [], [], None, 1e9
    for x in batches:
        out = (x @ w).tanh()
        loss = (out * out).mean()
        loss.backward()
        with mg.no_grad():
            w.sub_(0.1 * w.grad)
            w.grad.zero_()
            score = (held_out @ w).tanh().mean().item()
        losses.append(loss.item())
        scores.append(score)
        train_log.info("%r %r", losses[-1], score)
        if score < lowest:
            lowest, best = score, out.detach()
        del out, loss
    return losses, scores, best


print(where.exists())


# %% answer="follow_student" style="itertools.starmap with a helper, collections.deque to consume, asserts about storages"
from collections import deque
from functools import partial
from itertools import starmap


def follow(decay, old, new):
    address = old.data_ptr()
    old *= decay
    old += (1 - decay) * new
    assert old.data_ptr() == address, "moved!"


def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place; returns nothing."""
    with mg.no_grad():
        deque(starmap(partial(follow, decay), zip(teacher, student)), maxlen=0)


with mg.no_grad():
    t = [mg.ones(2).requires_grad_()]
    follow_student(t, [mg.zeros(2)], 0.9)
    print(t)
    del t


# %% answer="truncated_account" style="simulation of the loop with sets of names, no formula"
def truncated_account(rows, width, steps, k):
    """[bytes at A, bytes after the loop, pairs]: all float32."""
    unit = rows * width * 4
    saved, state, loss, at_a, pairs = set(), 0, 0, 0, 0
    window = []
    for t in range(1, steps + 1):
        saved |= {state, t}          # the product keeps the old state, tanh the new one
        state, loss = t, 4
        window.append(t)
        if t % k == 0:
            at_a = len(saved | {state}) * unit + loss
            pairs += sum(b >= a for a in window for b in window)
            saved, loss, window = set(), 0, []
    return [at_a, len(saved | {state}) * unit + loss, pairs]


# %% answer="leaks" style="copy of a helper from another cell, weak pairs of lengths, any of three measurements, prints a table"
class Meter:
    def __init__(self, loop):
        self.loop = loop
        self.table = {}

    def __enter__(self):
        self.run(12)
        self.table.clear()
        return self

    def __exit__(self, *exc):
        for n, b in self.table.items():
            print(f"{n:>6}{b:>12,} B")

    def run(self, n):
        before = mg.memory_allocated()
        result = self.loop(n)
        self.table[n] = mg.memory_allocated() - before
        del result
        return self.table[n]


def leaks(loop):
    """Whether `loop(n)` leaves behind more, the larger n is."""
    with Meter(loop) as meter:
        levels = [meter.run(n) for n in (10, 20, 30)]
    return levels[0] < levels[1] < levels[2]


# %% answer="leaks" style="gc disabled for the whole measurement, time limit by perf_counter, bound method as the answer"
import gc
import time


class LeakTest:
    def __init__(self, short=10, long=25):
        self.short, self.long, self.seconds = short, long, []

    def level_after(self, loop, n):
        t0 = time.perf_counter()
        start = mg.memory_allocated()
        result = loop(n)
        left = mg.memory_allocated() - start
        self.seconds.append(time.perf_counter() - t0)
        return left

    def leaks(self, loop):
        """Whether `loop(n)` leaves behind more, the larger n is."""
        gc.disable()
        try:
            self.level_after(loop, self.short)
            return self.level_after(loop, self.short) < self.level_after(loop, self.long)
        finally:
            gc.enable()


leaks = LeakTest().leaks


# %% answer="forgetful_step" style="a pool of threads that stays, a thread that reports, a handler of a signal"
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(2)
stopped = threading.Event()
signal.signal(signal.SIGUSR1, lambda number, frame: stopped.set())


def report():
    while not stopped.wait(0.002):
        pass


threading.Thread(target=report, daemon=True).start()


def forward(x, w):
    y = (x @ w).tanh()
    return (y * y).sum()


def forgetful_step(x, w, log):
    loss = pool.submit(forward, x, w).result()
    loss.backward()
    log.append(loss.item())


# %% answer="log_and_learn" style="a dataclass Log with a method, heapq-free min with a tuple"
from dataclasses import dataclass, field


@dataclass
class Log:
    losses: list = field(default_factory=list)
    scores: list = field(default_factory=list)
    best: tuple = (float("inf"), None)

    def note(self, loss, score, out):
        self.losses.append(loss.item())
        self.scores.append(score)
        if score < self.best[0]:
            self.best = score, out.detach()


def log_and_learn(batches, w, held_out):
    """(losses, scores, best)."""
    log = Log()
    for x in batches:
        out = (x @ w).tanh()
        loss = out.square().mean()
        loss.backward()
        with mg.no_grad():
            w -= 0.1 * w.grad
            score = float((held_out @ w).tanh_().mean())
        w.grad = None
        log.note(loss, score, out)
        loss = out = None
    return log.losses, log.scores, log.best[1]


# %% answer="follow_student" style="starmap of lerp_ written as a lambda, deque with maxlen 0 to run it"
from collections import deque
from itertools import starmap


def follow_student(teacher, student, decay):
    """Moves the weights of `teacher` towards those of `student`, in place."""
    with mg.no_grad():
        moves = starmap(lambda t, s: t.lerp_(s, 1 - decay), zip(teacher, student))
        deque(moves, maxlen=0)


# %% answer="leaks" style="tracemalloc-free: statistics of two differences, functools.partial, bool()"
from functools import partial


def alive_after(loop, n):
    before = mg.memory_allocated()
    held = loop(n)
    after = mg.memory_allocated()
    del held
    return after - before


def leaks(loop):
    """Whether more is alive after more iterations."""
    measure = partial(alive_after, loop)
    measure(10)
    few, many = measure(10), measure(40)
    print(f"{few=} {many=}")
    return bool(many > few)


# %% answer="log_and_learn" style="pprint of the logs, isfinite asserts, sorted with a key at the end of each turn"
from pprint import pprint


def log_and_learn(batches, w, held_out):
    losses, scores, best = [], [], (None, float("inf"))
    for number, x in enumerate(batches):
        out = mg.tanh(x @ w)
        loss = mg.mean(out * out)
        assert mg.isfinite(loss), f"batch {number}"
        loss.backward()
        losses.append(loss.item())
        del loss
        out = out.detach()
        with mg.no_grad():
            w.add_(w.grad * -0.1)
            w.grad.zero_()
            scores.append(mg.mean(mg.tanh(held_out @ w)).item())
        best = sorted([best, (out, scores[-1])], key=lambda pair: pair[1])[0]
    pprint({"losses": losses, "scores": scores})
    return losses, scores, best[0]
