"""One-op programs by chance: each function and method that minigrad has and PyTorch has as well.

The list is read from minigrad. What its parameters are called says what to draw for them; a name
that is not known here is given anything, so that a new op is tried as soon as it is there.
"""

import inspect
from typing import NamedTuple

from minigrad.missing import Lacking
from tests.twin import one_op_shaped as shaped
from tests.twin.one_op_operands import (
    DTYPES,
    NO_NUMBERS,
    NUMBERS,
    OPTIONS,
    SHAPES,
    Operand,
    beside,
    operand,
)

SYMBOLS = {
    "__add__": "{} + {}", "__sub__": "{} - {}", "__mul__": "{} * {}", "__truediv__": "{} / {}",
    "__pow__": "{} ** {}", "__floordiv__": "{} // {}", "__mod__": "{} % {}", "__and__": "{} & {}",
    "__or__": "{} | {}", "__xor__": "{} ^ {}", "__matmul__": "{} @ {}", "__eq__": "{} == {}",
    "__ne__": "{} != {}", "__lt__": "{} < {}", "__le__": "{} <= {}", "__gt__": "{} > {}",
    "__ge__": "{} >= {}", "__lshift__": "{} << {}", "__rshift__": "{} >> {}",
    "__contains__": "{1} in {0}",
}  # fmt: skip
UNARY = {
    "__neg__": "-{}", "__abs__": "abs({})", "__invert__": "~{}", "__bool__": "bool({})",
    "__float__": "float({})", "__int__": "int({})", "__index__": "operator.index({})",
    "__len__": "len({})", "__iter__": "list(iter({}))", "__reversed__": "reversed({})",
}  # fmt: skip
ATTRIBUTES = {name: f"{{}}.{name}" for name in ("T", "mT")}
UNARY |= ATTRIBUTES
# What Python does in its own way where a class has no such method: a name is bound anew by `x %= y`
# that PyTorch writes to. These are tried whether minigrad has them or not.
SPELLED = {*UNARY, *(f"__{by}{name[2:]}" for name in SYMBOLS for by in ("", "i", "r"))}
LEFT_OUT = {
    "what a graph is and does is tried by programs.py and by the cases": (
        "backward register_hook register_post_accumulate_grad_hook requires_grad_ retain_grad "
        "detach_ is_grad_enabled set_grad_enabled set_anomaly_enabled is_inference"
    ),
    "the numbers are another generator's, or of no value": (
        "empty empty_like rand randn rand_like randn_like manual_seed get_rng_state set_rng_state "
        "seed initial_seed set_printoptions gumbel_softmax exponential_ get_num_threads "
        "set_num_threads use_deterministic_algorithms are_deterministic_algorithms_enabled "
        "is_deterministic_algorithms_warn_only_enabled set_default_dtype get_default_dtype"
    ),
    "addresses, devices, and what there is no bytes of": (
        "data_ptr untyped_storage storage_offset cuda cpu set_default_device __hash__ _version "
        "memory_allocated max_memory_allocated reset_peak_memory_stats from_numpy "
        "get_default_device"
    ),
    "made for Python, and tried by tests of printing, copying and pickling": (
        "__init__ __dir__ __format__ __repr__ __deepcopy__ __reduce_ex__ __setstate__ __array__ "
        "save load"
    ),
}
NOT_TRIED = {name for names in LEFT_OUT.values() for name in names.split()}


class Program(NamedTuple):
    """One line of x, y, ...; `seed` are the numbers that its gradient begins with."""

    op: str
    line: str
    operands: dict
    seed: tuple = ("1.0", "2.0", "-0.5")

    def __str__(self):
        names = "".join(f"{name} = {given}\n" for name, given in self.operands.items())
        return f"{names}{self.line}    # gradient begins with {', '.join(self.seed)}"


def operations(mg, torch) -> dict:
    """{name: parameters} of all functions and methods that both have; a method begins with `.`."""
    found = {}
    places = (mg, torch, ""), (mg.Tensor, torch.Tensor, ".")
    layers = mg.nn.functional, torch.nn.functional, "nn.functional."
    for place, twin, dot in (*places, layers):
        for name, thing in sorted(vars(place).items()):
            known = callable(thing) and type(thing) is not Lacking and hasattr(twin, name)
            ours = inspect.isfunction(thing) and name not in NOT_TRIED or name in shaped.OLD
            if known and ours and (not name.startswith("_") or dot == "."):
                found[dot + name] = parameters_of(thing)
    return found | {f".{name}": [] for name in SPELLED if hasattr(torch.Tensor, name)}


def parameters_of(function) -> list:
    """What it takes; what the rule says, of a rule whose `call` is not generated."""
    if inspect.isclass(function):
        return []
    found = list(inspect.signature(function).parameters.values())
    if [one.name for one in found] != ["values"]:
        return found
    op = inspect.getclosurevars(inspect.unwrap(function)).nonlocals["op"]
    return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in op.inputs]


def program(draw, name, parameters) -> Program:
    """A line that calls this operation, with operands for it."""
    maker = Maker(draw)
    line, operands = maker.line(name, parameters), maker.operands
    if operands and draw.random() < 0.04:
        one = draw.choice(list(operands))
        operands[one] = made_inside(operands[one])
    return Program(name, line, operands, maker.seed())


def made_inside(operand) -> Operand:
    """The same, if it lies in order, as a tensor that inference mode has made."""
    plain = operand.layout == "contiguous"
    return operand._replace(layout="inference", grad=False) if plain else operand


SEEDS = [("1.0", "2.0", "-0.5")] * 3 + [("inf", "1.0"), ("nan", "2.0", "-inf"), ("0.0", "1.0")]


class Maker:
    """Draws one program: its line, and on the way the tensors that the line names."""

    def __init__(self, draw):
        self.draw = draw
        self.operands: dict[str, Operand] = {}

    def seed(self):
        return self.draw.choice(SEEDS)

    def line(self, name, parameters) -> str:
        short = name.rpartition(".")[2]
        if short in SYMBOLS:
            return SYMBOLS[short].format(self.tensor(), self.other())
        if short in UNARY:
            return UNARY[short].format(self.tensor())
        if short in ("__getitem__", "__setitem__"):
            return self.item(short)
        if short.startswith("__r") and f"__{short[3:]}" in SYMBOLS:
            return SYMBOLS[f"__{short[3:]}"].format(self.number(), self.tensor())
        if short.startswith("__i"):
            return f"operator.{short.strip('_')}({self.written()}, {self.other()})"
        return self.call(name, short, parameters)

    def call(self, name, short, parameters) -> str:
        if name.startswith(".") and short in shaped.LINES:
            first, _, rest = shaped.LINES[short](self).partition(", ")
            return f"{first}.{short}({rest})"
        if name.startswith("."):
            first = self.written() if short.endswith("_") else self.tensor()
            if short in shaped.AFTER_FIRST:
                return f"{first}.{short}({shaped.AFTER_FIRST[short](self)})"
            return f"{first}.{short}({self.arguments(short, parameters[1:])})"
        if short.endswith("_") and "." not in name:
            rest = self.arguments(short, parameters[1:])
            return f"mg.{name}({', '.join(filter(None, [self.written(), rest]))})"
        if name in NUMBER_FIRST and self.draw.random() < 0.2:
            return f"mg.{name}({self.number()}, {self.tensor()})"
        return f"mg.{name}({self.arguments(short, parameters)})"

    def arguments(self, op, parameters) -> str:
        """Those without a default by position, some of the others by name."""
        if op in shaped.LINES:
            return shaped.LINES[op](self)
        if op in shaped.AFTER_FIRST:
            before = [self.tensor()] if parameters[0].name in TENSORS else []
            return ", ".join([*before, shaped.AFTER_FIRST[op](self)])
        texts, by_name = [], False
        for one in parameters:
            if one.name in ("device", "requires_grad") or one.kind == inspect._VAR_KEYWORD:
                continue
            given = one.default is inspect.Parameter.empty or self.draw.random() < 0.4
            if not given:
                by_name = True
                continue
            text = self.argument(op, one.name)
            named = by_name or one.name in BY_NAME or one.kind == inspect._KEYWORD_ONLY
            texts.append(f"{one.name}={text}" if named else text)
            by_name = named
        return ", ".join(texts)

    def argument(self, op, name) -> str:
        """What a parameter of this name may be given."""
        if op in SPECIAL and name in SPECIAL[op]:
            return SPECIAL[op][name](self)
        return PARAMETERS.get(name, Maker.anything)(self)

    # -- what may stand in a line --

    def tensor(self, dtype=None) -> str:
        """A tensor's name: x, y, z, ..., each made to go with the first."""
        name = "xyzuvw"[len(self.operands)]
        first = self.operands.get("x")
        made = beside(self.draw, first, dtype) if first else operand(self.draw, dtype)
        self.operands[name] = made
        return name

    def written(self) -> str:
        """A tensor that may be overwritten: a copy of one, if it needs a gradient."""
        name = self.tensor()
        return f"{name}.clone()" if self.operands[name].grad else name

    def other(self) -> str:
        if self.draw.random() < 0.5:
            return self.tensor()
        return self.draw.choice(NO_NUMBERS) if self.draw.random() < 0.05 else self.number()

    def number(self) -> str:
        return self.draw.choice(NUMBERS)

    def few(self) -> str:
        """A number that as many elements fit into memory as."""
        return self.draw.choice([n for n in NUMBERS if "**" not in n and "e" not in n])

    def factor(self) -> str:
        """A finite number: that of no elements PyTorch takes times inf, which is nan."""
        if self.draw.random() < 0.15:
            return self.draw.choice(OPTIONS)
        return self.draw.choice([n for n in NUMBERS if "n" not in n and "*" not in n])

    def mask(self) -> str:
        return self.tensor("bool") if self.draw.random() < 0.85 else self.tensor()

    def several(self) -> str:
        """Tensors of one shape or nearly so, in a list."""
        first = self.tensor()
        names = [first, *(self.alike(first) for _ in range(self.draw.randint(0, 2)))]
        return f"[{', '.join(names)}]"

    def spread(self) -> str:
        """The same one after the other, now and then in a list."""
        return self.several()[1:-1] if self.draw.random() < 0.8 else self.several()

    def alike(self, first) -> str:
        if self.draw.random() < 0.2:
            return self.tensor()
        name = "xyzuvw"[len(self.operands)]
        self.operands[name] = operand(self.draw, None, self.operands[first].shape)
        return name

    def axis(self) -> str:
        axes = [0, 0, 1, -1, -1, 2, -3]
        return "mg.tensor(1)" if self.draw.random() < 0.03 else str(self.draw.choice(axes))

    def axes(self) -> str:
        """One axis, several, or none."""
        many = ["()", "[]", "(0,)", "(0, 1)", "(-1, 0)", "[1]", "(0, 0)", "None"]
        return self.draw.choice(many) if self.draw.random() < 0.4 else self.axis()

    def offset(self) -> str:
        return self.draw.choice(["0", "1", "-1", "2", "-3"])

    def order(self) -> str:
        """Of a norm."""
        return self.draw.choice(
            ["2", "1", "0", "inf", "-inf", "3", "0.5", "'fro'", "-1", "2.5", "None"]
        )

    def shifts(self) -> str:
        return self.draw.choice(["1", "-1", "2", "0", "7", "(1, 2)", "(-1,)", "(1, 0)"])

    def times(self) -> str:
        return self.draw.choice(["2", "1, 2", "(2, 1)", "0", "2, 1, 3", "-1", "()", "1"])

    def listed(self) -> str:
        return self.draw.choice(["0", "0, 1", "(0,)", "-1", "(1, 0)", "(0, 0)", "()", "2"])

    def listed_together(self) -> str:
        return self.draw.choice(["0", "(0, 1)", "(0,)", "-1", "(1, 0)", "()", "2"])

    def truth(self) -> str:
        return self.draw.choice(["True", "False"])

    def whole(self) -> str:
        return self.draw.choice(["0", "1", "2", "3", "-1", "-2", "1", "2"])

    def length(self) -> str:
        return self.draw.choice(["0", "1", "2", "3", "-1", "2", "1"])

    def shape(self) -> str:
        sizes = self.draw.choice([*SHAPES, (), (0,), (6,), (3, 2), (-1,), (-1, 3), (2, -1), (-2,)])
        return str(sizes) if len(sizes) != 1 or self.draw.random() < 0.5 else str(sizes[0])

    def dtype(self) -> str:
        return f"mg.{self.draw.choice(DTYPES)}"

    def data(self) -> str:
        """What tensor() is given: numbers, lists of them, numpy's arrays.

        numpy's bool PyTorch takes for a number of one kind or of another, by what is beside it.
        """
        numbers = [self.number() for _ in range(self.draw.randint(0, 3))]
        numbers = [n for n in numbers if n not in ("np.bool_(True)", "2**70")]
        rows = f"[{', '.join(numbers)}]"
        kind = self.draw.choice(["int64", "float32", "float64", "bool", "uint8", "float16"])
        array = f"np.array([1, 0, 2], np.{kind})"
        alone = self.draw.choice([n for n in NUMBERS if n != "np.bool_(True)"])
        return self.draw.choice([alone, rows, f"[{rows}, {rows}]", array, "'a'", "None"])

    def bound(self) -> str:
        return self.number() if self.draw.random() < 0.8 else "None"

    def anything(self) -> str:
        kinds = [Maker.tensor, Maker.number, Maker.axis, Maker.truth, Maker.shape]
        return self.draw.choice(kinds)(self)

    # -- x[index] --

    def item(self, name) -> str:
        if name == "__getitem__":
            return f"{self.tensor()}[{self.index()}]"
        target = self.written()
        return f"operator.setitem({target}, {self.key()}, {self.other()})"

    def key(self) -> str:
        """The index as a value, where Python's own spelling has no place."""
        return f"np.s_[{self.index()}]"

    def index(self) -> str:
        count = self.draw.choice([1, 1, 1, 2, 2, 3])
        return ", ".join(self.part() for _ in range(count))

    def part(self) -> str:
        draw = self.draw
        if draw.random() < 0.15:
            dtype = draw.choice(["bool", "int64", "uint8", "int32", "float32", "bool"])
            kind = "ties" if dtype != "bool" else None
            return self.small(dtype, kind)
        return draw.choice(PARTS)

    def small(self, dtype, kind) -> str:
        """A tensor to index with: small numbers, or a mask."""
        name = "xyzuvw"[len(self.operands)]
        shape = self.operands["x"].shape if dtype in ("bool", "uint8") else (2,)
        if shape and self.draw.random() < 0.4:
            shape = shape[:1]
        self.operands[name] = operand(self.draw, dtype, shape, kind)._replace(grad=False)
        return name


PARTS = [
    "0", "1", "-1", "2", "5", ":", "1:", ":2", "::2", "0:0", "-2:", "5:", "1:1", "...", "None",
    "[0]", "[0, 0]", "[1, -1]", "[]", "[0, 5]", "[True, False]", "[[0], [1]]", "True", "False",
    "np.int64(0)", "np.array([0, 1])", "1.0", "'a'", "::-1", "[0.5]", "np.array(1)", "np.array(5)",
    "np.array([1, 0], np.uint8)", "[range(2)]", "range(2)", "[range(2)] * 2", "np.array(-1.0)",
]  # fmt: skip
TENSORS = {"self", "x", "input"}
BY_NAME = {"keepdim", "dtype", "alpha", "min", "max", "unbiased", "correction", "rounding_mode"}
PARAMETERS = {
    "self": Maker.tensor, "x": Maker.tensor, "input": Maker.tensor, "other": Maker.other,
    "y": Maker.other, "exponent": Maker.other, "value": Maker.other, "condition": Maker.mask,
    "mask": Maker.mask, "tensors": Maker.several, "dim": Maker.axis, "dim0": Maker.axis,
    "dim1": Maker.axis, "start_dim": Maker.axis, "end_dim": Maker.axis, "keepdim": Maker.truth,
    "shape": Maker.shape, "size": Maker.shape, "dims": Maker.shape, "dtype": Maker.dtype,
    "start": Maker.whole, "length": Maker.length, "index": Maker.whole, "chunks": Maker.length,
    "split_size": Maker.length, "steps": Maker.length, "fill_value": Maker.number,
    "descending": Maker.truth, "stable": Maker.truth, "largest": Maker.truth, "k": Maker.length,
    "sorted": Maker.truth, "replacement": Maker.truth, "unbiased": Maker.truth,
    "inplace": Maker.truth, "diagonal": Maker.offset, "offset": Maker.offset, "p": Maker.order,
    "shifts": Maker.shifts, "num_samples": Maker.length, "n": Maker.length, "m": Maker.length,
    "dim2": Maker.axis, "correction": Maker.whole, "times": Maker.times, "mean": Maker.factor,
    "std": Maker.factor, "low": Maker.whole, "high": Maker.whole, "from_": Maker.factor,
    "to": Maker.factor, "base": Maker.number, "number": Maker.number, "data": Maker.data,
    "negative_slope": Maker.factor, "min_val": Maker.factor, "max_val": Maker.factor,
    "beta": Maker.factor, "threshold": Maker.factor, "min": Maker.bound, "max": Maker.bound,
    "rounding_mode": lambda maker: maker.draw.choice(["'floor'", "'trunc'", "None", "'up'", "1"]),
    "alpha": Maker.factor, "lambd": Maker.number, "as_tuple": Maker.truth, "equal_nan": Maker.truth,
    "_stacklevel": Maker.whole,
}  # fmt: skip
NUMBER_FIRST = set(
    "add sub mul div multiply subtract divide true_divide remainder floor_divide".split()
)
SPECIAL: dict = {
    "arange": {"start": Maker.few, "end": Maker.few, "step": Maker.few},
    "linspace": {"start": Maker.few, "end": Maker.few},
    "to": {"target": Maker.dtype},
    **dict.fromkeys(("broadcast_tensors", "meshgrid"), {"tensors": Maker.spread}),
    "flip": {"dims": Maker.listed},
    "roll": {"dims": Maker.listed_together},
    "norm": {"dim": Maker.axes},
    **dict.fromkeys(("bernoulli", "bernoulli_"), {"p": Maker.factor}),
    "uniform_": {"from_": Maker.factor, "to": Maker.factor},
    "gelu": {"approximate": lambda maker: maker.draw.choice(["'tanh'", "'none'", "'what'"])},
    "permute": {"dims": lambda maker: maker.draw.choice(["0", "1, 0", "0, 1", "-1, 0", "2, 0, 1"])},
    **{
        op: {"dim": Maker.axes}
        for op in (
            "sum mean all any var std var_mean squeeze argmax argmin prod logsumexp normalize"
            " amax amin"
        ).split()
    },
    "equal": {"y": Maker.tensor, "other": Maker.tensor},
    **dict.fromkeys(("elu", "celu", "celu_"), {"alpha": Maker.number}),
    **dict.fromkeys(
        ("threshold", "threshold_"), {"threshold": Maker.number, "value": Maker.number}
    ),
    **dict.fromkeys(
        ("max", "min"),
        {
            "other": lambda maker: maker.draw.choice([maker.tensor, maker.axis])(),
            "dim": lambda maker: maker.draw.choice(["0", "1", "-1", "2", "mg.tensor(0)"]),
        },
    ),
    **dict.fromkeys(
        ("allclose", "isclose"),
        {"y": Maker.tensor, "other": Maker.tensor, "rtol": Maker.number, "atol": Maker.number},
    ),
}
