"""What distributions say of themselves, by chance: on PyTorch and on minigrad."""

import os
import random

import numpy as np

import minigrad
from course.twin.compare import same_names

SEED = int(os.environ["MINIGRAD_MOVED"])
SHAPES = (), (1,), (3,), (2, 3), (0,), (2, 1)
PLAIN = ["0.25", "0.5", "1.0", "2.0", "0.125", "3.0"]
ODD = ["0.0", "1.0", "-1.0", "nan", "inf"]
ASKED = "log_prob entropy mean variance stddev probs logits loc scale batch_shape repr kl".split()


def numbers(r, shape, among):
    return [float(r.choice(among)) for _ in range(minigrad.Size(shape).numel())]


def distribution(r, kind, shape):
    """(its class, its arguments' names and numbers), now and then one that is refused."""
    among = PLAIN if r.random() < 0.8 else PLAIN + ODD
    if kind == "Normal":
        other = shape if r.random() < 0.7 else ()
        return kind, {
            "loc": (shape, numbers(r, shape, among)),
            "scale": (other, numbers(r, other, among)),
        }
    name = r.choice(["probs", "logits"])
    chances = (
        ["0.0", "1.0", "0.25", "0.5", "0.875"] if kind == "Bernoulli" and name == "probs" else among
    )
    return kind, {name: (shape, numbers(r, shape, chances if r.random() < 0.9 else among))}


def draw(seed) -> tuple:
    """(two distributions, a value, what is asked)."""
    r = random.Random(seed)
    kind = r.choice(["Normal", "Categorical", "Bernoulli"])
    shape = r.choice([one for one in SHAPES if kind != "Categorical" or one != (0,)])
    others = [kind] * 4 + ["Normal", "Bernoulli"]
    one, other = distribution(r, kind, shape), distribution(r, r.choice(others), shape)
    where = r.choice([shape, shape[:-1], (3,), ()])
    value = (
        where,
        numbers(
            r, where, ["0.0", "1.0", "1.0", "2.0", "0.5"] if r.random() < 0.3 else ["0.0", "1.0"]
        ),
    )
    return one, other, value, r.choice(ASKED)


def made(m, given, leaves):
    kind, arguments = given
    tensors = {}
    for name, (shape, found) in arguments.items():
        tensors[name] = m.tensor(found).reshape(shape).requires_grad_()
        leaves.append(tensors[name])
    return getattr(m.distributions, kind)(**tensors)


def told(m, seed) -> list:
    """Each result with its node and what backward makes of it, or the error."""
    one, other, value, asked = draw(seed)
    leaves = []
    try:
        d = made(m, one, leaves)
        result = {
            "log_prob": lambda: d.log_prob(m.tensor(value[1]).reshape(value[0])),
            "entropy": lambda: d.entropy(),
            "kl": lambda: m.distributions.kl_divergence(d, made(m, other, leaves)),
            "repr": lambda: repr(d),
        }.get(asked, lambda: getattr(d, asked))()
    except Exception as error:
        return [type(error).__name__, same_names(str(error)).replace("'", "")]
    if not isinstance(result, m.Tensor):
        return [same_names(str(result))]
    node = result.grad_fn and result.grad_fn.name()
    if result.requires_grad and result.grad_fn:
        result.sum().backward()
    found = [result.tolist(), *(x.grad if x.grad is None else x.grad.tolist() for x in leaves)]
    return [node, list(result.shape), found]


def alike(one, other) -> bool:
    if len(one) != 3 or len(other) != 3:
        return one == other
    return one[:2] == other[:2] and all(
        (a is None) == (b is None)
        and (a is None or np.allclose(np.array(a), np.array(b), 1e-5, 1e-6, equal_nan=True))
        for a, b in zip(one[2], other[2], strict=True)
    )


def test_distributions_say_what_pytorchs_say(live_torch):
    for seed in range(SEED, SEED + 800):
        ours, theirs = told(minigrad, seed), told(live_torch, seed)
        assert alike(ours, theirs), (seed, draw(seed), ours, theirs)


def test_a_planted_fault_is_found(live_torch, monkeypatch):
    """The divergence of two Normals forgets how far apart they are."""
    d = minigrad.distributions
    plain = d.DIVERGENCES[d.Normal]
    monkeypatch.setitem(d.DIVERGENCES, d.Normal, lambda p, q: plain(p, d.Normal(p.loc, q.scale)))
    seeds = range(SEED, SEED + 800)
    assert any(not alike(told(minigrad, seed), told(live_torch, seed)) for seed in seeds)
