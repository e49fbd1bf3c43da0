"""Residual blocks with two Linear layers, as a transformer's MLP, in PyTorch itself.

`mg` is torch with a memory_allocated() that is exact on a CPU (course.twin.tracker).
"""

from course.bytes_along import Price

ROWS, WIDTH = 1024, 32  # many rows: beside an activation the gradient of a weight is small


def blocks(mg, count, act, times):
    """So many functions h -> h + out(act(into(h))); the layer between is `times` as wide."""
    return [_block(mg, act, times) for _ in range(count)]


def _block(mg, act, times):
    into, out = mg.nn.Linear(WIDTH, times * WIDTH), mg.nn.Linear(times * WIDTH, WIDTH)
    for p in [*into.parameters(), *out.parameters()]:
        p.grad = mg.zeros_like(p)
    return lambda h: h + out(act(into(h)))


def net(parts, wrap=None):
    """Functions one after the other; `wrap(function, h)` calls each."""

    def run(h):
        for part in parts:
            h = wrap(part, h) if wrap else part(h)
        return h

    return run


def segments(parts, every):
    """Stretches of `every` functions, each stretch as one."""
    return [net(parts[i : i + every]) for i in range(0, len(parts), every)]


def price(mg, run) -> Price:
    """Of a step of `run`, as `course.bytes_along.price` has it."""
    before = mg.memory_allocated()
    mg.reset_peak_memory_stats()
    with mg.memory.count_ops() as n:
        x = mg.ones(ROWS, WIDTH, requires_grad=True)
        y = run(x)
        held = mg.memory_allocated() - before
        y.backward(mg.ones_like(y))
    highest = mg.max_memory_allocated() - before
    return Price(held / x.nbytes, highest / x.nbytes, n.matmuls)
