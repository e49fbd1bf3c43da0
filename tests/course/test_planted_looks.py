"""What a case plants for a learner's test: how it is built does not tell right from faulty.

Each object of a case is looked at in ways that measure too little of what the exercise asks: kinds
of nodes, what they save and hold, counts of operations, the shape of what is returned, where the
dice stand. In each draw some right object and some faulty one look the same in all of this at once,
and no single sign comes with one verdict alone.
"""

from collections import defaultdict, deque
from functools import cache

import pytest
from references import reference

import minigrad as mg
from course.trying import cases
from course.trying.draw import Draw

SEEDS = range(8)


def of_node(node):
    """The kinds of the nodes from this one to a leaf, and the attributes of the first."""
    kinds, first = [], node
    while node is not None:
        kinds.append(type(node).__name__)
        node = next((one for one, _ in node.next_functions if one is not None), None)
    held = {name: type(one) for name, one in vars(first).items() if not name.startswith("__")}
    return kinds, sorted(held.items(), key=str)


def recorded(run):
    """(what it gave, what was counted, the kinds of what was saved, the bytes that stay)."""
    saved, before = [], mg.memory_allocated()
    pack = mg.autograd.graph.saved_tensors_hooks(
        lambda t: (saved.append((t.dtype, t.shape)), t)[1], lambda t: t
    )
    with mg.memory.count_ops() as counted, pack:
        value = run()
    counts = counted.ops, counted.visits, counted.matmuls
    return value, counts, saved, mg.memory_allocated() - before


def of_op(op):
    h = mg.tensor([-1.5, -0.5, 0.7, 1.3], requires_grad=True)
    y, *forward = recorded(lambda: op(h))
    lists = [one for one in vars(y.grad_fn).values() if type(one) is list]
    in_list = any(one is y or one is h for held in lists for one in held)
    try:
        _, counts, *_ = recorded(lambda: mg.autograd.grad(y, [h], mg.ones(4)))
    except RuntimeError:
        counts = "an error"
    looks = type(y), y.dtype, forward, counts, of_node(y.grad_fn)
    # That its result is in a list of the node is a ring itself; that it is not says nothing.
    return looks, {"in no list": True} if not in_list else {}


def of_way(way, make, x):
    """The gradients are not looked at, and all that a step leaves is."""
    mg.manual_seed(0)
    blocks, dice = make(), {}
    seen: list = []

    def noted(module, args):
        first = dice.setdefault(id(module), now := str(mg.get_rng_state()))
        seen.append((module.training, args[0].dtype, first == now))

    halves = [half for pair in blocks for half in pair]
    for module in (one for half in halves for one in half.modules()):
        module.register_forward_pre_hook(noted)
    y, *forward = recorded(lambda: way(x.clone().requires_grad_(), blocks))
    _, *backward = recorded(y.sum().backward)
    left = [t.sum().item() for half in halves for t in half.state_dict().values()]
    none = [w.grad is None for half in halves for w in half.parameters()]
    kinds, held = of_node(y.grad_fn)
    looks = y.dtype, forward, backward, seen, none, kinds, held, mg.rand(1).item(), left
    return looks, {"nodes": kinds, "saved": forward[1], "held": held, "operations": forward[0]}


def of_loop(loop):
    value, counts, *_ = recorded(lambda: loop(3))
    signs = {"operations": counts[0], "returned": type(value)}
    if value is not None:
        kept, h = value
        signs |= {"a graph": h.grad_fn is not None}
        signs |= {"kept": type(kept[0])} if len(kept) else {}
    return (counts, shape(value)), signs


def shape(value):
    """Kinds of things in lists, and which tensors have a graph or want a gradient."""
    if isinstance(value, tuple | list | deque):
        return type(value), [shape(one) for one in value]
    if isinstance(value, mg.Tensor):
        return "tensor", value.ndim, type(value.grad_fn), value.requires_grad
    return type(value)


LOOKS = {("07", "trustworthy"): of_op, ("08", "leaks"): of_loop, ("12", "is_trustworthy"): of_way}
CASES = [(number, case) for number, id in LOOKS for case in cases.of(id) if case.at_most is None]
EACH = pytest.mark.parametrize(("number", "case"), CASES, ids=lambda one: getattr(one, "name", one))


@cache
def looked_at(number, name, seed):
    """[(looks, signs, whether the reference finds it right)] of what one draw plants."""
    id = next(id for one, id in LOOKS if one == number)
    case = next(case for case in cases.of(id) if case.name == name)
    found: list = []

    def judge(*given):
        looks, signs = LOOKS[number, id](*given)
        found.append((repr(looks), {what: repr(sign) for what, sign in signs.items()}))
        return True

    case.run(judge, Draw(seed, id, name))
    said = case.run(reference(number, id), Draw(seed, id, name))
    return [(*one, right) for one, right in zip(found, said.values(), strict=True)]


@EACH
@pytest.mark.parametrize("seed", SEEDS)
def test_some_right_one_looks_as_some_faulty_one_does(number, case, seed):
    found = looked_at(number, case.name, seed)
    right, faulty = ({one for one, _, said in found if said is v} for v in (True, False))
    assert right & faulty


@EACH
def test_no_sign_comes_with_one_verdict_alone(number, case):
    verdicts = defaultdict(set)
    for _, signs, said in (one for seed in SEEDS for one in looked_at(number, case.name, seed)):
        for sign in signs.items():
            verdicts[sign].add(said)
    assert not [sign for sign, said in verdicts.items() if len(said) == 1]
