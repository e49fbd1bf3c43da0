"""Programs of the first part of the exam: one net of six blocks, kept, recomputed or rebuilt.

What learners wrote in lessons 10 and 11, and the mistakes of both. Each takes `torch` (PyTorch or
minigrad) and `note`, which writes down the bytes alive. U = 32 * 8 * 4 bytes: one activation.
"""

from typing import Any

B, D, BLOCKS = 32, 8, 6


class Piece:
    """F(u) = relu(u @ w1) @ w2 of `width` columns, with D inside; its gradients have bytes."""

    def __init__(self, torch, width, k):
        self.w1 = torch.full((width, D), 0.1 + 0.01 * k, requires_grad=True)
        self.w2 = torch.full((D, width), 0.1, requires_grad=True)
        self.w1.grad, self.w2.grad = torch.zeros(width, D), torch.zeros(D, width)

    def __call__(self, u):
        return (u @ self.w1).relu() @ self.w2


def pieces(torch, width, count):
    return [Piece(torch, width, k) for k in range(count)]


def data(torch):
    return torch.arange(float(B * D)).view(B, D) / (B * D)


def train(torch, note, made, net):
    """One step: forward, seed gradient, backward; gives the gradients of the pieces in `made`."""
    note.start()
    x = data(torch).requires_grad_()
    note()
    x.register_hook(lambda grad: note())
    y = net(x)
    note()
    seed = torch.ones_like(y)
    note()
    y.backward(seed)
    del seed
    note()
    return [weight.grad for piece in made for weight in (piece.w1, piece.w2)]


def through(blocks, note):
    """The residual blocks, one after the other; notes each result and its gradient."""

    def run(y):
        for block in blocks:
            y = y + block(y)
            y.register_hook(lambda grad: note())
            note()
        return y

    return run


def forgetting(torch):
    """The Function of lesson 10: keep what went in, and run `part` again on the way back."""

    function: Any = torch.autograd.Function

    class Forget(function):
        @staticmethod
        def forward(ctx, part, silent, x):
            ctx.part = part
            ctx.save_for_backward(x)
            return silent(x)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            x = x.detach().requires_grad_()
            with torch.enable_grad():
                y = ctx.part(x)
            y.backward(grad)
            return None, None, x.grad

    return Forget.apply


def stored(torch, note):
    blocks = pieces(torch, D, BLOCKS)
    return train(torch, note, blocks, through(blocks, note))


def forgotten(torch, note, size):
    """Segments of `size` blocks, each recomputed when its gradient comes."""
    blocks, forget = pieces(torch, D, BLOCKS), forgetting(torch)

    def plain(part):
        def run(y):
            for block in part:
                y = y + block(y)
            return y

        return run

    def net(y):
        for low in range(0, BLOCKS, size):
            part = blocks[low : low + size]
            y = forget(through(part, note), plain(part), y)
            note()
        return y

    return train(torch, note, blocks, net)


def every_two(torch, note):
    return forgotten(torch, note, 2)


def every_three(torch, note):
    return forgotten(torch, note, 3)


def all_at_once(torch, note):
    return forgotten(torch, note, BLOCKS)


def halves(x):
    return [half.clone() for half in x.chunk(2, -1)]


def couples(torch):
    made = pieces(torch, D // 2, 2 * BLOCKS)
    return list(zip(made[::2], made[1::2], strict=True))


def flat(chain):
    return [piece for couple in chain for piece in couple]


def ahead(couple, x1, x2):
    f, g = couple
    y1 = x1 + f(x2)
    return y1, x2 + g(y1)


def back(torch, couple, y1, y2, d1, d2):
    """From what came out, and its gradients, to what went in, and its gradients."""
    f, g = couple
    with torch.enable_grad():
        y1 = y1.detach().requires_grad_()
        part = g(y1)
    part.backward(d2)
    x2, d1 = y2 - part.detach(), d1 + y1.grad
    del y2, part
    with torch.enable_grad():
        x2 = x2.detach().requires_grad_()
        part = f(x2)
    part.backward(d1)
    return y1.detach() - part.detach(), x2.detach(), d1, d2 + x2.grad


def back_undetached(torch, couple, y1, y2, d1, d2):
    """The same, but nothing is detached; the error that follows was silenced."""
    f, g = couple
    with torch.enable_grad():
        if y1.is_leaf:
            y1.requires_grad_()
        y1.retain_grad()
        part = g(y1)
        part.backward(d2, retain_graph=True)
        d1, x2 = d1 + y1.grad, y2 - part
        x2.retain_grad()
        part = f(x2)
        part.backward(d1, retain_graph=True)
        return y1 - part, x2, d1, d2 + x2.grad


def rolled(torch, chain, x, note, keep):
    """The output of the chain; no pair outlives its block unless `keep` keeps it."""
    pair = halves(x)
    for couple in chain:
        before, pair = pair, ahead(couple, *pair)
        keep(pair)
        note()
    del before
    return torch.cat(pair, -1)


def unrolled(torch, chain, y, grad, note, step):
    """The gradient of what went in; each block is rebuilt from what came out of it."""
    state = (*halves(y), *halves(grad))
    for couple in reversed(chain):
        state = step(torch, couple, *state)
        note()
    return torch.cat(state[2:], -1)


def reversible(torch, note, step=back, keep=lambda pair: None):
    """The chain of lesson 11 as one Function: its output is all that it saves."""
    chain, function = couples(torch), torch.autograd.Function  # type: Any, Any

    class Chain(function):
        @staticmethod
        def forward(ctx, x):
            y = rolled(torch, chain, x, note, keep)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            (y,) = ctx.saved_tensors
            return unrolled(torch, chain, y, grad, note, step)

    return train(torch, note, flat(chain), Chain.apply)


def with_a_list(torch, note):
    kept: list = []
    return reversible(torch, note, keep=kept.append)


def undetached(torch, note):
    return reversible(torch, note, step=back_undetached)


def without_function(torch, note):
    """The reversible net, with nothing that keeps it from being recorded."""
    chain = couples(torch)

    def net(x):
        pair = x.chunk(2, -1)
        for couple in chain:
            pair = ahead(couple, *pair)
            pair[0].register_hook(lambda grad: note())
            note()
        return torch.cat(pair, -1)

    return train(torch, note, flat(chain), net)
