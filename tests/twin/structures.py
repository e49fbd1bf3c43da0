"""Random structures of tensors, views, modules and optimizers, and what a copy of them looks like.

A structure is built from a seed alone, so that both engines build the same one; `described` says
all that is to be equal: values, kinds, layouts, bytes, and who shares them with whom.
"""

import copy
import io
import pickle
import random
import warnings

from course.twin.compare import clean
from tests.twin import probes

DTYPES = ("float32", "float64", "float16", "int64", "int32", "uint8", "bool")
SHAPES = ((2, 3), (4,), (), (1,), (3, 1, 2), (2, 2))


class Builder:
    """Makes one structure out of parts that may share bytes, or be the same object."""

    def __init__(self, mg, seed):
        self.mg, self.draw = mg, random.Random(seed)
        self.tensors, self.modules, self.optimizers = [], [], []

    def structure(self):
        for _ in range(self.draw.randint(2, 4)):
            self.tensor()
        for _ in range(self.draw.randint(3, 14)):
            make = self.draw.choice(
                (self.tensor, self.view, self.view, self.parameter, *[self.decorate] * 5,
                 self.module, self.optimizer, self.result)
            )  # fmt: skip
            make()
        return [self.nested(2) for _ in range(3)]

    # -- parts --

    def tensor(self):
        kind, shape = self.draw.choice(DTYPES), self.draw.choice(SHAPES)
        count = 1
        for n in shape:
            count *= n
        values = [self.draw.randint(0, 9) for _ in range(count)]
        dtype = getattr(self.mg, kind)
        self.tensors.append(self.mg.tensor(values, dtype=dtype).reshape(shape))

    def some(self):
        return self.draw.choice(self.tensors)

    def view(self):
        x = self.some().detach()
        ways = [lambda: x.data, lambda: x.reshape(-1), lambda: x.expand(2, *x.shape)]
        if x.dim():
            ways += [lambda: x[x.shape[0] // 2 :], lambda: x[::2], lambda: x[0]]
        if x.dim() == 2:
            ways += [x.t, lambda: x[:, 1:]]
        self.tensors.append(self.draw.choice(ways)())

    def parameter(self):
        x = self.some().detach()
        if 0 in probes.strides(x):  # clone() lays these out in its own way
            x = x.clone().reshape(-1)
        wants = x.is_floating_point() and self.draw.random() < 0.8
        self.tensors.append(self.mg.nn.Parameter(x, requires_grad=wants))

    def decorate(self):
        """Give a leaf what may or may not go along: a wish for a gradient, one, a note, a hook."""
        number, what = self.draw.randrange(len(self.tensors)), self.draw.randrange(4)
        x = self.tensors[number]
        if what == 0:  # (never a cycle)
            x.note = self.draw.choice(["a note", [1, 2], *self.tensors[:number]])
        elif x.is_leaf and x.is_floating_point():
            x.requires_grad_()
            if what == 1:
                x.grad = self.mg.ones_like(x.detach()) * 3
            if what == 2:
                x.register_hook(hook)
            if what == 3:
                x.register_post_accumulate_grad_hook(hook)

    def result(self):
        """No leaf, perhaps."""
        self.tensors.append(self.some() * 2)

    def module(self):
        nn = self.mg.nn
        net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.BatchNorm1d(3), nn.Linear(3, 2))
        for i, p in enumerate(net.parameters()):
            p.data.copy_(self.mg.linspace(-1, 1, p.numel()).view(p.shape) + i)
        if self.draw.random() < 0.4:
            net[3].bias = self.mg.nn.Parameter(net[0].bias.detach()[:2])
        if self.draw.random() < 0.3:
            net[0].requires_grad_(False)
        if self.draw.random() < 0.5:
            self.backward(net)
        if self.draw.random() < 0.4:
            net.eval()
        self.modules.append(net)

    def backward(self, net):
        """Gradients of round numbers: the last digits of a real one are each engine's own."""
        for p in net.parameters():
            if p.requires_grad:
                (p * self.mg.arange(p.numel()).view(p.shape)).sum().backward()

    def optimizer(self):
        if not self.modules:
            self.module()
        net = self.draw.choice(self.modules)
        kind, options = self.draw.choice(
            [("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {"lr": 0.1}),
             ("NAdam", {}), ("Adamax", {"eps": 0.1}),
             ("Adadelta", {"rho": 0.5})]
        )  # fmt: skip
        weights = list(net.parameters())
        if self.draw.random() < 0.4:
            weights = [{"params": weights[:2], "lr": 0.25}, {"params": weights[2:], "name": "rest"}]
        one = getattr(self.mg.optim, kind)(weights, **({"lr": 0.5} | options))
        for _ in range(self.draw.randrange(3)):
            net.train()
            self.backward(net)
            one.step()
        self.optimizers.append(one)

    # -- the whole --

    def nested(self, depth):
        """Lists, tuples and dicts of what was made; the same object may be there twice."""
        parts = [*self.tensors, *self.modules, *self.optimizers]
        kind = self.draw.randrange(4)
        if not depth or kind == 0:
            return self.draw.choice(parts)
        inside = [self.nested(depth - 1) for _ in range(self.draw.randint(1, 3))]
        return [inside, tuple(inside), dict(enumerate(inside))][kind - 1]


def hook(*_):
    return None


# -- ways to copy --


def stored(protocol):
    return lambda thing: pickle.loads(pickle.dumps(thing, protocol))


def one_by_one(thing):
    """A shallow copy of each part; copy.copy of a list would copy the list alone."""
    if isinstance(thing, dict):
        return {key: one_by_one(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return type(thing)(map(one_by_one, thing))
    return copy.copy(thing)


def by_state(thing):
    """A module or an optimizer takes over the state of another; anything else is pickled."""
    if not hasattr(thing, "load_state_dict"):
        return stored(4)(thing)
    other = copy.deepcopy(thing)
    state = stored(4)(thing.state_dict())
    return [other, str(other.load_state_dict(state)), state.get("state", state)]


def saved(mg):
    """save() and load(), which keep who shares bytes."""

    def way(thing):
        mg.save(thing, file := io.BytesIO())
        return mg.load(io.BytesIO(file.getvalue()), weights_only=False)

    return way


WAYS = {
    "copy": one_by_one,
    "deepcopy": copy.deepcopy,
    "twice": lambda thing: copy.deepcopy(copy.deepcopy(thing)),
    "pickle": stored(4),
    "pickle 5": stored(5),
    "pickle 2": stored(2),
    "state": by_state,
    "saved": None,  # by the engine's own function
}


# -- what is to be equal --


class Description:
    """Plain data about anything; who is who, and who shares bytes, is said by numbers."""

    def __init__(self, mg):
        self.mg, self.seen, self.storages = mg, {}, {}

    def of(self, thing, copied):
        mg = self.mg
        if isinstance(thing, mg.Tensor):
            return self.tensor(thing, copied)
        if isinstance(thing, mg.nn.Module):
            return self.once(thing, self.module, copied)
        if isinstance(thing, mg.optim.Optimizer):
            return self.once(thing, self.optimizer, copied)
        if isinstance(thing, dict):
            return {str(key): self.entry(key, value, copied) for key, value in thing.items()}
        if isinstance(thing, (list, tuple)):
            return [type(thing).__name__, *(self.of(part, copied) for part in thing)]
        return repr(thing)

    def entry(self, key, value, copied):
        """(Adam counts its steps by a number here, by a tensor of one element in PyTorch.)"""
        return float(value) if key == "step" else self.of(value, copied)

    def once(self, thing, describe, *more):
        """The description the first time; its number after that."""
        if id(thing) in self.seen:
            return self.seen[id(thing)][0]
        self.seen[id(thing)] = f"number {len(self.seen)}", thing
        return [self.seen[id(thing)][0], describe(thing, *more)]

    def tensor(self, t, copied):
        return self.once(t, self.layout, copied)

    def layout(self, t, copied):
        storage = t.untyped_storage()
        place = self.storages.setdefault(storage.data_ptr(), len(self.storages))
        return {
            "kind": type(t).__name__,
            "dtype": str(t.dtype).rpartition(".")[2],
            "values": t.tolist(),
            "strides": probes.strides(t),
            "place": (place, t.storage_offset()) if t.numel() else None,
            "bytes": storage.nbytes(),
            "flags": (t.requires_grad, t.is_leaf, t._is_view() if copied else None),
            "version": t._version if copied else None,
            "grad": self.of(t.grad, copied) if t.is_leaf else None,
            "note": self.of(getattr(t, "note", None), copied),
        }

    def module(self, m, copied):
        return [
            repr(m), [c.training for c in m.modules()],
            [(name, self.tensor(p, copied)) for name, p in m.named_parameters()],
            [(name, self.tensor(b, copied)) for name, b in m.named_buffers()],
        ]  # fmt: skip

    def optimizer(self, o, copied):
        groups = [
            {k: self.of(value, copied) for k, value in group.items()} for group in o.param_groups
        ]
        memory = [(self.tensor(p, copied), self.of(kept, copied)) for p, kept in o.state.items()]
        return [type(o).__name__, o.defaults, groups, memory]


def described(mg, seed, way):
    """What becomes of a random structure: original, copy, warnings; or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        structure = Builder(mg, seed).structure()
        caught.clear()
        try:
            made = (WAYS[way] or saved(mg))(structure)
        except Exception as error:
            return [type(error).__name__, str(error)]
    told = [f"{w.category.__name__}: {clean(str(w.message))}" for w in caught]
    description = Description(mg)
    return [description.of(structure, False), description.of(made, True), sorted(told)]
