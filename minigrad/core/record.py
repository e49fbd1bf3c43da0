"""Run a rule on the arrays of some tensors, and leave a node behind if a gradient may be wanted.

The one place where arrays, tensors and graph meet. `unary`, `binary` and `nary` differ only in
how many tensors come in; `view` makes no bytes; `inplace` moves a tensor on to a new node.
"""

from __future__ import annotations

import numpy as np

from minigrad.core import messages, modes
from minigrad.core.backend import device_of
from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.modes import state
from minigrad.core.node import NOWHERE, edge, newer
from minigrad.core.op import OUTPUT
from minigrad.core.saved import NUMBERS, keep, keep_output
from minigrad.core.variable import Variable


def unary(op, x, *arguments):
    """op(x): one tensor in, one new tensor out."""
    if modes.packing:
        pack_first(op, x)
    out = x._new(op.forward(x._array, *arguments))
    if x._edge is not NOWHERE and state.grad_enabled:
        node = record(op, out, (x,), (edge(x),), op.plans[1], arguments)
        if op.stretched:
            node.meta = meta(op, (x,), out._array)
    return out


def binary(op):
    """The method x, y -> op(x, y); `y` may be a Python number, which books no bytes."""
    forward, plans = op.forward, [op.plans[wanted] for wanted in range(4)]

    def method(x, y):
        if not isinstance(y, Variable):
            return _with_number(op, x, y)
        if modes.packing:
            pack_first(op, x, y)
        a, b = x._array, y._array
        mixed = a.dtype is not b.dtype
        if mixed:
            a, b = promoted(a, b)
        try:
            out = x._new(forward(a, b))
        except (TypeError, ValueError) as error:
            return method(*explained(x, y, error))
        to_x, to_y = x._edge, y._edge
        wanted = (to_x is not NOWHERE) | (to_y is not NOWHERE) << 1
        if wanted and (not modes.off or state.grad_enabled):
            node = record(op, out, (x, y), (to_x or edge(x), to_y or edge(y)), plans[wanted])
            if mixed or a.shape != b.shape:
                node.meta = meta(op, (x, y), out._array)
        return out

    method.__doc__ = op.__doc__
    return method


def _with_number(op, x, y):
    """op(x, number): the number has no gradient, and its edge leads nowhere."""
    if modes.packing:
        pack_first(op, x, y)
    out = x._new(op.forward(*operands(op, x, y)))
    if x._requires_grad and state.grad_enabled:
        record(op, out, (x, y), (edge(x), NOWHERE), op.plans[1])
    return out


def nary(op, inputs, *arguments, extras=()):
    """op(*inputs): any number of tensors in, one new tensor out; `extras` have no gradient.

    An optional input, or extra, that is not given is None, as PyTorch's undefined tensor.
    """
    given = (*inputs, *extras)
    if modes.packing:
        pack_first(op, *given)
    arrays = [None if t is None else t._array for t in given]
    try:
        out = inputs[0]._new(op.forward(*arrays, *arguments))
    except TypeError as error:
        raise messages.device_error([t.device for t in given if t is not None], error) from None
    if state.grad_enabled and (wanted := wanted_bits(inputs)):
        edges = tuple([NOWHERE if t is None else t._edge or edge(t) for t in inputs])
        node = record(op, out, given, edges, op.plans[wanted], arguments)
        if op.stretched:
            node.meta = meta(op, inputs, out._array)
    return out


def view(op, x, *arguments):
    """op(x): a new tensor on the same bytes."""
    out = x._share(op.forward(x._array, *arguments))
    become_view(out, x)
    if x._edge is not NOWHERE and state.grad_enabled:
        node = record(op, out, (x,), (edge(x),), (), arguments)
        if op.stretched:
            node.meta = meta(op, (x,), out._array)
    return out


def record(op, out, inputs, edges, plan, arguments=()):
    """Make the node of this use of `op`: its number, its edges, and what the rule has to keep.

    `plan` is one of `op.plans`: for each saved tensor the index of the input it is, OUTPUT, or
    None. A node's class differs from call to call, so few attributes are set, and each once.
    """
    node = op()
    node.order = next(newer)
    node.next_functions = edges
    if arguments:
        node.arguments = arguments
    if (arguments or len(inputs) == 1) and op.sized:
        node.sizes = inputs[0]._array.shape
    out._edge = node, 0
    if plan:
        entries: list = []
        node.saved = entries
        for source in plan:
            if source is None:
                entries.append(None)
            else:
                entries.append(keep_output(out) if source == OUTPUT else keep(inputs[source]))
    return node


def pack_first(op, *inputs) -> None:
    """Let the pack hooks see the inputs before `op` computes, as in PyTorch: one may stop it."""
    packed = []
    if state.saved_hooks and state.grad_enabled:
        for source in op.plans[wanted_bits(inputs)]:
            if source not in (None, OUTPUT) and inputs[source].__class__ not in NUMBERS:
                packed.append((inputs[source], keep(inputs[source])))
    state.packed = packed


def wanted_bits(inputs) -> int:
    """Bit i is set if input i needs a gradient."""
    wanted, bit = 0, 1
    for t in inputs:
        if t.__class__ not in NUMBERS and t._edge is not NOWHERE:
            wanted |= bit
        bit += bit
    return wanted


def meta(op, inputs, result):
    """(index, shape, dtype) of the inputs that may be stretched, if one of them is."""
    like = result.shape, result.dtype
    sizes, stretched = [], False
    for i in map(op.inputs.index, op.stretched):
        size = inputs[i]._array.shape, inputs[i]._array.dtype
        sizes.append((i, *size))
        stretched = stretched or size != like
    return sizes if stretched else ()


def become_view(out, x) -> None:
    """Say that `out` shares `x`'s bytes; a later in-place write may have to know it."""
    base = out._base = x if x._base is None else x._base
    if not state.grad_enabled:
        out._view_kind = "no_grad"
        out._edge = None if x._edge is None else NOWHERE  # a leaf, as PyTorch says of it
    elif x._view_kind:
        out._view_kind = x._view_kind
    if base._edge is not None:  # a leaf that wants a gradient is never overwritten
        base._remember_view(out)


# -- devices, numbers and dtypes --


def apart(a, b) -> bool:
    """True if the two arrays live on different devices."""
    return device_of(a) is not device_of(b)


def explained(x, y, error) -> tuple:
    """PyTorch's error for operands that do not go together; or both on the GPU, where they do."""
    if not apart(x._array, y._array):
        raise messages.operand_error(x._array, y._array, error) from None
    return together(x, y, error)


def together(x, y, error) -> tuple:
    """Both tensors on the GPU if one of them is a 0-d tensor of the CPU: it passes for a number."""
    if not x.is_cuda and not x._array.ndim:
        return x.cuda(), y
    if not y.is_cuda and not y._array.ndim:
        return x, y.cuda()
    raise messages.device_error((x.device, y.device), error) from None


def operands(op, x, y):
    """Two arrays (or an array and a number) of the dtype PyTorch computes in."""
    a = x._array
    if isinstance(y, Variable):
        if apart(a, y._array):
            x, y = together(x, y, None)
        return promoted(x._array, y._array)
    if not isinstance(y, (int, float, np.number)):
        symbol = getattr(op, "symbol", "this")
        raise TypeError(
            f"unsupported operand type(s) for {symbol}: 'Tensor' and '{type(y).__name__}'"
        )
    if isinstance(y, float) and a.dtype.kind != "f":
        a = a.astype(np.float32)
    return a, y


def promoted(a, b):
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


# -- in place --


def inplace(op, x, compute, *others):
    """Overwrite `x` with compute(its array); record `op` on the old value if a gradient may flow.

    The old value is saved as a clone if the rule needs it: its bytes are about to change.
    """
    wanted = wanted_bits((x, *others)) if state.grad_enabled else 0
    if not (wanted or (state.grad_enabled and x._is_secret_view())):
        overwrite(x, compute)
        return x
    check_writable(x)
    plan = op.plans[wanted]
    inputs = (x._past(clone=0 in plan), *others)
    edges = tuple([NOWHERE if t.__class__ in NUMBERS else edge(t) for t in inputs])
    node = record(op, x._share(x._array), inputs, edges, plan)
    if not any(t.__class__ in NUMBERS for t in inputs):
        node.meta = meta(op, inputs, x._array)
    overwrite(x, compute)
    for i, source in enumerate(plan):
        if source == OUTPUT:
            node.saved[i] = keep_output(x)
    move_on(x, node)
    return x


def overwrite(x, compute) -> None:
    """Write the new values and tell everyone who shares the bytes, by the version."""
    if 0 in x._array.strides and has_repeats(x._array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )
    new = compute(x._array)
    try:
        if new is not x._array:  # else it was computed in place
            _check_cast(x, new)
            x._array[...] = new
    except ValueError:
        shapes = f"[{', '.join(map(str, np.shape(new)))}]"
        raise RuntimeError(
            f"output with shape {list(x.shape)} doesn't match the broadcast shape {shapes}"
        ) from None
    x._storage.version += 1


def has_repeats(array) -> bool:
    """True if several elements stand in one place, as in an expanded tensor."""
    places = zip(array.strides, array.shape, strict=True)
    return array.size > 0 and any(step == 0 and n > 1 for step, n in places)


def _check_cast(x, new) -> None:
    kind = getattr(getattr(new, "dtype", None), "kind", "b")
    if "buif".index(kind) > "buif".index(x._array.dtype.kind):
        have, want = BY_NUMPY[new.dtype].scalar_type, x.dtype.scalar_type
        raise RuntimeError(f"result type {have} can't be cast to the desired output type {want}")


def check_writable(x) -> None:
    """Refuse to overwrite a leaf that waits for its gradient, and views nobody could track."""
    if x._base is None:
        if x._requires_grad and x.grad_fn is None:
            raise RuntimeError(messages.IN_PLACE_ON_LEAF)
        return
    if x._base._requires_grad and x._base.grad_fn is None and not x._view_kind:
        raise RuntimeError(messages.IN_PLACE_ON_LEAF_VIEW)
    kind = x._view_kind
    error = RuntimeError if kind else NotImplementedError
    name = messages.short_name(x.grad_fn) if x.grad_fn else ""
    raise error(messages.IN_PLACE_ON_VIEW[kind].format(number=x.output_nr, name=name))


def move_on(x, node) -> None:
    """Give `x` its new grad_fn; `.grad` of retain_grad follows it, its hooks stay behind."""
    if x._retains_grad and x.grad_fn is not None:
        node.watch().retain[0] = x.grad_fn.hooks.retain.pop(x.output_nr)
    x._edge = node, 0
    x._forsake_views()
