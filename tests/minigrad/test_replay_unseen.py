"""What a recording overlooked: each change of these made the next replay silently wrong."""

import functools
import random
import sys
import time
import types
from datetime import datetime

import pytest

import minigrad as mg
from minigrad.replay import ReplayError, record

RATE = 2.0
PAIRS = {"a": 2.0, "b": 3.0}
MODULE = types.ModuleType("settings_of_a_test")
now, draw, today = time.perf_counter, random.random, datetime


class Made:
    def __init__(self):
        self.rate = RATE

    def __getitem__(self, i):
        return RATE


class Field:
    def __get__(self, thing, kind):
        return RATE


class Described:
    rate = Field()


class Kind(type):
    rate = 2.0


class OfKind(metaclass=Kind):
    pass


class Low:
    __slots__ = ("_Low__rate", "rate")


class High(Low):
    __slots__ = ("other",)


class Options(dict):
    def scaled(self):
        return self["k"] * RATE


class Items(list):
    pass


def scaled(function):
    @functools.wraps(function)
    def inside(x):
        return function(x) * RATE

    return inside


def with_own_rate(x):
    return x * with_own_rate.rate


def in_order(x):
    for value in PAIRS.values():
        x = x * 2 + value
    return x


def importing(x):
    import settings_of_a_test

    return x * settings_of_a_test.rate


def set_rate():
    globals()["RATE"] = 3.0


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    monkeypatch.setitem(globals(), "RATE", 2.0)
    monkeypatch.setitem(globals(), "PAIRS", {"a": 2.0, "b": 3.0})
    monkeypatch.setattr(MODULE, "rate", 2.0, raising=False)
    monkeypatch.setattr(with_own_rate, "rate", 2.0, raising=False)
    monkeypatch.setattr(Kind, "rate", 2.0)


def sequence():
    made, high, items, options = Made(), High(), Items([1.0]), Options(k=2.0)
    high.rate, items.rate, leaf = 2.0, 2.0, mg.ones(4, requires_grad=True)
    leaf.rate, relu = 2.0, scaled(mg.nn.functional.relu)
    get, proxy = PAIRS.get, types.MappingProxyType(PAIRS)
    pairs = functools.partial(PAIRS.update, a=7.0)
    return {
        "__init__": (lambda x: x * Made().rate, set_rate),
        "__getitem__": (lambda x: x * made[0], set_rate),
        "a descriptor": (lambda x: x * Described().rate, set_rate),
        "a metaclass": (lambda x: x * OfKind.rate, lambda: setattr(Kind, "rate", 3.0)),
        "a slot further up": (lambda x: x * high.rate, lambda: setattr(high, "rate", 3.0)),
        "a method of a dict": (lambda x: x * options.scaled(), set_rate),
        "an attribute of a list": (lambda x: x * items.rate, lambda: setattr(items, "rate", 3.0)),
        "an attribute of a tensor": (lambda x: x * leaf.rate, lambda: setattr(leaf, "rate", 3.0)),
        "a wrapped rule": (lambda x: relu(x), set_rate),
        "of a function": (with_own_rate, lambda: setattr(with_own_rate, "rate", 3.0)),
        "the order of a dict": (in_order, lambda: PAIRS.update(a=PAIRS.pop("a"))),
        "a method in C": (lambda x: x * get("a"), pairs),
        "a proxy": (lambda x: x * proxy["a"], pairs),
        "getattr": (lambda x: x * getattr(MODULE, "rate"), lambda: setattr(MODULE, "rate", 3.0)),  # noqa: B009
    }  # fmt: skip


@pytest.mark.parametrize("name", sequence())
def test_a_change_is_seen(name):
    function, change = sequence()[name]
    replayed, x = record(function), mg.arange(4.0)
    replayed(x)
    replayed(x)
    change()
    with pytest.raises(ReplayError, match="so a replay would be wrong"):
        replayed(x)


LOOKS = {
    "from time": (lambda x: x * now(), "uses the module time"),
    "from random": (lambda x: x * draw(), "gives something else at each call"),
    "from datetime": (lambda x: x * today.now().microsecond, "uses the module datetime"),
    "eval": (lambda x: x * eval("RATE"), "uses eval"),
    "globals": (lambda x: x * globals()["RATE"], "uses globals"),
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_cannot_be_followed_is_refused(name):
    function, words = LOOKS[name]
    with pytest.raises(ReplayError, match=words):
        record(function)(mg.arange(4.0))


@pytest.mark.parametrize("look", [lambda d: d.values(), lambda d: memoryview(bytearray(2))])
def test_a_window_on_what_changes_is_refused(look):
    window = look(PAIRS)
    with pytest.raises(ReplayError, match="into which the recording cannot look"):
        record(lambda x: x * list(window)[0])(mg.arange(4.0))


def test_an_iterators_own_method_is_refused():
    step = iter([1.0, 2.0, 3.0]).__next__
    with pytest.raises(ReplayError, match="gives something else at each call"):
        record(lambda x: x * step())(mg.arange(4.0))


def test_a_module_imported_inside_for_the_first_time(monkeypatch, tmp_path):
    (tmp_path / "settings_of_a_test.py").write_text("rate = 2.0")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "settings_of_a_test", raising=False)
    replayed, x = record(importing), mg.arange(4.0)
    with pytest.raises(ReplayError, match="settings_of_a_test was gone"):
        replayed(x)
    replayed(x)
    sys.modules.pop("settings_of_a_test")
    with pytest.raises(ReplayError, match="settings_of_a_test was another object"):
        replayed(x)


def test_named_tuples_enums_and_dataclasses_are_followed():
    import collections
    import dataclasses
    import enum

    @dataclasses.dataclass
    class Data:
        rate: float = 2.0
        more: list = dataclasses.field(default_factory=list)

    Pair, Way = collections.namedtuple("Pair", "a b"), enum.Enum("Way", "UP DOWN")
    pair, data = Pair(2.0, 3.0), Data()
    replayed = record(lambda x: x * pair.a * Way.UP.value * data.rate)
    assert replayed(mg.ones(1)).item() == replayed(mg.ones(1)).item() == 4.0
    data.rate = 5.0
    with pytest.raises(ReplayError, match="data.rate was 2.0"):
        replayed(mg.ones(1))
