"""Two runs are twins when their reports, turned into plain data, say the same.

A run reports through `Report`: values, flags, reprs, errors, warnings, bytes. What differs by
nature is taken out first: addresses, the engine's own name in reprs of types, and torch's
"(Triggered internally at ...)". Messages of errors keep their `torch.`: minigrad says it too.
Refuses to know which engine it looks at.
"""

import functools
import math
import re
import warnings

ADDRESS = re.compile(r"0x[0-9a-f]+")
GUESS = re.compile(r"\. Did you mean '\w+'\?$")
INTERNAL = re.compile(r"\s*\(Triggered internally at .*?\)|\nException raised from .*", re.DOTALL)
ENGINE = re.compile(r"\bminigrad\.(?=[A-Za-z_])")
RELATIVE, ABSOLUTE = 1e-5, 1e-6


def clean(text):
    """A message: without addresses, where in C++ it came from, and newer Pythons' guesses."""
    return GUESS.sub("", INTERNAL.sub("", ADDRESS.sub("0x..", text))).rstrip()


def same_names(text):
    """A repr: cleaned, with torch's name in place of minigrad's."""
    return ENGINE.sub("torch.", clean(text))


def number(value):
    """A float as JSON can carry it."""
    return value if math.isfinite(value) else {"float": str(value)}


def plain(value):
    """Turn `value` into data that JSON carries and that holds no tensor alive."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return same_names(value)
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        kind = same_names(f"{value.dtype} {list(value.shape)}")
        return {"tensor": kind, "values": plain(value.tolist())}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return same_names(str(value))


class Report:
    """What one run says: a list of [label, plain value]; bytes count from its start."""

    def __init__(self, mg):
        self.mg, self.entries = mg, []
        self.start = mg.memory_allocated()
        mg.reset_peak_memory_stats()

    def __call__(self, label, value):
        self.entries.append([label, plain(value)])

    def live(self, label):
        """Report the bytes alive, counted from the start of the run."""
        self(f"{label}: live", self.mg.memory_allocated() - self.start)

    def peak(self, label):
        """Report the highest live bytes since the start or the last peak, and begin anew."""
        self(f"{label}: peak", self.mg.max_memory_allocated() - self.start)
        self.mg.reset_peak_memory_stats()

    def error(self, label, function, *args, **kwargs):
        """Report how the call ends: its error's class and message, or "passes"."""
        try:
            function(*args, **kwargs)
        except Exception as error:
            self.entries.append([label, [type(error).__name__, clean(str(error))]])
        else:
            self(label, "passes")

    def warned(self, label, function, *args, **kwargs):
        """Report the warnings of the call; return its result."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(*args, **kwargs)
        found = [[w.category.__name__, clean(str(w.message))] for w in caught]
        self.entries.append([label, found])
        return result


def alike(one, other, relative=RELATIVE, absolute=ABSOLUTE):
    """Are two pieces of plain data equal, floats up to rounding?"""
    again = functools.partial(alike, relative=relative, absolute=absolute)
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=relative, abs_tol=absolute)
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(again, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(again(one[key], other[key]) for key in one)
    return one == other


MISSING = "(not reported)"


def differences(expected, actual, relative=RELATIVE, absolute=ABSOLUTE):
    """List (label, expected, actual) where two reports differ; a repeated label gets a count."""
    expected, actual = counted(expected), counted(actual)
    labels = list(dict.fromkeys([*expected, *actual]))
    pairs = [(label, expected.get(label, MISSING), actual.get(label, MISSING)) for label in labels]
    return [pair for pair in pairs if not alike(pair[1], pair[2], relative, absolute)]


def counted(entries):
    """A report as a dict; the second `x` becomes `x (2)`."""
    found: dict = {}
    for label, value in entries:
        copies = sum(key == label or key.startswith(f"{label} (") for key in found)
        found[f"{label} ({copies + 1})" if copies else label] = value
    return found
