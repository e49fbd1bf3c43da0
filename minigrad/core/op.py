"""An Op is one operation: a forward rule on arrays, a backward rule on arrays, and what it saves.

The class is the rule and an instance is the node of one use, as in PyTorch, and both carry
PyTorch's name (`MulBackward0`). A rule never sees a Tensor and never writes into `grad`.

    saves = {"self": "other", "other": "self"}

reads: keep the input `self` if `other` needs a gradient, and `other` if `self` does. The name
`result` stands for the output. What is not needed is not kept: that is the whole secret of
which bytes the graph holds.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from minigrad.core import saved
from minigrad.core.node import Node
from minigrad.core.saved import SavedTensor

OUTPUT = -1


class Op(Node):
    """`forward(*arrays, *arguments) -> array`; `backward(node, grad, *saved) -> gradients`."""

    inputs: tuple = ("self",)
    extras: tuple = ()  # tensors that forward takes besides, which can have no gradient: indices
    argument_names: tuple = ()  # of forward's plain arguments; "" where PyTorch shows none
    arguments: tuple = ()
    sizes: tuple
    lengths: list  # of cat
    shapes: list  # of the pieces of split and unbind
    sized = False  # backward needs the shape of the input: node.sizes
    stretched: tuple = ()  # inputs, by name, that may be repeated or promoted: see `fit`
    plans: dict = defaultdict(tuple)  # from `saves`: what to keep, for each set of wanted gradients
    nothing: list = []  # what the rule is given for `saves` where nothing was saved
    kept: tuple = ()  # from `saves`: (index of the input, or OUTPUT; bits of the inputs it is for)

    def __init_subclass__(cls):
        rule = cls.__dict__.get("saves")
        if isinstance(rule, dict):
            cls.kept = tuple((cls._source(name), cls._bits(rule[name])) for name in rule)
            cls.saves = tuple(rule)
            cls.nothing = [None] * len(rule)
            cls.plans = {n: cls._plan(n) for n in range(1 << len(cls.inputs))}
        for index, name in enumerate(cls.saves):
            setattr(cls, f"_saved_{name}", _saved_tensor(index))
            setattr(cls, f"_raw_saved_{name}", _saved_slot(index))
        for name in cls.number_names():
            setattr(cls, f"_saved_{name}", _saved_number(name))

    @classmethod
    def _source(cls, name):
        return OUTPUT if name == "result" else (*cls.inputs, *cls.extras).index(name)

    @classmethod
    def _bits(cls, names):
        return sum(1 << cls.inputs.index(name) for name in names.split())

    @classmethod
    def _plan(cls, wanted: int) -> tuple:
        """Where each saved tensor comes from if `wanted` inputs need a gradient; None: skip."""
        plan = tuple(source if wanted & bits else None for source, bits in cls.kept)
        return () if plan.count(None) == len(plan) else plan

    @classmethod
    def number_names(cls) -> tuple:
        """The names of numbers(): plain arguments, and the size of the input."""
        sizes = ("self_sym_sizes",) if cls.sized else ()
        return (*filter(None, cls.argument_names), *sizes)

    forward: Any
    backward: Any

    def apply(self, grads: list, asked=None) -> list:
        grad = grads[0]
        if grad is None:
            return [None] * len(self.next_functions)
        given, entries = grad._array, self.saved
        kept = saved.arrays(self, entries) if entries else self.nothing
        if asked is not None and not all(asked):
            if not any(asked):  # only now: what was freed or changed is an error all the same
                return [None] * len(asked)
            kept = self.only(asked, kept) if self.kept else kept
        outputs = self.backward(given, *kept) if kept else self.backward(given)
        wrapped: list = []
        for array in outputs if outputs.__class__ is tuple else (outputs,):
            if array is None or array is given:  # the rule of a sum hands on what it was given
                wrapped.append(array if array is None else grad)
            else:
                wrapped.append(grad._new(array) if array.base is None else grad._wrap(array))
        for i, shape, dtype in self.meta:
            wrapped[i] = fit(wrapped[i], shape, dtype)
        return wrapped

    def only(self, asked, kept: list) -> list:
        """Without what serves inputs nobody asked for: the rule leaves their gradients out."""
        serves = [of & _bits(asked) for _, of in self.kept]
        return [a if useful else None for a, useful in zip(kept, serves, strict=True)]

    def never_kept(self, index: int) -> bool:
        wanted = _bits(self.needs_input_grad)
        return bool(self.kept) and (self.plans[wanted] or self.nothing)[index] is None

    def output_number(self, index: int):
        """The output that saved tensor `index` is, or None if it is an input."""
        return 0 if self.kept[index][0] == OUTPUT else None

    def numbers(self) -> dict:
        """The plain values PyTorch shows as `_saved_<name>`; they survive the release."""
        sizes = {"self_sym_sizes": self.sizes} if self.sized else {}
        return dict(zip(self.argument_names, self.arguments, strict=True)) | sizes

    def as_tensor(self, value):
        """A Python number of the expression, shown as PyTorch does: a 0-d tensor."""
        if not isinstance(value, (bool, int, float)):
            return value
        from minigrad.creation import scalar  # downstream of here, and rarely needed

        return scalar(value)


def _bits(flags) -> int:
    """Bit i is set if flag i is."""
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def _saved_tensor(index):
    return property(lambda node: node.as_tensor(saved.unpack(node, index)))


def _saved_slot(index):
    return property(lambda node: SavedTensor(node, index))


def _saved_number(name):
    return property(lambda node: node.numbers()[name])


def fit(grad, shape, dtype):
    """`grad` with the shape and dtype of the input it is for: undoes broadcasting and promotion."""
    if grad is None:
        return None
    if grad._array.shape != shape:
        grad = grad._new(unbroadcast(grad._array, shape))
    return grad if grad._array.dtype == dtype else grad._new(grad._array.astype(dtype))


def unbroadcast(grad, shape):
    """Sum over what broadcasting repeated: leading axes, and axes of length 1."""
    extra = grad.ndim - len(shape)
    if grad.shape[extra:] == shape:
        return grad.sum(tuple(range(extra)))
    full = (0,) * extra + shape[max(-extra, 0) :]  # `x[i] = y` takes a y with more axes of length 1
    repeated = [i for i, n in enumerate(full) if i < extra or (n == 1 and grad.shape[i] != 1)]
    return grad.sum(tuple(repeated)).reshape(shape)
