"""Programs of training that nobody thought of, as text: an optimizer, its groups, what is done.

Both engines run the same lines. After each one the groups, what is remembered and the parameters
are told, or the error; bytes without the counters, of which PyTorch makes tensors.
"""

import copy
import pickle
import random
from typing import NamedTuple

from tests.twin.modules import numbers

COMMON = {
    "lr": (0.1, 0.5, 1e-3, 0, 1), "weight_decay": (0, 0.125, 0.5), "maximize": (False, True),
    "eps": (1e-8, 1e-3), "betas": ((0.9, 0.999), (0.5, 0.7), (0.0, 0.9)), "foreach": (None, False),
}  # fmt: skip
OWN = {
    "SGD": {"momentum": (0, 0.9, 0.5), "dampening": (0, 0.3), "nesterov": (False, True)},
    "Adam": {"amsgrad": (False, True), "decoupled_weight_decay": (False, True)},
    "AdamW": {"amsgrad": (False, True)},
    "Adadelta": {"rho": (0.9, 0.5, 0, 1)},
    "Adamax": {},
    "NAdam": {"momentum_decay": (4e-3, 0.1, 0), "decoupled_weight_decay": (False, True)},
    "RMSprop": {"alpha": (0.99, 0.5), "momentum": (0, 0.9), "centered": (False, True)},
    "Adagrad": {"lr_decay": (0, 0.2), "initial_accumulator_value": (0, 0.5)},
}
LACKS = {"SGD": ("eps", "betas"), "RMSprop": ("betas",)}
LACKS |= dict.fromkeys(("Adagrad", "Adadelta"), ("betas",))
ODD = {
    **dict.fromkeys(
        ("lr", "eps", "weight_decay", "momentum", "alpha", "lr_decay", "momentum_decay", "rho",
         "initial_accumulator_value"),
        ("-1", "-0.5", "float('nan')", "'0.1'", "None"),
    ),
    "betas": ("(0.9, 1.0)", "(1, 0.5)", "(0, 0.9)", "[0.5, 0.9]", "(0.9,)", "0.9", "(-0.1, 0.9)"),
    "nesterov": ("True",), "no_such_option": ("1",),
}  # fmt: skip
BAD = (
    "p[0]", "[]", "[p[0] * 2]", "[1.0]", "['a']", "[None]", "{p[0]}", "[{'params': {p[0]}}]", "5",
    "[p[0], p[0]]", "[{'params': [p[0], p[0]]}]", "[{'lr': 0.1}]", "[{'params': p[0]}, p[1]]",
    "[p[0], {'params': p[1]}]", "[{'params': p[:1]}, {'params': p[0]}]", "[{'params': []}]",
    "[('a', p[0]), p[1]]", "[('a', p[0])]", "[{'params': [('a', p[0])]}, {'params': p[1]}]",
    "{'params': p}", "[{'params': 3}]", "[{'params': [p[0].detach()]}]", "iter(p)", "kept",
    "[('a', p[0]), ('b', p[1])]", "[{'params': p[0]}, {'params': [('a', p[1])]}]",
)  # fmt: skip
SCHEDULES = (
    "StepLR(o, {n}, {g})", "MultiStepLR(o, [1, {n}, {n}], {g})", "ExponentialLR(o, {g})",
    "CosineAnnealingLR(o, {n}, eta_min={g} / 10)", "LambdaLR(o, lambda epoch: {g} ** epoch)",
    "MultiplicativeLR(o, lambda epoch: {g} + 0.01 * epoch)",
    "LambdaLR(o, [lambda epoch: {g} ** epoch, lambda epoch: 1 / (1 + epoch)])",
    "StepLR(o, {n}, last_epoch={n})", "ExponentialLR(o, {g}, last_epoch={n})",
    "CosineAnnealingLR(o, {n}, last_epoch={n})", "ConstantLR(o, {g}, {n})",
    "ConstantLR(o, total_iters={n}, last_epoch={n})", "LinearLR(o, {g}, total_iters={n})",
    "LinearLR(o, 0.5, {g}, {n})", "LinearLR(o, 0.5, total_iters={n}, last_epoch={n})",
    "LinearLR(o, 0, {g})", "ConstantLR(o, -{g})", "OneCycleLR(o, {g}, {n})",
    "OneCycleLR(o, {g}, total_steps=2 * {n}, pct_start=0.4, anneal_strategy='linear')",
    "OneCycleLR(o, [{g}, 0.1], epochs={n}, steps_per_epoch=3, three_phase=True)",
    "OneCycleLR(o, {g}, 9, cycle_momentum=False, div_factor={n}, final_div_factor=10)",
    "OneCycleLR(o, {g}, 8, base_momentum=[0.1, 0.2], max_momentum=0.{n}, last_epoch={n} - 2)",
    "OneCycleLR(o, {g}, epochs={n})", "OneCycleLR(o, {g}, {g})", "OneCycleLR(o, {g}, 5, {n})",
    "OneCycleLR(o, {g}, 5, pct_start={g})", "OneCycleLR(o, {g}, epochs=-{n}, steps_per_epoch=2)",
    "CyclicLR(o, 0.1, {g}, {n})", "CyclicLR(o, [0.1, 0.2], {g}, {n}, 3, 'triangular2')",
    "CyclicLR(o, 0.1, [{g}, 1.0], {n}, mode='exp_range', gamma=0.9, cycle_momentum=False)",
    "CyclicLR(o, 0.1, {g}, {n}, scale_fn=lambda x: 1 / x, base_momentum=0.{n}, last_epoch={n})",
    "CyclicLR(o, 0.1, {g}, {n}, scale_fn=lambda x: 0.9**x, scale_mode='iterations')",
    "CyclicLR(o, 0.1, {g}, mode='{n}')", "CyclicLR(p[0], 0.1, {g})",
    "SequentialLR(o, [{one}(o, {g}), {two}(o, {g})], [{n}])",
    "SequentialLR(o, [{one}(o, {g}), {two}(o, {n}), {one}(o, 0.9)], [{n}, {n} + 2])",
    "SequentialLR(o, [{one}(o, {g}), optim.lr_scheduler.ReduceLROnPlateau(o)], [{n}])",
    "SequentialLR(o, [{one}(o, {g})], [{n}])", "SequentialLR(o, [], [])",
    "SequentialLR(o, [{one}(o, {g}), {n}], [{n}])", "ChainedScheduler([], o)",
    "ChainedScheduler([{one}(o, {g}), {two}(o, {g})])", "ChainedScheduler([{one}(o, {g})], o)",
    "ChainedScheduler([{one}(optim.SGD([p[3]], 0.1), {g}), {two}(o, {g})])",
    "ChainedScheduler([{one}(o, {g}), optim.lr_scheduler.ReduceLROnPlateau(o)], o)",
    "OneCycleLR(o, {g}, 5, pct_start={n})", "OneCycleLR(o, {g}, 5, anneal_strategy='{n}')",
)  # fmt: skip
PLATEAUS = (
    "ReduceLROnPlateau(o, patience={n} - 1)", "ReduceLROnPlateau(o, 'max', {g}, 0, cooldown={n})",
    "ReduceLROnPlateau(o, factor={g}, patience=1, threshold=0.1, threshold_mode='abs')",
    "ReduceLROnPlateau(o, 'max', 0.5, 1, 0.{n}, 'abs', min_lr=[0.05, 0.2])",
    "ReduceLROnPlateau(o, 'max', 0.5, 0, 0.{n})", "ReduceLROnPlateau(o, 'm{n}')",
    "ReduceLROnPlateau(o, 'min', 0.5, 0, threshold_mode='{n}')", "ReduceLROnPlateau(p[0])",
    "ReduceLROnPlateau(o, 'min', 0.3, 0, min_lr=0.0{n}, eps=0.01)",
)  # fmt: skip
PARTS = [f"optim.lr_scheduler.{n}" for n in ("ExponentialLR", "ConstantLR", "StepLR", "LinearLR")]
STORED = "d = pickle.loads(pickle.dumps(o.state_dict()))"
MISFITS = "d['param_groups'][1:]", "d['param_groups'] * 2", "[{'params': [*range(9)]}]", "{}"


class Training(NamedTuple):
    kind: str
    dtype: str
    seed: int
    lines: list

    def __str__(self):
        return "\n".join([f"# seed {self.seed}, {self.dtype}", *self.lines])


def training(seed: int) -> Training:
    """The program of this number: one kind of optimizer after the other."""
    draw = random.Random(seed)
    kind = list(OWN)[seed % len(OWN)]
    lines = [made(draw, kind)]
    scheduled = draw.random() < 0.5
    if scheduled:
        lines.append(schedule(draw))
    for _ in range(draw.randint(2, 7)):
        lines += act(draw, kind, scheduled)
    return Training(kind, draw.choice(["float32", "float64"]), seed, lines)


def choices(kind) -> dict:
    return {k: v for k, v in COMMON.items() if k not in LACKS.get(kind, ())} | OWN[kind]


def options(draw, kind, share=0.4) -> dict:
    """Some of the options, as text; a learning rate may be a tensor."""
    found = {k: repr(draw.choice(v)) for k, v in choices(kind).items() if draw.random() < share}
    if "lr" in found and draw.random() < 0.3:
        found["lr"] = f"tensor({float(found['lr'])}, dtype={draw.choice(['float32', 'float64'])})"
    return found


def made(draw, kind) -> str:
    """The line that makes an optimizer; of some, one thing is odd."""
    given, params = options(draw, kind), groups(draw, kind)
    chance = draw.random()
    if chance < 0.1:
        known = [name for name in ODD if name in {*choices(kind), "no_such_option"}]
        name = draw.choice(known)
        given[name] = draw.choice(ODD[name])
    elif chance < 0.2:
        params = draw.choice(BAD)
    text = ", ".join([params, *(f"{name}={value}" for name, value in given.items())])
    return f"o = optim.{kind}({text})"


def groups(draw, kind) -> str:
    """p[0] to p[3] in groups, of which the last one may stay outside."""
    if draw.random() < 0.25:
        return draw.choice(["p[:3]", "iter(p[:3])", "dict(enumerate(p)).values()", "(*p[:3],)"])
    cuts = sorted(draw.sample(range(1, 4), draw.randint(1, 2)))
    parts = [f"p[{a}:{b}]" for a, b in zip([0, *cuts], [*cuts, 3], strict=True) if a < b]
    named = draw.random() < 0.15
    return f"[{', '.join(group(draw, kind, part, named) for part in parts)}]"


def group(draw, kind, part, named=False) -> str:
    if named:
        part = f"[(str(i), t) for i, t in enumerate({part})]"
    elif part.startswith("p[:") and draw.random() < 0.3:
        part = f"iter({part})"
    given = options(draw, kind, 0.2) | ({"name": "'head'"} if draw.random() < 0.2 else {})
    inside = [f"'params': {part}", *(f"{name!r}: {value}" for name, value in given.items())]
    return f"{{{', '.join(inside)}}}"


def schedule(draw) -> str:
    text = draw.choice(draw.choice([SCHEDULES, SCHEDULES, PLATEAUS])).format(
        n=draw.randint(1, 4),
        g=draw.choice([0.5, 0.9, 1.5]),
        one=draw.choice(PARTS),
        two=draw.choice(PARTS),
    )
    return f"s = optim.lr_scheduler.{text}"


def act(draw, kind, scheduled) -> list:
    """What is done with it."""
    step = "grads(0.8)", "o.step()"
    changed = draw.choice([*choices(kind).items()])
    ways = [
        step, step, step, ("grads(0.5)", "o.step(lambda: 3)"), ("o.zero_grad()",),
        ("o.zero_grad(set_to_none=False)", "o.step()"), ("grads(1)", "o.step()", "o.step()"),
        (f"o.add_param_group({group(draw, kind, draw.choice(['p[3]', '[p[3]]', '[p[0]]']))})",),
        (f"o.add_param_group({draw.choice(['3', '{}', '[p[3]]', str(dict(lr=1))])})",),
        (STORED, made(draw, kind), "o.load_state_dict(d)"), (STORED, "o.load_state_dict(d)"),
        ("o.load_state_dict({'state': {}})",),
        (STORED, f"d['param_groups'] = {draw.choice(MISFITS)}", "o.load_state_dict(d)"),
        ("o.load_state_dict(o.state_dict())",), ("o = copy.deepcopy(o)", "p = own(o)"),
        (f"o.param_groups[-1]['lr'] = {draw.choice([0.3, 0.01])}",),
        ("for g in o.param_groups: g['lr'] *= 0.5",), ("o.param_groups[0]['weight_decay'] = 0.25",),
        *[(f"o.param_groups[0][{changed[0]!r}] = {draw.choice(changed[1])}", *step)] * 2,
        (f"o.defaults['lr'] = {draw.choice([0.3, 0.01])}",),
    ]  # fmt: skip
    if scheduled:
        loss = f"0.{draw.randint(1, 9)}", f"p[0].sum() * {draw.randint(-1, 1)}"
        ways += [("s.step()",)] * 4 + [tuple(f"s.step(*figure(s, {x}))" for x in loss)] * 4 + [
            ("d = s.state_dict()", "s.load_state_dict(d)"), (schedule(draw),),
            (*step, "s.step()"), (*step, "s.step()"),
            *[(f"s.step(*figure(s, {loss[0]}), {draw.randint(0, 5)})",)] * 2,
            ("asked = s.get_lr()",),
        ]  # fmt: skip
    return list(draw.choice(ways))


# -- to run one --


def program(one: Training):
    """What a twin case runs."""

    def run(mg, out):
        draw, dtype = random.Random(one.seed), getattr(mg, one.dtype)
        shapes = [(2, 3), (4,), (), (1, 2)]
        p = [numbers(mg, draw, shape, -1, 1, dtype).detach().requires_grad_() for shape in shapes]
        kept = numbers(mg, draw, (2,), -1, 1, dtype).detach().requires_grad_() * 2
        kept.retain_grad()

        def grads(share):
            for t in names["p"]:
                if draw.random() < share:
                    t.grad = numbers(mg, draw, tuple(t.shape), -2, 2, dtype)

        names = {
            "p": p,
            "kept": [kept],
            "optim": mg.optim,
            "grads": grads,
            "own": own,
            "figure": figure,
        }
        names |= {"pickle": pickle, "copy": copy, "tensor": mg.tensor}
        names |= {"float32": mg.float32, "float64": mg.float64}
        for line in one.lines:
            try:
                out.warned(f"{line} warns", exec, line, names)
            except Exception as error:
                out(line, [type(error).__name__, str(error)])
            told(mg, out, names)

    return run


def own(optimizer) -> list:
    return [t for group in optimizer.param_groups for t in group["params"]]


def figure(scheduler, value) -> list:
    """What its step() takes."""
    return [value] if hasattr(scheduler, "patience") else []


def told(mg, out, names) -> None:
    """All that is there now."""
    out("parameters", [[t.detach(), t.grad, t.requires_grad, t.is_leaf] for t in names["p"]])
    if "s" in names:
        first = getattr(names["s"], "base_lrs", None)
        out("rates", [names["s"].get_last_lr(), getattr(names["s"], "last_epoch", None), first])
        out("stored", stored(names["s"]))
        out("asked", names.get("asked"))
    if "o" not in names:
        return
    optimizer = names["o"]
    out("repr", repr(optimizer).replace("\n", " ") if "s" not in names else "")
    out("groups", [without(group) for group in optimizer.param_groups])
    out("defaults", {**optimizer.defaults})
    out("sizes", [[len(t.shape) for t in group["params"]] for group in optimizer.param_groups])
    packed = optimizer.state_dict()
    out("state", {str(key): kept for key, kept in packed["state"].items()})
    out("numbers", [[*group, group["params"]] for group in packed["param_groups"]])
    out("bytes", mg.memory_allocated() - out.start)
    kept = [t for memory in optimizer.state.values() for t in memory.values()]
    tensors = [*own(optimizer), *(t for t in kept if isinstance(t, mg.Tensor))]
    out("versions", [t._version for t in tensors])


def stored(scheduler) -> list:
    """What the scheduler would be made of again, in its order."""
    return [[name, value] for name, value in scheduler.state_dict().items()]


def without(group) -> dict:
    return {name: value for name, value in group.items() if name != "params"}
