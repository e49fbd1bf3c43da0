"""Jacobians, Hessians and their products with vectors, of a function of tensors.

    jacobian(lambda x: x**2, tensor([1., 2.]))  # tensor([[2., 0.], [0., 4.]])

`func` takes a tensor for each of `inputs` (a tensor or a tuple) and returns a tensor or a tuple;
results have the same form. With `create_graph` they can be differentiated again. `strict` makes an
error of what does not depend on an input, where there would be zeros.
"""

from __future__ import annotations

from minigrad.core.backward import grad
from minigrad.core.modes import enable_grad
from minigrad.core.tensor import Tensor
from minigrad.ops.creation import ones_like, zeros_like
from minigrad.ops.functions import stack

STRICT = " This is not allowed in strict mode."
OUTPUT = (
    "Output {} of the user-provided function does not require gradients. The outputs must be "
    "computed in a differentiable manner from the input when running in strict mode."
)
INDEPENDENT = "The output of the user-provided function is independent of input {}." + STRICT
LINEAR = (
    "While computing the hessian, found that the jacobian of the user-provided function with "
    "respect to input {} is independent of the input."
    + STRICT
    + " You should ensure that your function is twice differentiable and that the jacobian depends "
    "on the inputs (this would be violated by a linear function for example)."
)
ONE_NUMBER = "The Tensor returned by the function given to {} should contain a single element"
NO_VECTOR = "The vector v can only be None if {} a single Tensor with a single element."
SIZE = "{}v has invalid size: should be torch.Size({}) but got torch.Size({})."
LENGTH = "v is a tuple of invalid length: should be {} but got {}."
NO_TENSORS = (
    "The {0} given to {1} must be either a Tensor or a tuple of Tensors but the given {0} has "
    "type {2}."
)


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, v @ jacobian): what backward computes. `v` is shaped like the outputs."""
    with enable_grad():
        given, outputs, several = _run(func, inputs, create_graph, strict, "vjp")
        vector = _vector(v, outputs, "the user-provided function returns")
        found = _product(outputs, given, vector, create_graph, strict)
    return _result(outputs, several[1], create_graph), _result(found, several[0], create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, jacobian @ v), by two backwards. `v` is shaped like the inputs."""
    with enable_grad():
        given, outputs, several = _run(func, inputs, create_graph, strict, "jvp")
        vector = _vector(v, given)
        dummy = tuple(zeros_like(out, requires_grad=True) for out in outputs)
        back = _product(outputs, given, dummy, True, strict)  # linear in the dummy: differentiate
        found = _product(back, dummy, vector, create_graph, strict=False)
    return _result(outputs, several[1], create_graph), _result(found, several[1], create_graph)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, v @ hessian), of a func with one number as its result."""
    with enable_grad():
        given, outputs, several = _run(func, inputs, create_graph, strict, "vhp")
        slopes = _slopes(outputs, given, strict, "vhp")
        found = _product(slopes, given, _vector(v, given), create_graph, strict=False)
    return _result(outputs, several[1], create_graph), _result(found, several[0], create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(output, hessian @ v): the hessian is symmetric, so this is vhp, computed as jvp is."""
    with enable_grad():
        given, outputs, several = _run(func, inputs, create_graph, strict, "hvp")
        slopes = _slopes(outputs, given, strict, "hvp")
        dummy = tuple(zeros_like(x, requires_grad=True) for x in given)
        back = _product(slopes, given, dummy, True, strict=False)
        found = _product(back, dummy, _vector(v, given), create_graph, strict=False)
    return _result(outputs, several[1], create_graph), _result(found, several[0], create_graph)


def jacobian(func, inputs, create_graph=False, strict=False):
    """For each output and each input, the slopes: a tensor of shape (*output's, *input's)."""
    with enable_grad():
        given, outputs, (many_in, many_out) = _run(func, inputs, create_graph, strict, "jacobian")
        rows = tuple(_rows(out, given, create_graph, strict) for out in outputs)
    rows = tuple(_result(row, many_in, create_graph) for row in rows)
    return rows if many_out else rows[0]


def hessian(func, inputs, create_graph=False, strict=False):
    """The jacobian of the gradient, of a func with one number as its result."""
    several = not isinstance(inputs, Tensor)

    def slopes(*given):
        outputs = func(*given)
        found = _slopes(_tuple(outputs, "outputs", "hessian"), given, strict, "hessian")
        return found if several else found[0]

    return jacobian(slopes, inputs, create_graph, strict)


def _slopes(outputs, given, strict, name) -> tuple:
    """The gradient of one number, ready to be differentiated again."""
    if len(outputs) != 1 or outputs[0].numel() != 1:
        raise RuntimeError(ONE_NUMBER.format(name))
    found = _product(outputs, given, (None,), True, strict)
    for i, slope in enumerate(found if strict else ()):
        if not slope.requires_grad:
            raise RuntimeError(LINEAR.format(i))
    return found


def _rows(out, given, create_graph, strict) -> tuple:
    """The jacobian of one output, one backward for each of its elements."""
    elements = out.reshape(-1)
    rows = [_product((e,), given, (None,), create_graph, strict) for e in elements]
    columns = zip(*rows, strict=True) if rows else [()] * len(given)
    return tuple(
        stack(column).view((*out.shape, *x.shape)) for column, x in zip(columns, given, strict=True)
    )


def _product(outputs, given, vector, create_graph, strict) -> tuple:
    """The gradients of `given`; zeros, or an error, where an output does not depend on one."""
    pairs = [(o, v) for o, v in zip(outputs, vector, strict=True) if o.requires_grad]
    found = [None] * len(given)
    if pairs:
        outs, weights = zip(*pairs, strict=True)
        found = grad(outs, given, weights, True, create_graph, allow_unused=True)
    for i, slope in enumerate(found if strict else ()):
        if slope is None:
            raise RuntimeError(INDEPENDENT.format(i))
    return tuple(zeros_like(x) if g is None else g for g, x in zip(found, given, strict=True))


def _run(func, inputs, create_graph, strict, name):
    """The inputs as func is given them, its outputs, and whether they are (tuples, tuples)."""
    given = tuple(_own(x, create_graph) for x in _tuple(inputs, "inputs", name))
    outputs = func(*given)
    several = not isinstance(inputs, Tensor), not isinstance(outputs, Tensor)
    outputs = _tuple(outputs, "outputs of the user-provided function", name)
    for i, out in enumerate(outputs if strict else ()):
        if not out.requires_grad:
            raise RuntimeError(OUTPUT.format(i))
    return given, outputs, several


def _own(x, create_graph):
    """Apart from the caller's graph, unless results shall be part of it."""
    return x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_()


def _tuple(tensors, what, name) -> tuple:
    if isinstance(tensors, Tensor):
        return (tensors,)
    if not isinstance(tensors, tuple):
        raise TypeError(NO_TENSORS.format(what, name, type(tensors)))
    for i, one in enumerate(tensors):
        if not isinstance(one, Tensor):
            where = f"the value at index {i} has type {type(one)}"
            raise TypeError(NO_TENSORS.partition("the given")[0].format(what, name) + where)
    return tensors


def _vector(v, like, whose="the input to the user-provided function is") -> tuple:
    """`v` as a tuple; without one, 1 for a result that is a single number."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(NO_VECTOR.format(whose))
        return (ones_like(like[0]),)
    vector = (v,) if isinstance(v, Tensor) else tuple(v)
    if len(like) == 1 != len(vector):
        raise RuntimeError("The given v should contain a single Tensor.")
    if len(vector) != len(like):
        raise RuntimeError(LENGTH.format(len(like), len(vector)))
    for i, (one, x) in enumerate(zip(vector, like, strict=True)):
        if one.shape != x.shape:
            entry = f"Entry {i} in " if len(like) > 1 else ""
            raise RuntimeError(SIZE.format(entry, list(x.shape), list(one.shape)))
    return vector


def _result(tensors, several, create_graph):
    if not create_graph:
        tensors = tuple(t.detach() for t in tensors)
    return tuple(tensors) if several else tensors[0]
