"""Reversible chains for the test that a learner writes in lesson 12: right ones and planted bugs.

Each way takes (x, blocks), as `reversible` of the lesson does; blocks are pairs of modules.
"""

import minigrad as mg


class Half(mg.nn.Module):
    """An F or a G on streams of 4 numbers, with something in its middle."""

    def __init__(self, first, second, middle):
        super().__init__()
        self.a, self.b = (mg.nn.Parameter(mg.tensor(array)) for array in (first, second))
        self.middle = middle()

    def forward(self, u):
        return self.middle(u @ self.a) @ self.b


REACH = 1e-3  # a relu whose input is nearer to 0 may come out otherwise when that is rebuilt


def task(draw, depth, middle, size):
    """(make, x): a batch and a function that gives `depth` blocks, always the same.

    `size` 1 lets a deep chain drift. Drawn again while rounding could turn a relu on or off: such
    a gradient would be off by a whole element, on some machines, without anybody's mistake.
    """
    while True:
        make, x = maker(draw, depth, middle, size), mg.tensor(draw.array(8, 8))
        if nearest(make(), x) > REACH:
            return make, x


@mg.no_grad()
def nearest(blocks, x):
    """How near to 0 the input of a relu comes, in a run of the chain."""
    state, found = mg.get_rng_state(), []

    def noted(u):
        found.append(u.abs().min().item())
        return u.relu()

    for half in (half for pair in blocks for half in pair):
        half.to(mg.float64)  # which draw is taken must not hang on how float32 is rounded
        parts = half.middle.children() if isinstance(half.middle, mg.nn.Sequential) else ()
        for relu in (one for one in (half.middle, *parts) if isinstance(one, mg.nn.ReLU)):
            vars(relu)["forward"] = noted
    stored(x.double(), blocks)
    mg.set_rng_state(state)
    return min(found)


def maker(draw, depth, middle, size):
    """The function of `task`."""
    drawn = [
        (draw.array(4, 8) * 1.5**0.5, draw.array(8, 4) * size * 0.375**0.5)
        for _ in range(2 * depth)
    ]

    def make():
        halves = [Half(first, second, middle) for first, second in drawn]
        return list(zip(halves[::2], halves[1::2], strict=True))

    return make


def dropout():
    return mg.nn.Sequential(mg.nn.ReLU(), mg.nn.Dropout(0.3))


def norm():
    return mg.nn.Sequential(mg.nn.BatchNorm1d(8), mg.nn.ReLU())


def stored(x, blocks):
    y1, y2 = x.chunk(2, 1)
    for f, g in blocks:
        y1 = y1 + f(y2)
        y2 = y2 + g(y1)
    return mg.cat([y1, y2], 1)


def undo_half(f, u, y, du, dy):
    u = u.detach().requires_grad_()
    with mg.enable_grad():
        v = f(u)
    v.backward(dy)
    return y - v.detach(), du + u.grad


class Chain(mg.autograd.Function):
    """The chain as one node; `undo` takes one addition back.

    It keeps all streams that it has undone: no exercise that asks for a flat chain is done by it.
    """

    @staticmethod
    def forward(ctx, x, blocks, undo):
        ctx.blocks, ctx.undo, ctx.undone = blocks, undo, []
        y = stored(x, blocks)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y1, y2), (dy1, dy2) = ctx.saved_tensors[0].chunk(2, 1), dy.chunk(2, 1)
        for f, g in reversed(ctx.blocks):
            y2, dy1 = ctx.undo(g, y1, y2, dy1, dy2)
            y1, dy2 = ctx.undo(f, y2, y1, dy2, dy1)
            ctx.undone.append((y1, y2))
        return mg.cat([dy1, dy2], 1), None, None


def chain(undo=undo_half):
    return lambda x, blocks: Chain.apply(x, blocks, undo)


def wide(x, blocks):
    """Right at any depth: the streams are float64, and nothing is undone."""

    def door(half):
        return lambda u: half(u.to(mg.float32)).to(mg.float64)

    pairs = [(door(f), door(g)) for f, g in blocks]
    return stored(x.to(mg.float64), pairs).to(mg.float32)


class Dice:
    """A half whose second call throws the dice of its first; `back` puts the generator back."""

    def __init__(self, half, back):
        self.half, self.back, self.state = half, back, None

    def __call__(self, u):
        now = mg.get_rng_state()
        if self.state is not None:
            mg.set_rng_state(self.state)
        again, self.state = self.state is not None, now
        v = self.half(u)
        if again and self.back:
            mg.set_rng_state(now)
        return v


def with_dice(back):
    return lambda x, blocks: chain()(x, [(Dice(f, back), Dice(g, back)) for f, g in blocks])


def forgets_a_path(f, u, y, du, dy):
    x, both = undo_half(f, u, y, du, dy)
    return x, both - du


def not_undone(f, u, y, du, dy):
    return y, undo_half(f, u, y, du, dy)[1]


def forgets_weights(f, u, y, du, dy):
    """The gradient of x is right; that of each weight stays zero."""
    u = u.detach().requires_grad_()
    with mg.enable_grad():
        v = f(u)
    return y - v.detach(), du + mg.autograd.grad(v, [u], dy)[0]


def half_slope(x, blocks):
    """The gradients of the weights are right; that of x is half of it."""
    base = x.detach()
    return chain()(base + (x - base) * 0.5, blocks)


def in_eval(f, *streams):
    f.eval()
    found = undo_half(f, *streams)
    f.train()
    return found


def erased(f, *streams, entries=("running_mean", "running_var", "num_batches_tracked")):
    """Run again, and put the diary of the BatchNorm back."""
    diary = [getattr(f.middle[0], name) for name in entries]
    kept = [entry.clone() for entry in diary]
    found = undo_half(f, *streams)
    for entry, old in zip(diary, kept, strict=True):
        entry.copy_(old)
    return found


def count_erased(f, *streams):
    return erased(f, *streams, entries=("num_batches_tracked",))


def moves_weights(f, *streams):
    """The right gradients; but the weights have moved behind the step."""
    found = undo_half(f, *streams)
    with mg.no_grad():
        f.a.mul_(1.01)
    return found
