"""Where minigrad knowingly differs from PyTorch: {case: {label: reason}}.

The suite still runs these and asserts that they do differ: a reason that has gone stale fails.
"""

VIEW = "a write through a view of a graph tensor raises here: minigrad records writes by the base"
STRIDED = "PyTorch regenerates the view's node as AsStrided; minigrad keeps the one that was saved"
SEVERAL = "PyTorch guards views of several outputs apart; minigrad finds the version changed (M2)"
RULE = "a minigrad node is an instance of its op class, so the forward rule is in sight"
KERNEL = "the text of PyTorch's kernel; minigrad says the same in its own words"
REFLECTED = "minigrad's operators raise for a wrong operand instead of leaving it to the other side"
MODULE = "minigrad's Module keeps no registry, so it needs no super().__init__()"

KNOWN_DIFFERENCES = {
    "c7_view_write": dict.fromkeys(["write", "values", "names", "gradient"], VIEW),
    "m2_versions": dict.fromkeys(["output of t", "output of t, a mere read"], STRIDED),
    "m2_more": {"output 1 of chunk, its neighbour changed": SEVERAL},
    "002_nodes": {"forward or run": RULE},
    "bad_views": {"select": KERNEL},
    "bad_kinds": {"str + tensor": REFLECTED},
    "nn_errors": {"no super().__init__()": MODULE},
}
