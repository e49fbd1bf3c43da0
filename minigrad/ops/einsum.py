"""einsum: a sum of products, spelled with letters; made of permutes, views and one bmm a pair."""

from __future__ import annotations

import re
from collections import Counter
from math import prod
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.ops import messages
from minigrad.ops.matmul import bmm
from minigrad.ops.views import reshape

DOTS = "..."
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # PyTorch's order


def einsum(equation, *operands):
    """einsum("ij,jk->ik", x, y), or einsum(x, [0, 1], y, [1, 2], [0, 2])."""
    if isinstance(equation, Tensor):
        equation, operands = _spelled(equation, *operands)
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not operands:
        raise ValueError(messages.EINSUM_OF_NOTHING)
    return _einsum(equation, operands)


def _einsum(equation, operands):
    left, arrow, right = equation.partition("->")
    labels = _inputs(left, len(operands))
    plan = Plan(
        labels, operands, _row(right, len(left) + 2, messages.DOTS_OF_OUTPUT) if arrow else None
    )
    terms = [
        plan.aligned(i, x, row) for i, (x, row) in enumerate(zip(operands, labels, strict=True))
    ]
    while len(terms) > 1:
        terms[:2] = [plan.pair(*terms[:2])]
    return plan.finished(terms[0], len(operands))


def _spelled(*mixed):
    """The form with lists of numbers as letters."""
    rows = [_letters(row) for row in mixed[1::2]]
    operands, result = mixed[::2], None
    if len(mixed) % 2:
        operands, result = mixed[:-1:2], _letters(mixed[-1])
    return ",".join(rows) + ("" if result is None else "->" + result), operands


def _letters(row) -> str:
    return "".join(DOTS if n is Ellipsis else LETTERS[n] for n in row)


# -- reading the equation --


def _inputs(text, count) -> list:
    """A list of labels for each operand; `...` is one of them."""
    rows, start, found = text.split(","), 0, []
    if len(rows) != count:
        few = "fewer" if len(rows) > count else "more"
        raise RuntimeError(f"einsum(): {few} operands were provided than specified in the equation")
    for i, row in enumerate(rows):
        found.append(_row(row, start, messages.DOTS_OF_OPERAND, i))
        start += len(row) + 1
    return found


def _row(text, start, words, i=None) -> list:
    """The labels of one operand, or of the output; spaces mean nothing."""
    found: list[str] = []
    for label in re.finditer(r"\.\.\.|\S", text):
        if label[0][0] == "." and (DOTS in found or label[0] == "."):
            raise RuntimeError(words[DOTS not in found].format(i))
        if label[0] != DOTS and label[0] not in LETTERS:
            raise RuntimeError(messages.NO_SUBSCRIPT.format(start + label.start()))
        found.append(label[0])
    return found


class Plan:
    """Where each label stands: first the axes of the result, then those that are summed."""

    def __init__(self, labels, operands, output):
        count = Counter(label for row in labels for label in row if label != DOTS)
        self.covered = [*map(_covered, range(len(labels)), labels, operands)]
        self.dots = max(self.covered)
        if output is None:
            output = [DOTS, *(label for label in LETTERS if count[label] == 1)]
        self.place: dict[str, int] = {}
        for label in output:
            self._check(label, count)
            self._add(label)
        self.kept = self.size
        for label in [DOTS, *(label for label in LETTERS if count[label])]:
            if label not in self.place:
                self._add(label)
        self.lengths: Counter = Counter()  # of each axis of the whole, once it is known
        self.users = [0] * self.size  # how many operands still have this axis
        self.names = {at: label for label, at in self.place.items()}

    size = 0

    def _add(self, label) -> None:
        self.place[label] = self.size
        self.size += self.dots if label == DOTS else 1

    def _check(self, label, count) -> None:
        if label != DOTS and (label in self.place or not count[label]):
            why = (
                "appears more than once in the output"
                if label in self.place
                else "does not appear in the equation for any input operand"
            )
            raise RuntimeError(f"einsum(): output subscript {label} {why}")

    # -- one operand --

    def aligned(self, i, x, row):
        """Operand `i` with all axes of the plan, in its order; those it lacks have length 1."""
        order: list[Any] = [None] * self.size
        dim = 0
        for label in row:
            for at in self._axes(i, label):
                if order[at] is None:
                    self._note(i, label, at, dim, x._array.shape[dim])
                    order[at], dim = dim, dim + 1
                else:
                    x = _diagonal(x, order[at], dim, label, i)
        for at, known in enumerate(order):
            if known is None:
                x, order[at], dim = x.unsqueeze(dim), dim, dim + 1
        return x.permute(order)

    def _axes(self, i, label):
        """The places of a label: of `...` as many as the operand has there, the last ones."""
        first = self.place[label]
        if label != DOTS:
            return [first]
        here = self.covered[i]
        return range(first + self.dots - here, first + self.dots)

    def _note(self, i, label, at, dim, n) -> None:
        """Axis `at` has length `n` in operand `i`: as before, or it was 1."""
        if n == 1:
            return
        if self.lengths.setdefault(at, n) != n:
            raise RuntimeError(_other_length(i, label, dim, n, self.lengths[at]))
        self.users[at] += 1

    # -- two operands --

    def pair(self, x, y):
        """The product of two, summed over the axes that no other operand has."""
        both: list[int] = []
        of_x: list[int] = []
        of_y: list[int] = []
        for at in range(self.kept, self.size):
            here = x._array.shape[at] != 1, y._array.shape[at] != 1
            if all(here):
                self.users[at] -= 1
                if self.users[at] == 1:
                    both.append(at)
                    self.users[at] = 0
            elif self.users[at] == 1 and any(here):
                (of_x if here[0] else of_y).append(at)
                self.users[at] = 0
        x = x.sum(of_x, True) if of_x else x
        y = y.sum(of_y, True) if of_y else y
        return product(x, y, both) if both else x * y

    def finished(self, x, count):
        """Without the axes that were summed."""
        if self.size == self.kept:
            return x
        if count > 1:
            return x.view(x._array.shape[: self.kept])
        return x.sum(tuple(range(self.kept, self.size)))


def _covered(i, row, x) -> int:
    """How many axes the `...` of operand `i` stands for."""
    named, dots = len(row) - (DOTS in row), DOTS in row
    n = x._array.ndim
    if named > n or (named < n and not dots):
        more = ") is more than" if dots else ") does not match"
        tail = "" if dots else " and no ellipsis was given"
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({named}{more} the number of "
            f"dimensions ({n}) for operand {i}{tail}"
        )
    return n - named if dots else 0


def _other_length(i, label, dim, n, seen) -> str:
    if label != DOTS:
        return (
            f"einsum(): subscript {label} has size {n} for operand {i} which does not broadcast "
            f"with previously seen size {seen}"
        )
    return (
        f"einsum(): dimension {dim} covered by ellipsis in operand {i}has size {n} which does not "
        f"broadcast with previously seen ellipsis with size {seen} for the respective dimension"
    )


def _diagonal(x, first, second, label, i):
    """A label that is named twice: the elements where both axes have the same index."""
    n, m = x._array.shape[second], x._array.shape[first]
    if n != m:
        raise RuntimeError(
            f"einsum(): subscript {label} is repeated for operand {i} but the sizes don't match, "
            f"{n} != {m}"
        )
    x = x.diagonal(0, first, second)
    rest = list(range(x._array.ndim - 1))
    return x.permute(rest[:first] + [len(rest)] + rest[first:])


def product(x, y, summed):
    """The sum of x * y over some axes, as one batched matrix product; they stay, of length 1."""
    shapes = list(zip(x._array.shape, y._array.shape, strict=True))
    shared, left, right = _roles(shapes, summed)
    if left and right and right[-1] < left[0]:  # the product then lies as it is wanted
        x, y, left, right = y, x, right, left
    length = [n if m == 1 else m for n, m in shapes]
    order = shared + left + summed + right
    x = _as_three(x, shared, left, summed, right)
    y = _as_three(y, shared, summed, right, left)
    out = bmm(x, y).view([1 if at in summed else length[at] for at in order])
    return out.permute(sorted(range(len(order)), key=order.__getitem__))


def _as_three(x, batch, rows, columns, none):
    """A stack of matrices of a tensor: three groups of axes, and one whose axes it has not."""
    parts = [prod(x._array.shape[at] for at in part) for part in (batch, rows, columns)]
    return reshape(x.permute(batch + rows + columns + none), parts)


def _roles(shapes, summed) -> tuple:
    """The axes that stay: of both, of the first alone, and all others."""
    free = [at for at in range(len(shapes)) if at not in summed]
    shared = [at for at in free if 1 not in shapes[at]]
    left = [at for at in free if shapes[at][0] != 1 and shapes[at][1] == 1]
    return shared, left, [at for at in free if shapes[at][0] == 1]
