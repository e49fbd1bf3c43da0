"""Reversible chains drawn by chance: what stands in F and G, shapes, dtypes, and how it is used."""

from __future__ import annotations

import contextlib
import copy
import random
from dataclasses import dataclass, field, replace

import torch
from torch import nn

from for_torch.reversible import ReversibleBlock, ReversibleSequential

KINDS = "rows", "sequence", "images"


@dataclass
class Case:
    """One drawn use of a chain; `seed` makes it again."""

    seed: int
    kind: str = ""
    net: ReversibleSequential = field(default=None, repr=False)  # type: ignore[assignment]
    data: list = field(default_factory=list, repr=False)
    wants_x: bool = True
    autocast: bool = False
    backwards: int = 1
    asked: bool = False  # by autograd.grad, instead of backward
    layers: list = field(default_factory=list)
    options: dict = field(default_factory=dict)


def draw(seed, exact) -> Case:
    """`exact`: float64 throughout; else float32, at times with autocast, between wide streams.

    Left out are narrow streams: how far rounding takes these depends on the net.
    """
    dice = random.Random(seed)
    torch.manual_seed(seed)
    case = Case(seed, kind=dice.choice(KINDS))
    half = dice.choice([1, 2, 3, 5]) if case.kind != "images" else dice.choice([2, 3])
    case.options = {"dim": 1 if case.kind == "images" else -1, "tolerance": None}
    if not exact:
        case.options["stream_dtype"] = torch.float64
    pool = [make(dice, case, half) for _ in range(2)]  # a module may stand in several places
    blocks = []
    for _ in range(dice.randint(1, 5)):
        pair = [
            dice.choice(pool) if dice.random() < 0.15 else make(dice, case, half) for _ in range(2)
        ]
        blocks.append(ReversibleBlock(*pair))
    case.net = ReversibleSequential(*blocks, **case.options)
    for p in case.net.parameters():
        p.requires_grad_(dice.random() < 0.85)
    case.wants_x = dice.random() < 0.5 or not any(p.requires_grad for p in case.net.parameters())
    case.backwards, case.asked = dice.randint(1, 3), dice.random() < 0.3
    case.autocast = not exact and dice.random() < 0.4
    case.data = [torch.randn(shape(dice, case, half)) for _ in range(case.backwards)]
    if exact:
        case.net.double()
        case.data = [x.double() for x in case.data]
    return case


def shape(dice, case, half):
    rows = dice.choice([2, 3, 7])
    if case.kind == "rows":
        return rows, 2 * half
    return (rows, 4, 2 * half) if case.kind == "sequence" else (rows, 2 * half, 3, 4)


def make(dice, case, half):
    """An F or a G: some layers that keep the shape."""
    layers: list = []
    wide = half
    for _ in range(dice.randint(1, 4)):
        name = dice.choice(["linear", "norm", "act", "dropout", "linear"])
        layers.append(layer(dice, case.kind, name, wide))
    case.layers.append([type(one).__name__ for one in layers])
    return nn.Sequential(*layers)


def layer(dice, kind, name, wide):
    images = kind == "images"
    if name == "linear":
        return nn.Conv2d(wide, wide, 3, padding=1) if images else nn.Linear(wide, wide)
    if name == "act":
        return dice.choice([nn.Tanh, nn.GELU, nn.SiLU, nn.Sigmoid])()
    if name == "dropout":
        return dice.choice([nn.Dropout, nn.AlphaDropout])(0.3)
    if images:
        return dice.choice([nn.BatchNorm2d(wide), nn.GroupNorm(1, wide)])
    norms = [nn.LayerNorm(wide)] + ([nn.BatchNorm1d(wide)] if kind == "rows" else [])
    return dice.choice(norms)


def precision(case):
    """Without autocast's cache: it adds the gradients of a weight used twice in bfloat16."""
    if not case.autocast:
        return contextlib.nullcontext()
    return torch.autocast("cpu", torch.bfloat16, cache_enabled=False)


def use(case, stored):
    """What a step or several of them give and leave: (name, tensor or None) pairs."""
    net = copy.deepcopy(case.net)
    torch.manual_seed(case.seed + 1)
    run = net.stored if stored else net
    weights = [p for p in net.parameters() if p.requires_grad]
    leaves = [x.clone().requires_grad_(case.wants_x) for x in case.data]
    total = []
    for x in leaves:
        with precision(case):
            y = run(x)
        total.append(y.detach())
        loss = (y * torch.linspace(0.5, 1.5, y.numel(), dtype=y.dtype).view_as(y)).square().sum()
        if case.asked:
            wanted = [*weights, *([x] if case.wants_x else [])]
            grads = torch.autograd.grad(loss, wanted, allow_unused=True)
            assert all(p.grad is None for p in (*weights, x))
            total += grads
        else:
            loss.backward()
    names = [name for name, _ in net.named_parameters()]
    given = [(f"result {i}", t) for i, t in enumerate(total)]
    given += list(zip(names, [p.grad for p in net.parameters()], strict=True))
    given += [(f"x {i}", x.grad) for i, x in enumerate(leaves)]
    left = [*net.named_buffers(), ("random numbers", torch.get_rng_state())]
    return given, left


def wrong(case, tolerance):
    """What differs between the chain and its stored twin: names, and by how much.

    A difference is none if it is below `tolerance`, or as small as what rounding makes of this
    net: norms of nearly equal numbers, one upon the other, make 1e-9 of the last digit.
    """
    (given, left), (right, there) = use(case, stored=False), use(case, stored=True)
    found = [name for (name, a), (_, b) in zip(left, there, strict=True) if not torch.equal(a, b)]
    allowed = max(tolerance, 100 * max(off for _, off in apart(rounded(case), right)))
    found += [f"{name} by {off:.1g}" for name, off in apart(given, right) if off > allowed]
    # what no gradient reached is None without a chain, and None or zeros with one
    for (name, a), (_, b) in zip(given, right, strict=True):
        found += [name] * ((a is None) != (b is None) and bool((a if b is None else b).any()))
    return found


def rounded(case):
    """What the stored twin gives where the data differ in their last digits of float64."""
    moved = replace(case, data=[x * (1 + 2**-50) for x in case.data])
    return use(moved, stored=True)[0]


def apart(given, right):
    """(name, largest difference as a part of the largest number) of what both have."""
    size = max(float(b.double().abs().max()) for _, b in right if b is not None)
    both = [(name, a, b) for (name, a), (_, b) in zip(given, right, strict=True)]
    both = [(name, a, b) for name, a, b in both if a is not None and b is not None]
    return [(name, float((a.double() - b.double()).abs().max()) / size) for name, a, b in both]
