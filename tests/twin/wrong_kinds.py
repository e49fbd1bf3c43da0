"""Right calls with one thing wrong, on minigrad and on PyTorch: `python -m tests.twin.wrong_kinds`.

Of each call in wrong_calls.py every argument in turn, and every element of a tuple or list, is of a
wrong kind; an argument is missing, or all are, is one too many, or has a name that nobody knows.
`-k NAME` runs one call; `-v` prints each line that differs.
"""

import argparse
import ast
import collections
import re
import warnings
from typing import NamedTuple

import numpy as np

import minigrad
from course.twin.compare import same_names
from tests.twin import mode
from tests.twin.wrong_calls import CALLS, SETTING

KINDS = {  # what stands where another thing should
    "int": "3", "float": "1.5", "bool": "True", "None": "None", "str": "'a'", "list": "[1.0, 2.0]",
    "array": "np.ones(2)", "scalar of numpy": "np.float32(1)", "tuple": "(1, 2)", "module": "math",
    "dtype": "mg.float32", "dict": "{}", "object": "object", "complex": "1j",
}  # fmt: skip
OF_ONE = {  # and where a whole number should
    "tensor": "mg.tensor(1)", "vector": "mg.tensor([1])", "truth": "mg.tensor(True)",
    "byte": "mg.tensor(1, dtype=mg.uint8)", "array of 1": "np.array(1)",
}  # fmt: skip
OF_ANY = {  # and where any number should
    "wanting": "mg.tensor(0.5, requires_grad=True)", "in a graph": "r[0] * 0.5",
    "of no axis": "mg.tensor(0.5)", "double of numpy": "np.float64(0.5)",
}  # fmt: skip
# A sentence of PyTorch's parser for one argument that must be a tensor.
OF_A_TENSOR = re.compile(r"^\w+\(\): argument '\w+'( \(position \d+\))? must be Tensor, not \S+$")
# The same of any argument: where both engines say it, they say the same.
OF_AN_ARGUMENT = re.compile(
    r"^\w+\(\): argument '\w+'( \(position \d+\))? must be [\w ]+, not \S+$"
)
# A fault of PyTorch's own, as it says itself.
OWN_FAULT = re.compile("INTERNAL ASSERT|Could this error message be improved")
INNER = re.compile(
    r"\b_(?:array|storage|edge|requires_grad|new|base)\b|ufunc|UFunc|numpy\.dtype"
    r"|<lambda>|\b(?:call|method|checked|computed|apply|apply_view|forward|inner)\(\)|core\.|DType"
    r"|has no attribute|cannot be interpreted|not supported between|not iterable|not subscriptable"
    r"|has no len|could not be broadcast|setting an array|dispatcher|to unpack|must be real number"
    r"|unsupported operand|not callable|axis .* is out of bounds"
)


class Line(NamedTuple):
    """One call with one thing wrong."""

    call: str  # the right one
    text: str
    where: str  # the number or the name of the argument
    kind: str


class Said(NamedTuple):
    """What an engine does: an error of this class and text, or a result."""

    error: str
    text: str

    def __str__(self):
        return f"{self.error or 'a result'}: {self.text}"


def lines(only="") -> list:
    """Every line there is."""
    return [line for call in CALLS if only in call for line in wrong(call)]


def wrong(call) -> list:
    """The call with one thing wrong in it, in each way."""
    found = []
    for place in places(ast.parse(call, mode="eval").body):
        for kind, text in KINDS.items():
            found.append(Line(call, replaced(call, place, text), str(place), kind))
        found.append(Line(call, replaced(call, place, None), str(place), "missing"))
    for number in range(len(elements(ast.parse(call)))):
        for kind, text in KINDS.items():
            found.append(Line(call, with_element(call, number, text), f"element {number}", kind))
    for number in range(len(whole_numbers(ast.parse(call))) if ".nn." not in call else 0):
        for kind, text in OF_ONE.items():
            found.append(Line(call, with_number(call, number, text), f"number {number}", kind))
    for number in range(len(whole_numbers(ast.parse(call), int, float))):
        for kind, text in OF_ANY.items():
            changed = with_number(call, number, text, int, float)
            found.append(Line(call, changed, f"any number {number}", kind))
    if isinstance(ast.parse(call, mode="eval").body, ast.Call):
        found.append(Line(call, emptied(call), "", "nothing"))
        found.append(Line(call, added(call, "3"), "", "one too many"))
        found.append(Line(call, added(call, "3", "what"), "", "unknown keyword"))
    return found


def places(tree) -> list:
    """The numbers and names of the arguments; of an operation of two its right side."""
    if isinstance(tree, ast.Call):
        return [*range(len(tree.args)), *(one.arg for one in tree.keywords)]
    return ["right"]


def elements(tree) -> list:
    """(a tuple or list, the place of an element in it), of all that are written out in the call."""
    several = [node for node in ast.walk(tree) if isinstance(node, (ast.Tuple, ast.List))]
    return [(node, i) for node in several for i in range(len(node.elts))]


def with_element(call, number, text) -> str:
    """The call, with this text for that element."""
    tree = ast.parse(call, mode="eval")
    node, place = elements(tree)[number]
    node.elts[place] = ast.parse(text, mode="eval").body
    return ast.unparse(tree)


def whole_numbers(tree, *kinds) -> list:
    """The whole numbers, or those of these kinds, that are written out in the call."""
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [node for node in constants if type(node.value) in (kinds or [int])]


def with_number(call, number, text, *kinds) -> str:
    """The call, with this text for that number."""
    tree = ast.parse(call, mode="eval")
    whole_numbers(tree, *kinds)[number].value = mark = 987654321
    return ast.unparse(tree).replace(str(mark), text)


def replaced(call, place, text) -> str:
    """The call, with this text for one argument; without it, for None."""
    tree = ast.parse(call, mode="eval").body
    value = [] if text is None else [ast.parse(text, mode="eval").body]
    if isinstance(tree, ast.BinOp):
        tree.right = value[0] if value else tree.left
    elif isinstance(tree, ast.Call) and isinstance(place, int):
        tree.args[place : place + 1] = value
    elif isinstance(tree, ast.Call):
        kept = [one for one in tree.keywords if one.arg != place]
        tree.keywords = kept + [ast.keyword(place, one) for one in value]
    return ast.unparse(tree)


def emptied(call) -> str:
    """The call, without its arguments that have no name."""
    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call)
    tree.args = []
    return ast.unparse(tree)


def added(call, text, name=None) -> str:
    """The call with one argument more."""
    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call)
    value = ast.parse(text, mode="eval").body
    if name:
        tree.keywords.append(ast.keyword(name, value))
    else:
        tree.args.append(value)
    return ast.unparse(tree)


def said(mg, text) -> Said:
    """What this engine says to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names: dict = {}
        exec(SETTING, {"mg": mg}, names)
        names |= {"mg": mg, "np": np, "math": __import__("math"), "F": mg.nn.functional}
        try:
            result = eval(text, names)
        except Exception as error:
            return Said(type(error).__name__, plainly(str(error)))
        return Said("", shown(mg, result))


def plainly(text) -> str:
    """A class that PyTorch makes in C has its module's name in Python's own errors."""
    return re.sub(
        r"'torch\.dtype'( object|$)|'torch\.dtype'(?= and)", r"'dtype'\1", same_names(text)
    )


def shown(mg, result) -> str:
    """What kind of result it is; of its numbers other tests know."""
    if isinstance(result, mg.Tensor):
        return f"{str(result.dtype).rpartition('.')[2]} {list(result.shape)}"
    if isinstance(result, (list, tuple)):
        return f"[{', '.join(shown(mg, one) for one in result)}]"
    return type(result).__name__


def difference(expected: Said, found: Said) -> str:
    """How minigrad's answer is another; "" if it is not."""
    if set(INNER.findall(found.text)) - set(INNER.findall(expected.text)):
        return "inner words" if found.error else ""
    if OWN_FAULT.search(expected.text):
        return ""
    if bool(expected.error) != bool(found.error):
        return "accepted" if expected.error else "refused"
    if not expected.error:
        return "" if expected == found else "another result"
    both = OF_AN_ARGUMENT.match(expected.text) and OF_AN_ARGUMENT.match(found.text)
    if both or OF_A_TENSOR.match(expected.text):
        return "" if expected == found else "another sentence"
    return "" if expected.error == found.error else "another class"


def compared(torch, line) -> tuple:
    """(how they differ, what PyTorch says, what minigrad says)."""
    expected, found = said(torch, line.text), said(minigrad, line.text)
    how = difference(expected, found)
    if line.kind == "complex" and found.error:
        how = ""  # minigrad has no complex numbers
    if line.kind in OF_ANY and found.error == "NotImplementedError":
        how = ""  # and says of some functions that they take no tensors there
    return how, expected, found


def called(text) -> str:
    """The name that is called in a line: `.sum` is a method; of an operation the line itself."""
    tree = ast.parse(text, mode="eval").body
    if not isinstance(tree, ast.Call):
        return ast.unparse(tree)
    name = ast.unparse(tree.func)
    return re.sub(r"^(\w|x\.sum\(\))(?=\.\w+$)(?<!F)", "", name)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.twin.wrong_kinds", description=__doc__)
    parser.add_argument("-k", default="", metavar="NAME", help="calls with this in their text")
    parser.add_argument("-v", action="store_true", help="each line that differs")
    parser.add_argument("--only", default="", help="differences of this kind")
    args = parser.parse_args()
    if reason := mode.why_not_live():
        print(f"not run: {reason}")
        return 1
    import torch

    counts: collections.Counter = collections.Counter()
    for line in lines(args.k):
        kind, expected, found = compared(torch, line)
        counts[kind] += 1
        if kind and args.v and args.only in kind:
            print(f"{kind}: {line.text}\n    PyTorch  {expected}\n    minigrad {found}")
    print(", ".join(f"{count} {kind or 'alike'}" for kind, count in counts.most_common()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
