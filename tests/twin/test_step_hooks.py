"""Hooks on an optimizer's step, whatever a program has put in the place of that step."""

import copy
import random
import types
import warnings

import pytest

import minigrad

OWN = "own", "from its class", "twice its class"  # kinds of optimizers


class Made:
    """An optimizer of one parameter, its scheduler, and what was heard of both."""

    def __init__(self, mg, kind):
        self.mg, self.log = mg, []
        self.p = mg.nn.Parameter(mg.ones(2))
        self.p.grad = mg.ones(2)
        self.sgd = type("SGD", (mg.optim.SGD,), {"step": lambda own, *given: self.stepped(own)})
        below = type("Below", (self.sgd,), {"step": lambda own, *given: super(below, own).step()})
        if kind == "twice its class":
            self.sgd([self.p], lr=0.5)
        self.optimizer = (below if kind != "own" else self.sgd)([self.p], lr=0.5)
        self.scheduler = mg.optim.lr_scheduler.StepLR(mg.optim.SGD([self.p]), 1)

    def stepped(self, own):
        self.log.append("stepped")
        super(self.sgd, own).step()

    def note(self, name):
        return lambda *given: self.log.append((name, len(given), len(given[-2])))

    def pre_hook(self):
        self.optimizer.register_step_pre_hook(self.note("before"))

    def post_hook(self):
        self.optimizer.register_step_post_hook(self.note("after"))

    def scheduled(self):
        self.scheduler = self.mg.optim.lr_scheduler.StepLR(self.optimizer, 1)

    def scheduler_step(self):
        self.scheduler.step()

    def wrapped(self):
        step = self.optimizer.step

        def wrapper(*given):
            self.log.append("wrapped")
            return step(*given)

        self.optimizer.step = wrapper

    def bound(self):
        step = type(self.optimizer).step

        def method(own, *given):
            self.log.append("bound")
            return step(own, *given)

        self.optimizer.step = types.MethodType(method, self.optimizer)

    def of_the_class(self):
        step = type(self.optimizer).step

        def method(own, *given):
            self.log.append("of the class")
            return step(own, *given)

        type(self.optimizer).step = method

    def taken_back(self):
        vars(self.optimizer).pop("step", None)

    def copied(self):
        self.optimizer = copy.deepcopy(self.optimizer)

    def step(self):
        self.optimizer.step()

    def with_closure(self):
        self.optimizer.step(lambda: self.log.append("closure"))


def said(mg, kind, ways) -> list:
    found = []
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        made = Made(mg, kind)
        for way in ways:
            try:
                getattr(made, way)()
            except Exception as error:
                found.append((way, type(error).__name__, str(error)))
            found.append((way, [*made.log], made.p.tolist()))
    return [*found, [str(one.message) for one in heard]]


WAYS = [name for name in vars(Made) if not name.startswith("_") and name not in ("stepped", "note")]


@pytest.mark.parametrize("kind", OWN)
def test_a_hook_is_called_when_pytorchs_is(torch, kind):
    draw = random.Random()
    for _ in range(60):
        ways = [*draw.choices(WAYS, k=draw.randint(2, 6)), "step", "scheduler_step"]
        assert said(minigrad, kind, ways) == said(torch, kind, ways), ways
