"""Second derivatives that are zeros on PyTorch, and not nothing; and those of half floats."""

import pytest

import minigrad
from tests.twin.cases_second import graph

SIZES = {"one weight": (1,), "a weight for each channel": (3,)}


def of_prelu(mg, size):
    """What the gradients of prelu have for a gradient, each for each."""
    x = mg.tensor([[1.0, -2.0, 3.0], [-1.0, 2.0, 0.0]], requires_grad=True)
    weight = mg.full(size, 0.25).requires_grad_()
    seed = mg.tensor([[1.0, 2.0, -0.5], [3.0, 1.0, 2.0]], requires_grad=True)
    y = mg.nn.functional.prelu(x, weight)
    found = mg.autograd.grad(y, (x, weight), seed, create_graph=True)
    said = [graph(one) for one in found]
    for one in found:
        weights = one.detach() + 1
        slopes = mg.autograd.grad(
            one, (seed, x, weight), weights, retain_graph=True, allow_unused=True
        )
        said.append([None if slope is None else slope.tolist() for slope in slopes])
    return said


def of_cumsum(mg, dtype):
    x = mg.tensor([1.0, 2.0, 3.0], dtype=getattr(mg, dtype), requires_grad=True)
    (grad,) = mg.autograd.grad((x.cumsum(0) ** 2).sum(), x, create_graph=True)
    (second,) = mg.autograd.grad(grad.sum(), x)
    return graph(grad)[:3], grad.tolist(), second.tolist()


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_prelu_passes_on_zeros(torch, size):
    assert of_prelu(minigrad, size) == of_prelu(torch, size)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_running_sum_has_a_second_derivative(torch, dtype):
    assert of_cumsum(minigrad, dtype) == of_cumsum(torch, dtype)
