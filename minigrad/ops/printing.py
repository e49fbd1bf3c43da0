"""A tensor as text, character for character as PyTorch prints it."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from minigrad.core.arrays import on_host
from minigrad.core.dtypes import bool_, get_default_dtype, int64

PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}
options = SimpleNamespace(**PROFILES["default"], sci_mode=None)


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
):
    """How tensors are printed from here on; what is None stays, but for sci_mode.

    `precision` is the number of digits, and more than `threshold` elements are summarized to
    `edgeitems` at each end. `profile` is "default", "short" or "full". `sci_mode` says whether
    numbers have an exponent; None: it depends on them.
    """
    vars(options).update(PROFILES.get(profile, {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems}
    given["linewidth"] = linewidth
    vars(options).update({name: value for name, value in given.items() if value is not None})
    options.sci_mode = sci_mode


def format_tensor(t) -> str:
    """tensor(...), with device, dtype, grad_fn or requires_grad where PyTorch shows them."""
    indent = len("tensor(")
    text = "tensor(" + _body(on_host(t._array), indent)
    last = len(text) - text.rfind("\n") + 1  # PyTorch counts two more than there are
    for suffix in suffixes(t):
        length = len(suffix.replace("minigrad.", "torch."))  # lines break where PyTorch's do
        if last + length + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            last = indent + length
        else:
            text += ", " + suffix
            last += length + 2
    prefix = "Parameter containing:\n" if type(t).__name__ == "Parameter" else ""
    return prefix + text + ")"


def suffixes(t) -> list:
    """What stands behind the numbers, where it is not what most tensors have."""
    kinds = [f"device='{t.device}'"] if t.is_cuda else []
    if t._array.ndim != 1 if not t._array.size else not options.edgeitems:
        kinds.append(f"size={tuple(t._array.shape)}")
    first = get_default_dtype()
    if t.dtype not in (first, int64, bool_) or (not t._array.size and t.dtype is not first):
        kinds.append(f"dtype={t.dtype!r}")
    if name := _name_of_node(t):
        kinds.append(f"grad_fn=<{name}>")
    elif t._requires_grad:
        kinds.append("requires_grad=True")
    return kinds


def _name_of_node(t) -> str:
    try:
        return type(t.grad_fn).__name__ if t.grad_fn is not None else ""
    except RuntimeError:  # a view that nobody could track
        return "Invalid"


def _body(array, indent: int) -> str:
    if not array.size:
        return "[]"
    summarize = array.size > options.threshold
    shown = _edges(array) if summarize else array
    return _nested(array, indent, summarize, _formatter(np.asarray(shown).ravel()))


def _edges(array):
    """The elements that a summary shows."""
    edge = options.edgeitems
    for axis, n in enumerate(array.shape):
        if n > 2 * edge:
            keep = [*range(edge), *range(n - edge, n)]
            array = np.take(array, keep, axis)
    return array


def _formatter(values):
    """(text of one value, width of all): decided by the finite values that are not 0."""
    if values.dtype.kind != "f":
        return str, max((len(str(v)) for v in values.tolist()), default=1)
    deciding = values[np.isfinite(values) & (values != 0)]
    if not deciding.size:
        return _whole, 1
    size = np.abs(deciding.astype(np.float64))
    whole = bool((deciding == np.ceil(deciding)).all())
    wide = size.max() / size.min() > 1000.0 or size.max() > 1.0e8 or size.min() < 1.0e-4
    if options.sci_mode or (options.sci_mode is None and wide):
        text = _scientific
    else:
        text = _whole if whole else _fixed
    return text, max(len(text(v)) for v in deciding.tolist())


def _scientific(v) -> str:
    return f"{v:.{options.precision}e}"


def _fixed(v) -> str:
    return f"{v:.{options.precision}f}"


def _whole(v) -> str:
    return f"{v:.0f}." if math.isfinite(v) else f"{v}"


def _nested(array, indent: int, summarize: bool, formatter) -> str:
    text, width = formatter
    if array.ndim == 0:
        return text(array.item()).rjust(width)
    if array.ndim == 1:
        return _row(array, indent, summarize, text, width)
    rows = [_nested(row, indent + 1, summarize, formatter) for row in _shown(array, summarize)]
    if _is_cut(array, summarize):
        rows.insert(options.edgeitems, "...")
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(rows) + "]"


def _is_cut(array, summarize) -> bool:
    return summarize and len(array) > 2 * options.edgeitems


def _shown(array, summarize) -> list:
    edge = options.edgeitems
    return [*array[:edge], *array[len(array) - edge :]] if _is_cut(array, summarize) else [*array]


def _row(array, indent: int, summarize: bool, text, width: int) -> str:
    per_line = max(1, (options.linewidth - indent) // (width + 2))
    items = [text(v.item()).rjust(width) for v in _shown(array, summarize)]
    if _is_cut(array, summarize):
        items.insert(options.edgeitems, " ..." if options.edgeitems else "...")
    lines = [items[i : i + per_line] for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(", ".join(line) for line in lines) + "]"
