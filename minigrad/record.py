"""Run a rule on the arrays of some tensors, and leave a node behind if a gradient may be wanted.

The one place where arrays, tensors and graph meet. `unary`, `binary` and `nary` differ only in
how many tensors come in; `view` makes no bytes; `inplace` moves a tensor on to a new node.
"""

from __future__ import annotations

import numpy as np

from minigrad.autograd.graph import NOWHERE, edge, number
from minigrad.autograd.modes import state
from minigrad.autograd.saved import keep, keep_output
from minigrad.autograd.variable import Variable
from minigrad.ops.op import OUTPUT
from minigrad.types import BY_NUMPY, float32


def unary(op, x, *arguments):
    """op(x): one tensor in, one new tensor out."""
    out = x._new(op.forward(x._array, *arguments))
    if x._requires_grad and state.grad_enabled:
        record(op, (x,), out, arguments)
    return out


def binary(op, x, y):
    """op(x, y): `y` may be a Python number, which has no gradient and books no bytes."""
    a, b = operands(x, y)
    try:
        out = x._new(op.forward(a, b))
    except ValueError:
        raise _shape_error(a, b) from None
    if state.grad_enabled and (x._requires_grad or (b is not y and y._requires_grad)):
        record(op, (x, y), out)
    return out


def nary(op, inputs, *arguments, extras=()):
    """op(*inputs): any number of tensors in, one new tensor out; `extras` have no gradient."""
    arrays = [t._array for t in (*inputs, *extras)]
    out = inputs[0]._new(op.forward(*arrays, *arguments))
    if state.grad_enabled and any([t._requires_grad for t in inputs]):
        record(op, inputs, out, arguments, extras)
    return out


def view(op, x, *arguments):
    """op(x): a new tensor on the same bytes."""
    out = x._share(op.forward(x._array, *arguments))
    become_view(out, x)
    if x._requires_grad and state.grad_enabled:
        record(op, (x,), out, arguments)
    return out


def record(op, inputs, out, arguments=(), extras=()):
    """Make the node of this use of `op`: number, edges, and whatever the rule says it needs."""
    node = op()
    number(node)
    node.next_functions = tuple([NOWHERE if is_number(t) else edge(t) for t in inputs])
    if arguments:
        node.arguments = arguments
    if op.sized:
        node.sizes = inputs[0]._array.shape
    if op.kept:
        node.saved = _save(node, (*inputs, *extras), out)
    node.meta = _meta(inputs, out._array)
    out.grad_fn = node
    out._requires_grad = True
    return node


def _save(node, inputs, out) -> tuple:
    """The entries of `node.saved`: only what a wanted gradient needs."""
    wanted = sum([1 << i for i, (target, _) in enumerate(node.next_functions) if target is not None])
    entries = []
    for source, bits in node.kept:
        if not wanted & bits:
            entries.append(None)
        elif source == OUTPUT:
            entries.append(keep_output(out))
        else:
            entries.append(inputs[source] if is_number(inputs[source]) else keep(inputs[source]))
    return tuple(entries)


def _meta(inputs, result):
    """Shape and dtype of each input, if a gradient like the result would not fit one of them."""
    shape, dtype = result.shape, result.dtype
    for t in inputs:
        if not is_number(t) and (t._array.shape != shape or t._array.dtype != dtype):
            return [None if is_number(t) else (t._array.shape, t._array.dtype) for t in inputs]
    return None


def become_view(out, x) -> None:
    """Say that `out` shares `x`'s bytes; a later in-place write may have to know it."""
    base = out._base = x if x._base is None else x._base
    if not state.grad_enabled:
        out._view_kind = "no_grad"
    elif x._view_kind:
        out._view_kind = x._view_kind
    if base.grad_fn is not None or not base._requires_grad:
        base._remember_view(out)


# -- numbers and dtypes --


def is_number(value) -> bool:
    """True for a plain Python number."""
    return isinstance(value, (int, float)) and not isinstance(value, Variable)


def operands(x, y):
    """Two arrays (or an array and a number) of the dtype PyTorch computes in."""
    a = x._array
    if isinstance(y, Variable):
        b = y._array
        return (a, b) if a.dtype == b.dtype else _promoted(a, b)
    if isinstance(y, float) and a.dtype.kind != "f":
        a = a.astype(np.float32)
    return a, y


def _promoted(a, b):
    """Both arrays in the common dtype: float over int over bool, and n-d over 0-d in a kind."""
    dtype = result_dtype(a, b)
    return a.astype(dtype, copy=False), b.astype(dtype, copy=False)


def result_dtype(*arrays):
    """PyTorch's promotion: a 0-d tensor counts only if its kind (float, int, bool) is higher."""
    rank = "buif".index
    top = max(rank(a.dtype.kind) for a in arrays)
    full = [a.dtype for a in arrays if a.ndim and rank(a.dtype.kind) == top]
    chosen = full or [a.dtype for a in arrays if rank(a.dtype.kind) == top]
    return np.result_type(*chosen)


def as_float(dtype):
    """The dtype a function like exp computes in."""
    return dtype if dtype.is_floating_point else float32


def _shape_error(a, b):
    """PyTorch's words for shapes that do not broadcast."""
    left, right = np.shape(a), np.shape(b)
    for back in range(1, min(len(left), len(right)) + 1):
        m, n = left[-back], right[-back]
        if m != n and 1 not in (m, n):
            axis = max(len(left), len(right)) - back
            return RuntimeError(
                f"The size of tensor a ({m}) must match the size of tensor b ({n}) "
                f"at non-singleton dimension {axis}"
            )
    return RuntimeError(f"cannot combine shapes {left} and {right}")


# -- in place --

IN_PLACE_ON_LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
IN_PLACE_ON_LEAF_VIEW = (
    "a view of a leaf Variable that requires grad is being used in an in-place operation."
)
IN_PLACE_ON_VIEW = {
    "no_grad": (
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled. "
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
        "your code by moving both the view and the inplace either both inside the no_grad block "
        "(if you don't want the inplace to be tracked) or both outside (if you want the inplace "
        "to be tracked)."
    ),
    "several": (
        "Output {number} of {name} is a view and is being modified inplace. This view is the "
        "output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    "custom": (
        "Output {number} of {name} is a view and is being modified inplace. This view was created "
        "inside a custom Function (or because an input was returned as-is) and the autograd logic "
        "to handle view+inplace would override the custom backward associated with the custom "
        "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this "
        "by cloning the output of the custom Function."
    ),
    "": (
        "minigrad does not record an in-place write to a view that is part of a graph; "
        "write through the base instead: `base[index] = value`, or out of place"
    ),
}


def inplace(op, x, compute, *others, arguments=()):
    """Overwrite `x` with compute(its array); record `op` on the old value if a gradient may flow.

    The old value is saved as a clone if the rule needs it: its bytes are about to change.
    """
    inputs = (x, *others)
    tracked = state.grad_enabled and any([not is_number(t) and t._requires_grad for t in inputs])
    if not tracked:
        overwrite(x, compute)
        return x
    check_writable(x)
    old = x._past(clone=_saves_old(op, inputs))
    overwrite(x, compute)
    move_on(x, lambda: record(op, (old, *others), x, arguments))
    return x


def _saves_old(op, inputs) -> bool:
    """True if the rule will save the value that is about to be overwritten."""
    wanted = sum([1 << i for i, t in enumerate(inputs) if not is_number(t) and t._requires_grad])
    return any(source == 0 and wanted & bits for source, bits in op.kept)


def overwrite(x, compute) -> None:
    """Write the new values and tell everyone who shares the bytes, by the version."""
    new = compute(x._array)
    _check_cast(x, new)
    try:
        x._array[...] = new
    except ValueError:
        shapes = f"[{', '.join(map(str, np.shape(new)))}]"
        raise RuntimeError(
            f"output with shape {list(x.shape)} doesn't match the broadcast shape {shapes}"
        ) from None
    x._storage.version += 1


def _check_cast(x, new) -> None:
    kind = getattr(getattr(new, "dtype", None), "kind", "b")
    if "buif".index(kind) > "buif".index(x._array.dtype.kind):
        have = BY_NUMPY[new.dtype].legacy.removeprefix("torch.").removesuffix("Tensor")
        want = x.dtype.legacy.removeprefix("torch.").removesuffix("Tensor")
        raise RuntimeError(f"result type {have} can't be cast to the desired output type {want}")


def check_writable(x) -> None:
    """Refuse to overwrite a leaf that waits for its gradient, and views nobody could track."""
    if x._requires_grad and x.grad_fn is None:
        raise RuntimeError(IN_PLACE_ON_LEAF)
    if x._base is None:
        return
    if x._base._requires_grad and x._base.grad_fn is None and not x._view_kind:
        raise RuntimeError(IN_PLACE_ON_LEAF_VIEW)
    kind = x._view_kind
    error = RuntimeError if kind else NotImplementedError
    name = x.grad_fn.name() if x.grad_fn else ""
    raise error(IN_PLACE_ON_VIEW[kind].format(number=x.output_nr, name=name))


def move_on(x, connect) -> None:
    """Give `x` its new grad_fn; `.grad` of retain_grad follows it, its hooks stay behind."""
    before = x.grad_fn, x.output_nr
    connect()
    x.output_nr = 0
    if x._retains_grad and before[0] is not None:
        x.grad_fn.watch().retain[0] = before[0].hooks.retain.pop(before[1])
    x._forsake_views()
