"""Random programs of any operations, on both: `python -m tests.twin.any_programs 1000`.

Prints each kind of difference once, as the shortest program that shows it; `--met` says how often
each operation met each dtype and layout, `--seed` repeats a run.
"""

import argparse
import collections
import sys

import numpy as np

import minigrad
from tests.twin import any_steps, mode
from tests.twin import one_op_judge as judge
from tests.twin.any_machine import Machine
from tests.twin.known import any_reason, one_op_reason
from tests.twin.one_op import Met

UNSAID = "(nothing)"
EPSILON = judge.EPSILON | {"bool": 0, "int64": 0, "int32": 0, "uint8": 0}


def looks(seed) -> bool:
    """Some programs never ask for a grad_fn: asking gives a view a new node."""
    return seed % 3 != 0


def drawn(torch, seed) -> list:
    """The steps of the program of this number."""
    machine = Machine(torch, looks(seed))
    return any_steps.drawer(machine, torch, seed).program()


def said(mg, steps, seed, reference=None) -> list:
    return Machine(mg, looks(seed), reference).run(steps)


class Difference(Exception):
    """Where two engines differ, as (number of the step, label, PyTorch's, minigrad's)."""


def difference(torch, steps, seed):
    """The first difference that nobody knows of, or None."""
    theirs = said(torch, steps, seed)
    ours = said(minigrad, steps, seed, theirs)
    doubt = Doubt()
    for number, (one, other) in enumerate(zip(theirs, ours, strict=True)):
        step = steps[number] if number < len(steps) else any_steps.Step("end", "", {})
        doubt.note(step, one)
        found = first(step, one, other, doubt)
        if found == "known" or (found and doubt.breaks):
            return None
        if found:
            return number, *found
        doubt.breaks = doubt.breaks or judge.breaks(step) or judge.half_done(step, one)
    return None


class Doubt:
    """How large the numbers of a program have been, and how few digits they have."""

    def __init__(self):
        self.scale, self.epsilon = 1.0, 0.0
        self.breaks = ""  # why a backward is none of ours to compare

    def note(self, step, one):
        dtypes = [given.dtype for given in step.operands.values()]
        dtypes += [name for name in judge.EPSILON if name in step.line]
        self.epsilon = max([self.epsilon, *(EPSILON[name] for name in dtypes)])
        grown = 16 if step.op.endswith("_norm") else 1  # a normalized constant: rounded, then large
        large = (grown * judge.largest(x.values) for x in step.operands.values())
        self.scale = max([self.scale, *large])
        for value in one.values():
            if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
                finite = np.abs(value[np.isfinite(value)].astype(float))
                self.scale = max(self.scale, finite.max(initial=0.0))
                self.epsilon = max(self.epsilon, EPSILON[value.dtype.name])

    def same(self, one, other) -> bool:
        """Gradients: sums of products, whose terms may cancel."""
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        one, other = (np.asarray(a, dtype=np.float64) for a in (one, other))
        room = 64 * self.epsilon * max(self.scale, 1.0)
        with np.errstate(all="ignore"):
            near = np.abs(one - other) <= room + 64 * self.epsilon * np.abs(one)
        return bool((near | (one == other) | (np.isnan(one) & np.isnan(other))).all())


def first(step, one, other, doubt):
    """The first difference of a step, "known" if it is known, or None."""
    if judge.lacking(other):
        return "known"
    either = "error" in one or "error" in other
    for label in ["error"] if either else dict.fromkeys([*one, *other]):
        a, b = one.get(label, UNSAID), other.get(label, UNSAID)
        if alike(step, label, a, b, doubt):
            continue
        both = (None if a is UNSAID else a, None if b is UNSAID else b)
        known = one_op_reason(step, label, *both) or any_reason(step, label, *both)
        if known or judge.undefined(label, *both, step):
            return "known"
        return label, a, b
    return None


def alike(step, label, one, other, doubt) -> bool:
    if label.endswith(("grad", "bytes", "value")) and isinstance(one, np.ndarray):
        if not isinstance(other, np.ndarray):
            return False
        own = label.startswith("result") and judge.alike(label, one, other, step)
        return own or doubt.same(one, other)
    if label == "error":
        both = (None if v is UNSAID else v for v in (one, other))
        return judge.same_error(*both)
    return type(one) is type(other) and one == other


# -- shorter programs that show the same --


def shortest(torch, steps, seed):
    """The program without each step that the difference does not need."""
    wanted = kind(steps, difference(torch, steps, seed))
    for place in reversed(range(len(steps))):
        fewer = steps[:place] + steps[place + 1 :]
        found = difference(torch, fewer, seed)
        if found and kind(fewer, found) == wanted:
            steps = fewer
    return steps


def kind(steps, found):
    """What two differences have in common that are mended together, roughly."""
    number, label, one, other = found
    step = steps[number] if number < len(steps) else any_steps.Step("end", "", {})
    text = str((one, other))[:80] if label == "error" else ""
    return step.op, step.line if step.op in any_steps.KINDS else "", label.split(": ")[-1], text


def explained(steps, found) -> str:
    number, label, one, other = found
    text = "\n".join(f"    {line}" for step in steps for line in str(step).split("\n"))
    return f"{text}\n  step {number}, {label}\n    PyTorch  {one}\n    minigrad {other}"


def programs(torch, start, count, met=None):
    """(seed, steps, difference) of the programs that differ."""
    for seed in range(start, start + count):
        steps = drawn(torch, seed)
        if met:
            for step in steps:
                met.note(step)
        if difference(torch, steps, seed):
            steps = shortest(torch, steps, seed)
            yield seed, steps, difference(torch, steps, seed)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.twin.any_programs", description=__doc__)
    parser.add_argument("--met", action="store_true")
    args, torch = mode.drawing(parser, apart=1000)
    met = Met()
    kinds: collections.Counter = collections.Counter()
    for seed, steps, found in programs(torch, args.seed, args.count, met if args.met else None):
        kinds[kind(steps, found)] += 1
        if kinds[kind(steps, found)] == 1:
            print(f"\n{seed}:\n{explained(steps, found)}", flush=True)
    print("\n".join(met.lines()))
    for one, count in kinds.most_common():
        print(count, one)
    print(f"{args.count} programs from {args.seed} on, {kinds.total()} differ")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
