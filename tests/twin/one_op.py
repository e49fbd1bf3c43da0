"""One-op programs by chance, on minigrad and on PyTorch: `python -m tests.twin.one_op 20000`.

Prints how often each op met each dtype and layout, and of each kind of difference the shortest line
that shows it. `-k NAME` runs one op; `--seed` repeats a run.
"""

import argparse
import collections
import itertools
import random
from math import prod

import minigrad
from tests.twin import mode
from tests.twin import one_op_judge as judge
from tests.twin import one_op_lines as lines
from tests.twin.known import one_op_reason


def compared(torch, program) -> list:
    """(label, PyTorch's, minigrad's) of what differs."""
    expected = judge.run(torch, program)
    return judge.differences(expected, judge.run(minigrad, program), program)


def surprising(torch, program) -> list:
    """The differences that nobody knows of."""
    found = compared(torch, program)
    return [one for one in found if not one_op_reason(program, *one)]


def drawn(torch, seed, only=""):
    """Programs without end, all operations in turn."""
    draw = random.Random(seed)
    operations = {
        name: parameters
        for name, parameters in lines.operations(minigrad, torch).items()
        if only in ("", name.rpartition(".")[2])
    }
    if not operations:
        raise SystemExit(f"No operation is called {only!r}: a name is its last word, such as add_.")
    while True:
        order = draw.sample(list(operations), len(operations))
        for name in order:
            yield lines.program(draw, name, operations[name])


# -- a shorter line that shows the same --


def shortened(torch, program):
    """The program, made simpler step by step as long as the same thing differs."""
    label = surprising(torch, program)[0][0]
    simpler = True
    while simpler:
        simpler = False
        for other in simplifications(program):
            found = surprising(torch, other)
            if found and found[0][0] == label:
                program, simpler = other, True
                break
    return program


def simplifications(program):
    """Programs that are simpler in one point."""
    if program.seed != ("1.0",):
        yield program._replace(seed=("1.0",))
    for name, given in program.operands.items():
        for other in simpler_operands(given):
            yield program._replace(operands=program.operands | {name: other})


def simpler_operands(given):
    size = prod(given.shape)
    if given.grad:
        yield given._replace(grad=False)
    if given.layout not in ("contiguous", "number", "empty"):
        yield given._replace(layout="contiguous", values=(given.values * size)[:size])
    if size > 1 and given.layout == "contiguous":
        for value in dict.fromkeys(given.values):
            yield given._replace(shape=(1,), values=(value,))
    if given.dtype in ("float64", "float16"):
        yield given._replace(dtype="float32")
    for i, value in enumerate(given.values):
        if value not in ("1.0", "1", "True", "False"):
            one = "1.0" if given.dtype.startswith("float") else "1"
            yield given._replace(values=(*given.values[:i], one, *given.values[i + 1 :]))


def explained(torch, program) -> str:
    """The shortest program, and what both say."""
    short = shortened(torch, program)
    said = [f"    {label}\n        PyTorch  {one}\n        minigrad {other}"
            for label, one, other in surprising(torch, short)]  # fmt: skip
    return "\n".join([str(short), *said])


# -- the command --


class Met:
    """How often each op was drawn with an `x` of each dtype and layout."""

    def __init__(self):
        self.counts = collections.Counter()

    def note(self, program):
        given = program.operands.get("x")
        self.counts[program.op, *((given.dtype, given.layout) if given else ("-", "-"))] += 1

    def lines(self):
        """One for each op: how many programs, and how many there were of each dtype and layout."""
        for op in sorted({op for op, *_ in self.counts}):
            parts = [self.by(op, place) for place in (1, 2)]
            yield f"{op:16}{' | '.join(parts)}"

    def by(self, op, place) -> str:
        found: collections.Counter = collections.Counter()
        for key, count in self.counts.items():
            if key[0] == op:
                found[key[place]] += count
        return " ".join(f"{name} {count}" for name, count in sorted(found.items()))


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.twin.one_op", description=__doc__)
    parser.add_argument("-k", default="", metavar="NAME", help="one op alone")
    args, torch = mode.drawing(parser)
    met, seen, known = Met(), {}, 0
    differ: collections.Counter = collections.Counter()
    for program in itertools.islice(drawn(torch, args.seed, args.k), args.count):
        met.note(program)
        found = compared(torch, program)
        new = [one for one in found if not one_op_reason(program, *one)]
        known += bool(found) and not new
        for label, one, other in new[:1]:
            text = str((one or other)[1])[:40] if "error" in label else ""
            key = judge.kind(label, one, other), program.op.rpartition(".")[2], label, text
            differ[key] += 1
            seen.setdefault(key, program)
    print("\n".join(met.lines()))
    for key, program in sorted(seen.items()):
        print(f"\n== {differ[key]} x {' '.join(key)}\n{explained(torch, program)}")
    print(f"\nseed {args.seed}: {args.count} programs, {known} differ as is known,", end=" ")
    print(f"{differ.total()} otherwise")
    return 1 if differ else 0


if __name__ == "__main__":
    raise SystemExit(main())
