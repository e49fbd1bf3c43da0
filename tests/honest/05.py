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
