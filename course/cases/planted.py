"""Reversible chains for the test that a learner writes in lesson 12: right ones and planted bugs.

Each way takes (x, blocks), as `reversible` of the lesson does; blocks are pairs of modules. All
ways are one function, which does what a drawn recipe says: no name and no bytecode tells a planted
bug from a right one.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

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

    `size` 1.5 lets eight blocks drift. Drawn again while rounding could turn a relu on or off: such
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


DIARY = "running_mean", "running_var", "num_batches_tracked"


@dataclass(frozen=True)
class Recipe:
    """How a way runs the chain; it does not say whether that is right."""

    wide: bool = False  # the streams are float64
    dice: str = ""  # the second call throws those of the first; "back": and puts the others back,
    # as "new" does, which throws others
    erased: tuple = ()  # the entries of a BatchNorm that are put back after the second call
    evals: bool = False  # the second call is in eval mode
    slope: float = 1.0  # the gradient of x, times this
    undone: bool = True  # the addition is taken back
    sums: bool = True  # the gradient of a stream has both paths
    weights: bool = True  # their gradients are computed, too
    moves: float = 1.0  # a weight, times this, behind the step


def way(recipe):
    return lambda x, blocks: run(recipe, x, blocks)


def run(recipe, x, blocks):
    """The chain as one node, in the recipe's way."""
    base = x.detach()
    x = x if recipe.slope == 1.0 else base + (x - base) * recipe.slope
    if recipe.dice:
        blocks = [[Dice(half, recipe.dice) for half in pair] for pair in blocks]
    if not recipe.wide:
        return Chain.apply(x, blocks, recipe)
    blocks = [[door(half) for half in pair] for pair in blocks]
    return Chain.apply(x.to(mg.float64), blocks, recipe).to(mg.float32)


def door(half):
    return lambda u: half(u.to(mg.float32)).to(mg.float64)


class Dice:
    """A half whose second call throws the dice of its first, or "new" ones; "left" leaves the
    generator where these end, the others put it back."""

    def __init__(self, half, how):
        self.half, self.how, self.state = half, how, None

    def __call__(self, u):
        now = mg.get_rng_state()
        again, self.state = self.state is not None, self.state or now
        if again and self.how != "new":
            mg.set_rng_state(self.state)
        v = self.half(u)
        if again and self.how != "left":
            mg.set_rng_state(now)
        return v


_planted: WeakKeyDictionary = WeakKeyDictionary()  # {node: (blocks, recipe)}


class Chain(mg.autograd.Function):
    """The chain as one node.

    It keeps all streams that it has undone: no exercise that asks for a flat chain is done by it.
    What was planted is no attribute of the node, where a test would find it.
    """

    @staticmethod
    def forward(ctx, x, blocks, recipe):
        _planted[ctx], ctx.undone = (blocks, recipe), []
        y = stored(x, blocks)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        blocks, recipe = _planted[ctx]
        (y1, y2), (dy1, dy2) = ctx.saved_tensors[0].chunk(2, 1), dy.chunk(2, 1)
        for f, g in reversed(blocks):
            y2, dy1 = undo(recipe, g, y1, y2, dy1, dy2)
            y1, dy2 = undo(recipe, f, y2, y1, dy2, dy1)
            ctx.undone.append((y1, y2))
        return mg.cat([dy1, dy2], 1), None, None


def undo(recipe, f, u, y, du, dy):
    """One addition taken back: the stream before it, and the gradient of the other one."""
    u = u.detach().requires_grad_()
    diary = [getattr(f.middle[0], name) for name in recipe.erased]
    kept = [entry.clone() for entry in diary]
    if recipe.evals:
        f.eval()
    with mg.enable_grad():
        v = f(u)
    if recipe.evals:
        f.train()
    if recipe.weights:
        v.backward(dy)
        slope = u.grad
    else:
        (slope,) = mg.autograd.grad(v, [u], dy)
    for entry, old in zip(diary, kept, strict=True):
        entry.copy_(old)
    if recipe.moves != 1.0:
        with mg.no_grad():
            f.a.mul_(recipe.moves)
    return y - v.detach() if recipe.undone else y, du + slope if recipe.sums else slope


CHAIN = {"the chain of section 1": Recipe()}
WIDE = {"streams in float64": Recipe(wide=True)}
FORMULAS = {
    **CHAIN,
    **WIDE,
    "a path forgotten": Recipe(sums=False),
    "not undone": Recipe(undone=False),
    "only that of x": Recipe(weights=False),
    "only those of the weights": Recipe(slope=0.5),
}
DRIFT = {**WIDE, "drift": Recipe()}
DICE = {
    "dice put back": Recipe(dice="back"),
    "other dice": Recipe(),
    "other dice, the generator put back": Recipe(dice="new"),
    "generator left behind": Recipe(dice="left"),
}
DIARIES = {
    "diary put back": Recipe(erased=DIARY),
    "written twice": Recipe(),
    "run again in eval": Recipe(evals=True),
    "only the count put back": Recipe(erased=DIARY[2:]),
}
WEIGHTS = {**CHAIN, **WIDE, "weights moved": Recipe(moves=1.01)}


def mixed(draw, names, are_right):
    """Eight of the names in a drawn order, each of them among these; three to five are right."""
    right = [one for one in names if one in are_right]
    wrong = [one for one in names if one not in are_right]
    rights = draw.int(max(len(right), 3), min(8 - len(wrong), 5))
    chosen = [*right, *(draw.choice(right) for _ in range(rights - len(right)))]
    chosen += [*wrong, *(draw.choice(wrong) for _ in range(8 - rights - len(wrong)))]
    return draw.some(chosen, 8)
