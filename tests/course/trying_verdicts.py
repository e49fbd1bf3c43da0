"""A case of the tests' own, `double`, tried and judged."""

from course.trying import judge
from course.trying.cases import Case
from course.trying.run import run_case


def one(run, **more):
    return Case("double", "a case", run, **more)


TWICE = one(lambda f, draw: f(draw.int(1, 10**7)), points=2, hint="Two of them.")


def outcome(f, case=TWICE):
    return run_case(case, f, "seed", 2)


def verdict(f, case=TWICE, reference=lambda n: 2 * n):
    return judge.judge(case, outcome(f, case), outcome(reference, case))


def fails(n):
    raise TypeError("no such thing")


def stub(n):
    raise NotImplementedError("double: not written yet")
