"""The operands of one-op programs, as Python text: every dtype, layout and kind of value by chance.

An operand is an expression of `mg`, so that what fails can be pasted: either engine is called mg.
"""

from math import prod
from typing import NamedTuple

DTYPES = ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"]
OFTEN = [6, 3, 2, 3, 2, 2, 2]  # of each dtype
LAYOUTS = ["contiguous", "transposed", "expanded", "sliced", "shifted", "number", "empty"]
SHAPES = [(3,), (1,), (2, 3), (3, 3), (1, 3), (2, 1), (2, 1, 3), (2, 2, 2)]
EMPTY = [(0,), (0, 3), (2, 0)]
FLOATS = {
    "tame": ["0.5", "-1.0", "2.0", "3.0", "-2.5", "1.0", "0.25"],
    "ties": ["1.0", "1.0", "-1.0", "2.0", "2.0", "0.0"],
    "special": ["inf", "-inf", "nan", "0.0", "-0.0", "1.0", "-2.0"],
    "chances": ["0.0", "1.0", "0.25", "0.5", "0.875", "1e-05"],
    "wide": ["-17.0", "-20.0", "20.0", "-30.0", "-90.0", "100.0", "1e-05", "300.0", "0.125"],
}
FLOATS |= {kind: FLOATS["ties"] for kind in ("first", "second")}
WHOLE = {
    "chances": ["0", "1"],
    "first": ["0"],
    "second": ["0", "1"],
    "tame": ["1", "2", "3", "5", "-1", "-3", "4"],
    "ties": ["1", "1", "2", "2", "-1", "0"],
    "special": ["0", "0", "1", "-1", "127", "255"],
    "wide": ["-7", "100", "255", "128", "1000", "-300", "6"],
}
NUMBERS = [
    "2", "0", "1", "-1", "3", "-3", "7", "300", "2**31", "2**40", "2**70", "True", "False", "0.5",
    "1.5", "-2.0", "2.0", "0.0", "2**24 + 1", "1e10", "1e300", "inf", "-inf", "nan",
    "np.float64(2.5)", "np.float64(3)",
    "np.float32(1.5)", "np.float16(0.5)", "np.int64(3)", "np.int32(-2)", "np.uint8(200)",
    "np.bool_(True)", "Real(2.5)", "Whole(3)", "Named.ONE",
]  # fmt: skip
OPTIONS = [  # numbers where a number is asked for
    "np.float64(2.5)", "np.int64(3)", "mg.tensor(0.5)", "mg.tensor(2)",
    "mg.tensor(0.5, requires_grad=True)",
]  # fmt: skip
NO_NUMBERS = ["None", "object"]  # a list times a tensor is Python's own repetition


class Operand(NamedTuple):
    """One tensor: `values` are as many texts as the layout's base has elements."""

    dtype: str
    layout: str
    shape: tuple
    values: tuple
    grad: bool = False

    def base_shape(self) -> tuple:
        """Of the tensor that this one is a view of."""
        shape = self.shape
        if self.layout == "transposed":
            return shape[::-1] if len(shape) == 2 else (*shape[-1:], *shape[1:-1], *shape[:1])
        if self.layout == "expanded":
            return (1, *shape[1:])
        if self.layout == "sliced":
            return (*shape[:-1], 2 * shape[-1])
        return (shape[0] + 1, *shape[1:]) if self.layout == "shifted" else shape

    def __str__(self) -> str:
        shape = self.base_shape()
        kind = f"dtype=mg.{self.dtype}"
        if not prod(shape):
            text = f"mg.zeros({shape}, {kind})"
        else:
            text = f"mg.tensor({nested(iter(self.values), shape)}, {kind})"
        text += VIEWS.get(self.layout, "").format(self.shape)
        text = f"inside({text})" if self.layout == "inference" else text
        return text + ".requires_grad_()" * self.grad


VIEWS = {
    "transposed": ".transpose(0, -1)", "expanded": ".expand({})", "sliced": "[..., ::2]",
    "shifted": "[1:]",
}  # fmt: skip


def nested(values, shape) -> str:
    """The next values as nested lists of this shape."""
    if not shape:
        return next(values)
    return f"[{', '.join(nested(values, shape[1:]) for _ in range(shape[0]))}]"


def operand(draw, dtype=None, shape=None, kind=None) -> Operand:
    """Any tensor; `shape` of one that goes with another, `kind` of its values."""
    dtype = dtype or draw.choices(DTYPES, OFTEN)[0]
    layout = draw.choice(LAYOUTS)
    if shape is None:
        shape = draw.choice({"number": [()], "empty": EMPTY}.get(layout, SHAPES))
    if not shape:
        layout = "number"
    elif not prod(shape):
        layout = "empty"
    elif layout in ("number", "empty") or (layout == "expanded" and shape[0] == 1):
        layout = "contiguous"
    new = Operand(dtype, layout, shape, ())
    kind = kind or draw.choice(list(FLOATS))
    values = tuple(value(draw, dtype, kind) for _ in range(prod(new.base_shape())))
    return new._replace(values=values, grad=dtype.startswith("float") and draw.random() < 0.6)


def value(draw, dtype, kind) -> str:
    """One element, as text."""
    if dtype == "bool":
        return draw.choice(["True", "False"])
    if dtype.startswith("float"):
        return draw.choice(FLOATS[kind])
    text = draw.choice(WHOLE[kind])
    return text if dtype != "uint8" else str(int(text) % 256)


def beside(draw, x: Operand, dtype=None) -> Operand:
    """A tensor whose shape goes with that of `x`, most often."""
    shape = list(x.shape)
    turn = draw.random()
    if turn < 0.3:
        shape = shape[draw.randint(0, len(shape)) :]
    elif turn < 0.5 and shape:
        shape[draw.randrange(len(shape))] = 1
    elif turn < 0.55:
        shape = [2, *shape]
    elif turn < 0.6:
        shape = [*draw.choice(SHAPES)]
    if dtype is None and draw.random() < 0.5:
        dtype = x.dtype
    return operand(draw, dtype, tuple(shape))
