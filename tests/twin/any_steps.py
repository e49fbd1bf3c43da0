"""Random programs of any operations, drawn while PyTorch runs them: steps, each of them one line.

An operation is drawn as in one_op.py, but its operands are often tensors that an earlier step has
made: views, results in a graph, what was written to. Other steps write, detach, hook, go backward.
"""

import itertools
import random
import re
from typing import NamedTuple

import minigrad
from tests.twin import one_op_lines as lines
from tests.twin.any_machine import answer
from tests.twin.one_op_judge import OVERLAPPING
from tests.twin.one_op_operands import DTYPES, Operand, operand

LEAST, MOST = 3, 12  # steps
TAME = 1e4


class Given(NamedTuple):
    """A tensor of an earlier step, in an operand's place."""

    name: str
    dtype: str
    layout: str
    shape: tuple
    values: tuple
    grad: bool = False

    def __str__(self):
        return self.name


class Step(NamedTuple):
    """`name = line`, with these operands; what one_op_judge asks of a program is here, too."""

    op: str
    line: str
    operands: dict
    name: str = ""  # what the result is called, if it is kept
    pick: int | None = None  # which of several results
    quiet: bool = False  # under no_grad
    seed: tuple = ("1.0",)

    def __str__(self):
        bound = "".join(f"{name} = {given}\n" for name, given in self.operands.items())
        line = f"{self.name} = {self.line}" if self.name else self.line
        line += "" if self.pick is None else f"; {self.name} = {self.name}[{self.pick}]"
        return bound + (f"with mg.no_grad(): {line}" if self.quiet else line)


def layout_of(tensor) -> str:
    """One of the layouts of one_op_operands.py, or that of windows that lie over each other."""
    if not tensor.numel():
        return "empty"
    if not tensor.dim():
        return "number"
    if 0 in tensor.stride():
        return "expanded"
    if len({*places(tensor)}) < tensor.numel():
        return OVERLAPPING
    if tensor.is_contiguous():
        return "shifted" if tensor.storage_offset() else "contiguous"
    falls = sorted(tensor.stride(), reverse=True) == list(tensor.stride())
    return "sliced" if falls else "transposed"


def places(tensor) -> list:
    """Where each element lies, counted from the first."""
    axes = zip(tensor.shape, tensor.stride(), strict=True)
    steps = itertools.product(*([i * step for i in range(n)] for n, step in axes))
    return [sum(step) for step in steps]


def apart(t, u) -> bool:
    """Whether t may be overwritten by what comes of u."""
    shared = t.untyped_storage().data_ptr() == u.untyped_storage().data_ptr()
    return t is u or not shared


def alike(t, u) -> bool:
    """Whether one may have the other's data: a node goes on to expect what was there."""
    return (t.shape, t.dtype, t.stride()) == (u.shape, u.dtype, u.stride())


def called(text) -> str:
    """The operation that a line of the tables below calls, as one_op.py names it."""
    name = re.match(r"(?:operator|t)\.(\w+)\(", text)
    if not name:
        return text
    return f".__{name[1]}__" if text.startswith("operator") else f".{name[1]}"


def given(name, tensor) -> Given:
    values = tuple(map(str, tensor.detach().reshape(-1).tolist()))
    kind = str(tensor.dtype).rpartition(".")[2]
    shape, wants = tuple(tensor.shape), tensor.requires_grad
    return Given(name, kind, layout_of(tensor), shape, values, wants)


class Maker(lines.Maker):
    """Draws a line whose tensors are new ones, or those of earlier steps."""

    def __init__(self, draw, pool):
        super().__init__(draw)
        self.pool = pool  # {name: tensor}

    def tensor(self, dtype=None) -> str:
        fits = [n for n, t in self.pool.items() if dtype in (None, str(t.dtype).rpartition(".")[2])]
        if not fits or self.draw.random() < 0.3:
            return super().tensor(dtype)
        name = "xyzuvw"[len(self.operands)]
        self.operands[name] = self.chosen(fits)
        return name

    def chosen(self, fits) -> Given:
        """Of the shape of the first operand, if there is one."""
        first = self.operands.get("x")
        alike = [n for n in fits if first and tuple(self.pool[n].shape) == tuple(first.shape)]
        name = self.draw.choice(alike if alike and self.draw.random() < 0.8 else fits)
        return given(name, self.pool[name])

    def written(self) -> str:
        """Also a tensor in a graph, and a view."""
        name = self.tensor()
        return f"{name}.clone()" if self.draw.random() < 0.3 else name


# -- steps that are no operation of one_op.py: {name: (how often, a line of t and of another, u)} --

VIEWS = (
    "t[0]", "t[1:]", "t[..., ::2]", "t[:, 0]", "t.view(-1)", "t.transpose(0, -1)", "t.detach()",
    "t.expand(2, *t.shape)", "t.unsqueeze(0)", "t.squeeze()", "t.narrow(0, 0, 1)", "t.diagonal()",
    "t.select(-1, 0)", "t.view_as(t)", "t.reshape(-1)", "t[None]", "t.T", "t[...]", "t.flatten()",
)  # fmt: skip
SPLITS = (
    "t.unbind(0)", "t.split(1)", "t.chunk(2, -1)", "t.unbind(-1)", "t.split([1, 2])",
    "t.split_with_sizes([1] * t.shape[-1], -1)",
)  # fmt: skip
WRITES = (
    "t.mul_(2)", "t.add_(u)", "t.zero_()", "t.fill_(0.5)", "t.copy_(u)", "t.mul_(u)", "t.neg_()",
    "t.add_(1)", "t.exp_()", "t.tanh_()", "t.relu_()", "t.sub_(u, alpha=2)", "t.div_(4)",
    "operator.setitem(t, 0, 1)", "operator.setitem(t, ..., u)", "t.clamp_(-1, 1)",
    "operator.setitem(t, slice(None, None, 2), 0)", "t.sigmoid_()", "t.abs_()", "t.square_()",
)  # fmt: skip
FLAGS = (
    "t.requires_grad_()", "t.requires_grad_(False)", "t.detach_()", "t.retain_grad()",
    "setattr(t, 'grad', None)", "setattr(t, 'data', u)", "t.data.mul_(0.5)", "t.detach().add_(1)",
    "setattr(t, 'requires_grad', True)",
)  # fmt: skip
HOOKS = (
    "t.register_hook(seen) and None", "t.register_hook(doubled) and None",
    "t.register_post_accumulate_grad_hook(after) and None",
    "t.grad_fn.register_hook(seen) and None", "t.grad_fn.register_prehook(seen) and None",
)  # fmt: skip
OWN = (
    "Cube.apply(t)", "Both.apply(t, u)", "Written.apply(t)",
    "mg.utils.checkpoint.checkpoint(inner, t, use_reentrant=False)",
    "mg.utils.checkpoint.checkpoint(inner, t, use_reentrant=True)",
)  # fmt: skip
BACKWARD = (
    "t.backward(ones(t))", "t.backward(ones(t), retain_graph=True)",
    "t.backward(ones(t), inputs=[u])", "mg.autograd.backward([t, u], [ones(t), ones(u)])",
    "mg.autograd.grad(t, u, ones(t), allow_unused=True)",
    "mg.autograd.grad(t, u, ones(t), retain_graph=True)",
    "mg.autograd.grad(t, [u, t], ones(t), retain_graph=True, allow_unused=True)",
)  # fmt: skip
SECOND = (
    "mg.autograd.grad(t, u, ones(t), create_graph=True, allow_unused=True)",
    "t.backward(ones(t), create_graph=True)",
)
KINDS = {
    "view": (VIEWS, 4), "split": (SPLITS, 1), "write": (WRITES, 3), "flag": (FLAGS, 3),
    "hook": (HOOKS, 2), "own": (OWN, 2), "backward": (BACKWARD, 2), "second": (SECOND, 1),
    "forget": (("names.pop('{}')",), 1), "op": ((), 10),
}  # fmt: skip


class Drawer:
    """Draws one program, and runs it on PyTorch on the way."""

    def __init__(self, machine, operations, draw):
        self.machine, self.operations, self.draw = machine, operations, draw
        self.numbers = itertools.count()

    def program(self) -> list:
        steps = [self.leaf() for _ in range(self.draw.randint(1, 3))]
        for _ in range(self.draw.randint(LEAST, MOST)):
            steps.append(self.step())
        return steps

    def pool(self) -> dict:
        names = self.machine.names
        return {n: t for n, t in names.items() if n[0] == "t" and n[1:].isdigit()}

    def run(self, step) -> Step:
        """The step, with a name for its result if that is to be kept."""
        result = self.machine.attempt(step)
        tensors = self.machine.mg.Tensor
        if isinstance(result, (tuple, list)) and result and step.pick is None:
            step = step._replace(pick=self.draw.randrange(len(result)))
            result = result[step.pick]
        if isinstance(result, tensors) and self.worth(result):
            step = step._replace(name=f"t{next(self.numbers)}")
            self.machine.names[step.name] = result
            if "grad(" in step.line:
                self.machine.gradients.add(step.name)
            return step
        return step._replace(pick=None)

    def worth(self, tensor) -> bool:
        """Few of what is large or not finite go on: they make all else so."""
        numbers = tensor.detach()
        if not tensor.is_floating_point() or not tensor.numel():
            return self.draw.random() < 0.5
        return bool((numbers.abs() < TAME).all()) or self.draw.random() < 0.1

    def leaf(self) -> Step:
        kind = self.draw.choice(["tame", "tame", "ties", "chances", "special"])
        dtype = self.draw.choice(["float32", "float32", "float64", *DTYPES])
        return self.run(Step("leaf", str(operand(self.draw, dtype, None, kind)), {}))

    def step(self) -> Step:
        kinds = list(KINDS)
        kind = self.draw.choices(kinds, [often for _, often in KINDS.values()])[0]
        pool = list(self.pool())
        if kind == "op" or not pool:
            return self.operation()
        text = self.draw.choice(KINDS[kind][0])
        t, u = self.draw.choice(pool), self.draw.choice(pool)
        floats = [n for n in pool if self.pool()[n].requires_grad]
        if floats and kind in ("hook", "own", "backward", "second"):
            t, u = self.draw.choice(floats), self.draw.choice(floats)
        if kind == "forget":
            return self.run(Step(kind, f"names.pop({t!r}) and None", {}))
        if (kind == "write" or "data" in text) and not apart(*(self.pool()[n] for n in (t, u))):
            u = t
        if "'data', u" in text and not alike(*(self.pool()[n] for n in (t, u))):
            u = t
        if kind == "flag" and t in self.machine.gradients:
            return self.operation()  # whether it is a view is the rule's business
        if kind == "hook" and self.pool()[t]._is_view():
            return self.operation()  # PyTorch crashes on a hook of a view that a write has outdated
        own = self.machine.mg.autograd.function.BackwardCFunction
        if "inputs=" in text and isinstance(answer(lambda: self.pool()[u].grad_fn), own):
            return self.operation()  # PyTorch crashes on a later backward through it, after a write
        operands = {name: given(n, self.pool()[n]) for name, n in (("t", t), ("u", u))}
        used = {n: o for n, o in operands.items() if n == "t" or "u" in text.split("(", 1)[-1]}
        leaf = self.pool()[t].requires_grad and answer(lambda: self.pool()[t].is_leaf)
        quiet = kind == "write" or (kind == "view" and not leaf)
        quiet = quiet and self.draw.random() < 0.15
        op = called(text) if kind == "write" else kind
        return self.run(Step(op, text, used, quiet=quiet))

    def fit_to_write(self, operands) -> bool:
        """Whether nothing is read that may already have been written."""
        pool = self.pool()
        first, *others = [pool.get(str(given)) for given in operands.values()]
        return all(first is None or t is None or apart(first, t) for t in others)

    def operation(self) -> Step:
        name = self.draw.choice(list(self.operations))
        maker = Maker(self.draw, self.pool())
        line = maker.line(name, self.operations[name])
        quiet = self.draw.random() < 0.1
        if name.endswith("_") and not self.fit_to_write(maker.operands):
            return self.operation()
        return self.run(Step(name, line, maker.operands, quiet=quiet))


def operations(torch) -> dict:
    return lines.operations(minigrad, torch)


def drawer(machine, torch, seed) -> Drawer:
    return Drawer(machine, operations(torch), random.Random(seed))


__all__ = ["Given", "Operand", "Step", "drawer"]
