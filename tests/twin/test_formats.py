"""Where memory_format= may be given, and what is said where it may not."""

import random

import pytest

import minigrad
from tests.twin import wrong_kinds

FORMATS = "mg.contiguous_format", "mg.preserve_format", "None", "3", "'a'"
TENSORS = {
    "x": "mg.arange(6.0).reshape(2, 3)", "t": "mg.arange(6.0).reshape(3, 2).t()",
    "e": "mg.ones(1, 3).expand(2, 3)", "w": "mg.ones(2, 3, requires_grad=True).t()",
}  # fmt: skip
LINES = (
    "{0}.float({1}) | {0}.double({1}) | {0}.half({1}) | {0}.long({1}) | {0}.int({1}) | "
    "{0}.bool({1}) | {0}.cpu({1}) | {0}.type(mg.float64, {1}) | {0}.type('torch.IntTensor', {1}) | "
    "{0}.clone({1}) | mg.clone({0}, {1}) | {0}.contiguous({1}) | {0}.to(mg.float64, {1}) | "
    "{0}.to('cpu', {1}) | {0}.to({0}, {1}) | {0}.to('cpu', copy=True, {1}) | mg.empty(2, 3, {1}) | "
    "mg.empty((2,), {1}) | mg.empty_like({0}, {1}) | mg.zeros_like({0}, {1}) | "
    "mg.ones_like({0}, {1}) | mg.full_like({0}, 2.0, {1}) | mg.rand_like({0}, {1}) | "
    "{0}.is_contiguous({1}) | {0}.new_empty(2, {1}) | mg.zeros(2, {1})"
).split(" | ")


def said(mg, line) -> tuple:
    """A result with its steps and its node; an error's class and text."""
    error = wrong_kinds.said(mg, line)
    if error.error:
        short = error.text.partition(" received an invalid")[0].partition(" got an unexp")[0]
        return error.error, short
    result = eval(line, {"mg": mg})
    if not isinstance(result, mg.Tensor):
        return (result,)
    node = result.grad_fn and result.grad_fn.name()
    return str(result.dtype).rpartition(".")[2], result.stride(), node


@pytest.mark.parametrize("line", LINES)
def test_a_format_is_taken_where_pytorch_takes_one(torch, line):
    for tensor in random.sample(list(TENSORS.values()), 2):
        for wanted in FORMATS:
            text = line.format(tensor, f"memory_format={wanted}")
            expected, found = said(torch, text), said(minigrad, text)
            listed = expected[0] == "TypeError" and expected[1].endswith("()")  # all it would take
            assert found[:1] == expected[:1] if listed else found == expected, text
