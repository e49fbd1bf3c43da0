"""A guess is a number one may work out on the spot, and its distance is a word: twice too few.

Reads `8192`, `8 KiB`, `64 * 32 * 4`; refuses to know what is counted.
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
NO_NUMBER = "That is no number: write 8192, or 8 KiB, or 64 * 32 * 4."
LONGEST = 60
CLOSE = 1.2  # up to this ratio a difference says more than a factor


def read(text):
    """The number in a text; a ValueError says how to write one."""
    plain = re.sub(r"(?<=\d)[ _,'](?=\d{3}\b)", "", str(text).strip().lower())
    plain = re.sub(r"\s*\b(bytes?|b)$", "", plain)
    unit = re.search(r"(?<=[\d\s])([kmg]ib)$", plain)
    try:
        tree = ast.parse(plain[: unit.start()].strip() if unit else plain, mode="eval")
        number = _value(tree.body) * (POWERS[unit[1]] if unit else 1)
    except (SyntaxError, ValueError, ArithmeticError, MemoryError, RecursionError):
        raise ValueError(NO_NUMBER) from None
    if len(plain) > LONGEST or not math.isfinite(number):
        raise ValueError(NO_NUMBER)
    return int(number) if number == int(number) else number


def _value(node):
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)](_value(node.left), _value(node.right))
    raise ValueError(NO_NUMBER)


def said(number, unit):
    """`8192 bytes`, `1 byte`."""
    text = str(number) if isinstance(number, int) else f"{number:g}"
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
    times = "twice" if factor == 2 else f"{factor:.3g} times"
    return f"{times} too {side}" if factor == int(factor) else f"about {times} too {side}"
