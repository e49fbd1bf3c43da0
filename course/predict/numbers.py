"""A guess is a number one may work out on the spot, and its distance is a word: twice too few.

Reads `8192`, `64 * 32 * 4`, and `8 KiB` where bytes are asked for; of what is counted it knows the
word alone.
"""

import ast
import math
import operator
import re

POWERS = {"kib": 2**10, "mib": 2**20, "gib": 2**30}
OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
BYTES = "bytes"  # the one unit that has larger ones
LONGEST = 60
CLOSE = 1.2  # up to this ratio a difference says more than a factor


def hint(unit):
    """How a number of this unit may be written; no card's answer is among the examples."""
    ways = "3 * 1024, or write 3 KiB" if unit == BYTES else "3 * 4"
    return f"Or work it out, as {ways}. Enter locks."


def refusal(unit):
    """What is said of a text that is no number of this unit."""
    ways = "3072, or 3 KiB, or 3 * 1024" if unit == BYTES else "12, or 3 * 4"
    return f"That is no number of {unit}: write {ways}."


def read(text, unit=BYTES):
    """The number in a text, with or without its unit; a ValueError says how to write one."""
    plain = re.sub(r"(?<=\d)[ _,'](?=\d{3}\b)", "", str(text).strip().lower())
    plain = re.sub(rf"(?<=[\d\s.)])({'|'.join(_words(unit))})$", "", plain).strip()
    larger = re.search(r"(?<=[\d\s])([kmg]ib)$", plain) if unit == BYTES else None
    try:
        tree = ast.parse(plain[: larger.start()].strip() if larger else plain, mode="eval")
        number = _value(tree.body) * (POWERS[larger[1]] if larger else 1)
    except (SyntaxError, ValueError, ArithmeticError, MemoryError, RecursionError):
        raise ValueError(refusal(unit)) from None
    if len(plain) > LONGEST or not math.isfinite(number):
        raise ValueError(refusal(unit))
    return int(number) if number == int(number) else number


def _words(unit):
    """What may stand behind the number: the unit, of one or of more, and B for bytes."""
    word = unit.lower()
    return [re.escape(one) for one in (word, word.removesuffix("s"), "b" * (unit == BYTES)) if one]


def _value(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError("no sum of numbers")


def said(number, unit):
    """`8,192 bytes`, `1 byte`."""
    whole = isinstance(number, int) or abs(number) >= 1e5
    text = f"{number:,.0f}" if whole else f"{number:,g}"
    singular = text == "1" and unit.endswith("s") and unit != "times"
    return f"{text} {unit[:-1] if singular else unit}".strip()


def compared(guess, measured, unit):
    """One sentence: what was said, what was measured, and how far they are apart."""
    if guess is None:
        return f"Measured: **{said(measured, unit)}**."
    if guess == measured:
        return f"Right: **{said(measured, unit)}**, exactly."
    distance = far(guess, measured, unit)
    return f"You said {said(guess, unit)}, measured **{said(measured, unit)}**: {distance}."


def far(guess, measured, unit):
    """`twice too few`, `3 times too many`; a difference where a factor says nothing."""
    side = "few" if guess < measured else "many"
    low, high = sorted((guess, measured))
    if low <= 0 or high / low < CLOSE:
        return f"{said(high - low, unit)} too {side}"
    factor = high / low
    times = "twice" if factor == 2 else f"{_short(factor)} times"
    return f"{times} too {side}" if factor == int(factor) else f"about {times} too {side}"


def _short(factor):
    """Three digits, and no exponent: `2.75`, `2,048`."""
    return f"{factor:,.0f}" if factor >= 100 else f"{factor:.3g}"
