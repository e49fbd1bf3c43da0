"""PyTorch's words for what goes wrong, with minigrad's help in the exception's notes.

`str(error)` is PyTorch's text to the letter, `torch.` included, so that a search finds it.
"""

from __future__ import annotations

import linecache
import os
import sys

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you "
    "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
    "through the graph a second time or if you need to access saved tensors after calling backward."
)
DETACHED_IN_PLACE = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
    "This is not supported, please use out-of-place `.detach()` instead"
)
ANOMALY_HINT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
    "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def call_site() -> tuple:
    """(file, line) of the nearest caller outside minigrad."""
    frame = sys._getframe(1).f_back
    while frame and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("<unknown>", 0)


def _quote(site) -> str:
    file, line = site
    text = linecache.getline(file, line).strip()
    return f"line {line}: `{text}`" if text else f"line {line} of {os.path.basename(file)}"


def freed_error(node, freed) -> RuntimeError:
    """M1: the node's saved tensors are gone; who freed them stands in the notes."""
    error = RuntimeError(BACKWARD_TWICE)
    error.add_note(f"minigrad: what {type(node).__name__} saved was freed by {_quote(freed.site)}")
    error.add_note("minigrad: lesson 05 shows which operations allow a second backward, and why.")
    return error


def modified_error(node, tensor, version: int, made_by) -> RuntimeError:
    """M2: a saved tensor was written to after it was saved; `made_by` is its own node."""
    origin = f", which is output 0 of {short_name(made_by)}," if made_by else ""
    error = RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{tensor.dtype.legacy} {list(tensor.shape)}]{origin} is at version "
        f"{tensor._version}; expected version {version} instead. {ANOMALY_HINT}"
    )
    error.add_note(
        f"minigrad: {type(node).__name__} had saved this tensor for its backward; somebody wrote "
        "to it in place since. Write out of place, or clone() it before."
    )
    return error


def short_name(node) -> str:
    """`AddBackward0` -> `Add`, `SumBackward1` -> `Sum1`, as PyTorch's messages shorten it."""
    head, middle, tail = node.name().rpartition("Backward")
    return head + ("" if tail == "0" else tail) if middle else node.name()
