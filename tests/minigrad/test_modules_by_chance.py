"""Modules by chance (tests/twin/modules.py): on a card, and replayed, they do what they do here."""

import os
import random
import warnings

import pytest

import minigrad as mg
from course.twin.compare import differences
from minigrad.replay import record
from tests.twin import registry
from tests.twin.modules import KINDS, program, scene, use

SEED = int(os.environ.get("MINIGRAD_SEED", random.randrange(10**6)))
TURNS = 3


def uses(kind):
    for turn in range(TURNS):
        yield use((SEED + turn) * len(KINDS) + kind)


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=lambda i: f"{i}-{KINDS[i].__name__}")
def test_on_a_card_as_here(kind):
    for one in uses(kind):
        here = registry.run_case(program(one), mg)
        with mg.cuda.simulate(1 << 28):
            mg.set_default_device("cuda")
            try:
                there = registry.run_case(program(one), mg)
            finally:
                mg.set_default_device("cpu")
        assert not differences(here, there, 1e-5, 1e-6), f"MINIGRAD_SEED={SEED}\n{one}"


def learning(module, call):
    """A step: the gradients of all its results, and these themselves."""

    def step(*given):
        results = call(*given)
        parts = results if isinstance(results, tuple) else (results,)
        total = mg.zeros(1)
        for i, part in enumerate(parts):
            for t in part if isinstance(part, tuple) else (part,):
                total = total + (t * (i + 1.5)).sum()
        if total.requires_grad:
            total.backward()
        return total

    return step


def outcome(step, module, given):
    module.zero_grad()
    total = step(*given)
    grads = [None if p.grad is None else p.grad.tolist() for p in module.parameters()]
    return repr((total.tolist(), grads, [t.tolist() for t in module.buffers()]))


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=lambda i: f"{i}-{KINDS[i].__name__}")
def test_replayed_as_computed(kind):
    for one in uses(kind):
        if "momentum=None" in one.module:  # a share of so many batches: a replay cannot count them
            continue
        if "Gaussian" in one.module:  # it looks whether a variance is negative
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = replays(one, lambda step: step)
            except RuntimeError:  # of sizes that do not fit: test_random_modules compares that
                continue
            found = replays(one, record)
        assert found == expected, f"MINIGRAD_SEED={SEED}\n{one}"


def replays(one, way) -> list:
    """What two inputs, one after the other and back again, come to."""
    module, first, call, _ = scene(mg, one)
    second = scene(mg, one._replace(seed=one.seed + 1))[1]
    step = way(learning(module, call))
    given = [[t.detach() for t in tensors] for tensors in (first, second, first)]
    return [outcome(step, module, tensors) for tensors in given]
