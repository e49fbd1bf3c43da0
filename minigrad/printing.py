"""A tensor as text, character for character as PyTorch prints it."""

from __future__ import annotations

import math

import numpy as np

PRECISION, THRESHOLD, EDGE, WIDTH = 4, 1000, 3, 80


def format_tensor(t) -> str:
    """tensor(...), with dtype, grad_fn or requires_grad where PyTorch shows them."""
    prefix = "tensor("
    if type(t).__name__ == "Parameter":
        prefix = "Parameter containing:\ntensor("
    text = _body(t._array, len("tensor("))
    suffixes = _suffixes(t)
    out = prefix + text
    last = len(out) - out.rfind("\n") + 1  # PyTorch counts two more than there are
    for suffix in suffixes:
        if last + len(suffix) + 2 > WIDTH:
            out += ",\n" + " " * len("tensor(") + suffix
            last = len("tensor(") + len(suffix)
        else:
            out += ", " + suffix
            last += len(suffix) + 2
    return out + ")"


def _suffixes(t) -> list:
    kinds = []
    if not t._array.size and t._array.ndim != 1:
        kinds.append(f"size={tuple(t._array.shape)}")
    if t.dtype.name not in ("float32", "int64", "bool") or (
        not t._array.size and t.dtype.name != "float32"
    ):
        kinds.append(f"dtype={t.dtype!r}")
    if t.grad_fn is not None:
        kinds.append(f"grad_fn=<{type(t.grad_fn).__name__}>")
    elif t._requires_grad:
        kinds.append("requires_grad=True")
    return kinds


def _body(array, indent: int) -> str:
    if not array.size:
        return "[]"
    summarize = array.size > THRESHOLD
    shown = _edges(array) if summarize else array
    return _nested(array, indent, summarize, _formatter(np.asarray(shown).ravel()))


def _edges(array):
    """The elements that a summary shows."""
    for axis, n in enumerate(array.shape):
        if n > 2 * EDGE:
            keep = [*range(EDGE), *range(n - EDGE, n)]
            array = np.take(array, keep, axis)
    return array


def _formatter(values):
    """(text of one value, width of all) for values that stand together."""
    if values.dtype.kind != "f":
        width = max(len(f"{v}") for v in values.tolist())
        return lambda v: f"{v}".rjust(width), width
    finite = np.abs(values[np.isfinite(values) & (values != 0)].astype(np.float64))
    if not finite.size:
        text = _fixed(0) if _all_whole(values) else _fixed(PRECISION)
    elif _all_whole(values):
        big = finite.max()
        scientific = big / finite.min() > 1000.0 or big > 1.0e8
        text = _scientific if scientific else _fixed(0)
    else:
        small, big = finite.min(), finite.max()
        scientific = big / small > 1000.0 or big > 1.0e8 or small < 1.0e-4
        text = _scientific if scientific else _fixed(PRECISION)
    if text is not _scientific and _all_whole(values):
        text = _whole
    width = max(len(text(v)) for v in values.tolist())
    return lambda v: text(v).rjust(width), width


def _all_whole(values) -> bool:
    finite = values[np.isfinite(values)]
    return bool((finite == np.ceil(finite)).all())


def _scientific(v) -> str:
    return f"{v:.{PRECISION}e}"


def _fixed(digits):
    return lambda v: f"{v:.{digits}f}"


def _whole(v) -> str:
    return f"{v:.0f}." if math.isfinite(v) else f"{v}"


def _nested(array, indent: int, summarize: bool, formatter) -> str:
    text, width = formatter
    if array.ndim == 0:
        return text(array.item())
    if array.ndim == 1:
        return _row(array, indent, summarize, text, width)
    rows = [_nested(row, indent + 1, summarize, formatter) for row in _shown(array, summarize)]
    if summarize and len(array) > 2 * EDGE:
        rows.insert(EDGE, "...")
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(rows) + "]"


def _shown(array, summarize):
    if summarize and len(array) > 2 * EDGE:
        return [*array[:EDGE], *array[-EDGE:]]
    return list(array)


def _row(array, indent: int, summarize: bool, text, width: int) -> str:
    per_line = max(1, (WIDTH - indent) // (width + 2))
    items = [text(v.item()) for v in _shown(array, summarize)]
    if summarize and len(array) > 2 * EDGE:
        items.insert(EDGE, " ...")
    lines = [items[i : i + per_line] for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(", ".join(line) for line in lines) + "]"
