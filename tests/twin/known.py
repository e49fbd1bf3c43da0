"""Where minigrad knowingly differs from PyTorch: cases, lines, and programs that show it.

The suite still runs these and asserts that they do differ: a reason that has gone stale fails.
CLASSES, at the end, puts the reasons together; docs/differences.md is made of it.
"""

import re
from typing import NamedTuple

from tests.twin.one_op_operands import Operand

# The classes of all that is known, each with the sentence that docs/differences.md has of it.
LIE, FAULTS, EDGE, ORDER, FUSED = "layout", "two faults", "edges", "composition", "LSTM layers"
OBJECTS, NUMBERS = "Python's side", "random numbers"
WRITES, PEAKS, ARGUMENTS = "Functions that write", "peaks", "arguments"
CLASSES = {
    LIE: "The result of operands that lie differently in memory, or of one that is both expanded "
    "and transposed, lies as NumPy decides, mostly in order; in PyTorch it lies as its operands "
    "do. The numbers are the same.",
    FAULTS: "Of a call that has two faults another one may be named, and a write that both refuse "
    "may be refused in other words: each engine looks in its own order.",
    EDGE: "At the edge of what an operation takes, as a 0-d index, one engine refuses what the "
    "other does without effect: PyTorch's kernels look at less.",
    ORDER: "Some second derivatives are composed of other operations than PyTorch's, and keep "
    "other bytes; their values are the same.",
    FUSED: "An LSTM layer of float32 is one fused operation on PyTorch's processor; here it is "
    "composed, as PyTorch composes it in float64.",
    OBJECTS: "A node is an instance of its rule's class, so `dir(node)` shows the rule's forward; "
    "a module keeps no registry, so one that forgets `super().__init__()` works, and what is put "
    "past its `__setattr__` is a part of it; of a class derived from Tensor the first result is a "
    "plain tensor; what PyTorch warns of once in a process is warned of each time. Python's "
    "collector finds a ring that leads through a graph, a hook or `.grad`, "
    "and frees it; PyTorch's graphs are C++, and such a ring stays for ever.",
    WRITES: "Of a Function that writes to a view, PyTorch drops gradients or computes wrong ones "
    "where it returns None or another tensor than its first; here they are zeros, or it is "
    "refused.",
    PEAKS: "The most bytes that a backward has at a moment are PyTorch's, but for a few rules "
    "whose kernels or formulas choose by what they find: `tests/twin/peaks.py` names them.",
    ARGUMENTS: "Where PyTorch's parser wants an argument of one kind alone, minigrad takes a "
    "number for a truth value, or None; or it refuses what it was given with an error of another "
    "class: `tests/twin/wrong_known.py` has the calls.",
    NUMBERS: "Random numbers are NumPy's: the same seed draws other ones than PyTorch's.",
}

RULE = "a minigrad node is an instance of its op class, so the forward rule is in sight"
MODULE = "minigrad's Module keeps no registry, so it needs no super().__init__()"

COMPOSED = "PyTorch composes this second derivative of other operations; its values are the same"
MODE = "composed otherwise only under the mode that counts PyTorch's bytes; else it is as here"
SILENT = "PyTorch gives the rest of the base no gradient; here what the Function left out is zeros"
PLACE = "PyTorch takes the first tensor for the view, and computes wrong gradients; this is refused"


def _second(reason, *cases, labels=("graph",)):
    return {f"second: {name}": dict.fromkeys(labels, reason) for name in cases}


REDUCTIONS = ("mean", "sum", "none")
ALONE = "held by the graph alone: live"
LIVE = ("recorded: live", ALONE, "graph")
SECOND = {
    **_second(COMPOSED, "0 ** x", "repeat", "index_select", "x ** y"),
    **_second(COMPOSED, "masked_select"),
    **_second(COMPOSED, "silu", "silu_", labels=LIVE),
    **_second(COMPOSED, "prelu"),
    **_second(COMPOSED, "cumprod", labels=LIVE),
    **_second(COMPOSED, "cumprod(0), zeros", labels=(*LIVE, "after: live")),
    **_second(COMPOSED, "prod", "prod(1)", "prod(-1), zeros", "mish", labels=LIVE),
    **_second(COMPOSED, "prod, a zero", labels=(*LIVE, "after: live")),
    **_second(COMPOSED, "maximum", "minimum", labels=LIVE[:1]),
    **_second(
        COMPOSED, "scatter(source)", "scatter_add", "trace", labels=("recorded: live", "graph")
    ),
    **_second(
        COMPOSED,
        *(f"binary_cross_entropy_with_logits({r})" for r in REDUCTIONS),
        labels=LIVE,
    ),
    **_second(MODE, "x[[0, 0, -1]]", "x[:, [0, 0]]", "x[tensor]", "x[mask]", "x[rows, columns]"),
    **_second(MODE, "max", "median", "min"),
}

KNOWN_DIFFERENCES = {
    **SECOND,
    "views_function_none": {"gradient": SILENT},
    "views_function_second": {"written": PLACE},
    "002_nodes": {"forward or run": RULE},
    "nn_errors": {"no super().__init__()": MODULE},
}

# What random programs leave out (tests/twin/graph_programs.py), and one program each that has it:
# {name: (a test of an entry of PyTorch's and of minigrad's, the reason, shapes, steps)}.

MIXED = (
    "operands that lie differently: numpy's result lies in order, PyTorch's as its first operand"
)
NO_AXIS = "an index of a number that max(dim) has found: PyTorch refuses it in other words"
EARLIER = "of two faults PyTorch finds a lost view first, minigrad what does not fit"


def said(entry, *texts):
    return any(text in str(entry[1]) for text in texts)


LEFT_OUT = {
    "faults": (
        lambda one, other: said(one, "modified inplace", "in an in-place operation")
        and said(other, "Error") and not said(other, "inplace", "in-place"), EARLIER, [(2, 3, 2)],
        [("several", 7, 646), ("quiet_write", 4, 750), ("index", 10, 779), ("view", 4, 133)],
    ),
    "mixed": (
        lambda one, other: one[0].endswith("strides") and "both" in one[0], MIXED,
        [(2, 3, 2), (2, 3, 2)], [("view", 0, 9), ("both", 2, 1)],
    ),
    "words": (
        lambda one, other: said(one, "select() cannot be applied to a 0-dim tensor")
        and said(other, "out of bounds for dimension 0 with size 0"), NO_AXIS, [(4,), (4,)],
        [("quiet", 0, 697), ("quiet_view", 4, 718), ("index", 6, 636)],
    ),
}  # fmt: skip


def left_out(one, other):
    """The name in LEFT_OUT of a difference that is known, or None."""
    for name, (holds, *_) in LEFT_OUT.items():
        if holds(one, other):
            return name
    return None


# -- of single operations: see one_op.py --


class KnownLine(NamedTuple):
    """A difference of one-op programs: where it is met, why, and a program that shows it."""

    kind: str  # one of CLASSES
    where: str  # a pattern in "op: label: minigrad's error", or "... accepted: PyTorch's error"
    reason: str
    op: str
    line: str
    operands: dict


ONE = ("1.0",)
ONE_OP = [
    KnownLine(
        LIE,
        "normalize: result: strides",
        "the norm, which is expanded, lies otherwise than the operand that is divided by it",
        "nn.functional.normalize",
        "mg.nn.functional.normalize(x)",
        {"x": Operand("float32", "transposed", (2, 3, 4), ONE * 24)},
    ),
    KnownLine(
        LIE,
        "rms_norm: result: nodes",
        "what lies in order already is not copied, where PyTorch lays the result anew",
        "nn.functional.rms_norm",
        "mg.nn.functional.rms_norm(x, (2, 3), y)",
        {
            "x": Operand("float32", "transposed", (2, 3), ONE * 6),
            "y": Operand("float32", "contiguous", (2, 3), ONE * 6, True),
        },
    ),
    KnownLine(
        LIE,
        r": result(\[\d\])?: strides",
        "of operands that lie differently numpy lays the result out in order, PyTorch as the first",
        ".__add__",
        "x + y",
        {
            "x": Operand("float32", "transposed", (2, 3), ONE * 6),
            "y": Operand("float32", "contiguous", (2, 3), ONE * 6),
        },
    ),
    KnownLine(
        EDGE,
        r"^(arg)?sort: error: accepted: (arg)?sort\(\) (received an invalid|takes from)",
        "PyTorch's parser takes stable= only beside a dim that is named",
        ".sort",
        "x.sort(0, stable=True)",
        {"x": Operand("float32", "contiguous", (3,), ONE * 3)},
    ),
    KnownLine(
        FAULTS,
        r"^(relu6?|hardtanh|neg|negative)_?: error: .*single memory location",
        "of two faults, a bool and a place written several times, PyTorch names the other",
        ".relu_",
        "x.relu_()",
        {"x": Operand("bool", "expanded", (3,), ("True",))},
    ),
    KnownLine(
        EDGE,
        r"^(einsum|bmm|(__)?matmul(__)?): error: expected scalar type",
        "of empty operands PyTorch multiplies nothing, and minds no dtype",
        "einsum",
        "mg.einsum('ij,kj->ik', x, y)",
        {
            "x": Operand("bool", "empty", (2, 0), ()),
            "y": Operand("uint8", "empty", (3, 0), ()),
        },
    ),
    KnownLine(
        EDGE,
        r"^scatter_?: error: .*value cannot be converted",
        "PyTorch looks at a number last, and not at all where it is written nowhere",
        ".scatter",
        "x.scatter(0, y, 1e300)",
        {
            "x": Operand("float32", "contiguous", (3,), ONE * 3),
            "y": Operand("int64", "empty", (0,), ()),
        },
    ),
    KnownLine(
        FAULTS,
        r"^conv\w+: error: (Input type .* MKLDNN|dilation should be greater than zero, but"
        r"|Given input size per channel)",
        "of dtypes that differ, a dilation of 0, a result of no size PyTorch speaks as the kernel "
        "that it chose; of no image it calls none",
        "nn.functional.conv1d",
        "mg.nn.functional.conv1d(x, y)",
        {
            "x": Operand("float32", "contiguous", (1, 1, 2), ONE * 2),
            "y": Operand("float64", "contiguous", (1, 1, 2), ONE * 2),
        },
    ),
    KnownLine(
        FAULTS,
        r"^scatter_(add_)?: error: index .* out of bounds",
        "of two faults, an index and a place written several times, PyTorch names the other",
        ".scatter_",
        "x.scatter_(0, y, 1)",
        {
            "x": Operand("float32", "expanded", (3,), ONE),
            "y": Operand("int64", "contiguous", (1,), ("-1",)),
        },
    ),
    KnownLine(
        FAULTS,
        r": error: .*PyTorch: Inference tensors cannot be saved",
        "of two faults, an inference tensor to be saved and another, PyTorch names the first",
        ".dot",
        "x.dot(y)",
        {
            "x": Operand("float32", "inference", (2, 1), ("1.0", "1.0")),
            "y": Operand("float32", "contiguous", (1,), ONE, True),
        },
    ),
    KnownLine(
        FAULTS,
        r"^multinomial: error: (probability tensor|invalid)",
        "with replacement PyTorch names what is wrong with the first weight that it meets",
        ".multinomial",
        "x.multinomial(2, True)",
        {"x": Operand("float32", "contiguous", (1,), ("-1.0",))},
    ),
    KnownLine(
        EDGE,
        r"^adaptive_avg_pool[12]d: (backward: error|x.grad|error: .adaptive)",
        "to no parts PyTorch pools, and then has no backward",
        "nn.functional.adaptive_avg_pool2d",
        "mg.nn.functional.adaptive_avg_pool2d(x, 0)",
        {"x": Operand("float32", "contiguous", (1, 2, 2), ONE * 4, True)},
    ),
]


def one_op_reason(program, label, one, other) -> str:
    """Why it is known that a one-op program differs in this; "" if it is not."""
    text = place_of(program, label, one, other)
    own = program.op.rpartition(".")[2]
    differ = lie_differently(program)
    rows = (row for row in ONE_OP if row.kind != LIE or differ or row.where.startswith(own))
    return next((row.reason for row in rows if re.search(row.where, text)), "")


def lie_differently(program) -> bool:
    """Whether the operands do, or one of them is expanded."""
    given = [one for one in program.operands.values() if one.layout != "number"]
    return len({(one.layout, one.shape) for one in given}) > 1 or "expanded" in {
        one.layout for one in given
    }


def place_of(program, label, one, other) -> str:
    """Where a difference is met, as the patterns have it."""
    error = ""
    if label.endswith("error"):
        error = other[1] if other else f"accepted: {one[1]}"
        error += f" (PyTorch: {one[1]})" if one else ""
    return f"{program.op.rpartition('.')[2]}: {label}: {error}"


# -- of programs of any operations: see any_programs.py --


class KnownSteps(NamedTuple):
    """A difference of a program: where it is met, why, and the lines of one that shows it."""

    kind: str
    where: str  # as KnownLine's
    reason: str
    lines: tuple  # (op, name of the result, line)


ANY = [
    KnownSteps(
        EDGE,
        r"error: .*PyTorch: adaptive_avg_pool2d_backward",
        "to no parts PyTorch pools, and then has no backward",
        (
            ("leaf", "t0", "mg.ones(1, 2, 2, requires_grad=True)"),
            (
                "nn.functional.adaptive_avg_pool2d",
                "t1",
                "mg.nn.functional.adaptive_avg_pool2d(t0, 0)",
            ),
            ("backward", "", "t1.backward(mg.ones(1, 0, 0))"),
        ),
    ),
    KnownSteps(
        EDGE,
        r"^__getitem__: error: index .* with size 0 .PyTorch: .* with size 1",
        "of one element PyTorch's binary_cross_entropy returns a 0-d tensor that has an axis",
        (
            ("leaf", "t0", "mg.ones(1)"),
            (
                "nn.functional.binary_cross_entropy",
                "t1",
                "mg.nn.functional.binary_cross_entropy(t0, t0, reduction='sum')",
            ),
            (".__getitem__", "", "t1[2]"),
        ),
    ),
    KnownSteps(
        EDGE,
        r"error: .*PyTorch: Autograd not support dtype",
        "PyTorch lets a bool that was filled with a number want its gradient, and then has none",
        (
            ("leaf", "t0", "mg.tensor(True)"),
            ("leaf", "t1", "mg.ones((), requires_grad=True)"),
            (".masked_fill_", "t2", "t0.masked_fill_(mg.tensor(True), t1)"),
            (".repeat", "", "t2.repeat(())"),
        ),
    ),
    KnownSteps(
        FAULTS,
        r"^(cross_entropy|nll_loss|mm|scatter_(add_)?|index_add_|__setitem__): error: (?!accepted)",
        "of two faults, of shapes, dtypes, numbers or views, PyTorch may name another one",
        (
            ("leaf", "t0", "mg.ones(2, 1, 1)"),
            (".__setitem__", "", "operator.setitem(t0, (mg.tensor([True]), mg.ones(1)), 2.0)"),
        ),
    ),
    KnownSteps(
        FAULTS,
        r"error: .*PyTorch: .*(returns multiple views|created in no_grad mode)",
        "a view that may not be used any more is told of when its gradient is asked for, and last",
        (
            ("leaf", "t0", "mg.ones(2, 2, requires_grad=True)"),
            (".mul", "t2", "t0.mul(1)"),
            ("view", "t1", "t2.unbind(-1)[0]"),
            (".mul_", "", "t2.mul_(2)"),
            (".sum", "", "t1.sum(dtype=mg.int64)"),
        ),
    ),
    KnownSteps(
        EDGE,
        r"^(__i?(floordiv|mod)__|floor_divide|remainder|fmod)_?: .*(nodes|graph): $",
        "a node without a derivative leads to None for a view from no_grad, whose gradient is lost",
        (
            ("leaf", "t0", "mg.ones(2, requires_grad=True)"),
            ("view", "t1", "t0.view(-1)"),
            ("view", "t2", "mg.no_grad()(t1.view)(-1)"),
            ("floor_divide", "t3", "mg.floor_divide(t2, t2)"),
        ),
    ),
    KnownSteps(
        EDGE,
        r"^__setitem__: error: accepted: unsupported operation: some elements",
        "a tensor that lies with gaps may be put into itself by indices; NumPy copies it before",
        (
            ("leaf", "t0", "mg.ones(2, 2, 2)"),
            ("view", "t1", "t0[..., ::2]"),
            (".__setitem__", "", "operator.setitem(t1, np.s_[[0, 0]], t1)"),
        ),
    ),
]


def any_reason(step, label, one, other) -> str:
    """Why it is known that a program differs in this; "" if it is not."""
    text = place_of(step, label, one, other)
    return next((row.reason for row in ANY if re.search(row.where, text)), "")


# -- the class of each reason --

ELSEWHERE = {  # the classes that no case or program here shows, and the test that does
    NUMBERS: "tests/twin/test_frozen_corpus.py gives both engines the same numbers",
    FUSED: "tests/twin/cases_modules.py compares LSTM layers in float64",
    PEAKS: "tests/twin/test_peaks.py",
    ARGUMENTS: "tests/twin/test_wrong_kinds.py",
}

REASONS = {
    COMPOSED: ORDER, MODE: ORDER, RULE: OBJECTS, MODULE: OBJECTS,
    SILENT: WRITES, PLACE: WRITES, EARLIER: FAULTS, NO_AXIS: FAULTS, MIXED: LIE,
    **{row.reason: row.kind for row in (*ONE_OP, *ANY)},
}  # fmt: skip


def used() -> set:
    """All the reasons that are given."""
    of_cases = {reason for labels in KNOWN_DIFFERENCES.values() for reason in labels.values()}
    of_graphs = {reason for _, reason, *_ in LEFT_OUT.values()}
    return of_cases | of_graphs | {row.reason for row in (*ONE_OP, *ANY)}
