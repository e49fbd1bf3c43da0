"""What saved-tensor hooks are given by any one op: which tensors, in which order, and when back."""

import os
import warnings

import pytest

import minigrad
from minigrad.core import op, saved
from tests.twin import one_op
from tests.twin import one_op_judge as judge

# What it saves of its groups are outputs of its node in PyTorch, with a way to it; here numbers.
APART = {"nn.functional.group_norm"}
COUNT = int(os.environ.get("MINIGRAD_LINES", 300))
SEED = int(os.environ["MINIGRAD_MOVED"])


def calls(mg, program) -> list | None:
    """The calls of both hooks in a forward and two backwards; None if the program is refused."""
    names = judge.namespace(mg)
    names |= {name: eval(str(given), names) for name, given in program.operands.items()}
    seen: list = []

    def told(what):
        def hook(tensor):
            known = [n for n in program.operands if is_at(names[n], tensor)]
            # How often an op has written to what it makes itself is its own business.
            version = tensor._version if known else None
            facts = tuple(tensor.shape), str(tensor.dtype).rpartition(".")[2], version
            node = tensor.grad_fn.name() if tensor.grad_fn else None
            graph = (tensor.requires_grad, tensor.is_leaf, node) if what == "pack" else ()
            seen.append((what, known, *facts, *graph))
            return tensor

        return hook

    def is_at(operand, tensor):
        is_one = isinstance(operand, mg.Tensor) and operand.numel()
        return is_one and operand.data_ptr() == tensor.data_ptr()

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with mg.autograd.graph.saved_tensors_hooks(told("pack"), told("unpack")):
                result = eval(program.line, names)
            roots = [t for t in judge.flat(result, mg) if t.requires_grad and t.is_floating_point()]
            for keep in (True, False) if roots else ():
                seeds = [judge.seed(mg, root, program.seed) for root in roots]
                mg.autograd.backward(roots, seeds, retain_graph=keep)
    except Exception:  # test_one_op compares what is refused
        return None
    return seen


def differing(torch, seed, count) -> list:
    """(program, PyTorch's calls, minigrad's) where both have some, and not the same.

    Lines are drawn until there are `count`, and a twelfth as many have saved something.
    """
    rows, saving = [], 0
    for program in one_op.drawn(torch, seed):
        if program.op in APART:
            continue
        rows.append((program, calls(torch, program), calls(minigrad, program)))
        saving += bool(rows[-1][1])
        if len(rows) >= count and saving >= count / 12:
            break
        assert len(rows) < 10 * count, "too few programs save anything"
    return [row for row in rows if None not in row[1:] and row[1] != row[2]]


def test_hooks_see_what_they_see_in_pytorch(torch):
    wrong = differing(torch, SEED, COUNT)
    shown = "\n".join(f"{program}\n  PyTorch  {one}\n  minigrad {other}"
                      for program, one, other in wrong[:3])  # fmt: skip
    assert not wrong, f"{len(wrong)} of {COUNT} lines under seed {SEED} differ:\n{shown}"


PLANTED = {
    "nothing needs a gradient": (op, "gradients_wanted", lambda op, given: (True,) * 9),
    "in another order": (saved, "in_order", lambda saves: range(len(saves))[::-1]),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(torch, monkeypatch, name):
    monkeypatch.setattr(*PLANTED[name])
    assert differing(torch, SEED, 300)
