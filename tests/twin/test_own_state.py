"""Modules that say themselves what their state is, by chance: saved, changed and loaded."""

import os
import random

import pytest

import minigrad

FIRST = int(os.environ["MINIGRAD_MOVED"])
OWN = "extra", "get only", "set only", "saves", "renames", "forgets", "older", "forgives", "plain"
KINDS = "Linear(1, 2)", "BatchNorm1d(2)", "ReLU()", "BatchNorm1d(2, track_running_stats=False)"


class Extra:
    def get_extra_state(self):
        self.calls.append("get")
        return {"a": 1}

    def set_extra_state(self, state):
        self.calls.append(["set", state])


class Saves:
    def _save_to_state_dict(self, destination, prefix, keep_vars):
        self.calls.append(["save", [*destination], prefix, keep_vars])
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "more"] = 3


class Renames:
    def _load_from_state_dict(self, state, prefix, metadata, strict, missing, unexpected, errors):
        self.calls.append(["load", sorted(state), prefix, dict(metadata), strict, len(errors)])
        if prefix + "old" in state:
            state[prefix + "weight"] = state.pop(prefix + "old")
        super()._load_from_state_dict(state, prefix, metadata, strict, missing, unexpected, errors)


class Forgets:
    def _load_from_state_dict(self, state, prefix, metadata, strict, missing, *others):
        missing.append(prefix + "all")


class Forgives:
    def _load_from_state_dict(self, state, prefix, metadata, strict, *lists):
        super()._load_from_state_dict(state, prefix, metadata, False, *lists)


class Older:
    _version = 7


WAYS = {
    "extra": Extra, "get only": type("Gets", (), {"get_extra_state": Extra.get_extra_state}),
    "set only": type("Sets", (), {"set_extra_state": Extra.set_extra_state}), "saves": Saves,
    "renames": Renames, "forgets": Forgets, "older": Older, "forgives": Forgives,
    "plain": type("Plain", (), {}),
}  # fmt: skip


def module(m, draw, calls, depth=2):
    """A module of an own class, with others below it."""
    code, way = draw.choice(KINDS), WAYS[draw.choice(OWN)]
    name = code.partition("(")[0]
    kind = type("Own", (way, getattr(m.nn, name)), {"calls": calls})
    made = eval(code.replace(name, "kind"), {"kind": kind})
    for below in "ab"[: draw.randint(0, 2)] if depth else ():
        setattr(made, below, module(m, draw, calls, depth - 1))
    return made


def changed(m, draw, state):
    """The state, or one that does not fit."""
    for _ in range(draw.randint(0, 2)):
        key, step = draw.choice([*state, "a.x"]), draw.choice(["rename", "drop", "add", "shape"])
        value = state.pop(key, None)
        if step == "rename":
            state[key.replace("weight", "old")] = value
        if step == "add":
            state |= {key: value, f"{key}.{draw.choice('ab')}": m.ones(1), "_extra_state": 5}
        if step == "shape":
            state[key] = m.ones(3, 3)
    if draw.random() < 0.3:
        del state._metadata
    return state


def plain(values) -> list:
    return [[key, t.tolist() if hasattr(t, "tolist") else t] for key, t in values.items()]


def told(m, seed) -> list:
    draw, calls = random.Random(seed), []
    net = module(m, draw, calls)
    for p in net.parameters():
        m.nn.init.constant_(p, draw.randint(0, 3))
    state = net.state_dict(keep_vars=draw.random() < 0.5)
    found = [[*state], {key: dict(one) for key, one in state._metadata.items()}]
    given = changed(m, draw, state)
    try:
        how = {"strict": draw.random() < 0.6, "assign": draw.random() < 0.4}
        found.append(repr(net.load_state_dict(given, **how)))
    except Exception as error:
        found.append([type(error).__name__, str(error)])
    return [*found, calls, plain(net.state_dict()), repr(net)]


@pytest.mark.parametrize("turn", range(3))
def test_a_module_keeps_its_state_as_pytorchs_does(torch, turn):
    for seed in range(FIRST + 1000 * turn, FIRST + 1000 * turn + 300):
        theirs, ours = (told(m, seed) for m in (torch, minigrad))
        text = repr(ours).replace("minigrad.", "torch.").replace("torch.core.tensor.", "torch.")
        assert repr(theirs) == text, f"seed {seed}"


def test_extra_state_without_the_other_half(torch):
    for m in (torch, minigrad):
        for call in ("get_extra_state()", "set_extra_state(1)"):
            with pytest.raises(RuntimeError, match=f"code path in Module.{call[:5]}.* never"):
                eval(f"m.nn.Module().{call}", {"m": m})
