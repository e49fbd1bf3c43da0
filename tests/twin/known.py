"""Where minigrad knowingly differs from PyTorch: {case: {label: reason}}.

The suite still runs these and asserts that they do differ: a reason that has gone stale fails.
"""

import re
from typing import NamedTuple

from tests.twin.one_op_operands import Operand

RULE = "a minigrad node is an instance of its op class, so the forward rule is in sight"
REFLECTED = "minigrad's operators raise for a wrong operand instead of leaving it to the other side"
MODULE = "minigrad's Module keeps no registry, so it needs no super().__init__()"

COMPOSED = "PyTorch composes this second derivative of other operations; its values are the same"
MODE = "IndexPutBackward0 only under the mode that counts PyTorch's bytes; else it is as here"
SILENT = "PyTorch gives the rest of the base no gradient; here what the Function left out is zeros"
PLACE = "PyTorch takes the first tensor for the view, and computes wrong gradients; this is refused"


def _second(reason, *cases, labels=("graph",)):
    return {f"second: {name}": dict.fromkeys(labels, reason) for name in cases}


REDUCTIONS = ("mean", "sum", "none")
LIVE = ("recorded: live", "graph")
SECOND = {
    **_second(COMPOSED, "0 ** x", "repeat", "index_select", "x ** y", "einsum"),
    **_second(COMPOSED, "masked_select"),
    **_second(COMPOSED, "norm(3)", "norm(0.5)", "norm(1.5, dim)", "silu", "silu_", labels=LIVE),
    **_second(COMPOSED, "prelu", labels=LIVE),
    **_second(COMPOSED, "cumprod", labels=LIVE),
    **_second(COMPOSED, "cumprod(0), zeros", labels=(*LIVE, "after: live")),
    **_second(COMPOSED, "prod", "prod(1)", "prod(-1), zeros", "mish", labels=LIVE),
    **_second(COMPOSED, "prod, a zero", labels=(*LIVE, "after: live")),
    **_second(COMPOSED, "maximum", "minimum", labels=LIVE[:1]),
    **_second(COMPOSED, "scatter(source)", "scatter_add", labels=LIVE),
    **_second(
        COMPOSED,
        *(f"binary_cross_entropy{s}({r})" for s in ("", "_with_logits") for r in REDUCTIONS),
        labels=LIVE,
    ),
    **_second(MODE, "x[[0, 0, -1]]", "x[:, [0, 0]]", "x[tensor]", "x[mask]", "x[rows, columns]"),
}

KNOWN_DIFFERENCES = {
    **SECOND,
    "views_function_none": {"gradient": SILENT},
    "views_function_second": {"written": PLACE},
    "002_nodes": {"forward or run": RULE},
    "bad_kinds": {"str + tensor": REFLECTED},
    "nn_errors": {"no super().__init__()": MODULE},
}

# What random programs leave out (tests/twin/graph_programs.py), and one program each that has it:
# {name: (a test of an entry of PyTorch's and of minigrad's, the reason, shapes, steps)}.

MIXED = (
    "operands that lie differently: numpy's result lies in order, PyTorch's as its first operand"
)
KEPT = "a node whose gradient is lost, that of a view made under no_grad, saves all the same"


FAULTS = "of two faults PyTorch finds a lost view first, minigrad what does not fit"


def said(entry, *texts):
    return any(text in str(entry[1]) for text in texts)


LEFT_OUT = {
    "faults": (
        lambda one, other: said(one, "modified inplace", "in an in-place operation")
        and said(other, "IndexError", "t() expects"), FAULTS, [(2, 3, 2)],
        [("several", 7, 646), ("quiet_write", 4, 750), ("index", 10, 779), ("view", 4, 133)],
    ),
    "mixed": (
        lambda one, other: one[0].endswith("strides") and "both" in one[0], MIXED,
        [(2, 3, 2), (2, 3, 2)], [("view", 0, 9), ("both", 2, 1)],
    ),
    "kept": (
        lambda one, other: said(other, "the graph a second time")
        and (one[1] == "passes" or said(one, "modified by an inplace")),
        KEPT, [(4,)],
        [("both", 0, 16), ("quiet_view", 1, 19), ("compute", 2, 16), ("several", 3, 1)],
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

    where: str  # a pattern in "op: label: minigrad's error", or "... accepted: PyTorch's error"
    reason: str
    op: str
    line: str
    operands: dict


ONE = ("1.0",)
ONE_OP = [
    KnownLine(
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
        r"matmul(__)?: error: (mat1 and mat2|Expected size|expected m1)",
        "of shapes that do not fit PyTorch speaks as the kernel that their strides chose",
        ".matmul",
        "x.matmul(y)",
        {
            "x": Operand("float32", "expanded", (2, 1, 3), ONE * 3),
            "y": Operand("float32", "contiguous", (1, 3), ONE * 3),
        },
    ),
    KnownLine(
        r"^(arg)?sort: error: accepted: (arg)?sort\(\) (received an invalid|takes from)",
        "PyTorch's parser takes stable= only beside a dim that is named",
        ".sort",
        "x.sort(0, stable=True)",
        {"x": Operand("float32", "contiguous", (3,), ONE * 3)},
    ),
    KnownLine(
        r"^(gather|scatter(_add)?_?): error: Index tensor must have the same number",
        "PyTorch takes a 0-d tensor for one of one axis here",
        ".gather",
        "x.gather(0, y)",
        {
            "x": Operand("float32", "contiguous", (3,), ONE * 3),
            "y": Operand("int64", "number", (), ("1",)),
        },
    ),
    KnownLine(
        r"^(relu6?|hardtanh|neg)_?: error: .*single memory location",
        "of two faults, a bool and a place written several times, PyTorch names the other",
        ".relu_",
        "x.relu_()",
        {"x": Operand("bool", "expanded", (3,), ("True",))},
    ),
    KnownLine(
        r"^einsum: error: (.bmm. not implemented|expected scalar type)",
        "of empty operands PyTorch multiplies nothing, and minds no dtype",
        "einsum",
        "mg.einsum('ij,kj->ik', x, y)",
        {
            "x": Operand("bool", "empty", (2, 0), ()),
            "y": Operand("bool", "empty", (3, 0), ()),
        },
    ),
    KnownLine(
        r"^scatter_?: error: value cannot be converted",
        "PyTorch looks at a number last, and not at all where it is written nowhere",
        ".scatter",
        "x.scatter(0, y, 1e300)",
        {
            "x": Operand("float32", "contiguous", (3,), ONE * 3),
            "y": Operand("int64", "empty", (0,), ()),
        },
    ),
    KnownLine(
        r"^randint: error: accepted: (from|to - 1) is out of bounds",
        "PyTorch looks whether the bounds of randint fit its dtype; here the numbers wrap around",
        "randint",
        "mg.randint(-2, 2, (3,), dtype=mg.bool)",
        {},
    ),
    KnownLine(
        r"^cross_entropy: error: .log_softmax",
        "PyTorch takes a target of the shape of the scores for probabilities, before all else",
        "nn.functional.cross_entropy",
        "mg.nn.functional.cross_entropy(x, y)",
        {
            "x": Operand("int64", "contiguous", (2, 2), ("1",) * 4),
            "y": Operand("int64", "contiguous", (2, 2), ("1",) * 4),
        },
    ),
    KnownLine(
        r"^(linear|conv2d): error: ",
        "of dtypes and shapes that do not fit PyTorch speaks as the kernel that it chose",
        "nn.functional.linear",
        "mg.nn.functional.linear(x, y, z)",
        {
            "x": Operand("float32", "contiguous", (2, 3), ONE * 6),
            "y": Operand("int64", "contiguous", (2, 3), ("1",) * 6),
            "z": Operand("float32", "contiguous", (2,), ONE * 2),
        },
    ),
    KnownLine(
        r"^multinomial: error: (probability tensor|invalid)",
        "with replacement PyTorch names what is wrong with the first weight that it meets",
        ".multinomial",
        "x.multinomial(2, True)",
        {"x": Operand("float32", "contiguous", (1,), ("-1.0",))},
    ),
    KnownLine(
        r"^adaptive_avg_pool2d: (backward: error|x.grad|error: .adaptive)",
        "to no parts PyTorch pools, and then has no backward",
        "nn.functional.adaptive_avg_pool2d",
        "mg.nn.functional.adaptive_avg_pool2d(x, 0)",
        {"x": Operand("float32", "contiguous", (1, 2, 2), ONE * 4, True)},
    ),
    KnownLine(
        r"^binary_cross_entropy: error: all elements of",
        "PyTorch names whichever of input and target it meets first that is no probability",
        "nn.functional.binary_cross_entropy",
        "mg.nn.functional.binary_cross_entropy(x, y)",
        {
            "x": Operand("float32", "contiguous", (2,), ("1.0", "2.0")),
            "y": Operand("float32", "contiguous", (2,), ("2.0", "1.0")),
        },
    ),
]


def one_op_reason(program, label, one, other) -> str:
    """Why it is known that a one-op program differs in this; "" if it is not."""
    error = ""
    if label.endswith("error"):
        error = other[1] if other else f"accepted: {one[1]}"
    text = f"{program.op.rpartition('.')[2]}: {label}: {error}"
    return next((row.reason for row in ONE_OP if re.search(row.where, text)), "")
