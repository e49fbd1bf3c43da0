"""What cards of lesson 16 look up by a run, on either engine; the lesson shows the snippets."""

import minigrad

from .snippets import fails


def stepped(snippet, x, engine=minigrad):
    """How `snippet` ends with a step on `w` between its losses, and with one on `v`."""
    ends = []
    for name in "wv":
        both = {one: engine.full((32, 32), 0.01, requires_grad=True) for one in "wv"}
        line = fails(snippet, engine, x=x, **both, stepped=[both[name]])
        ends.append(f"line {line} fails" if line else "passes")
    return ends


def walked(y):
    """`y`, after one walk from `y.sum()`."""
    y.sum().backward()
    return y


def plain(function, u, **options):
    """In the place of a checkpoint: it only calls."""
    return function(u)


def left(y, watch):
    """Whether the watched tensor lives, and whether its node does, which is behind y's."""
    return watch() is not None, y.grad_fn.next_functions[0][0] is not None


def edges(y):
    """What the edges of y's node lead to."""
    return ", ".join(type(node).__name__ for node, _ in y.grad_fn.next_functions)


def next_epoch(x, w):
    """Whether `x` is as it was after a walk, and whether the node of the product has let go of it.

    For minigrad alone: PyTorch has no `memory.saved`.
    """
    total, y = x.sum().item(), x @ w
    y.sum().backward()
    return x.sum().item() == total, minigrad.memory.saved(y)[0]["freed"]


def again(c):
    """Walk twice from `c.sum()`: how the second walk ends."""
    c.sum().backward()
    try:
        c.sum().backward()
    except RuntimeError:
        return "fails"
    return "works"
