"""A gradient is a slope: each rule agrees with the difference quotient, which knows no calculus."""

import pytest

import minigrad as mg
from minigrad.autograd import Function, GradcheckError, gradcheck
from minigrad.core.op import Op
from minigrad.memory.saves import nodes
from tests.minigrad import slopes
from tests.minigrad.rules import RULES, leaf, uses

ON_GPU = True  # too: see conftest.py


@pytest.mark.parametrize("name", RULES)
def test_the_slope_of(name):
    slopes.slope(name)


@pytest.mark.parametrize("name", RULES)
def test_gradients_have_the_shape_and_dtype_of_their_leaf(name):
    slopes.shape_and_dtype(name)


@pytest.mark.parametrize("name", RULES)
def test_a_gradient_asked_for_alone_is_the_one_among_all(name):
    slopes.alone_and_among_all(name)


def classes(base):
    for cls in base.__subclasses__():
        yield cls
        yield from classes(cls)


def test_no_rule_of_the_engine_is_left_out():
    rules = {c.__name__ for c in classes(Op) if "Backward" in c.__name__ or "Copy" in c.__name__}
    rules -= {c.__name__ for c in classes(Op) if c.__module__.startswith("minigrad.second")}
    tried = {
        type(node).__name__
        for name in RULES
        for function, leaves in uses(name)
        for node in nodes(function(*leaves))
    }
    assert rules - tried == {
        "ToCopyBackward0",  # its rounding hides small steps: see below
        *("Unique2Backward0", "UniqueDimBackward0"),  # have no derivative
        "ExponentialBackward0",  # draws, so no two calls are alike; its derivative is uniform_'s
        "SubBackward1",  # of cosine_embedding_loss: its derivative is the gradient itself
    }
    assert len(rules) > 50


def test_a_dtype_and_back():
    def there_and_back(x):
        return x.float().double()

    assert gradcheck(there_and_back, leaf((2, 3)), eps=1e-2, atol=1e-4)


def test_mixed_dtypes_come_back_as_they_went():
    x = mg.ones(2, requires_grad=True)
    y = mg.ones(2, dtype=mg.float64, requires_grad=True)
    (x * y).sum().backward()
    assert (x.grad.dtype, y.grad.dtype) == (mg.float32, mg.float64)


# -- the checker itself can say no --


def scaled_by(change):
    class Wrong(Function):
        """x * x whose gradient `change` has spoilt."""

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return change(2 * x * grad)

    return Wrong.apply


def in_one_element(g):
    g = g.clone()
    g[1, 2] = g[1, 2] * 1.01
    return g


WRONG = {
    "by a factor": lambda g: g * 1.01,
    "by a sign": lambda g: -g,
    "in one element": in_one_element,
    "by an offset": lambda g: g + 0.01,
    "transposed": lambda g: g.reshape(3, 2).t(),
    "missing": lambda g: None,
}


@pytest.mark.parametrize("how", WRONG)
def test_gradcheck_refuses_a_gradient_wrong(how):
    function = scaled_by(WRONG[how])
    with pytest.raises(GradcheckError, match="output 0 with respect to input 0"):
        gradcheck(function, leaf((2, 3)))
    assert gradcheck(function, leaf((2, 3)), raise_exception=False) is False


def test_gradcheck_accepts_the_same_function_unspoilt():
    assert gradcheck(scaled_by(lambda g: g), leaf((2, 3)))


def test_gradcheck_names_the_second_input():
    def half_wrong(x, y):
        return x + scaled_by(lambda g: -g)(y)

    with pytest.raises(GradcheckError, match="output 0 with respect to input 1"):
        gradcheck(half_wrong, [leaf((2,)), leaf((2,), 1)])


def test_gradcheck_leaves_its_inputs_as_they_were():
    x = leaf((2, 3))
    before = x.tolist()
    gradcheck(lambda x: x.exp(), x)
    assert x.tolist() == before and x.grad is None


def test_gradcheck_wants_float64():
    with pytest.warns(UserWarning, match="not a double precision floating point"):
        gradcheck(lambda x: x, mg.ones(2, requires_grad=True), raise_exception=False)
