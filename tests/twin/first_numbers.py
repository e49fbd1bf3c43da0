"""Uses of nn.init that nobody thought of, as text; checkpoint_sequential and Module.apply as well.

Both engines run the same line on the same tensor. PyTorch's random methods give the numbers that
minigrad draws for the same call (share_numbers of corpus_engines.py does so for whole programs), so
that bounds, deviations and the order of draws are compared to the last digit.
"""

import contextlib
import random
from typing import NamedTuple

import minigrad
from tests.twin import corpus_engines as engines
from tests.twin.modules import numbers

DTYPES = "float32", "float32", "float64", "float16", "int64", "bool"
LAYOUTS = "x", "x", "x", "x.t()", "x[1:]", "x[:, ::2]", "x.expand(2, *x.shape)", "x * 2", "x.data"
SHAPES = (
    (2, 3), (3, 3), (4, 2), (1, 1), (2, 3, 2), (3, 2, 2, 2), (5,), (), (0, 3), (2, 0), (0,), (1, 5),
    (2, 1, 0, 2),
)  # fmt: skip
NUMBERS = "0", "1", "0.5", "-0.5", "2.5", "3", "1e-3"
ODD = "-1", "float('nan')", "float('inf')", "'a'", "None", "True", "10**6", "1e300"
NONLINEARITIES = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu", "selu", "gelu", "ReLU",
)  # fmt: skip
RANDOM = "uniform_", "normal_"


class Line(NamedTuple):
    text: str
    layout: str
    shape: tuple
    dtype: str
    leaf: bool
    seed: int

    def __str__(self):
        lines = [f"x = numbers({self.shape}, {self.dtype})", f"t = {self.layout}", self.text]
        return "\n".join([f"# seed {self.seed}, requires_grad={self.leaf}", *lines])


def line(seed: int) -> Line:
    """The use of this number."""
    draw = random.Random(seed)
    kind = draw.choice(KINDS)
    dtype, shape = draw.choice(DTYPES), draw.choice(SHAPES)
    leaf = dtype.startswith("float") and draw.random() < 0.6
    return Line(kind(draw), draw.choice(LAYOUTS), shape, dtype, leaf, seed)


def number(draw) -> str:
    return draw.choice(ODD if draw.random() < 0.12 else NUMBERS)


def bounds(draw) -> str:
    name, both = draw.choice([("uniform_", "ab"), ("normal_", ("mean", "std"))])
    given = [f"{one}={number(draw)}" for one in both if draw.random() < 0.7]
    return f"init.{name}({', '.join(['t', *given])})"


def plain(draw) -> str:
    return draw.choice(["init.ones_(t)", "init.zeros_(t)", "init.eye_(t)", "init.eye_(t)"])


def constant(draw) -> str:
    return f"init.constant_(t, {number(draw)})"


def xavier(draw) -> str:
    gain = draw.choice([f", gain={number(draw)}", f", {gain_of(draw)}", ""])
    return f"init.xavier_{draw.choice(RANDOM)}(t{gain})"


def gain_of(draw) -> str:
    param = draw.choice(["", "", f", {number(draw)}"])
    return f"init.calculate_gain({draw.choice(NONLINEARITIES)!r}{param})"


def kaiming(draw) -> str:
    given = {
        "a": number(draw),
        "mode": draw.choice(["'fan_in'", "'fan_out'", "'FAN_IN'", "'fan'", "3"]),
        "nonlinearity": repr(draw.choice(NONLINEARITIES)),
    }
    chosen = [f"{name}={value}" for name, value in given.items() if draw.random() < 0.5]
    return f"init.kaiming_{draw.choice(RANDOM)}({', '.join(['t', *chosen])})"


def on_what_is_none(draw) -> str:
    name = draw.choice(["xavier_normal_", "kaiming_uniform_", "ones_", "zeros_", "uniform_"])
    return f"init.{name}({draw.choice(['3', 'None', '[1.0]'])})"


def through_modules(draw) -> str:
    parts = draw.choices(["l", "nn.ReLU()", "nn.Sequential(l, l)", "nn.Linear(2, 2)"], k=3)
    return f"[seen.append(nn.Sequential({', '.join(parts)}).apply(seen.append))]"


def in_segments(draw) -> str:
    functions = draw.choice([
        "nn.Sequential(nn.Tanh(), nn.ReLU(), nn.Sigmoid(), nn.Tanh())", "nn.Sequential()", "noted",
        "noted", "noted", "(mg.exp,)", "iter(noted)", "3",
    ])  # fmt: skip
    reentrant = draw.choice(["True", "False", "False", "None"])
    more = draw.choice(["", *[", preserve_rng_state=False"] * 3, ", foo=1"])
    return f"sequential({functions}, {draw.randint(0, 6)}, t, use_reentrant={reentrant}{more})"


KINDS = [
    bounds, bounds, plain, constant, xavier, xavier, kaiming, kaiming, gain_of, on_what_is_none,
    through_modules, in_segments, in_segments,
]  # fmt: skip

# -- to run one --


@contextlib.contextmanager
def minigrads_numbers(mg):
    """PyTorch's two random methods give what minigrad's draw."""
    before = {name: getattr(mg.Tensor, name) for name in RANDOM if mg is not minigrad}
    try:
        for name, method in before.items():
            setattr(mg.Tensor, name, engines.filled(method, engines.in_place(name)))
        yield
    finally:
        for name, method in before.items():
            setattr(mg.Tensor, name, method)


def told_of(one) -> bool:
    """Are bytes told? No module is made, no state of random numbers is a tensor of PyTorch's."""
    kept = "sequential" in one.text and "preserve_rng_state=False" not in one.text
    return not kept and "seen" not in one.text


def program(one: Line):
    """What a twin case runs."""

    def run(mg, out):
        draw, dtype, seen, runs = random.Random(one.seed), getattr(mg, one.dtype), [], []
        x = numbers(mg, draw, one.shape, -1, 1, dtype).detach().requires_grad_(one.leaf)
        linear, sequential = mg.nn.Linear(2, 2), mg.utils.checkpoint.checkpoint_sequential
        names = {"mg": mg, "x": x, "nn": mg.nn, "init": mg.nn.init, "seen": seen, "l": linear}
        noted = [lambda x, k=k: runs.append(k) or (x + k).sin() for k in range(5)]
        names |= {"sequential": sequential, "noted": noted}
        try:
            names["t"] = t = eval(one.layout, names)
        except Exception as error:
            out("no tensor", type(error).__name__)
            return
        minigrad.manual_seed(one.seed)
        state, live = str(minigrad.get_rng_state()), mg.memory_allocated()
        mg.reset_peak_memory_stats()
        try:
            with minigrads_numbers(mg):
                result = out.warned("warns", eval, one.text, names)
        except Exception as error:
            words = str(error)  # of those that list signatures, what all have in common
            listed = "invalid combination of arguments"
            out("error", [type(error).__name__, listed if listed in words else words])
        else:
            out("result", "t" if result is t else result)
            if told_of(one):
                out("bytes", mg.memory_allocated() - live)
            if getattr(result, "requires_grad", False) and result is not t:
                result.sum().backward()
        out("seen", [type(module).__name__ for module in seen])
        out("runs", runs)
        out("tensor", [t.detach(), x.detach(), x.grad, t._version, x._version, t.requires_grad])
        out("graph", [type(t.grad_fn).__name__, t.is_leaf, x.is_leaf])
        out("numbers", str(minigrad.get_rng_state()) == state)

    return run
