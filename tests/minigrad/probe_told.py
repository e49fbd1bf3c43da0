"""Probes of what observers and pack hooks are told, and of the ordinary case's edges."""

import operator
import pickle

import numpy as np
from probing import AddOne, Function, equal, graph, leaf, live, mg, peak, refuses

from minigrad.core.observer import Observer


class Notes(Observer):
    """Writes down births, tensors made, and what was freed."""

    def __init__(self):
        self.notes = []

    def born(self, storage):
        self.notes.append(f"{storage.bytes} bytes")

    def made(self, tensor, owns):
        self.notes.append("new" if owns else "shared")

    def freed(self, node):
        self.notes.append(type(node).__name__)


class Stops(Function):
    """Its input gets no gradient."""

    @staticmethod
    def forward(ctx, x):
        return x + 0

    @staticmethod
    def backward(ctx, g):
        return None


def check_births_and_views_are_told():
    x = leaf()
    with Notes() as heard:
        y = x * x
        y.view(1, -1)
    equal(heard.notes, ["400 bytes", "new", "shared"])


def check_only_what_had_saved_is_told_to_be_freed():
    y = AddOne.apply(leaf() + 0).exp().sum()
    with Notes() as heard:
        y.backward()
    equal([note for note in heard.notes if "Backward" in note], ["ExpBackward0"])


class Computed(Observer):
    """Writes down how many gradients each rule gave."""

    def __init__(self):
        self.given = []

    def computed(self, op, gradients=None):
        if gradients is not None:
            self.given.append(sum(g is not None for g in gradients))


def check_a_rule_computes_only_what_is_asked_for():
    x, y = leaf(), leaf()
    product = x * y
    with Computed() as heard:
        mg.autograd.grad(product, x, mg.ones(100))
    equal(heard.given, [1])


def check_a_recorded_rule_computes_only_what_is_asked_for():
    x, source = leaf(), leaf()
    total = x.index_add(0, mg.arange(100), source)
    for asked, count in ((x, 0), (source, 1)):
        with Forward() as heard:
            mg.autograd.grad(total, asked, mg.ones(100), create_graph=True)
        equal((asked is x, len(heard.rules)), (asked is x, count))


class Forward(Observer):
    """Writes down the rules whose forward has run."""

    def __init__(self):
        self.rules = []

    def computed(self, op, gradients=None):
        if gradients is None:
            self.rules.append(op.__name__)


class Taken(Observer):
    """Adds up the bytes of values that leave the engine."""

    bytes = 0

    def read(self, array):
        self.bytes += array.nbytes


def check_values_that_leave_the_engine_are_told():
    one, many = mg.tensor(3), mg.arange(6)
    single = int, float, bool, str, operator.index, mg.Tensor.item, "{}".format, "{:d}".format
    several = np.asarray, pickle.dumps, repr, mg.Tensor.numpy, mg.Tensor.tolist
    for x, ways in ((one, (*single, *several)), (many, several)):
        for way in ways:
            with Taken() as taken:
                way(x)
            equal((way, taken.bytes), (way, x.nbytes))
    with Taken() as taken:
        many[2:].view(2, 2).clone().add_(1)
    equal(taken.bytes, 0)


def check_what_is_lost_needs_nothing():
    x = leaf()
    with mg.no_grad():
        one, other = x.view(100), x.view(100)
    product = one * other
    before = live()
    for _ in range(2):  # it has saved nothing that a second time would lack
        product.backward(mg.ones(100))
    equal(x.grad, None)
    equal(live() - before, 0)
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t), Computed() as heard:
        (-one).backward(mg.ones(100))
    equal(heard.given, [1])  # a rule that saves nothing cannot tell
    seen: list = []
    with graph.saved_tensors_hooks(lambda t: seen.append(t) or t, lambda t: t):
        one * other
    equal(seen, [])  # nor is it packed
    y = one.exp()  # whose result serves all gradients, and is saved in any case
    y.backward(mg.ones(100))
    refuses("a second time", lambda: y.backward(mg.ones(100)))


def check_only_what_is_kept_is_packed():
    x, factor, seen = leaf(), mg.ones(100), []
    with graph.saved_tensors_hooks(lambda t: seen.append(t is factor) or t, lambda t: t):
        x * factor
    equal(seen, [True])


def check_a_gradient_that_does_not_come_stops_there():
    x = leaf()
    Stops.apply(x.exp()).sum().backward()
    equal(x.grad, None)


def check_a_view_under_no_grad_is_not_recorded():
    x = leaf()
    with mg.no_grad():
        view = x.view(1, -1)
    equal((view.requires_grad, view.grad_fn), (True, None))  # as PyTorch says


def check_the_result_of_a_sum_shares_its_bytes():
    total = mg.ones(100).sum()
    total.detach().add_(1)
    equal(total.item(), 101)


def check_the_peak_knows_one_byte():
    x = mg.tensor([True])
    mg.reset_peak_memory_stats()
    y = x.clone()
    equal((peak(), live()), (2, 2))
    del y
