"""detect_anomaly: each node remembers the lines that made it; a nan in backward is an error.

It watches the engine as any observer does: a node that was recorded gets the traceback, a node
that is about to run gets a hook on what it returns, and a walk that ends in an error tells of the
node that ran last.
"""

from __future__ import annotations

import threading
import traceback

import numpy as np

from minigrad.core import messages
from minigrad.core.frames import inside, warn
from minigrad.core.node import AccumulateGrad
from minigrad.core.observer import Observer, leave, watch
from minigrad.ops.reading import seen

ENABLED = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
    "enabled for debugging."
)
NAN = "Function '{}' returned nan values in its {}th output."
FOUND = "Error detected in {}. Traceback of forward call that caused the error:\n{}"
INDUCED = (
    "\n\nPrevious calculation was induced by {}. Traceback of forward call that induced the "
    "previous calculation:\n{}"
)
NOT_FOUND = (
    "Error detected in {}. No forward pass information available. Enable detect anomaly during "
    "forward pass for more information."
)
HINTS = {
    False: messages.hint,
    True: "Hint: the backtrace further above shows the operation that failed to compute its "
    "gradient. The variable in question was changed in there or anywhere later. Good luck!",
}


class Anomaly(Observer):
    """The observer that is at work while the mode is on."""

    check_nan = True

    def __init__(self):
        self.running = threading.local()  # of each thread, its walks: what runs, and our hook

    def recorded(self, node, out, inputs):
        frames = [f for f in traceback.extract_stack() if not inside(f.filename)]
        node.metadata["traceback_"] = traceback.format_list(frames)
        if (parent := self._walk()[0]) is not None:  # made by a backward
            node.metadata["parent_"] = parent

    def started(self, roots, keep_graph):
        self.running.walks = [*getattr(self.running, "walks", []), [None, None]]

    def visited(self, node):
        walk = self._walk()
        self._let_go(walk)
        walk[0] = node
        if self.check_nan and not isinstance(node, AccumulateGrad):
            walk[1] = node.register_hook(lambda outputs, grads: refuse_nan(node, outputs))

    def ended(self, error):
        walk = self._walk()
        self._let_go(walk)
        self.running.walks = self.running.walks[:-1]
        if error is not None and walk[0] is not None:
            tell(walk[0])

    def _walk(self) -> list:
        walks = getattr(self.running, "walks", [])
        return walks[-1] if walks else [None, None]  # a node that was called by hand

    def _let_go(self, walk) -> None:
        if walk[1] is not None:
            walk[1].remove()
            walk[1] = None


def refuse_nan(node, outputs) -> None:
    """PyTorch's error if one of the gradients has a nan."""
    for i, grad in enumerate(outputs):
        if grad is not None and np.isnan(grad._array).any():
            raise seen(RuntimeError(NAN.format(node.name(), i)))


def tell(node) -> None:
    """Warn that this node failed, with the lines that made it, and those that led to these."""
    words = FOUND
    if "traceback_" not in node.metadata:
        warn(NOT_FOUND.format(node.name()))
    while node is not None and (lines := node.metadata.get("traceback_")) is not None:
        warn(words.format(node.name(), "".join(lines)))
        node, words = node.metadata.get("parent_"), INDUCED


# -- the mode: one for all threads, as PyTorch's --

_anomaly = Anomaly()
_on = False


def is_anomaly_enabled() -> bool:
    """True if anomaly detection is on."""
    return _on


def is_anomaly_check_nan_enabled() -> bool:
    """True if a nan is an error while it is on."""
    return _anomaly.check_nan


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch it on or off."""
    global _on
    _anomaly.check_nan = check_nan
    if mode and not _on:
        watch(_anomaly)
    elif _on and not mode:
        leave(_anomaly)
    _on, messages.hint = mode, HINTS[bool(mode)]


class set_detect_anomaly:
    """Switch it on or off: at once as a call, until the end of the block with `with`."""

    def __init__(self, mode: bool, check_nan: bool = True):
        self.before = _on, _anomaly.check_nan
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc) -> None:
        set_anomaly_enabled(*self.before)


class detect_anomaly(set_detect_anomaly):
    """Inside this block a nan in backward is an error, and an error tells which line made it."""

    def __init__(self, check_nan: bool = True):
        self.before = _on, _anomaly.check_nan
        self.check_nan = check_nan
        warn(ENABLED)

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)
