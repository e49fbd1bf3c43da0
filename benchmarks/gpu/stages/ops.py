"""Each rule of tests/minigrad/rules.py on the GPU: values and gradients beside numpy, and PyTorch.

The rules are written for any engine, so PyTorch's are the same file with PyTorch in it.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import minigrad
from benchmarks.gpu import engines
from benchmarks.gpu.place import Place
from benchmarks.gpu.row import FAILED, PASSED, Row, left_out, tried
from tests.minigrad import on_card, rules

TOLERANCE = 1e-9  # relative, on float64: what another order of summation may do
FORWARD, BACKWARD = "values of each rule beside {}", "gradients of each rule beside {}"
DEVICES = "errors about devices beside {}"
SAME_WORDS = "Expected all tensors to be on the same device"


def rows(place: Place) -> Iterator[Row]:
    on_gpu = {}
    with place.default():
        for name in rules.RULES:
            on_gpu[name] = outcome(minigrad, rules, name)
    on_numpy = {name: outcome(minigrad, rules, name) for name in rules.RULES}
    yield from beside("numpy", on_numpy, on_gpu)
    yield from beside_torch(place, on_gpu)


def outcome(mg, table, name: str):
    """([values], [gradients]) of all uses of a rule as numpy arrays; or the error."""
    try:
        pairs = [of_use(mg, function, leaves) for function, leaves in table.uses(name)]
    except Exception as error:  # the other rules are to be tried
        return error
    return [values for values, _ in pairs], [one for _, each in pairs for one in each]


def of_use(mg, function, leaves):
    """The value, and the gradients of a sum in which each element has another weight."""
    out = function(*leaves)
    weights = mg.arange(out.numel(), dtype=out.dtype).reshape(out.shape) + 0.5
    wanted = [x for x in leaves if x.requires_grad]
    found = mg.autograd.grad((out * weights).sum(), wanted, allow_unused=True)
    return plain(out), [plain(x) for x in found]


def plain(tensor):
    return None if tensor is None else tensor.detach().cpu().numpy()


def beside(whom: str, expected: dict, found: dict) -> Iterator[Row]:
    for place, group in enumerate((FORWARD.format(whom), BACKWARD.format(whom))):
        for name in expected:
            yield tried(group, name, same, expected[name], found[name], place)


def same(expected, found, place: int) -> None:
    for error in (expected, found):
        if isinstance(error, Exception):
            raise error
    for one, other in zip(expected[place], found[place], strict=True):
        assert (one is None) is (other is None), "one of them has a gradient, the other has none"
        if one is not None:
            assert (one.shape, one.dtype) == (other.shape, other.dtype), f"{one.dtype} {one.shape}"
            np.testing.assert_allclose(other, one, TOLERANCE, TOLERANCE)


def beside_torch(place: Place, on_gpu: dict) -> Iterator[Row]:
    whom = engines.torch_name(place)
    if why := engines.why_no_torch(place):
        for group in (FORWARD, BACKWARD, DEVICES):
            yield left_out(group.format(whom), why)
        return
    with engines.torch_beside(place) as torch:
        table = rules_of(torch)
        yield from beside(whom, {name: outcome(torch, table, name) for name in on_gpu}, on_gpu)
        if place.simulated:
            yield left_out(DEVICES.format(whom), "on the processor there is no second device")
        else:
            yield from errors(place, torch, DEVICES.format(whom))


def rules_of(mg) -> types.ModuleType:
    """tests/minigrad/rules.py again, with another engine in minigrad's place."""
    module = types.ModuleType("rules_of_" + mg.__name__)
    code = compile(Path(str(rules.__file__)).read_text("utf-8"), str(rules.__file__), "exec")
    ours, sys.modules["minigrad"] = sys.modules["minigrad"], mg
    try:
        exec(code, module.__dict__)
    finally:
        sys.modules["minigrad"] = ours
    return module


def errors(place: Place, torch, group: str) -> Iterator[Row]:
    """Both refuse, in words that begin alike; what PyTorch's kernels add differs by version."""
    for name, operation in on_card.MIXED.items():
        with place.default():
            ours = refusal(minigrad, operation)
        theirs = refusal(torch, operation)
        alike = ours.startswith(SAME_WORDS) and theirs.startswith(SAME_WORDS)
        texts = {"minigrad": ours, "PyTorch": theirs}
        detail = "" if ours == theirs else f"PyTorch says: {theirs}"
        yield Row(group, name, PASSED if alike else FAILED, detail, texts)


def refusal(mg, operation) -> str:
    here, there = mg.ones(2, 2, device="cpu"), mg.ones(2, 2, device="cuda")
    try:
        operation(mg, there, here)
    except RuntimeError as error:
        return str(error)
    return "no error"
