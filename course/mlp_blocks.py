"""Residual blocks with two Linear layers, as a transformer's MLP, in PyTorch itself."""

import torch

ROWS, WIDTH = 1024, 32  # many rows: beside an activation the gradient of a weight is small


def blocks(count, act, times):
    """So many functions h -> h + out(act(into(h))); the layer between is `times` as wide."""
    return [_block(act, times) for _ in range(count)]


def _block(act, times):
    into, out = torch.nn.Linear(WIDTH, times * WIDTH), torch.nn.Linear(times * WIDTH, WIDTH)
    for p in [*into.parameters(), *out.parameters()]:
        p.grad = torch.zeros_like(p)
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
