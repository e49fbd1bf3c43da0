"""Where minigrad knowingly differs from PyTorch: {case: {label: reason}}.

The suite still runs these and asserts that they do differ: a reason that has gone stale fails.
"""

VIEW = "a write through a view of a graph tensor raises here: minigrad records writes by the base"
RULE = "a minigrad node is an instance of its op class, so the forward rule is in sight"
KERNEL = "the text of PyTorch's kernel; minigrad says the same in its own words"
REFLECTED = "minigrad's operators raise for a wrong operand instead of leaving it to the other side"
MODULE = "minigrad's Module keeps no registry, so it needs no super().__init__()"

KNOWN_DIFFERENCES = {
    "c7_view_write": dict.fromkeys(["write", "values", "names", "gradient"], VIEW),
    "002_nodes": {"forward or run": RULE},
    "bad_views": {"select": KERNEL},
    "bad_kinds": {"str + tensor": REFLECTED},
    "nn_errors": {"no super().__init__()": MODULE},
}

# What random programs leave out (tests/twin/graph_programs.py), and one program each that has it:
# {name: (a test of an entry of PyTorch's and of minigrad's, the reason, shapes, steps)}.

CUT = "v[i] = ... is CopySlices, where PyTorch has IndexPutBackward0 for lists and Fill for all"
NUMPYS = "both refuse, minigrad in the words of numpy"
MIXED = (
    "operands that lie differently: numpy's result lies in order, PyTorch's as its first operand"
)
LAID = "softmax, cumsum, zeros_like and kin of a transposed tensor lie as numpy has them"
KEPT = "a node saves what PyTorch's does not: if its gradients are lost, if it fills all (see cut)"
GO_ON = {"cut"}  # only a name differs: the rest of the program is compared
MOVING = {"hook", "on", "off", "set_flag", "leave"}  # unless it has one of these


def said(entry, *texts):
    return any(text in str(entry[1]) for text in texts)


def both_refuse(one, other):
    """With no RuntimeError of minigrad, whose words are to be PyTorch's."""
    kinds = [e[1][0] if isinstance(e[1], list) and len(e[1]) == 2 else "" for e in (one, other)]
    return all(str(k).endswith("Error") for k in kinds) and kinds[1] != "RuntimeError"


LEFT_OUT = {
    "cut": (
        lambda one, other: said(other, "CopySlices"), CUT,
        [(3, 4)], [("compute", 0, 0), ("put", 1, 784)],
    ),
    "numpys": (both_refuse, NUMPYS, [(3, 4)], [("compute", 0, 0), ("put", 1, 96)]),
    "mixed": (
        lambda one, other: one[0].endswith("strides") and "both" in one[0], MIXED,
        [(2, 3, 2), (2, 3, 2)], [("view", 0, 9), ("both", 2, 1)],
    ),
    "laid": (
        lambda one, other: one[0].endswith("strides") and said((0, one[0]), "compute", "quiet:"),
        LAID, [(3, 4)], [("view", 0, 1), ("compute", 1, 0)],
    ),
    "kept": (
        lambda one, other: said(other, "the graph a second time")
        and (one[1] == "passes" or said(one, "modified by an inplace")),
        KEPT, [(4,)],
        [("both", 0, 16), ("quiet_view", 1, 19), ("compute", 2, 16), ("several", 3, 1)],
    ),
}  # fmt: skip
