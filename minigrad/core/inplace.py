"""Writing into a tensor: the new values, the version that tells of them, and the new grad_fn."""

from __future__ import annotations

import numpy as np

from minigrad.core import messages, observer
from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.modes import state
from minigrad.core.node import NOWHERE
from minigrad.core.op import gradients_wanted, record
from minigrad.core.promotion import RANK
from minigrad.core.saved import keep_output


def apply_inplace(op, x, compute, *others, arguments: tuple = ()):
    """Overwrite `x` with compute(its array); record `op` on the old value if a gradient may flow.

    The old value is saved as a clone if the rule needs it: its bytes are about to change.
    """
    given = (x, *others)
    wanted = gradients_wanted(op, given) if state.grad_enabled else ()
    if not (wanted or (state.grad_enabled and x._is_secret_view())):
        overwrite(x, compute)
        return x
    check_writable(x)
    node = record(op, x._twin(x._array), (x._past(), *others), wanted, arguments, x)
    overwrite(x, compute)
    rebase(x, node)
    if "result" in op.saves:  # whatever is wanted
        node._saved[[*op.saves].index("result")] = keep_output(x)
    return x


def overwrite(x, compute) -> None:
    """Write the new values and tell everyone who shares the bytes, by the version."""
    x._storage.check_write()
    for tell in observer.on_writing:
        tell(x)
    new = compute(x._array)
    try:
        if new is not x._array:  # else it was computed in place
            check_cast(x, getattr(new, "dtype", x._array.dtype))
            x._array[...] = new
    except ValueError:
        raise RuntimeError(messages.NO_ROOM.format([*x.shape], [*np.shape(new)])) from None
    x._storage.written()
    for tell in observer.on_written:
        tell(x)


def check_cast(x, dtype) -> None:
    """What is written must not be of a higher kind: floats are not cut off."""
    if RANK[dtype.kind] > RANK[x._array.dtype.kind]:
        have, want = BY_NUMPY[dtype].scalar_type, x.dtype.scalar_type
        raise RuntimeError(messages.CAST.format(have, want))


def check_writable(x) -> None:
    """Refuse to overwrite a leaf that waits for its gradient, and views nobody could track."""
    if x._view_kind:
        raise messages.view_error(x, "is being")
    if x._base is not None and x._requires_grad and x._base.grad_fn is None:
        raise RuntimeError(messages.IN_PLACE_ON_LEAF_VIEW)
    if x._requires_grad and x._node is None:  # also of a view that nobody has asked for its own
        raise RuntimeError(messages.IN_PLACE_ON_LEAF)


def rebase(x, node) -> None:
    """Give `x` its new history, or, if it is a view, its base: see ops/rebasing.py."""
    if x._base is None:
        move_on(x, node)
    else:
        x._rebase(node)


def move_on(x, node) -> None:
    """Give `x` its new grad_fn; `.grad` of retain_grad follows it, its hooks stay behind."""
    if x._retains_grad and x._node is not None:
        node._watch().retain[0] = x._node._hooks.retain.pop(x.output_nr)
    x._edge, x._was = (node, 0), NOWHERE
    x._views_follow()
    for tell in observer.on_changed:
        tell()
