"""Lesson 14's formulas are what the simulated pool says; PyTorch here has no pool to ask."""

import pytest

import minigrad as mg
from course.build.products import solved
from course.trying import cases
from course.trying.draw import Draw
from tests.loaded import COURSE


def reference(exercise):
    lesson = next(one for one in COURSE if one.number == "14")
    names: dict = {"mg": mg}
    exec(solved(lesson.of("exercise", exercise)[0]), names)
    return names[exercise]


def used_and_reserved(sizes, dropped, more):
    """The four moments, on the simulated pool."""
    found = []
    with mg.cuda.simulate(1 << 20):
        tensors = [mg.zeros(count, device="cuda") for count in sizes]
        found.append([mg.cuda.memory_allocated(), mg.cuda.memory_reserved()])
        for place in dropped:
            tensors[place] = None
        found.append([mg.cuda.memory_allocated(), mg.cuda.memory_reserved()])
        tensors.append(mg.zeros(more, device="cuda"))
        found.append([mg.cuda.memory_allocated(), mg.cuda.memory_reserved()])
        mg.cuda.empty_cache()
        found.append([mg.cuda.memory_allocated(), mg.cuda.memory_reserved()])
    return found


def allocated(rows, columns, deleted):
    """The three numbers, on the simulated pool."""
    with mg.cuda.simulate(1 << 24):
        names = {"a": mg.ones(rows, columns, device="cuda", requires_grad=True)}
        for name, before, method in (("b", "a", "exp"), ("c", "b", "sin"), ("d", "c", "tanh")):
            names[name] = getattr(names[before], method)()
        names["e"] = names["d"] * 2
        loss = names["e"].sum()
        found = [mg.cuda.memory_allocated()]
        for name in deleted:
            del names[name]
        mg.cuda.empty_cache()
        found.append(mg.cuda.memory_allocated())
        loss.backward()
        mg.cuda.empty_cache()
        return [*found, mg.cuda.memory_allocated()]


@pytest.mark.parametrize("measured", [used_and_reserved, allocated], ids=lambda f: f.__name__)
def test_the_reference_is_what_the_pool_says(measured):
    formula = reference(measured.__name__)
    for case in cases.of(measured.__name__)[:3]:  # the fourth is the one by hand
        for seed in range(20):
            one, other = (case.run(f, Draw(seed, "", "")) for f in (formula, measured))
            assert one == other
