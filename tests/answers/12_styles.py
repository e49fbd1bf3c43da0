"""Lesson 12: right answers in other styles, written from the task cards alone."""


# %% answer="steady" style="door turned round, streams widened and narrowed in one expression"
def steady(x, blocks):
    def door(half):
        return lambda u: half(u.to(mg.float32)).to(mg.float64)

    wide_blocks = [(door(f), door(g)) for f, g in blocks]
    return reversible(x.to(mg.float64), wide_blocks).to(mg.float32)


# %% answer="steady" style="a class for the door, double() and float(), an explicit loop"
class Door:
    """A float32 function for float64 streams."""

    def __init__(self, half):
        self.half = half

    def __call__(self, u):
        narrow = u.float()
        result = self.half(narrow)
        return result.double()


def steady(x, blocks):
    pairs = []
    for f, g in blocks:
        pairs.append((Door(f), Door(g)))
    wide = x.double()
    out = reversible(wide, pairs)
    return out.float()


# %% answer="steady" style="type promotion widens the streams, partial, a check"
from functools import partial


def widely(half, u):
    return half(u.to(mg.float32)).to(mg.float64)


def steady(x, blocks):
    if x.dtype != mg.float32:
        raise TypeError(f"steady takes float32, but got {x.dtype}")
    # float32 + float64 is float64: the first addition of each stream makes it wide
    pairs = [(partial(widely, f), partial(widely, g)) for f, g in blocks]
    return reversible(x, pairs).to(x.dtype)


# %% answer="steady" style="undo by hand: the narrow leaf is made once, streams are float64"
def wide_undo(half, u, y, du, dy):
    u = u.to(mg.float32).requires_grad_()
    with mg.enable_grad():
        v = half(u)
    v.backward(dy.to(mg.float32))
    return y - v.detach().to(mg.float64), du + u.grad.to(mg.float64)


def steady(x, blocks):
    class Widened:
        def __init__(self, half):
            self.half = half

        def __call__(self, u):
            return self.half(u.to(mg.float32))

    def undo(widened, u, y, du, dy):
        return wide_undo(widened.half, u, y, du, dy)

    pairs = [(Widened(f), Widened(g)) for f, g in blocks]
    return reversible(x.to(mg.float64), pairs, undo).to(mg.float32)


# %% answer="steady" style="a Function of its own that saves wide and returns narrow, and walk"
class SteadyChain(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks):
        ctx.blocks, ctx.undo = blocks, undo_half
        y = through(x.double(), blocks)
        ctx.save_for_backward(y)
        return y.float()

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        return walk(ctx, y, dy).float(), None


def steady(x, blocks):
    def wide(half):
        return lambda u: half(u.float()).double()

    return SteadyChain.apply(x, [(wide(f), wide(g)) for f, g in blocks])


# %% answer="steady" style="minigrad's own ReversibleSequential, one word"
def steady(x, blocks):
    pairs = [mg.reversible.ReversibleBlock(f, g) for f, g in blocks]
    chain = mg.reversible.ReversibleSequential(*pairs, stream_dtype=mg.float64, tolerance=None)
    return chain(x)


# %% answer="same_dice" style="closure with nonlocal, None means a first call"
def same_dice(half):
    state = None

    def call(u):
        nonlocal state
        if state is None:
            state = mg.get_rng_state()
            return half(u)
        now = mg.get_rng_state()
        mg.set_rng_state(state)
        state = None
        v = half(u)
        mg.set_rng_state(now)
        return v

    return call


# %% answer="same_dice" style="a class, try and finally"
class SameDice:
    def __init__(self, half):
        self.half = half
        self.remembered = None

    def __call__(self, u):
        here = mg.get_rng_state()
        if self.remembered is None:
            self.remembered = here
            return self.half(u)
        mg.set_rng_state(self.remembered)
        self.remembered = None
        try:
            return self.half(u)
        finally:
            mg.set_rng_state(here)


def same_dice(half):
    return SameDice(half)


# %% answer="same_dice" style="a list as a memory of one place, pushed and popped"
def same_dice(half):
    memory = []

    def first(u):
        memory.append(mg.get_rng_state())
        return half(u)

    def second(u):
        before = mg.get_rng_state()
        mg.set_rng_state(memory.pop())
        result = half(u)
        mg.set_rng_state(before)
        return result

    return lambda u: second(u) if memory else first(u)


# %% answer="same_dice" style="a context manager that rewinds the dice"
import contextlib


@contextlib.contextmanager
def dice(state):
    outside = mg.get_rng_state()
    mg.set_rng_state(state)
    try:
        yield
    finally:
        mg.set_rng_state(outside)


def same_dice(half):
    kept = {}

    def call(u):
        if "state" in kept:
            with dice(kept.pop("state")):
                return half(u)
        kept["state"] = mg.get_rng_state()
        return half(u)

    return call


# %% answer="same_dice" style="a module that counts its calls"
class Twice(mg.nn.Module):
    def __init__(self, half):
        super().__init__()
        self.half = half
        self.calls = 0
        self.state = None

    def forward(self, u):
        again = self.calls % 2 == 1
        self.calls += 1
        if again:
            return self.replay(u)
        self.state = mg.get_rng_state()
        return self.half(u)

    def replay(self, u):
        current_state = mg.get_rng_state()
        mg.set_rng_state(self.state)
        self.state = None
        output = self.half(u)
        mg.set_rng_state(current_state)
        return output


def same_dice(half):
    return Twice(half)
