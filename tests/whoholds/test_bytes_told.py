"""At each birth of a storage a trace tells the bytes that live: who died before is told before."""

import random

import pytest

import whoholds

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from whoholds.on_torch.ledger import Ledger, Watch  # noqa: E402


class Lives(Ledger):
    """Looks at every storage after each op, and keeps the bytes at each birth."""

    def __init__(self):
        super().__init__()
        self.at_births = []

    def add(self, address):
        super().add(address)
        self.at_births.append(self.live())


def act(rng, held, size):
    """Ops of which some make no storage: in place, other `.data`, a view, backward, `del`."""
    one, other = (held.setdefault(rng.randrange(4), torch.ones(size)) for _ in range(2))
    for what in rng.choices(("write", "data", "share", "view", "drop", "walk", "new"), k=4):
        if what == "data":
            one.data = torch.ones(size + 1)
        if what == "share":
            other.data = one.data
        if what == "drop":
            held.pop(rng.randrange(4), None)
        if what == "walk":
            leaf = one.detach().requires_grad_()
            leaf.exp().sum().backward()
        one.view(-1).add_(1), rng.random() < 0.5 and torch.ones(size + 2).mul_(2)
    return one[:1]


@pytest.mark.parametrize("seed", range(20))
def test_the_bytes_at_each_birth_are_those_that_live(seed):
    rng, held = random.Random(seed), {}
    with Watch(ledger := Lives()), whoholds.record(engine="torch") as trace:
        ledger.at_births.clear()
        for size in range(1, 16):
            held["view"] = act(rng, held, 16 * size)
            held["sum"] = held[next(iter(held))] if size % 3 else None
            held["view"] = held["sum"] = None
    told = [event["live"] for event in trace.events if event["kind"] == "born"]
    assert told == ledger.at_births and len(told) > 20
