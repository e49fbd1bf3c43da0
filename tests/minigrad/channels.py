"""Every way in which a value can leave the engine: what Python sees of a call, and who was told.

All public functions, methods and modules are called with tensors of a few shapes and dtypes, each
call several times with other values in them. What Python sees of a call is all that is no element
of a tensor: answers, texts, errors, shapes, graphs, bytes. If that is different for other values,
and no observer was told of a value that left, then the call is a channel.
"""

import gc
import inspect
import itertools
import pickle
import random
import re
import types
import warnings

import numpy as np

import minigrad as mg
from minigrad.core import storage
from minigrad.core.modes import state
from minigrad.core.node import Node
from minigrad.core.observer import Observer

VALUES = {  # of each dtype: ordinary ones, others, and some that a function may refuse
    mg.float32: [0.0] * 6, mg.int64: [0] * 6, mg.bool: [False] * 6,
}, {
    mg.float32: [0.5, 0.25, 1.0, 0.5, 0.75, 1.0], mg.int64: [1, 0, 1, 0, 1, 1], mg.bool: [True] * 6,
}, {
    mg.float32: [np.nan, -3.0, 1e30, np.inf, 0.0, 2.0], mg.int64: [10**6, -(10**6), 1, 0, 2, 300],
    mg.bool: [False, True, True, False, True, False],
}  # fmt: skip
SHAPES = {
    mg.float32: [(2, 3), (3,), ()],
    mg.int64: [(2, 3), (3,), (2,), ()],
    mg.bool: [(2, 3), (3,)],
}
PLAIN = 0, 1, 2.0, None, (3,)
TRIES = 4  # times that one call is made, each with other values
THREES = 40  # of the calls with three arguments
APART = {  # what is set for the whole process, or for the thread
    "backward", "cuda", "deepcopy", "get_rng_state", "is_grad_enabled", "load", "manual_seed",
    "save", "seed", "set_anomaly_enabled", "set_default_device", "set_default_dtype",
    "set_grad_enabled", "set_num_threads", "use_deterministic_algorithms",
    "set_printoptions", "set_rng_state", "share_memory_", "reset_peak_memory_stats",
    "memory_allocated", "max_memory_allocated", "data_ptr", "untyped_storage", "storage_offset",
    "__hash__",
    "_remember_view",
}  # fmt: skip


class Taken(Observer):
    """Whether a value has left."""

    told = False

    def read(self, array):
        self.told = True


# --- what can be called ---------------------------------------------------------------------------


def callables():
    """(name, function of the arguments) of all that is public."""
    for place, names in _places():
        for name, thing in sorted(names.items()):
            if name in APART or (name.startswith("_") and not name.endswith("__")):
                continue
            if isinstance(thing, types.FunctionType):
                yield f"{place}.{name}", thing
            elif isinstance(thing, property):
                yield f"{place}.{name}", thing.fget
            elif isinstance(thing, type) and issubclass(thing, mg.nn.Module):
                yield f"{place}.{name}()", _made(thing)
            elif isinstance(thing, type) and issubclass(thing, mg.optim.Optimizer):
                yield f"{place}.{name}.step", _stepped(thing)
            elif place == "distributions" and isinstance(thing, type):
                yield f"{place}.{name}", thing


def _places():
    kept = {n: t for n, t in vars(mg.Tensor).items() if n not in ("__init__", "__del__")}
    yield "Tensor", kept
    packages = {
        "mg": mg, "F": mg.nn.functional, "linalg": mg.linalg, "nn": mg.nn, "optim": mg.optim,
        "nn.utils": mg.nn.utils, "distributions": mg.distributions,
    }  # fmt: skip
    for place, package in packages.items():
        yield place, {n: t for n, t in vars(package).items() if not inspect.ismodule(t)}


def _made(kind):
    def call(*given):
        return kind()(*given)

    return call


def _stepped(kind):
    def call(parameter, grad):
        leaf = parameter.detach().clone().requires_grad_()
        leaf.grad = grad
        optimizer = kind([leaf])
        optimizer.step(lambda: (leaf * grad).sum()) if kind is mg.optim.LBFGS else optimizer.step()
        return leaf

    return call


# --- arguments ------------------------------------------------------------------------------------

KINDS = [(dtype, shape) for dtype, shapes in SHAPES.items() for shape in shapes] + [*PLAIN]


def lists(draw):
    """The kinds of arguments of the calls: one, two, some with three."""
    yield from ((one,) for one in KINDS)
    yield from itertools.product(KINDS, KINDS)
    threes = list(itertools.product(KINDS, KINDS, KINDS))
    yield from draw.sample(threes, THREES)


def argument(kind, draw):
    if kind in PLAIN or type(kind[0]) is not mg.dtype:
        return kind
    dtype, shape = kind
    count = int(np.prod(shape))
    # what numbers of the third kind do often hides what one of them does
    values = draw.choice(VALUES)[dtype][:count]
    values = values if draw.random() < 0.5 else draw.sample(values, count)
    made = mg.tensor(values or [0], dtype=dtype).reshape(shape)
    return made.requires_grad_() if dtype is mg.float32 and len(shape) == 2 else made


# --- what Python sees -----------------------------------------------------------------------------


def seen(function, given):
    """(what Python sees of function(*given), whether an observer was told of a value)."""
    mg.manual_seed(0)
    state.left = ()  # of a backward that failed before
    before = storage.live
    storage.reset_peak()
    with Taken() as taken, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = [_tried(function, given), storage.live - before, storage.peak - before]
        found += [str(one.message) for one in warned]
        found += [one._version for one in given if isinstance(one, mg.Tensor)]
    return found, taken.told


def _tried(function, given):
    try:
        value = function(*given)
        if inspect.isgenerator(value):
            value = list(value)
        return [_described(value), *_walks(value)]
    except RecursionError:
        return "too deep"
    except Exception as error:
        notes = getattr(error, "__notes__", ())
        return type(error).__name__, _text(error), [_text(note) for note in notes]


def _walks(value):
    """What there is to see of the gradients of a result, and of those of these."""
    found = [value] if isinstance(value, mg.Tensor) else value
    tensors = found if isinstance(found, (tuple, list)) else ()
    for one in tensors:
        if isinstance(one, mg.Tensor) and one.requires_grad and one.grad_fn:
            yield _described(_leaf_gradients(one))


def _leaf_gradients(one):
    leaves = _leaves(one.grad_fn)
    first = mg.autograd.grad(one.sum(), leaves, create_graph=True, allow_unused=True)
    again = [g for g in first if g is not None and g.requires_grad]
    second = [mg.autograd.grad(g.sum(), leaves, allow_unused=True) for g in again]
    return first, second


def _leaves(node, seen=None):
    seen = {} if seen is None else seen
    for below, _ in node.next_functions:
        if below is not None:
            if hasattr(below, "variable"):
                seen[id(below)] = below.variable
            _leaves(below, seen)
    return list(seen.values())


def _described(value, depth=0):
    if isinstance(value, mg.Tensor):
        kind = str(value.dtype), tuple(value.shape), value.stride(), value.requires_grad
        return kind, value.is_leaf, _graph(value.grad_fn)
    if isinstance(value, dict):
        return {key: _described(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (tuple, list)) and depth < 5:
        return type(value).__name__, [_described(one, depth + 1) for one in value]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return _text(value)


def _graph(node):
    """Names, and the numbers that the nodes show."""
    if not isinstance(node, Node):
        return str(type(node))
    numbers = _text(node.numbers()) if hasattr(node, "numbers") else ""
    return type(node).__name__, numbers, [_graph(below) for below, _ in node.next_functions]


def _text(thing):
    return re.sub(r"0x[0-9a-f]+", "0x", thing if isinstance(thing, str) else f"{thing}")


# --- programs of several calls --------------------------------------------------------------------


def anomaly(x):
    with mg.enable_grad(), mg.autograd.detect_anomaly():
        x.detach().requires_grad_().sqrt().sum().backward()


def checked_gradients(x):
    x = x.detach().to(mg.float64).requires_grad_()
    return mg.autograd.gradcheck(lambda x: x * x.detach(), x, raise_exception=False)


def named_gradients(x):
    x = x.detach().to(mg.float64).requires_grad_()
    return mg.autograd.gradcheck(lambda x: x * x.detach(), x)


def clipped(x):
    leaf = x.detach().requires_grad_()
    leaf.grad = x.detach().clone()
    mg.nn.utils.clip_grad_norm_(leaf, 1.0, error_if_nonfinite=True)


def scaled(x):
    leaf = x.detach().requires_grad_()
    leaf.grad = x.detach().clone()
    scaler, optimizer = mg.amp.GradScaler("cpu"), mg.optim.SGD([leaf], lr=1.0)
    scaler.scale(mg.ones(()))
    scaler.step(optimizer)
    scaler.update()
    return leaf._version


def pickled(x):
    return pickle.dumps(x.detach().untyped_storage())


class Forgetful(mg.nn.Module):
    """It gives zeros, and the second time a number of its own."""

    def __init__(self, x):
        self.wrong = x.detach().sum()

    def forward(self, x):
        if mg.is_grad_enabled():
            return x * 0 + self.wrong
        return x * 0


def brought_back(x):
    chain = mg.reversible.ReversibleSequential(
        mg.reversible.ReversibleBlock(Forgetful(x), Forgetful(x))
    )
    chain(mg.ones(2, 4, requires_grad=True) * 1).sum().backward()


PROGRAMS = anomaly, checked_gradients, named_gradients, clipped, scaled, pickled, brought_back


# --- the scan -------------------------------------------------------------------------------------


def channels(seed, place):
    """{name: [kinds of arguments, two things that were seen, of which nobody was told]}."""
    found: dict = {}
    gc.collect()
    was = gc.isenabled()
    gc.disable()  # what a circle of an earlier call holds is no byte of this one
    try:
        for name, function in callables():
            if name.startswith(f"{place}."):
                pair = first(function, random.Random(f"{seed} {name}"))
                found |= {name: pair} if pair else {}
    finally:
        gc.collect()
        if was:
            gc.enable()
    return found


def first(function, draw):
    """The first kinds of arguments with two things that were seen but not told, and these."""
    for kinds in lists(draw):
        if pair := differing(function, kinds, draw):
            return [kinds, *pair]
    return None


def differing(function, kinds, draw):
    """Two things that were seen of calls with arguments of these kinds, but not told; or None."""
    untold: list = []
    for _ in range(TRIES):
        given = [argument(kind, draw) for kind in kinds]
        what, told = seen(function, given)
        if what[0][0] in ("TypeError", "AttributeError"):  # for whatever values
            return None
        if not told and untold and what != untold[0]:
            return untold[0], what
        untold += [] if told else [what]
    return None
