"""States of optimizers as older programs saved them, and optimizers that read them in their way."""

import copy
import os
import pickle
import random

import pytest

import minigrad

SEED = int(os.environ["MINIGRAD_MOVED"])
KINDS = "SGD Adam AdamW RMSprop Adadelta Adagrad Adamax NAdam".split()


def made(mg, kind, draw):
    options = {"lr": 0.03, "weight_decay": draw.choice([0, 0.5])}
    if kind in ("SGD", "RMSprop"):
        options["momentum"] = draw.choice([0, 0.5])
    parameters = [mg.ones(2, requires_grad=True), mg.full((3,), 2.0, requires_grad=True)]
    return parameters, getattr(mg.optim, kind)(parameters, **options)


def stepped(parameters, optimizer):
    for count, p in enumerate(parameters, 1):
        p.grad = p.detach() * count
    optimizer.step()


def older(mg, state, draw):
    """The state with some options missing, and with counts that are plain numbers."""
    for group in state["param_groups"]:
        for name in sorted(group.keys() - {"params", "lr", "betas"}):
            if draw.random() < 0.4:
                del group[name]
    kind = draw.choice([int, float])
    for memory in state["state"].values():
        for name, value in memory.items():
            if mg.is_tensor(value) and value.dim() == 0 and draw.random() < 0.7:
                memory[name] = kind(value)
    return state


def loaded(mg, kind, seed):
    draw = random.Random(seed)
    parameters, optimizer = made(mg, kind, draw)
    for _ in range(draw.randrange(3)):
        stepped(parameters, optimizer)
    state = older(mg, copy.deepcopy(optimizer.state_dict()), draw)
    parameters, optimizer = made(mg, kind, draw)
    found = []
    try:
        optimizer.load_state_dict(state)
        found.append(str(optimizer))
        for _ in range(2):
            stepped(parameters, optimizer)
        if draw.random() < 0.5:
            found.append(str(draw.choice([copy.deepcopy, again])(optimizer)))
    except Exception as error:
        return [*found, type(error).__name__]  # of several that are missing each may be named
    for p in parameters:
        found += [(name, numbers(mg, one)) for name, one in optimizer.state[p].items()]
    return [*found, *(numbers(mg, p) for p in parameters)]


def numbers(mg, value):
    """They are alike but for the last digits, which the order of the factors decides."""
    if not mg.is_tensor(value):
        return value
    dtype, digits = str(value.dtype).rpartition(".")[2], value.reshape(-1).tolist()
    return dtype, digits if mg is minigrad else pytest.approx(digits, rel=1e-5, abs=1e-6)


def again(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("kind", KINDS)
def test_an_older_state_is_completed_as_pytorchs(torch, kind):
    for nth in range(40):
        seed = f"{SEED} {nth}"
        assert loaded(minigrad, kind, seed) == loaded(torch, kind, seed), seed


def own(mg):
    """As many a program copies it from PyTorch."""

    class Own(mg.optim.Optimizer):
        def __init__(self, params, lr=1.0):
            super().__init__(params, {"lr": lr})

        def __setstate__(self, state):
            super().__setstate__(state)
            for group in self.param_groups:
                group.setdefault("amsgrad", False)

    return Own


def test_an_optimizer_of_ones_own_is_told_of_what_is_loaded(torch):
    said = []
    for mg in (torch, minigrad):
        x = mg.ones(2, requires_grad=True)
        optimizer = own(mg)([x])
        found = [sorted(optimizer.defaults), str(optimizer)]
        optimizer.load_state_dict(optimizer.state_dict())
        found += [sorted(optimizer.defaults), str(optimizer), str(copy.deepcopy(optimizer))]
        with pytest.raises(NotImplementedError):
            optimizer.step()
        said.append(found)
    assert said[0] == said[1]
