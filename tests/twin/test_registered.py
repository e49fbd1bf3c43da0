"""What a module has under which name: set, registered and deleted by chance, on either engine."""

import os
import random

import pytest

import minigrad

FIRST = int(os.environ["MINIGRAD_MOVED"])
NAMES = ["a", "b", "forward", "weight", "bias", "a.b", "", 5]
VALUES = {
    "parameter": lambda m: m.nn.Parameter(m.ones(2)),
    "tensor": lambda m: m.ones(2),
    "computed": lambda m: m.nn.Parameter(m.ones(2)) * 2,
    "module": lambda m: m.nn.Linear(1, 1),
    "None": lambda m: None,
    "number": lambda m: 3,
    "list": lambda m: [m.ones(1)],
    "class": lambda m: dict,
}
WAYS = {
    "set": setattr,
    "buffer": lambda net, name, value: net.register_buffer(name, value),
    "passing buffer": lambda net, name, value: net.register_buffer(name, value, persistent=False),
    "parameter": lambda net, name, value: net.register_parameter(name, value),
    "module": lambda net, name, value: net.add_module(name, value),
    "delete": lambda net, name, value: delattr(net, name),
}


def drawn(seed):
    """[way, name, kind of value]s."""
    r = random.Random(seed)
    names = random.Random(seed + 1).sample(NAMES, 3)
    steps = [(r.choice([*WAYS]), r.choice(names), r.choice([*VALUES])) for _ in range(8)]
    return [step for step in steps if not odd(*step)]


def odd(way, name, value) -> bool:
    """A Parameter as a buffer, which minigrad lists with the parameters; a child without a name,
    whose own names begin with a point in PyTorch."""
    return ("buffer" in way and value == "parameter") or (way == "set" and not name)


def told(m, way, net, name, value):
    """The error of a step, in a word and a text that both engines have."""
    try:
        WAYS[way](net, name, VALUES[value](m))
    except Exception as error:
        text = str(error).replace("minigrad.", "torch.").replace("nn.layers.", "nn.modules.linear.")
        return type(error).__name__, "" if way == "delete" else text
    return None


def has(net):
    """What it lists, and what it looks like."""
    lists = net.named_parameters(), net.named_buffers(), net.named_children()
    asked = [tried(lambda: [*net.state_dict()]), tried(lambda: repr(net))]
    return [sorted(name for name, _ in one) for one in lists], asked


def tried(ask):
    try:
        return ask()
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("turn", range(4))
def test_a_module_takes_and_refuses_what_pytorchs_does(live_torch, turn):
    for seed in range(FIRST + 1000 * turn, FIRST + 1000 * turn + 250):
        nets = [(m, m.nn.Linear(2, 2, bias=seed % 2 > 0)) for m in (live_torch, minigrad)]
        for number, step in enumerate(drawn(seed)):
            way, name, value = step
            theirs, ours = [(told(m, way, net, name, value), has(net)) for m, net in nets]
            assert theirs == ours, f"seed {seed}, {drawn(seed)[: number + 1]}"
