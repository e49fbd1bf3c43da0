"""Lesson 05: honest answers in further styles."""


# %% answer="where_it_stops" style="while loop, try list.index except ValueError"
NO_SAVE = ["y + 5", "5 - y", "-y", "y.clone()"]


def where_it_stops(before, inside, retain):
    """None, or (iteration, place in `before`) of the node that raises."""
    try:
        i = list(retain).index(False)
    except ValueError:
        return None
    if i == len(retain) - 1:
        return None
    p = len(before) - 1
    while p >= 0 and before[p] in NO_SAVE:
        p -= 1
    return None if p < 0 else (i + 1, p)


print(where_it_stops(["y.exp()", "-y"], ["-y"], [True, False, True]))


# %% answer="where_it_stops" style="simulation with node objects that free, own exception"
class Freed(Exception):
    def __init__(self, place):
        super().__init__(f"node {place} was freed")
        self.place = place


class Node:
    def __init__(self, place, step):
        self.place = place
        self.saved = step if step in {"y * 5", "y * y", "y.exp()", "y.tanh()"} else None
        self.saves = self.saved is not None

    def run(self, keep):
        if self.saves and self.saved is None:
            raise Freed(self.place)
        if not keep:
            self.saved = None


def where_it_stops(before, inside, retain):
    """None, or (iteration, place in `before`) of the node that raises."""
    trunk = [Node(i, s) for i, s in enumerate(before)]
    for iteration, keep in enumerate(retain):
        branch = [Node(None, s) for s in inside]
        try:
            for node in reversed(trunk + branch):
                node.run(keep)
        except Freed as error:
            return iteration, error.place
    return None


assert where_it_stops(["y.exp()"], [], [False, False]) == (1, 0)
assert where_it_stops(["-y"], ["y.exp()"], [False, False]) is None


# %% answer="where_it_stops" style="regular expression, walrus, any"
import re

SAVING = re.compile(r"^y(\.(exp|tanh)\(\)| \* (5|y))$")


def where_it_stops(before, inside, retain):
    """None, or (iteration, place in `before`) of the node that raises."""
    hits = [i for i, step in enumerate(before) if SAVING.match(step)]
    frees = [i for i, keep in enumerate(retain[:-1]) if not keep]
    if (n := len(hits)) and frees:
        return min(frees) + 1, hits[n - 1]


# %% answer="FourLoops" style="partials and a loss helper in another cell, enable_grad, lambda"
from functools import partial


def step_loss(h, w):
    return mg.tanh(h @ w)


total_of = partial(sum, start=0.0)


# ==== next cell
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        h = step_loss(x, w)
        total_of([(h * t).sum() for t in targets]).backward()

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        h = x
        for i in range(steps):
            h = h.detach()
            h = step_loss(h, w)
            h.sum().backward()

    @staticmethod
    def updated(x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        lr = 0.1
        for _ in range(steps):
            loss = step_loss(x, w).sum()
            loss.backward()
            del loss
            with mg.no_grad():
                w.sub_(w.grad * lr)
            w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        loss = step_loss(x, w).sum()
        loss.backward(gradient=mg.tensor(2.0))


# %% answer="FourLoops" style="a generator carries the state, accumulate of losses with a while loop"
def states(h, w, steps):
    while steps > 0:
        steps -= 1
        h = (h.detach() @ w).tanh()
        yield h


class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        h = (x @ w).tanh()
        loss = None
        for t in targets:
            term = (h * t).sum()
            loss = term if loss is None else loss + term
        if loss is not None:
            loss.backward()

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        for h in states(x, w, steps):
            h.sum().backward()

    @staticmethod
    def updated(x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""

        def one():
            y = (x @ w).tanh().sum()
            y.backward()
            with mg.no_grad():
                w.add_(w.grad, alpha=-0.1)
                w.grad.fill_(0.0)

        [one() for _ in range(steps)]

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        ((x @ w).tanh() * 2).sum().backward()


# %% answer="price_of_retaining" style="match on a tuple"
def price_of_retaining(layers, steps, retain, then):
    """(highest, after) in U; `then` is "nothing", "del y" or "log.append(y)"."""
    match retain, then:
        case False, _:
            return layers + 1, 0
        case True, "del y":
            return layers + 2, 0
        case True, "nothing":
            return max(layers + 2, layers * 2), layers
        case True, "log.append(y)":
            return layers * steps + 2, layers * steps
    raise ValueError(then)


for _then in ("nothing", "del y", "log.append(y)"):
    print(_then, price_of_retaining(3, 4, True, _then))


# %% answer="price_of_retaining" style="an event list and its running maximum with accumulate"
from itertools import accumulate


def price_of_retaining(layers, steps, retain, then):
    """(highest, after) in U; `then` is "nothing", "del y" or "log.append(y)"."""
    events = []
    for step in range(steps):
        events += [+1] * layers  # forward
        if step and retain and then == "nothing":
            events.append(-layers)  # y moves on: the old graph goes
        if retain:
            events += [+2, -2]
            if then == "del y":
                events.append(-layers)
        else:
            events += [+1, -1 - layers]
    level = list(accumulate(events))
    return max(level), level[-1]


# %% answer="price_of_retaining" style="a dict of lambdas, German names"
def price_of_retaining(layers, steps, retain, then):
    """(highest, after) in U; `then` is "nothing", "del y" or "log.append(y)"."""
    s, n = layers, steps
    if retain is False:
        hoechst, danach = s + 1, 0
    else:
        danach = {"nothing": s, "del y": 0, "log.append(y)": n * s}[then]
        hoechst = {
            "nothing": lambda: 2 * s if s > 2 else s + 2,
            "del y": lambda: s + 2,
            "log.append(y)": lambda: n * s + 2,
        }[then]()
    return (hoechst, danach)


# %% answer="all_or_nothing" style="ExitStack with callbacks that put back, popped on success"
from contextlib import ExitStack


def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf.

    On an error, leave all as it was.
    """
    with ExitStack() as undo:
        for leaf in leaves:
            old = None if leaf.grad is None else leaf.grad.clone()
            undo.callback(setattr, leaf, "grad", old)
        loss.backward()
        undo.pop_all()


# %% answer="all_or_nothing" style="copy.deepcopy of the gradients, a sentinel, bare except and raise"
import copy


def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf.

    On an error, leave all as it was.
    """
    saved = {id(leaf): copy.deepcopy(leaf.grad) for leaf in leaves}
    try:
        loss.backward()
    except:  # noqa: E722
        for leaf in leaves:
            leaf.grad = saved[id(leaf)]
        raise


# %% answer="all_or_nothing" style="delattr-free, vars of a SimpleNamespace, dict of weak keys"
from types import SimpleNamespace


def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf.

    On an error, leave all as it was.
    """
    notes = [SimpleNamespace(leaf=leaf, old=leaf.grad) for leaf in leaves]
    for note in notes:
        note.leaf.grad = None
    failed = True
    try:
        loss.backward()
        failed = False
    finally:
        for note in notes:
            new = note.leaf.grad
            if failed or new is None:
                note.leaf.grad = note.old
            elif note.old is not None:
                new += note.old
        # print([vars(n).keys() for n in notes])


# %% answer="FourLoops" style="subclass of a helper base, class methods, an attribute for the rate"
class Loops:
    rate = 0.1

    @staticmethod
    def net(h, w):
        return (h @ w).tanh()


class FourLoops(Loops):
    @classmethod
    def shared(cls, x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        h = cls.net(x, w)
        mg.stack([(h * t).sum() for t in targets]).sum().backward()

    @classmethod
    def carried(cls, x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        h = x
        for _ in range(steps):
            h = cls.net(h.detach(), w)
            h.sum().backward()

    @classmethod
    def updated(cls, x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for _ in range(steps):
            cls.net(x, w).sum().backward()
            with mg.no_grad():
                w -= cls.rate * w.grad
            w.grad.zero_()

    @classmethod
    def doubled(cls, x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        y = cls.net(x, w).sum()
        (y * 2).backward()


# %% answer="where_it_stops" style="next over generators, max with default, numpy ints in a list"
import numpy as np

FREE = ("y + 5", "5 - y", "-y", "y.clone()")


def where_it_stops(before, inside, retain):
    """None, or (iteration, place in `before`) of the node that raises."""
    keep = np.asarray(retain, dtype=bool)
    guilty = max((i for i, s in enumerate(before) if s not in FREE), default=-1)
    first = next(iter(np.flatnonzero(~keep[:-1])), None)
    return None if guilty < 0 or first is None else [first + 1, guilty]


# %% answer="where_it_stops" style="exceptions as control flow, for with else, a class with a freed flag"
class SecondTime(RuntimeError):
    def __init__(self, where):
        super().__init__("Trying to backward through the graph a second time")
        self.where = where


class Trunk:
    def __init__(self, steps):
        self.steps = [[s, False] for s in steps]

    def backward(self, retain):
        for place in reversed(range(len(self.steps))):
            step, freed = self.steps[place]
            needs = "*" in step or "exp" in step or "tanh" in step
            if needs and freed:
                raise SecondTime(place)
            self.steps[place][1] = freed or not retain


def where_it_stops(before, inside, retain):
    """None, or (iteration, place in `before`) of the node that raises."""
    trunk = Trunk(before)
    for i, keep in enumerate(retain):
        try:
            trunk.backward(keep)
        except SecondTime as err:
            answer = i, err.where
            break
    else:
        answer = None
    return answer


# %% answer="where_it_stops" style="NamedTuple returned"
from typing import NamedTuple
class Stop(NamedTuple):
    iteration: int
    place: int
def where_it_stops(before, inside, retain):
    saves = [i for i, s in enumerate(before) if s not in ("y + 5", "5 - y", "-y", "y.clone()")]
    if not saves or all(retain[:-1]):
        return None
    return Stop(retain.index(False) + 1, max(saves))


# %% answer="FourLoops" style="SGD from optim, h.backward(gradient), detach_ in place, .data"
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        h = (x @ w).tanh()
        h.backward(gradient=sum(targets))

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        h = x
        for _ in range(steps):
            h = mg.tanh(h @ w)
            h.sum().backward()
            h.detach_()

    @staticmethod
    def updated(x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        opt = mg.optim.SGD([w], lr=0.1)
        for _ in range(steps):
            loss = (x @ w).tanh().sum()
            loss.backward()
            opt.step()
            opt.zero_grad(set_to_none=False)

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        loss = (x @ w).tanh().sum()
        loss.backward(mg.tensor(2.0))


# %% answer="FourLoops" style="cut and resume for the shared trunk, .data updates, loss + loss"
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        trunk = (x @ w).tanh()
        cut = trunk.detach().requires_grad_(True)
        for t in targets:
            (cut * t).sum().backward()
        trunk.backward(cut.grad)

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        h, i = x, 0
        while i < steps:
            new = (h @ w).tanh()
            new.sum().backward()
            h = new.data
            del new
            i += 1

    @staticmethod
    def updated(x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for _ in range(steps):
            (x @ w).tanh().sum().backward()
            w.data.add_(w.grad, alpha=-0.1)
            w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        loss = (x @ w).tanh().sum()
        (loss + loss).backward()


# %% answer="FourLoops" style="checkpoint on the trunk, autograd.backward of several losses, parameters scaled"
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        h = (x @ w).tanh()
        losses = [(h * t).sum() for t in targets]
        mg.autograd.backward(losses)

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        h = x.detach()
        for _ in range(steps):
            h = (h @ w).tanh()
            h.backward(mg.ones_like(h))
            h = h.detach()

    @staticmethod
    def updated(x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for _ in range(steps):
            loss = mg.sum(mg.tanh(x @ w))
            loss.backward()
            with mg.no_grad():
                w.copy_(w - 0.1 * w.grad)
            w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        loss = (x @ w).tanh().sum()
        g, = mg.autograd.grad(loss, w)
        w.grad += 2 * g


# %% answer="price_of_retaining" style="toy simulation with lists of live units, a Meter with property"
class Meter:
    def __init__(self):
        self.graphs, self.extra, self._top = [], 0, 0

    def look(self):
        self._top = max(self._top, sum(self.graphs) + self.extra)

    @property
    def top(self):
        return self._top


def price_of_retaining(layers, steps, retain, then):
    """(highest, after) in U; `then` is "nothing", "del y" or "log.append(y)"."""
    m = Meter()
    for _ in range(steps):
        m.graphs.append(0)
        for _ in range(layers):
            m.graphs[-1] += 1
            m.look()
        if then == "nothing":  # the name y has turned to the new graph
            m.graphs = m.graphs[-1:]
        # backward: the first tanh node gets 4 bytes, and makes 1 U
        for k in range(layers):
            m.extra = 1 if k == 0 else 2
            m.look()
            if not retain:
                m.graphs[-1] -= 1
        m.extra = 0
        if then == "del y":
            m.graphs.pop()
    return [m.top, sum(m.graphs)]


# %% answer="price_of_retaining" style="namedtuple"
from collections import namedtuple
P = namedtuple("P", "highest after")
def price_of_retaining(layers, steps, retain, then):
    if not retain: return P(layers + 1, 0)
    if then == "del y": return P(layers + 2, 0)
    if then == "log.append(y)": return P(steps * layers + 2, steps * layers)
    return P(max(2 * layers, layers + 2), layers)


# %% answer="all_or_nothing" style="autograd.grad with allow_unused writes nowhere, then add_"
def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf. On an error, leave all as it was."""
    leaves = list(leaves)
    grads = mg.autograd.grad(loss, leaves, allow_unused=True)
    for leaf, g in zip(leaves, grads):
        if g is None:
            continue
        if leaf.grad is None:
            leaf.grad = g.clone()
        else:
            leaf.grad.add_(g)


# %% answer="all_or_nothing" style="a context manager class Transaction with rollback in __exit__"
class Transaction:
    def __init__(self, leaves):
        self.leaves = list(leaves)

    def __enter__(self):
        self.backup = [None if l.grad is None else l.grad.detach().clone() for l in self.leaves]
        return self

    def __exit__(self, kind, error, tb):
        if kind is not None:
            for leaf, old in zip(self.leaves, self.backup):
                if old is None:
                    leaf.grad = None
                else:
                    leaf.grad.copy_(old)
        del self.backup
        return False


def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf. On an error, leave all as it was."""
    with Transaction(leaves):
        loss.backward()


# %% answer="all_or_nothing" style="BaseException caught, grads swapped by tuple assignment, lists of None"
def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf. On an error, leave all as it was."""
    kept = []
    for leaf in leaves:
        kept.append(leaf.grad)
        leaf.grad = None
    ok = False
    try:
        loss.backward()
        ok = True
    finally:
        for i, leaf in enumerate(leaves):
            old, new = kept[i], leaf.grad
            if not ok or new is None:
                leaf.grad = old
            elif old is not None:
                old += new
                leaf.grad = old
        kept.clear()


# %% answer="where_it_stops" style="walrus and next with default, memoised, checks at the bottom with minigrad"
import functools

SAVES = {"y * 5", "y * y", "y.exp()", "y.tanh()"}


@functools.lru_cache(maxsize=None)
def _guilty(before: tuple):
    return max((i for i, step in enumerate(before) if step in SAVES), default=None)


def where_it_stops(before, inside, retain):
    """None, or (iteration, place in `before`) of the node that raises."""
    if (place := _guilty(tuple(before))) is None:
        return None
    emptied = next((i for i, keep in enumerate(retain) if not keep), None)
    if emptied is None or emptied + 1 == len(retain):
        return None
    return emptied + 1, place


def does_it_stop(before, inside, retain):
    y = trunk = mg.ones(3, requires_grad=True)
    for step in before:
        y = trunk = eval(step)
    for i, keep in enumerate(retain):
        y = trunk
        for step in inside:
            y = eval(step)
        if (how := attempt(y.sum().backward, retain_graph=keep)) != "passes":
            return i, how
    return None


for case in [(["-y", "y.exp()", "y + 5"], ["y * y"], [True, False, False]), (["5 - y"], ["y.exp()"], [False, False])]:
    print(where_it_stops(*case), does_it_stop(*case))


# %% answer="FourLoops" style="sum with start, math-y one-liners, prints"
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        h = (x @ w).tanh()
        losses = [(h * t).sum() for t in targets]
        print("losses:", [round(loss.item(), 4) for loss in losses])
        if losses:
            sum(losses).backward()

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        h = x
        for step in range(steps):
            h = (h @ w).tanh()
            h.sum().backward()
            h = h.detach()
            print(f"{step = } {h[0, 0].item() = :.5f}")

    @staticmethod
    def updated(x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for _ in range(steps):
            loss = (x @ w).tanh().sum()
            loss.backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        loss = (x @ w).tanh().sum()
        (loss + loss).backward()


# %% answer="FourLoops" style="helper functions outside, functools.reduce, gradient argument in place of a factor, contextlib.ExitStack"
import contextlib
import functools
import operator


def layer(h, w):
    return (h @ w).tanh()


# ==== next cell
class FourLoops:
    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        if len(targets) == 0:
            return
        # the gradient of sum(h * t) at h is t, so one walk with the sum of all t
        layer(x, w).backward(functools.reduce(operator.add, targets))

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        def turn(h, _):
            h = layer(h.detach(), w)
            h.sum().backward()
            return h

        functools.reduce(turn, range(steps), x)

    @staticmethod
    def updated(x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for _ in range(steps):
            layer(x, w).sum().backward()
            with contextlib.ExitStack() as stack:
                stack.enter_context(mg.no_grad())
                stack.callback(w.grad.zero_)
                w.sub_(0.1 * w.grad)

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        layer(x, w).sum().backward(mg.tensor(2.0))


# %% answer="price_of_retaining" style="match statement on tuples, global constants, prints a table for small cases"
STATE = 2   # the gradient that comes in, and the one that is made


def price_of_retaining(layers, steps, retain, then):
    """(highest, after) in U; `then` is "nothing", "del y" or "log.append(y)"."""
    match retain, then:
        case False, _:
            return layers + 1, 0
        case True, "del y":
            return layers + STATE, 0
        case True, "nothing":
            return max(2 * layers, layers + STATE), layers
        case True, "log.append(y)":
            return steps * layers + STATE, steps * layers
    raise ValueError(then)


for layers in (2, 3, 5):
    for retain in (False, True):
        for then in ("nothing", "del y", "log.append(y)"):
            print(f"{layers} {retain!s:<6}{then:<14}{price_of_retaining(layers, 3, retain, then)}")


# %% answer="all_or_nothing" style="copies and a try/except with warnings, helper NamedTuple"
import warnings
from typing import NamedTuple, Any


class Backup(NamedTuple):
    leaf: Any
    grad: Any   # a clone, or None

    def restore(self):
        if self.grad is None:
            self.leaf.grad = None
        else:
            with mg.no_grad():
                self.leaf.grad.copy_(self.grad)


def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf.

    On an error, leave all as it was.
    """
    backups = [Backup(t, None if t.grad is None else t.grad.clone()) for t in leaves]
    try:
        loss.backward()
    except RuntimeError:
        warnings.warn("backward failed, gradients restored", stacklevel=2)
        for backup in backups:
            backup.restore()
        raise


# %% answer="all_or_nothing" style="context manager of his own, sets grads aside and adds afterwards"
from contextlib import contextmanager


@contextmanager
def grads_set_aside(leaves):
    """Inside, every .grad is None. Afterwards old + new, or only old if it failed."""
    old = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    try:
        yield
    except BaseException:
        for leaf, grad in zip(leaves, old, strict=True):
            leaf.grad = grad
        raise
    else:
        with mg.no_grad():
            for leaf, grad in zip(leaves, old, strict=True):
                if grad is not None:
                    if leaf.grad is not None:
                        grad += leaf.grad
                    leaf.grad = grad


def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf.

    On an error, leave all as it was.
    """
    with grads_set_aside(leaves):
        loss.backward()


loss = (x @ w).tanh().sum()
all_or_nothing(loss, [w])
before = w.grad.clone()
print(attempt(all_or_nothing, loss=loss, leaves=[w]))
assert mg.equal(before, w.grad)
w.grad.zero_()
del before, loss


# %% answer="where_it_stops" style="simulates the nodes: objects with a full flag, exceptions of his own"
class SecondTime(Exception):
    def __init__(self, place):
        super().__init__(place)
        self.place = place


class Node:
    def __init__(self, step, place=None):
        self.saves = step.replace(" ", "") in {"y*5", "y*y", "y.exp()", "y.tanh()"}
        self.full, self.place = self.saves, place

    def run(self, keep):
        if self.saves and not self.full:
            raise SecondTime(self.place)
        if not keep:
            self.full = False


def where_it_stops(before, inside, retain):
    """None, or (iteration, place in `before`) of the node that raises."""
    trunk = [Node(step, i) for i, step in enumerate(before)]
    iteration = -1
    try:
        for iteration, keep in enumerate(retain):
            for node in reversed(trunk + [Node(step) for step in inside]):
                node.run(keep)
    except SecondTime as error:
        print("stops:", error)
        return iteration, error.place
    return None


# %% answer="FourLoops" style="prints all tensors, del everywhere, type(self)-free classmethod helper"
from pprint import pprint


class FourLoops:
    DEBUG = True

    @classmethod
    def say(cls, *what):
        if cls.DEBUG:
            pprint(what)

    @staticmethod
    def shared(x, w, targets):
        """Add to w.grad the gradient of sum(tanh(x @ w) * t), for each t of `targets`."""
        h = (x @ w).tanh()
        total = mg.zeros(())
        for t in targets:
            total = total + (h * t).sum()
            FourLoops.say("total", total)
        if total.requires_grad:
            total.backward()

    @staticmethod
    def carried(x, w, steps):
        """Carry h on as tanh(h @ w); add the gradient of h.sum() of each step alone."""
        h = x
        for _ in range(steps):
            h = (h @ w).tanh()
            loss = h.sum()
            loss.backward()
            FourLoops.say("h", h, "loss", loss)
            h, loss = h.detach(), None

    @staticmethod
    def updated(x, w, steps):
        """Descent on sum(tanh(x @ w)): each step uses the gradient at its own w."""
        for _ in range(steps):
            loss = (x @ w).tanh().sum()
            loss.backward()
            with mg.no_grad():
                w -= 0.1 * w.grad
                w.grad.zero_()
            FourLoops.say(w)

    @staticmethod
    def doubled(x, w):
        """Add to w.grad twice the gradient of sum(tanh(x @ w))."""
        loss = 2 * (x @ w).tanh().sum()
        loss.backward()


# %% answer="price_of_retaining" style="simulates the loop event by event with a list of graphs and max over a trace"
def price_of_retaining(layers, steps, retain, then):
    """(highest, after) in U; `then` is "nothing", "del y" or "log.append(y)"."""
    held, trace = [], [0]          # held: U of old graphs that somebody leads to
    for _ in range(steps):
        for made in range(1, layers + 1):
            trace.append(sum(held) + made)
        if then == "nothing":
            held.clear()           # y is turned to the new graph
        now = layers
        for node in range(layers):
            incoming = 0 if node == 0 else 1
            trace.append(sum(held) + now + incoming + 1)
            if not retain:
                now -= 1
        if then != "del y":
            held.append(now)
    print(max(trace), trace)
    return max(trace), sum(held)


# %% answer="all_or_nothing" style="copy.deepcopy-free: dict by id, else branch, weakref check that the graph is used up, assert"
import weakref


def all_or_nothing(loss, leaves):
    """Add the gradients of `loss` to the `.grad` of each leaf.

    On an error, leave all as it was.
    """
    old = {id(leaf): leaf.grad for leaf in leaves}
    copies = {key: g.detach().clone() for key, g in old.items() if g is not None}
    try:
        loss.backward()
    except Exception as error:
        print(f"{type(error).__name__}: back to the old gradients")
        for leaf in leaves:
            if (g := old[id(leaf)]) is not None:
                with mg.no_grad():
                    g.copy_(copies[id(leaf)])
            leaf.grad = g
        raise
    else:
        assert all(leaf.grad is not None or old[id(leaf)] is None for leaf in leaves)


# %% answer="where_it_stops" style="eval of the steps on a fake object that only notes whether it saves"
class FakeY:
    """like a tensor, but it only knows the last step"""

    def __init__(self, saves=False):
        self.saves = saves

    def __add__(self, other):
        return FakeY()

    def __neg__(self):
        return FakeY()

    def __mul__(self, other):
        return FakeY(True)

    __radd__ = __sub__ = __rsub__ = __add__
    __rmul__ = __mul__

    def clone(self):
        return FakeY()

    def exp(self):
        return FakeY(True)

    tanh = exp


def where_it_stops(before, inside, retain):
    """None, or (iteration, place in `before`) of the node that raises."""
    places = [i for i, step in enumerate(before) if eval(step, {"y": FakeY()}).saves]
    if not places or False not in retain:
        return None
    iteration = list(retain).index(False) + 1
    return (iteration, places[-1]) if iteration < len(retain) else None


# %% answer="all_or_nothing" style="a class that is a context manager with a snapshot, __exit__ restores"
class Transaction:
    def __init__(self, leaves):
        self.leaves = leaves

    def __enter__(self):
        self.before = [None if (g := leaf.grad) is None else g.clone() for leaf in self.leaves]
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            for leaf, old in zip(self.leaves, self.before, strict=True):
                leaf.grad = old
        del self.before
        return False


def all_or_nothing(loss, leaves):
    """loss.backward(), or an error and all as it was."""
    with Transaction(leaves):
        loss.backward()


# %% answer="FourLoops" style="classmethods, mg.stack for the targets, map with lambdas"
class FourLoops:
    @classmethod
    def shared(cls, x, w, targets):
        h = (x @ w).tanh()
        mg.stack([*map(lambda t: (h * t).sum(), targets)]).sum().backward()

    @classmethod
    def carried(cls, x, w, steps):
        h, turn = x, 0
        while (turn := turn + 1) <= steps:
            h = (h.detach() @ w).tanh()
            h.sum().backward()

    @classmethod
    def updated(cls, x, w, steps):
        for turn in range(1, steps + 1):
            cls._loss(x, w).backward()
            with mg.no_grad():
                w.add_(w.grad, alpha=-0.1)
            w.grad.zero_()
            print("turn", turn)

    @classmethod
    def doubled(cls, x, w):
        cls._loss(x, w).backward(mg.tensor(2.0))

    @staticmethod
    def _loss(x, w):
        return (x @ w).tanh().sum()
