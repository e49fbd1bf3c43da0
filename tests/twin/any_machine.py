"""Runs the steps of a random program on an engine, and writes down all that it says of itself.

minigrad is given PyTorch's numbers after each step, so that a rounding of one step is none of the
next one's.
"""

import warnings
from typing import Any

import numpy as np

from course.twin.compare import clean, same_names
from tests.twin import one_op_judge as judge
from tests.twin import probes
from tests.twin.corpus_engines import bytes_of, nodes_below, of_minigrad, of_torch


def functions(mg) -> dict:
    """Own Functions of a program."""

    class Cube(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    class Both(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            out = (x * y).contiguous()  # as the zeros are that nobody's gradient is
            ctx.save_for_backward(x, y, out)
            return out, (x + 1).contiguous()

        @staticmethod
        def backward(ctx, grad, other):
            x, y, _ = ctx.saved_tensors
            return other + grad * y, grad * x if ctx.needs_input_grad[1] else None

    class Written(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    return {"Cube": Cube, "Both": Both, "Written": Written}


class Machine:
    """The names of a program, and what was said of each step."""

    def __init__(self, mg, looks, reference=None):
        self.mg, self.looks, self.reference = mg, looks, reference
        self.told: list = []  # of hooks
        self.said: list = []  # of each step a dict
        self.names: dict[str, Any] = {
            **judge.namespace(mg),
            "seen": self.seen, "doubled": self.doubled, "after": self.after,
            "ones": lambda t: mg.ones_like(t.detach()), "inner": lambda t: (t.exp() * t).tanh(),
            **functions(mg),
        }  # fmt: skip
        self.names["names"] = self.names
        self.gradients: set = set()  # their versions say how a rule computed them
        self.drawn: set = set()  # whose numbers are anybody's
        self.exact = True  # until gradients have a graph, which may be composed otherwise

    def seen(self, *grads):
        for grad in grads:
            self.told += grad if isinstance(grad, tuple) else [grad]

    def doubled(self, grad):
        self.told.append(grad)
        return grad * 2

    def after(self, tensor):
        self.told.append(tensor.grad)

    # -- steps --

    def attempt(self, step):
        """Run a step and write down what is to be said of it; its result."""
        said: dict = {}
        result = None
        self.exact = self.exact and "create_graph" not in step.line
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = self.evaluated(step)
                judge.tell(said, "result", result, self.mg)
        except Exception as error:
            said = {"error": (type(error).__name__, same_names(clean(str(error))))}
            error.__traceback__ = None
        for name in step.operands:
            self.names.pop(name, None)
        if "error" not in said and self.looks and self.exact:
            for number, tensor in enumerate(judge.flat(result, self.mg)):
                self.look(said, f"result {number}", tensor)
        self.said.append(said)
        return result

    def evaluated(self, step):
        for name, given in step.operands.items():
            self.names[name] = eval(str(given), self.names)
        if step.quiet:
            with self.mg.no_grad():
                return eval(step.line, self.names)
        return eval(step.line, self.names)

    def look(self, said, label, tensor):
        """Its graph, and what its node has saved."""
        said[f"{label}: nodes"] = answer(lambda: probes.graph(tensor.grad_fn))
        said[f"{label}: saved"] = answer(lambda: saved_tensors(tensor.grad_fn))

    def run(self, steps):
        """All the steps, and after each of them the state of what has a name."""
        for number, step in enumerate(steps):
            result = self.attempt(step)
            if step.name and "error" not in self.said[-1]:
                place = step.pick or 0  # of which there may be none, where the engines differ
                kept = result if step.pick is None else [*result[place : place + 1], None][0]
                if kept is not None:  # a gradient that there is not
                    self.names[step.name] = kept
                of_one = {getattr(given, "name", "") for given in step.operands.values()}
                if step.op.rpartition(".")[2] in judge.DRAWN:
                    self.drawn.add(step.name)
                if "grad(" in step.line or of_one & self.gradients:
                    self.gradients.add(step.name)
                del kept
            del result
            self.state(self.said[-1])
            if self.reference is not None:
                self.synchronize(number)
        self.finish()
        return self.said

    def tensors(self) -> dict:
        return {n: t for n, t in self.names.items() if n[0] == "t" and n[1:].isdigit()}

    def state(self, said):
        if self.exact and self.looks:
            said["held"] = answer(self.held)
        for name, t in self.tensors().items():
            version = None if name in self.gradients else t._version
            said[f"{name}: flags"] = t.requires_grad, t.retains_grad, version
            said[f"{name}: bytes"] = t.detach().numpy().copy()
            if self.looks:
                said[f"{name}: leaf"] = answer(lambda t=t: (t.is_leaf, self.node_of(t)))
        said["shared"] = self.shared()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, t in self.tensors().items():
                grad = t.grad
                said[f"{name}: grad"] = None if grad is None else grad.detach().numpy().copy()

    def node_of(self, tensor):
        """The name of its node, until gradients have a graph; then whether there is one."""
        return probes.name(tensor.grad_fn) if self.exact else tensor.grad_fn is not None

    def shared(self) -> list:
        """The names of tensors that are on the same bytes."""
        groups: dict = {}
        for name, t in self.tensors().items():
            if t.numel():
                groups.setdefault(t.untyped_storage().data_ptr(), []).append(name)
        return [names for names in groups.values() if len(names) > 1]

    def held(self):
        """The bytes that tensors with a name, their gradients and their graphs keep alive.

        Not where a write to a view is: what PyTorch records within CopySlices nobody can reach.
        """
        saved = of_minigrad if self.reference is not None else of_torch
        tensors = [*self.tensors().values()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tensors += [t.grad for t in tensors if t.grad is not None]
        nodes = nodes_below([t.grad_fn for t in tensors])
        if "CopySlices" in map(probes.name, nodes):
            return None
        return bytes_of([*tensors, *(one for node in nodes for one in saved(node))])

    def synchronize(self, number):
        """Give the tensors PyTorch's numbers, where they differ by rounding alone, or are drawn."""
        said = self.reference[number] if number < len(self.reference) else {}
        for name, t in self.tensors().items():
            for label, tensor in (("bytes", t), ("grad", t._grad)):
                theirs = said.get(f"{name}: {label}")
                if tensor is None or theirs is None:
                    continue
                if not (tensor.dtype.is_floating_point or name in self.drawn):
                    continue
                mine = tensor._array
                if mine.shape == theirs.shape and mine.dtype == theirs.dtype:
                    mine.flags.writeable and np.copyto(mine, theirs)

    def finish(self):
        said: dict = {}
        for number, grad in enumerate(self.told):
            if grad is not None:
                said[f"hook {number}: value"] = grad.detach().numpy().copy()
        self.said.append(said)
        self.told.clear()


def saved_tensors(node) -> dict:
    """The tensors that a node has saved, by name: what they look like, and if in a graph."""
    names = probes.saved_names(node) if node is not None else []
    forms = {name: forms_of(answer(lambda n=name: getattr(node, n))) for name in names}
    return {name: form for name, form in forms.items() if form}


def forms_of(value):
    if isinstance(value, (tuple, list)):
        return [form for form in map(forms_of, value) if form]
    if not probes.is_tensor(value):
        return None
    kind = str(value.dtype).rpartition(".")[2]
    return kind, tuple(value.shape), value.requires_grad


def answer(question):
    """What it returns, or the error it raises."""
    try:
        return question()
    except Exception as error:
        return type(error).__name__, same_names(clean(str(error)))
