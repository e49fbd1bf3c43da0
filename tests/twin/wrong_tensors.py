"""Right calls with other tensors in them, by chance: `python -m tests.twin.wrong_tensors 40000`.

Of each call in wrong_calls.py one or two of the tensors are of another shape, another dtype or
both. Where two things are wrong PyTorch's order of its checks decides what is said. `-k NAME` runs
calls with this in their text, `--seed` repeats a run.
"""

import argparse
import ast
import collections
import itertools
import random
import re

from tests.twin import mode
from tests.twin.wrong_calls import CALLS
from tests.twin.wrong_kinds import Line, compared

DTYPES = "float32", "float64", "int64", "int32", "uint8", "bool"
SHAPES = (2, 3), (3,), (2,), (1,), (), (1, 1), (0,), (3, 3), (1, 2, 3), (4,)
TENSORS = frozenset("x y v u w b p q i j k m s r c1 k1 c2 k2".split())

# Where both refuse, but not alike, or only one does: (the line, how, why)
KNOWN = [
    (r"[cC]onv", "another class", "of two faults PyTorch names what its kernel lacks"),
    (r"untyped_storage", "another result", "the class of the storage has another name"),
]


def tensors(call) -> list:
    """Where tensors of the setting stand in the call: (column, name)."""
    nodes = ast.walk(ast.parse(call, mode="eval"))
    found = [node for node in nodes if isinstance(node, ast.Name) and node.id in TENSORS]
    return sorted({node.col_offset: node.id for node in found}.items())


def lines(draw, count, only="") -> list:
    """So many, of all calls in turn."""
    calls = [call for call in CALLS if only in call and tensors(call)]
    return [drawn(draw, call) for call in itertools.islice(itertools.cycle(calls), count)]


def drawn(draw, call) -> Line:
    """The call with one or two of its tensors changed."""
    there = tensors(call)
    text = call
    for column, name in sorted(draw.sample(there, min(len(there), 1 + draw.randrange(2))))[::-1]:
        text = text[:column] + other(draw, name) + text[column + len(name) :]
    return Line(call, text, "", "tensors")


def other(draw, name) -> str:
    """A tensor of another dtype, of another shape, or of both."""
    dtype = f"mg.{draw.choice(DTYPES)}"
    what = draw.choice(("dtype", "shape", "both"))
    if what == "dtype":
        return f"{name}.detach().to({dtype})"
    return f"mg.ones({draw.choice(SHAPES)}, dtype={dtype if what == 'both' else f'{name}.dtype'})"


def surprising(torch, found) -> list:
    """(line, how it differs, both answers) of what nobody knows of.

    A NotImplementedError of minigrad that says what it lacks is no difference.
    """
    every = [(line, *compared(torch, line)) for line in found]
    return [one for one in every if one[1] and not (said_so(one[3]) or known(one[0].text, one[1]))]


def said_so(answer) -> bool:
    return answer.error == "NotImplementedError" and answer.text.startswith("minigrad")


def known(text, how) -> str:
    """Why a line differs in this way; "" if nobody knows."""
    return next((why for line, kind, why in KNOWN if kind == how and re.search(line, text)), "")


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.twin.wrong_tensors", description=__doc__)
    parser.add_argument("-k", default="", metavar="NAME", help="calls with this in their text")
    args, torch = mode.drawing(parser)
    found = surprising(torch, lines(random.Random(args.seed), args.count, args.k))
    shown = collections.Counter()
    for line, how, expected, answer in found:
        shown[line.call, how] += 1
        if shown[line.call, how] == 1:
            print(f"{how}: {line.text}\n    PyTorch  {expected}\n    minigrad {answer}")
    print(f"{args.count} lines, seed {args.seed}: {len(found)} differ")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
