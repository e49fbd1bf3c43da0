"""Random numbers by chance: what may be drawn, in which dtype, shape and graph, and what may not.

Numbers that chance decides are compared by what they have in common: their bounds, or that no two
are alike. Of a deviation of 0 and of a chance of 0 or 1 they are the same on either engine.
"""

import os
import random
import warnings

import pytest

import minigrad

FIRST = int(os.environ["MINIGRAD_MOVED"])
DTYPES = "float32", "float64", "float16", "int64", "int32", "uint8", "bool"
BOUNDS = "0 1 2 -1 5 256 257 300 2049 2050 70000 2**24+1 2**24+2 2**31 2**31+1 -2**40".split()
ODD = "2.5", "True", "'a'", "2**63-1", "2**63", "-2**63", "mg.tensor(3)", "3.0"
PARSED = "argument", "invalid combination", "missing"  # in the parser's own words
SHAPES = "2", "2, 3", "3, 1", "1", "", "0", "4"


def tensor(draw, values, whole=("int64",)) -> str:
    """A tensor that holds such numbers."""
    dtype = draw.choice([*["float32"] * 4, "float64", "float16", *whole])
    leaf = dtype.startswith("float") and draw.random() < 0.4
    made = f"mg.full(({draw.choice(SHAPES)},), {draw.choice(values)}).to(mg.{dtype})"
    return made.replace("((,)", "(()") + ".requires_grad_()" * leaf


def of_dtype(draw, names=DTYPES) -> str:
    return f", dtype=mg.{draw.choice(names)}" * (draw.random() < 0.7)


def whole(draw) -> str:
    low, high = (draw.choice(ODD if draw.random() < 0.1 else BOUNDS) for _ in range(2))
    size = draw.choice(["(50,)", "[2, 3]", "(0,)", "()", "size=(4,)"])
    bounds = draw.choice([f"{low}, {high}", high, f"low={low}, high={high}", f"high={high}"])
    size = f"size={size.removeprefix('size=')}" if "=" in bounds else size
    return f"mg.randint({bounds}, {size}{of_dtype(draw)})"


def permuted(draw) -> str:
    n = draw.choice(
        ["0", "1", "7", "255", "256", "257", "300", "2048", "2049", "2050", "-1", "2.5"]
    )
    return f"mg.randperm({n}{of_dtype(draw)})"


def normals(draw) -> str:
    mean = tensor(draw, "012", ()) if draw.random() < 0.6 else draw.choice("012")
    std = tensor(draw, ["0", "0", "-1"]) if draw.random() < 0.6 else draw.choice(["0", "0.0", "-1"])
    size = ", (2,)" if draw.random() < 0.1 or "mg" not in mean + std else ""
    return f"mg.normal({mean}, {std}{size})"


def chances(draw) -> str:
    x, numbers = tensor(draw, "01"), ["0", "1", "0.0", "1.0", "2", "-0.5"]
    p = draw.choice(numbers) if draw.random() < 0.5 else tensor(draw, ["0", "1", "0", "1", "3"])
    way = draw.choice(["mg.bernoulli({x}, {p})", "{x}.bernoulli({p})", "({x} * 1).bernoulli_({p})"])
    way = draw.choice(
        [way, "({x} * 1).bernoulli_(p={p})", "mg.bernoulli({x})", "{x}.bernoulli_({p})"]
    )
    return way.format(x=x, p=p)


def halves(draw) -> str:
    name, end = draw.choice(["rand", "randn"]), draw.choice(["", ", requires_grad=True"])
    made = f"mg.{name}(5{of_dtype(draw)}{end})"
    return draw.choice([made, f"mg.{name}_like({tensor(draw, '0')}{of_dtype(draw)})"])


def told(m, code, values) -> list:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = eval(code, {"mg": m})
        except Exception as error:
            text = str(error).replace("minigrad.", "torch.")
            parsed = isinstance(error, TypeError) and any(one in text for one in PARSED)
            return [type(error).__name__, parsed or text]
    texts = [str(one.message).partition(" (Triggered")[0] for one in warned]
    graph = [found.requires_grad, found.grad_fn and found.grad_fn.name(), found._version]
    kind = [str(found.dtype).partition(".")[2], list(found.shape), list(found.stride())]
    return [kind, graph, texts, values(found), gradients(m, found)]


def gradients(m, found):
    """Of what the numbers were drawn with, if one is asked for."""
    if found.grad_fn is None or not found.dtype.is_floating_point or not found.numel():
        return None
    leaves = [
        node.variable for node, _ in found.grad_fn.next_functions if hasattr(node, "variable")
    ]
    try:
        return [g.tolist() for g in m.autograd.grad(found.sum(), leaves)]
    except Exception as error:
        return [type(error).__name__, str(error)]


KINDS = {  # {what is drawn: what its numbers have in common}
    whole: lambda t: None,
    permuted: lambda t: [len(set(t.tolist())), sum(map(int, t.tolist()))],
    normals: lambda t: t.tolist(),
    chances: lambda t: t.tolist(),
    halves: lambda t: t.dtype.itemsize,
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_random_calls_are_pytorchs(torch, kind):
    torch.set_warn_always(True)
    for seed in range(FIRST, FIRST + 250):
        code = kind(random.Random(seed))
        theirs, ours = (told(m, code, KINDS[kind]) for m in (torch, minigrad))
        assert theirs == ours, f"seed {seed}, {code}"


def test_the_numbers_are_within_their_bounds():
    draw = random.Random(FIRST)
    for _ in range(100):
        low = draw.choice([0, -5, -(2**63), 2**40, draw.randint(-300, 300)])
        high = min(low + draw.choice([1, 2, 100, 2**62, 2**63, 2**64 - 1]), 2**63 - 1)
        found = minigrad.randint(low, high, (200,)).tolist()
        assert all(low <= n < high for n in found), (low, high)
        if high - low > 2**61:
            assert len({n // 2**60 for n in found}) > (high - low) // 2**61, (low, high)
    half = minigrad.rand(100000, dtype=minigrad.float16)
    assert half.max().item() < 1 and half.min().item() == 0
    assert abs(half.float().mean().item() - 0.5) < 0.01
