"""The most bytes alive while a rule's forward and its backward run, beside PyTorch's.

    python -m tests.twin.peaks 2000

tries so many uses of the rules in tests/minigrad/rules.py, of any dtype, shapes and wanted
gradients. PyTorch is measured twice. The ledger of course/twin/tracker.py counts what each
operation returns, but some of PyTorch's formulas compute out of place while it watches. The
profiler sees PyTorch as it is, but what its kernels take for themselves, too. So the lower of both
is what PyTorch allocates between its operations.
"""

from __future__ import annotations

import functools
import itertools
import random
import secrets
import sys
import warnings
from typing import NamedTuple

import torch

import minigrad
from tests.twin.allocations import allocations
from tests.twin.cases_second import rules_of
from tests.twin.registry import engine

MARK = 12345  # bytes that no rule asks for
NUMBERS = 16  # bytes, at most, of the numbers of a formula that PyTorch makes tensors for a moment
MASK = "under the ledger it is computed out of place, and in place a kernel makes the indices"
ZEROS = "where a factor is 0, PyTorch has a formula of its own, row by row"
VALUES = "what is put needs no zeros of its size here, to be cut out of the gradient"
CAST = "a kernel multiplies by a bool: it makes floats of it for itself"
AXIS = "under the ledger an axis of length 1 hands the gradient on"


class Use(NamedTuple):
    """One use of a rule: the shapes and dtype of its inputs, and which of them want a gradient.

    Backward is asked for those of `asked` alone; (): for all that want one. `laid` says how the
    gradient lies that comes in.
    """

    rule: str
    shapes: tuple
    dtype: str
    wanted: tuple
    asked: tuple = ()
    laid: str = "in order"


def use(rule: str, *shapes) -> Use:
    """With a gradient for each input."""
    return Use(rule, shapes, "float64", (True,) * len(shapes))


KNOWN = {  # rule -> (the reason, a use that shows it)
    "x[mask]": (MASK, use("x[mask]", (6, 5))),
    "x[[2, 0]] = y": (VALUES, use("x[[2, 0]] = y", (3, 8), (2, 8))._replace(wanted=(True, False))),
    "prod(1)": (AXIS, use("prod(1)", (2, 1, 3))),
    "prod, a zero": (CAST, use("prod, a zero", (6, 6))),
    "cumprod(0), zeros": (ZEROS, use("cumprod(0), zeros", (5, 8))),
}

LAID = {  # how the gradient of `out` lies that comes in
    "in order": lambda mg, out: mg.ones_like(out),
    "one number": lambda mg, out: mg.ones((), dtype=out.dtype).expand(out.shape),  # as of a sum
    "with gaps": lambda mg, out: mg.ones((*out.shape, 2), dtype=out.dtype)[..., 0],
    "turned": lambda mg, out: turned(mg.ones([*out.shape][::-1], dtype=out.dtype)),
}
TURNED = {"attention", "attention, causal"}  # to numpy a gradient of that layout is a view


def turned(x):
    """A view, its axes the other way round."""
    return x.permute([*range(x.ndim)][::-1])


class Bytes(NamedTuple):
    """Above what was alive before: of the forward, then of the backward."""

    made: int
    kept: int
    needed: int
    left: int


@functools.cache
def tables():
    """rules.py for both engines; PyTorch's parameters are made before anything is counted."""
    return {mg: rules_of(mg) for mg in (torch, minigrad)}


def drawn(rule: str, seed: int) -> Use:
    """A use by chance; other lengths than those of the table, where the rule takes them."""
    chance = random.Random(f"{rule} {seed}")
    _, lines, _ = tables()[torch]["RULES"][rule]
    line = chance.choice(lines)
    dtype = chance.choice(["float32", "float64"])
    wanted = [chance.random() < 0.6 for _ in line]
    wanted[chance.randrange(len(line))] = True
    asked = [yes and chance.random() < 0.6 for yes in wanted]
    asked = asked if any(asked) else wanted
    if rule.startswith("conv") and len(line) == 3:  # PyTorch's library makes both, with the bias's
        wanted[1], asked[1] = wanted[1] or wanted[2], asked[1] or asked[2]
    lengths = {2: chance.randrange(2, 7), 3: chance.randrange(2, 9), 4: chance.randrange(3, 6)}
    longer = tuple(tuple(lengths.get(n, n) for n in shape) for shape in line)
    use = Use(rule, longer, dtype, tuple(wanted), tuple(asked), chance.choice([*LAID]))
    return use if runs(use) else use._replace(shapes=tuple(map(tuple, line)))


def runs(use: Use) -> bool:
    try:
        for mg in torch, minigrad:
            called(mg, use, leaves(mg, use))
    except (RuntimeError, IndexError, ValueError):
        return False
    return True


def leaves(mg, use: Use) -> list:
    """The inputs of a use."""
    table = tables()[mg]
    _, _, positive = table["RULES"][use.rule]
    made = [table["leaf"](shape, i, positive).detach() for i, shape in enumerate(use.shapes)]
    converted = [x.to(getattr(mg, use.dtype)) for x in made]
    return [x.requires_grad_(yes) for x, yes in zip(converted, use.wanted, strict=True)]


def called(mg, use: Use, given):
    """The rule's result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of T, where there are not two axes
        return tables()[mg]["RULES"][use.rule][0](*given)


def applied(mg, counter, use: Use) -> Bytes | None:
    """What one use of the rule takes by the counter; None if it has no gradient."""
    given = leaves(mg, use)
    before = started(counter)
    out = called(mg, use, given)
    forward = taken(counter, before)
    if not out.requires_grad:
        return None
    seed = LAID[use.laid](mg, out)
    before = started(counter)
    kept = gradients(mg, use, out, given, seed)
    backward = taken(counter, before)
    del kept
    return Bytes(*forward, *backward)


def gradients(mg, use: Use, out, given, seed):
    asked = [x for x, yes in zip(given, use.asked or use.wanted, strict=True) if yes]
    return mg.autograd.grad(out, asked, seed, allow_unused=True)


def met(mg, counter, use: Use) -> int | None:
    """What a backward needs in which the rule's gradients come first, and others are added."""
    given = leaves(mg, use)
    mid = [x * 1 if x.requires_grad else x for x in given]
    others = [x * 2 for x in mid if x.requires_grad]  # older than the rule's node: they come later
    out = called(mg, use, mid)
    if not out.requires_grad:
        return None
    seeds = [mg.ones_like(result) for result in (out, *others)]
    before = started(counter)
    kept = gradients(mg, use, (out, *others), given, seeds)
    needed = taken(counter, before)[0]
    del kept
    return needed


def started(counter) -> int:
    counter.reset_peak_memory_stats()
    return counter.memory_allocated()


def taken(counter, before: int) -> tuple:
    return counter.max_memory_allocated() - before, counter.memory_allocated() - before


def by_profiler(use: Use) -> tuple:
    """What the forward and the backward needed, as PyTorch's allocator saw it."""
    kept = []

    def mark():
        torch.empty(MARK, dtype=torch.uint8)  # one event when it is made, one when it goes

    def run():
        given = leaves(torch, use)  # inside, or the profiler does not hear that it goes
        mark()
        out = called(torch, use, given)
        mark()
        seed = LAID[use.laid](torch, out)
        mark()
        kept.append((out, given, gradients(torch, use, out, given, seed)))

    sizes = allocations(run)
    marks = [at for at, size in enumerate(sizes) if size == -MARK]
    forward, backward = sizes[marks[0] + 1 : marks[1] - 1], sizes[marks[2] + 1 :]
    return tuple(max(itertools.accumulate(part), default=0) for part in (forward, backward))


def difference(use: Use, theirs: Bytes | None) -> str:
    """What differs from what the ledger said of PyTorch, in a line; "" if nothing does."""
    ours = applied(minigrad, minigrad, use)
    if ours == theirs or theirs is None or ours is None:
        return "" if ours == theirs else f"PyTorch {theirs}, minigrad {ours}"
    made, needed = by_profiler(use)
    lowest = min(theirs.needed, needed)
    right = lowest - NUMBERS <= ours.needed <= lowest or ours.needed == needed
    right = right and ours.made in (theirs.made, min(theirs.made, made))
    if right and ours == theirs._replace(made=ours.made, needed=ours.needed):
        return ""
    return f"PyTorch {theirs}, {made} and {needed} by its profiler, minigrad {ours}"


def rules() -> list:
    """Those that can be tried: a layer wants Parameters."""
    return [name for name in tables()[torch]["RULES"] if not name.startswith("RNN")]


def found(uses) -> dict:
    """{use: what differs} of those that differ."""
    with engine("torch") as counter:
        theirs = {use: applied(torch, counter, use) for use in uses}
    return {use: text for use in theirs if (text := difference(use, theirs[use]))}


def wasteful(uses) -> dict:
    """{use: (PyTorch's bytes, minigrad's)} where a sum of gradients takes more of them here."""
    with engine("torch") as counter:
        theirs = {use: met(torch, counter, use) for use in uses}
    both = {use: (most, met(minigrad, minigrad, use)) for use, most in theirs.items()}
    return {use: (most, ours) for use, (most, ours) in both.items() if ours and ours > most}


def main(count: str = "500") -> int:
    first, names = secrets.randbelow(10**9), rules()
    wrong = found(drawn(names[n % len(names)], first + n) for n in range(int(count)))
    unknown = {use: text for use, text in wrong.items() if use.rule not in KNOWN}
    for use, text in unknown.items():
        print(f"{use}: {text}")
    print(f"{count} uses from seed {first}: {len(wrong)} differ, {len(unknown)} not as is known")
    return bool(unknown)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
