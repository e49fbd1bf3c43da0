"""A call with one thing wrong is refused as PyTorch refuses it, and in words of the call.

All 28,000 lines: a name that few of them call is missed by a draw.
"""

import collections

import pytest

import minigrad as mg
from minigrad.core import words
from tests.twin import wrong_calls, wrong_kinds
from tests.twin.one_op_lines import ATTRIBUTES, operations
from tests.twin.wrong_known import NAMES


@pytest.fixture(autouse=True)
def printing_as_before(torch):
    yield
    for engine in (mg, torch):
        engine.set_printoptions(profile="default")


def surprising(torch, lines) -> list:
    """(line, how it differs, both answers) of what is in no row of wrong_known.py."""
    found = [(line, *wrong_kinds.compared(torch, line)) for line in lines]
    return [one for one in found if one[1] and wrong_kinds.called(one[0].text) not in NAMES[one[1]]]


def shown(found) -> str:
    return "\n".join(
        f"{how}: {line.text}\n  PyTorch  {p}\n  minigrad {m}" for line, how, p, m in found
    )


def test_what_is_wrong_is_said_as_pytorch_says_it(torch):
    found = surprising(torch, wrong_kinds.lines())
    assert not found, f"{len(found)} lines:\n{shown(found[:5])}"


def test_a_known_difference_is_still_there(torch):
    """Each name of each row, on the lines that call it, up to the first that differs so."""
    lines = collections.defaultdict(list)
    for line in wrong_kinds.lines():
        lines[wrong_kinds.called(line.text)].append(line)
    gone = [
        (how, name)
        for how, names in NAMES.items()
        for name in names
        if not any(wrong_kinds.compared(torch, line)[0] == how for line in lines[name])
    ]
    assert not gone, f"take them out of wrong_known.py: {gone}"


def test_each_right_call_is_right(torch):
    """It must not be what it is given otherwise that is refused."""
    refused = [call for call in wrong_calls.CALLS if wrong_kinds.said(torch, call).error]
    assert refused == []


def test_each_function_and_method_is_called(torch):
    names = {wrong_kinds.called(call) for call in wrong_calls.CALLS}
    names = {name.removeprefix("mg.").replace("F.", "nn.functional.") for name in names}
    every = {name for name in operations(mg, torch) if "__" not in name}
    every -= {f".{name}" for name in ATTRIBUTES}  # which nobody calls
    assert every - names == set()


def test_a_planted_fault_is_found(torch, monkeypatch):
    """A sentence about another parameter."""
    monkeypatch.setitem(words.NAMES, "x", "other")
    monkeypatch.setitem(words.NAMES, "self", "other")
    assert surprising(torch, wrong_kinds.lines("mg.exp(y)"))


@pytest.mark.parametrize("value", [3, None, "a", [1.0], object()])
def test_an_error_of_a_hook_stays_its_own(value):
    """It passes through functions that tell their own errors anew."""

    def hook(tensor):
        return value.no_such_name

    x = mg.ones(2, requires_grad=True)
    with pytest.raises(AttributeError, match="no_such_name"):
        with mg.autograd.graph.saved_tensors_hooks(hook, hook):
            mg.exp(x)


@pytest.mark.parametrize("file, own", [("cupy/_core/core.pyx", True), ("numpy/mtrand.pyx", False)])
def test_an_error_of_another_compiled_library_stays_its_own(file, own):
    """It says what the library refused, or the machine lacks; numpy's speaks of our insides."""
    compute = _defined("def it(): raise TypeError('no kernel for this')", file)
    exp = words.spoken(_defined("def it(x): compute()", mg.__file__, compute), words.Asked("exp"))
    with pytest.raises(TypeError, match="no kernel" if own else "invalid combination"):
        exp(mg.ones(2))


def _defined(source, file, compute=None):
    """The function `it` of a file of this name, which knows `compute`."""
    exec(compile(source, file, "exec"), names := {"compute": compute})
    return names["it"]
