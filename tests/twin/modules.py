"""Modules nobody thought of, as text: a kind, its options by chance, and what it is called with.

The same text runs on either engine: the weights and inputs are numbers of its seed. A Use prints
as the program that it is.
"""

import itertools
import math
import random
from typing import NamedTuple

from tests.twin import probes

FUSED = "PyTorch's CPU has one operation for an LSTM of float32; in float64 it composes it, as here"
WATCHED = "while the ledger watches, PyTorch takes a view of one element each for another kind"
CLONES = "PyTorch's GRU writes its gates in place, and clones what is needed of them"


class Use(NamedTuple):
    module: str  # an expression of nn
    call: str  # an expression of m, of x and of other tensors
    tensors: dict  # name: (shape, kind)
    dtype: str
    seed: int
    apart: tuple = ()  # what PyTorch does otherwise, and why
    mode: bool = True

    def __str__(self):
        given = [f"{name} = {kind} {shape}" for name, (shape, kind) in self.tensors.items()]
        lines = [f"m = {self.module}.to({self.dtype}).train({self.mode})", *given, self.call]
        return "\n".join([f"seed {self.seed}", *lines])


def use(seed: int) -> Use:
    """The use of this number: one kind after the other."""
    draw = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    dtype = draw.choice(["float32", "float64"])
    found = kind(draw, dtype)
    return Use(*found[:3], dtype, seed, *found[3:])


def sizes(draw, axes, most=4):
    return tuple(draw.randint(1, most) for _ in range(axes))


def several(draw, least=1, most=4):
    return sizes(draw, draw.randint(least, most))


def options(draw, **choices):
    """Some of the options, as they are written in a call."""
    chosen = {name: draw.choice(values) for name, values in choices.items() if draw.random() < 0.6}
    return ", ".join(f"{name}={value!r}" for name, value in chosen.items())


# -- the kinds: (module, call, tensors[, apart, mode]) --

PLAIN = "Sigmoid Tanh LogSigmoid Softsign Tanhshrink Identity".split()
MORE = "CELU Softshrink Hardshrink".split()
OVER = "ReLU ReLU6 SELU SiLU Mish Hardswish Hardsigmoid".split()


def activation(draw, dtype):
    name = draw.choice([*PLAIN, *OVER, "LeakyReLU", "ELU", "Hardtanh", "GELU", "Softplus", *MORE])
    given = {
        "LeakyReLU": {"negative_slope": [0.1, 0.3, 2]},
        "ELU": {"alpha": [0.5, 2.0]},
        "CELU": {"alpha": [0.5, 2.0]},
        "Softshrink": {"lambd": [0.3, 1]},
        "Hardshrink": {"lambd": [0.3, 1]},
        "Hardtanh": {"min_val": [-0.5, -2.0], "max_val": [0.5, 3.0]},
        "GELU": {"approximate": ["none", "tanh"]},
        "Softplus": {"beta": [0.5, 2, 50], "threshold": [1, 20.0]},
    }.get(name, {})
    if name in (*OVER, "LeakyReLU", "ELU", "CELU", "Hardtanh"):
        given["inplace"] = [True, False]
    shape = draw.choice([several(draw, 0), (0, 3), (40,)])
    return f"nn.{name}({options(draw, **given)})", "m(x * 3)", {"x": (shape, "leaf")}


def along(draw, dtype):
    name, shape = draw.choice(["Softmax", "LogSoftmax", "Softmin"]), several(draw, 1, 4)
    dim = draw.choice([None, *range(-len(shape), len(shape))])
    return f"nn.{name}({dim})", "m(x)", {"x": (shape, "leaf")}


def halved(draw, dtype):
    """GLU, along an axis whose length is even, mostly."""
    shape = [*several(draw, 1, 3)]
    dim = draw.randrange(len(shape))
    shape[dim] = draw.choice([2, 4, 4, 3])
    return f"nn.GLU({dim - len(shape) * draw.randint(0, 1)})", "m(x)", {"x": (shape, "leaf")}


def as_several(draw, dtype):
    """Unflatten: sizes that are those of the axis, mostly."""
    shape = [*several(draw, 1, 3)]
    dim = draw.randrange(len(shape))
    shape[dim] = draw.choice([4, 6])
    sizes = draw.choice([(2, -1), (-1, 2), (1, shape[dim]), (2, shape[dim] // 2), (3, 2), (4, -1)])
    return f"nn.Unflatten({dim}, {sizes})", "m(x)", {"x": (shape, "leaf")}


def criterion(draw, dtype):
    name = draw.choice("MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss".split())
    given = {"reduction": ["mean", "sum", "none"]}
    given |= {"SmoothL1Loss": {"beta": [0.0, 0.3, 2.0]}, "HuberLoss": {"delta": [0.3, 2.0]}}.get(
        name, {}
    )
    text, shape = options(draw, **given), several(draw, 0, 3)
    if name.startswith("BCE") and draw.random() < 0.5 and shape:
        names = ["weight", "pos_weight"][: 1 if name == "BCELoss" else 2]
        weight = f"{draw.choice(names)}=mg.tensor({[round(draw.random(), 2)] * shape[-1]})"
        text = f"{text}, {weight}".lstrip(", ")
    other = shape
    if not name.startswith("BCE") and draw.random() < 0.3:
        other = (*[1] * draw.randint(0, 1), *(draw.choice([n, 1]) for n in shape))
    kinds = ["probability leaf", "probability"]
    first = draw.choice(kinds) if name == "BCELoss" else "leaf"
    second = draw.choice(kinds) if first != "probability" else kinds[0]
    return f"nn.{name}({text})", "m(x, y)", {"x": (shape, first), "y": (other, second)}


def by_margin(draw, dtype):
    """Losses of pairs and triples."""
    name = draw.choice("MarginRankingLoss HingeEmbeddingLoss CosineEmbeddingLoss".split())
    name = draw.choice(
        [name, name, "TripletMarginLoss", "PoissonNLLLoss", "GaussianNLLLoss", "SoftMarginLoss"]
    )
    shape = several(draw, 1, 3) if name[0] != "C" else several(draw, 2, 2)
    given = {"reduction": ["mean", "sum", "none"], "margin": [0.25, 1, 2.0]}
    if name == "TripletMarginLoss":
        given |= {"p": [1, 2.0, 3], "swap": [True, False], "eps": [0.5]}
    elif name == "SoftMarginLoss":
        del given["margin"]
    elif "NLL" in name:
        given = {**given, "full": [True, False], "eps": [0.5]}
        given |= {"log_input": [True, False]} if name[0] == "P" else {}
        del given["margin"]
    kinds = ["probability leaf", "probability"] if "NLL" in name else ["leaf", "data"]
    count = {"H": 1, "S": 1, "P": 2}.get(name[0], 3 if name[0] in "TG" else 2)
    tensors = {one: (shape, kinds[one != "x"] if one == "y" else kinds[0]) for one in "xyz"[:count]}
    names = [*tensors]
    if name[0] in "MHCS":
        tensors["t"] = (shape[:-1] if name[0] == "C" else shape, "below 2")
        names.append("t * 2 - 1")
    return f"nn.{name}({options(draw, **given)})", f"m({', '.join(names)})", tensors


def apart(draw, dtype):
    shape = several(draw, 2, 3)
    other = draw.choice([shape, shape[1:], (*shape[:-2], 1, shape[-1])])
    name = draw.choice(["PairwiseDistance", "CosineSimilarity"])
    if name == "PairwiseDistance":
        given = {"p": [1, 1.5, 2, 3.0, float("inf")], "eps": [1e-3, 0.5], "keepdim": [True]}
    else:
        given = {"dim": range(-len(shape), len(shape)), "eps": [0, 0.5]}
    text = options(draw, **given).replace("=inf", "=float('inf')")
    return f"nn.{name}({text})", "m(x, y)", {"x": (shape, "leaf"), "y": (other, "leaf")}


def classified(draw, dtype):
    rows, columns = sizes(draw, 2)
    name = draw.choice(["NLLLoss", "CrossEntropyLoss"])
    given = {"reduction": ["mean", "sum", "none"], "ignore_index": [0, -100]}
    if name == "CrossEntropyLoss":
        given["label_smoothing"] = [0.1, 0.9, 0.0, 1]
    text = options(draw, **given)
    tensors = {"x": ((rows, columns), "leaf"), "y": ((rows,), f"below {columns}")}
    return f"nn.{name}({text})", "m(x, y)", tensors


def embedding(draw, dtype):
    rows, width = sizes(draw, 2, 6)
    given = options(draw, padding_idx=[0, -1, rows - 1], scale_grad_by_freq=[True, False])
    text = f"nn.Embedding({', '.join([f'{rows}, {width}', *[given] * bool(given)])})"
    return text, "m(y)", {"y": (several(draw, 0, 3), f"below {rows}")}


def image(draw, least=1):
    return (*sizes(draw, draw.randint(1, 2), 3), *(draw.randint(least, 7) for _ in range(2)))


def pooling(draw, dtype):
    name = draw.choice(["MaxPool2d", "AvgPool2d"])
    size = draw.choice([1, 2, 3, (2, 3), (3, 1)])
    small = min(size) if isinstance(size, tuple) else size
    given = {"stride": [1, 2, 3, (2, 1)], "padding": [0, small // 2], "ceil_mode": [True, False]}
    if name == "MaxPool2d":
        given["dilation"] = [1, 2, (1, 2)]
    else:
        given |= {"count_include_pad": [True, False], "divisor_override": [2, 3]}
    text = options(draw, **given)
    made = f"nn.{name}({', '.join([repr(size), *[text] * bool(text)])})"
    return made, "m(x)", {"x": (image(draw, 5), "leaf")}


def along_rows(draw, dtype):
    """Pooling of sequences."""
    name, size = draw.choice(["MaxPool1d", "AvgPool1d", "AdaptiveAvgPool1d"]), draw.randint(1, 3)
    given = {"stride": [1, 2, (3,)], "padding": [0, size // 2], "ceil_mode": [True, False]}
    given |= {"dilation": [1, 2]} if name == "MaxPool1d" else {"count_include_pad": [True, False]}
    text = options(draw, **given) if name[:2] != "Ad" else ""
    made = f"nn.{name}({', '.join([repr(size), *[text] * bool(text)])})"
    shape = (*sizes(draw, draw.randint(1, 2), 3), draw.randint(5, 7))
    return made, "m(x)", {"x": (shape, draw.choice(["leaf", "leaf", "data"]))}


def upsampled(draw, dtype):
    mode = draw.choice(["nearest", "bilinear"])
    given = {"align_corners": [True, False]} if mode == "bilinear" else {}
    if draw.random() < 0.5:
        given["size"] = [(5, 7), 6, (2, 9), (3, 130)]
    else:
        given["scale_factor"] = [2, (2, 1.5), (1.0, 3), (1.3, 0.7), (2, 50)]
    how = options(draw, **given)
    if "size" not in how and "scale_factor" not in how:
        how = f"scale_factor=2, {how}".removesuffix(", ")
    shape = (*sizes(draw, 2, 3), *(draw.randint(2, 5) for _ in range(2)))
    return f"nn.Upsample({how}, mode={mode!r})", "m(x)", {"x": (shape, "leaf")}


def convolution(draw, dtype):
    axes, step, transposed = draw.randint(1, 2), draw.randint(1, 3), draw.random() < 0.5
    given = {"padding": [0, 1], "dilation": [1, 2], "bias": [True, False]}
    if transposed:
        given["output_padding"] = [0, step - 1]
    (channels, filters), size = sizes(draw, 2, 3), draw.randint(1, 3)
    text = f"{channels}, {filters}, {size}, stride={step}, {options(draw, **given)}"
    shape = (*sizes(draw, draw.randint(0, 1), 3), channels, *[draw.randint(5, 7)] * axes)
    name = f"Conv{'Transpose' * transposed}{axes}d"
    return f"nn.{name}({text})", "m(x)", {"x": (shape, "leaf")}


def adaptive(draw, dtype):
    size = draw.choice([1, 2, 3, (1, 3), (None, 2), (7, 1)])
    return f"nn.AdaptiveAvgPool2d({size})", "m(x)", {"x": (image(draw), "leaf")}


def flatten(draw, dtype):
    shape = several(draw, 2, 5)
    ends = options(draw, start_dim=[0, 1], end_dim=[-1, 1, len(shape) - 1])
    return f"nn.Flatten({ends})", "m(x)", {"x": (shape, "leaf")}


def batch_norm(draw, dtype):
    flat, channels = draw.random() < 0.5, draw.randint(1, 4)
    name = "BatchNorm1d" if flat else "BatchNorm2d"
    more = sizes(draw, draw.randint(0, 1) if flat else 2)
    given = {"momentum": [0.3, None], "affine": [True, False], "track_running_stats": [True, False]}
    text = options(draw, eps=[1e-3, 1e-5], **given)
    made = f"nn.{name}({', '.join([str(channels), *[text] * bool(text)])})"
    return made, "m(x)", {"x": ((3, channels, *more), "leaf")}, (), draw.random() < 0.7


def by_image(draw, dtype):
    """GroupNorm, or one of InstanceNorm: of elements, or of one alone."""
    axes, groups = draw.randint(1, 3), draw.randint(1, 2)
    more, channels = [draw.randint(2, 3) for _ in range(axes)], 2 * groups
    given = {"affine": [True, False], "eps": [1e-3, 1e-5]}
    if draw.random() < 0.5:
        made = f"nn.GroupNorm({groups}, {channels}, {options(draw, bias=[False], **given)})"
        return made, "m(x)", {"x": ((draw.randint(1, 3), channels, *more), "leaf")}
    given |= {"momentum": [0.3, None], "track_running_stats": [True, False]}
    made = f"nn.InstanceNorm{axes}d({channels}, {options(draw, **given)})"
    shape = *sizes(draw, draw.randint(0, 1), 3), channels, *more
    return made, "m(x)", {"x": (shape, "leaf")}, (), draw.random() < 0.7


def cell(draw, dtype):
    name, (width, hidden) = draw.choice(["RNNCell", "LSTMCell", "GRUCell"]), sizes(draw, 2)
    given = {"bias": [True, False]}
    if name == "RNNCell":
        given["nonlinearity"] = ["tanh", "relu"]
    text = options(draw, **given)
    batch = sizes(draw, draw.randint(0, 1))
    tensors = {"x": ((*batch, width), "leaf")}
    call = "m(x)"
    if draw.random() < 0.6:
        tensors |= {name: ((*batch, hidden), "leaf") for name in ("h", "c")}
        call = "m(x, (h, c))" if name == "LSTMCell" else "m(x, h)"
    apart = (("bytes", CLONES),) if name == "GRUCell" else ()
    made = f"nn.{name}({', '.join([f'{width}, {hidden}', *[text] * bool(text)])})"
    return made, call, tensors, apart


def recurrent(draw, dtype):
    name, (width, hidden) = draw.choice(["RNN", "LSTM", "GRU"]), sizes(draw, 2)
    layers, ways, first = draw.randint(1, 3), draw.randint(1, 2), draw.random() < 0.4
    given = {"bias": [True, False], "nonlinearity": ["tanh", "relu"]}
    if name != "RNN":
        del given["nonlinearity"]
    fixed = (
        f"{width}, {hidden}, num_layers={layers}, batch_first={first}, bidirectional={ways == 2}"
    )
    text = options(draw, **given)
    length, batch, alone = draw.randint(1, 4), draw.randint(1, 3), draw.random() < 0.3
    before = (length,) if alone else (batch, length) if first else (length, batch)
    tensors = {"x": ((*before, width), draw.choice(["leaf", "data"]))}
    call = "m(x)"
    if draw.random() < 0.5:
        shape = (layers * ways, *([] if alone else [batch]), hidden)
        tensors |= {name: (shape, "leaf") for name in ("h", "c")}
        call = "m(x, (h, c))" if name == "LSTM" else "m(x, h)"
    apart = (("bytes", CLONES),) if name == "GRU" else ()
    if name == "LSTM" and dtype == "float32":
        apart = (("bytes", FUSED), ("graph", FUSED))
    return f"nn.{name}({', '.join([fixed, *[text] * bool(text)])})", call, tensors, apart


def attention(draw, dtype):
    """Attention of several heads: of one sequence or batch, of itself or of others, and masks."""
    heads, first, alone = draw.randint(1, 3), draw.random() < 0.4, draw.random() < 0.3
    width, batch, rows, columns = heads * draw.randint(1, 3), *sizes(draw, 3)
    given = draw.choice(["x, x, x", "x, y, y", "x, y, z"])
    columns = rows if given == "x, x, x" else columns

    def shape(length):
        kinds = (length,) if alone else (batch, length) if first else (length, batch)
        return (*kinds, width)

    tensors = {name: (shape(rows if name == "x" else columns), "leaf") for name in "xyz"}
    tensors = {name: one for name, one in tensors.items() if name in given}
    more = options(draw, need_weights=[False, True], average_attn_weights=[False, True])
    if draw.random() < 0.5:
        many = (batch * heads if not alone else heads,) * draw.randint(0, 1)
        tensors["a"] = ((*many, rows, columns), "data")
        more += draw.choice([", attn_mask=a", ", attn_mask=a > 0.8"])
    if draw.random() < 0.3:
        tensors["b"] = ((batch,) * (not alone) + (columns,), "data")
        more += ", key_padding_mask=b" + " > 0.8" * ("a >" in more or "a" not in tensors)
    text = options(draw, bias=[False, True], dropout=[0.0])
    made = f"nn.MultiheadAttention({width}, {heads}, batch_first={first}, {text})"
    call = f"m({given}, {more.lstrip(', ')})" + "[:1]" * ("need_weights=False" in more)
    thin = width == heads and (alone or batch == 1) and "need_weights=False" not in more
    return made, call, tensors, (("graph", WATCHED),) * thin, draw.random() < 0.6


def encoder(draw, dtype):
    """One layer of a Transformer's encoder, of a sequence or a batch, with masks."""
    first, alone, length, batch = draw.random() < 0.4, draw.random() < 0.2, *sizes(draw, 2)
    shape = (length,) if alone else (batch, length) if first else (length, batch)
    given = {"norm_first": [True, False], "bias": [False], "activation": ["relu", "gelu"]}
    fixed = f"4, 2, 5, 0.0, batch_first={first}, layer_norm_eps=0.1"  # else rounding grows
    made = f"nn.TransformerEncoderLayer({fixed}, {options(draw, **given)})"
    tensors, call = {"x": ((*shape, 4), "leaf")}, "m(x"
    if draw.random() < 0.4:
        tensors["a"] = ((length, length), "data")
        call += ", a > 0.8"
    if draw.random() < 0.3:
        tensors["b"] = ((batch,) * (not alone) + (length,), "data")
        call += ", src_key_padding_mask=b > 0.8"
    return made, call + ")", tensors, (), draw.random() < 0.6


def listed(draw, dtype):
    layers = ", ".join(draw.choices(["nn.Linear(3, 3)", "nn.Tanh()", "nn.LSTMCell(3, 3)"], k=3))
    made = f"nn.Sequential(nn.ModuleList([{layers}]), nn.ModuleDict({{'a': nn.ReLU()}}))"
    return made, "m[1]['a'](x)", {"x": ((2, 3), "leaf")}


KINDS = [
    activation, along, criterion, classified, embedding, pooling, adaptive, flatten, batch_norm,
    cell, recurrent, activation, criterion, pooling, recurrent, listed, convolution, convolution,
    attention, encoder, apart, upsampled, by_image, along_rows, by_margin,
    halved, as_several,
]  # fmt: skip

# -- to run one --


def numbers(mg, draw, shape, low, high, dtype, steps=256):
    """Of this engine, the same as of the other: multiples of 1/steps.

    A sum of products of a few bits each is exact, in any order. Of any other numbers a sum of some
    hundred can lose more in float32 than a wrong rule would show.
    """
    data = [round(draw.uniform(low, high) * steps) / steps for _ in range(math.prod(shape))]
    return mg.tensor(data, dtype=mg.float64).view(shape).to(dtype)


def made(mg, draw, shape, kind, dtype):
    """An input: of this kind, of this shape."""
    if kind.startswith("below"):
        top = int(kind.split()[1])
        return (numbers(mg, draw, shape, 0, 1, dtype) * top).to(mg.int64).clamp(0, top - 1)
    low, high = (0.05, 0.95) if "probability" in kind else (-1, 1)
    t = numbers(mg, draw, shape, low, high, dtype).detach()
    return t.requires_grad_() if "leaf" in kind else t


def weighed(mg, draw, module, dtype):
    """The module with weights of this draw."""
    for name, t in module.state_dict().items():
        if t.dtype.is_floating_point:
            low = 0.1 if name.endswith("var") else -1
            t.copy_(numbers(mg, draw, t.shape, low, 1, dtype))
    return module


def flat(result):
    """The tensors of a result."""
    if isinstance(result, (tuple, list)):
        return list(itertools.chain.from_iterable(map(flat, result)))
    return [result]


def saved(node):
    """What a node has saved; no grad_fn of a tensor, since PyTorch's in-place operations save a
    clone."""
    found = probes.saved(node).items()
    return {k: v.split(" grad_fn")[0] if isinstance(v, str) else v for k, v in found}


def scene(mg, use: Use) -> tuple:
    """(the module, what it is called with, the call as a function, the draw of what comes)."""
    draw, dtype, names = random.Random(use.seed), getattr(mg, use.dtype), {"nn": mg.nn, "mg": mg}
    module = eval(use.module, names).to(dtype).train(use.mode)
    with mg.no_grad():
        weighed(mg, draw, module, dtype)
    given = [made(mg, draw, shape, kind, dtype) for shape, kind in use.tensors.values()]
    names |= {"m": module, "__name__": "by_chance"}
    return module, given, eval(f"lambda {', '.join(use.tensors)}: {use.call}", names), draw


def program(use: Use):
    """What a twin case runs: values, bytes, graph and gradients of one use."""

    def run(mg, out):
        dtype, skipped = getattr(mg, use.dtype), dict(use.apart)
        module, given, call, draw = scene(mg, use)
        out("repr", repr(module))
        out("state", [[name, list(t.shape)] for name, t in module.state_dict().items()])
        before = mg.memory_allocated()
        results = flat(call(*given))
        out("values", results)
        if "bytes" not in skipped:
            out("bytes", mg.memory_allocated() - before)
        if "graph" not in skipped:
            out("graphs", [probes.graph(t.grad_fn) for t in results if t.grad_fn is not None])
            out("saved", [saved(t.grad_fn) for t in results if t.grad_fn is not None])
        learnt(mg, out, draw, results, [*given, *module.parameters()], dtype)
        out("buffers", dict(module.named_buffers()))

    return run


def learnt(mg, out, draw, results, leaves, dtype):
    """The gradients of all results, each weighed by its own numbers."""
    leaves = [t for t in leaves if getattr(t, "requires_grad", False)]
    total = sum((t * numbers(mg, draw, t.shape, -1, 1, dtype, 16)).sum() for t in results)
    if leaves and total.requires_grad:
        out("gradients", mg.autograd.grad(total, leaves, allow_unused=True))
