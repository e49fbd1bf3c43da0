"""Who watches asks a program's objects nothing: no property, no `__iter__`, not even the class."""

import secrets
from decimal import Decimal
from random import Random

import pytest

import whoholds
from tests.whoholds.angry import KINDS, Asked, angry, surroundings

PROGRAM = """
def program(watch, torch, {names}):
    kept = []

    def step():
        h = torch.ones(3, requires_grad=True) * 2
        kept.append(([{names}], h))
        return h.sum()

    return watch(step)
"""


def recorded(detail, engine):
    def watch(step):
        with whoholds.record(engine=engine, detail=detail) as trace:
            step().backward()
        return str(trace)

    return watch


def watchers(engine) -> dict:
    """What looks at a program, by name."""
    details = ["tensor", "line", "module"] if engine == "torch" else ["tensor"]
    found = {f"record {detail}": recorded(detail, engine) for detail in details}
    return found | {
        "who": lambda step: str(whoholds.who(step())),
        "grows": lambda step: str(whoholds.grows(step, engine=engine)),
    }


EACH = [(e, name) for e in ("minigrad", "torch") for name in watchers(e)]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("engine", "watcher"), EACH)
def test_what_is_around_is_not_asked(engine, watcher, seed):
    torch = pytest.importorskip(engine, reason=f"{engine} is not installed")
    drawn = secrets.randbelow(10**6)
    print(f"{seed}: drawn {drawn}")
    names = surroundings(Random(drawn))
    space = dict(names)  # its globals lead to them, too
    exec(PROGRAM.format(names=", ".join(names)), space)
    assert space["program"](watchers(engine)[watcher], torch, **names)


@pytest.mark.parametrize("kind", KINDS)
def test_such_an_object_tells_who_asks(kind):
    with pytest.raises(Asked):
        isinstance(angry(kind, Random(secrets.token_bytes())), Decimal)
