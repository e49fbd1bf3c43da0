"""Reversible chains for the test that a learner writes in lesson 12: right ones and planted bugs.

Each way takes (x, blocks), as `reversible` of the lesson does; blocks are pairs of modules. All
ways are one function, which does what a drawn recipe says: no name and no bytecode tells a planted
bug from a right one. Right ones and wrong ones come in the same forms, with streams of either kind,
and do as many operations on tensors that are as large: what a test is asked to compare tells them
apart, the gradients and what is left.
"""

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import minigrad as mg
from course.pictures import wrongness


class Half(mg.nn.Module):
    """An F or a G on streams of 4 numbers, with something in its middle."""

    def __init__(self, first, second, middle):
        super().__init__()
        self.a, self.b = (mg.nn.Parameter(mg.tensor(array)) for array in (first, second))
        self.middle = middle()

    def forward(self, u):
        return self.middle(u @ self.a) @ self.b


FAR = 1e-3  # ten times what a right gradient may be off
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


def drifting(draw):
    """(make, x) of eight blocks. Drawn again until streams that are rounded to float32 drift far.

    The blocks are float64 here: which draw is taken must not hang on how a machine rounds.
    """
    while True:
        make, x = task(draw, 8, mg.nn.ReLU, 1.5)
        right, drifted = (slopes(run, make, x) for run in (stored, way(Recipe(rounds=True))))
        if wrongness(drifted, right) > FAR:
            return make, x


def slopes(run, make, x):
    """All gradients of a step in float64."""
    leaf, blocks = x.double().requires_grad_(), make()
    halves = [half.to(mg.float64) for pair in blocks for half in pair]
    run(leaf, blocks).sum().backward()
    return [leaf.grad, *(w.grad for half in halves for w in half.parameters())]


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
    """The chain as anybody writes it: golf measures what it holds."""
    y1, y2 = x.chunk(2, 1)
    for f, g in blocks:
        y1 = y1 + f(y2)
        y2 = y2 + g(y1)
    return mg.cat([y1, y2], 1)


def streams(x, blocks):
    """The two that x has, and what each addition makes of one of them."""
    found = [*x.chunk(2, 1)]
    for half in (half for pair in blocks for half in pair):
        found.append(found[-2] + half(found[-1]))
    return found


DIARY = "running_mean", "running_var", "num_batches_tracked"


@dataclass(frozen=True)
class Recipe:
    """How a way runs the chain; it does not say whether that is right."""

    wide: bool = False  # the streams are float64
    kept: bool = False  # those of forward are used, and not rebuilt
    rounds: bool = False  # the output and what is rebuilt are rounded to float32
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
    x = base + (x - base) * recipe.slope
    if recipe.dice:
        blocks = [[Dice(half, recipe.dice) for half in pair] for pair in blocks]
    if not recipe.wide:
        return Chain.apply(x, blocks, recipe)
    blocks = [[Door(half) for half in pair] for pair in blocks]
    return Chain.apply(x.to(mg.float64), blocks, recipe).to(mg.float32)


class Door:
    """A half in float32 between streams in float64."""

    def __init__(self, half):
        self.half = half

    def __call__(self, u):
        return self.half(u.to(mg.float32)).to(mg.float64)


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


def bare(half):
    """The module itself."""
    return bare(half.half) if isinstance(half, Door | Dice) else half


_planted: WeakKeyDictionary = WeakKeyDictionary()  # {node: (blocks, recipe)}


class Chain(mg.autograd.Function):
    """The chain as one node.

    Whatever it does with them, it keeps all streams: no exercise that asks for a flat chain is done
    by it. What was planted is no attribute of the node, where a test would find it.
    """

    @staticmethod
    def forward(ctx, x, blocks, recipe):
        _planted[ctx] = blocks, recipe
        past = streams(x, blocks)
        ctx.save_for_backward(*past)
        return mg.cat(past[-2:], 1)

    @staticmethod
    def backward(ctx, dy):
        blocks, recipe = _planted[ctx]
        *past, y1, y2 = ctx.saved_tensors
        y1, y2 = rounded(recipe, y1), rounded(recipe, y2)
        dy1, dy2 = dy.chunk(2, 1)
        for f, g in reversed(blocks):
            y2, dy1 = undo(recipe, g, y1, y2, dy1, dy2, past.pop())
            y1, dy2 = undo(recipe, f, y2, y1, dy2, dy1, past.pop())
        return mg.cat([dy1, dy2], 1), None, None


def undo(recipe, f, u, y, du, dy, past):
    """One addition taken back: the stream before it, and the gradient of the other one."""
    u, half = u.detach().requires_grad_(), bare(f)
    diary = [getattr(half.middle[0], name) for name in recipe.erased]
    kept = [entry.clone() for entry in diary]
    half.train(not recipe.evals)
    grads = [None if w.grad is None else w.grad.clone() for w in half.parameters()]
    with mg.enable_grad():
        v = f(u)
    half.train()
    v.backward(dy)
    for w, grad in zip(half.parameters(), grads, strict=True):
        w.grad = w.grad if recipe.weights else grad
    for entry, old in zip(diary, kept, strict=True):
        entry.copy_(old)
    with mg.no_grad():
        half.a.mul_(recipe.moves)
    return before(recipe, y, v.detach(), past), du * float(recipe.sums) + u.grad


def before(recipe, y, v, past):
    """The stream before v was added to it; each recipe computes all that one of them returns."""
    rebuilt = rounded(recipe, y - v * float(recipe.undone))
    return past if recipe.kept else rebuilt


def rounded(recipe, stream):
    narrow = stream.to(mg.float32).to(stream.dtype)
    return narrow if recipe.rounds else stream


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
DRIFT = {
    **WIDE,
    "streams kept": Recipe(kept=True),
    "drift": Recipe(),
    "float64, rebuilt in float32": Recipe(wide=True, rounds=True),
}
DICE = {
    "dice put back": Recipe(dice="back"),
    "other dice": Recipe(),
    "other dice, the generator put back": Recipe(dice="new"),
    "generator left behind": Recipe(dice="left"),
    "dice put back, a path forgotten": Recipe(dice="back", sums=False),
}
DIARIES = {
    "diary put back": Recipe(erased=DIARY),
    "written twice": Recipe(),
    "run again in eval": Recipe(evals=True),
    "only the count put back": Recipe(erased=DIARY[2:]),
    "diary put back, a path forgotten": Recipe(erased=DIARY, sums=False),
}
WEIGHTS = {
    **CHAIN,
    **WIDE,
    "weights moved": Recipe(moves=1.01),
    "a hundredth too much for x": Recipe(slope=1.01),
}


STREAMS = CHAIN.keys() | DRIFT.keys()  # where the name says what they are


def mixed(draw, ways, are_right):
    """[(name, recipe)] of eight of these ways in a drawn order, each of them among these; three to
    five are right. Where the name says nothing of streams, every other one's are float64.
    """
    right = [one for one in ways if one in are_right]
    wrong = [one for one in ways if one not in are_right]
    rights = draw.int(max(len(right), 3), min(8 - len(wrong), 5))
    chosen = [*right, *(draw.choice(right) for _ in range(rights - len(right)))]
    chosen += [*wrong, *(draw.choice(wrong) for _ in range(8 - rights - len(wrong)))]
    wide = draw.int(0, 1)
    made = []
    for place, name in enumerate(chosen, wide):
        named = name in STREAMS
        made.append((name, ways[name] if named else replace(ways[name], wide=place % 2 == 1)))
    return draw.some(made, 8)
