"""A case is a plain function of an engine and a report; this file finds and runs them.

`@case("title")` registers `case_name(mg, out)`. The title names the row of the behaviour
reference it proves. Refuses to know what any case is about.
"""

import gc
import importlib
import math
import warnings
from pathlib import Path

from course.twin.compare import Report, alike, clean, differences

CASES: dict = {}  # name -> (title, function)
HERE = Path(__file__).parent


def case(title):
    def register(function):
        add(function.__name__.removeprefix("case_"), title, function)
        return function

    return register


def add(name, title, function):
    if name in CASES:
        raise ValueError(f"two twin cases are called {name!r}: rename one of them")
    CASES[name] = (title, function)


def all_cases():
    """Import every cases_*.py and return {name: (title, function)}, in file and source order."""
    for path in sorted(HERE.glob("cases_*.py")):
        importlib.import_module(f"tests.twin.{path.stem}")
    ordered = sorted(CASES.items(), key=_file)  # whatever was imported first
    CASES.clear()
    CASES.update(ordered)
    return CASES


def _file(item):
    _, (_, function) = item
    return getattr(function, "func", function).__module__  # of a partial, of what it calls


def empty_the_queue(mg):
    """Let torch forget a failed backward: its ready nodes and their gradients wait in a queue of
    the thread, alive until the next backward finds them there."""
    (mg.ones(1, requires_grad=True) + 1).backward()


def run_case(function, mg):
    """Run one case with the collector off; return its entries, a stray error as the last one."""
    empty_the_queue(mg)
    gc.collect()
    gc.freeze()  # the next collection then need not look through a whole library again
    gc.disable()
    out = Report(mg)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mg.manual_seed(0)
            function(mg, out)
    except (Exception, RecursionError) as error:
        out.entries.append(["the case ended in", [type(error).__name__, clean(str(error))]])
    finally:
        gc.enable()
        mg.set_grad_enabled(True)
    return out.entries


def check_alike(case, torch, tolerance, what) -> None:
    """minigrad says what PyTorch says, within a (relative, absolute) tolerance of its numbers.

    A small sum of large numbers is rounded as they are: the absolute one is of the largest number
    of an answer.
    """
    expected, found = run_case(case, torch), run_case(case, engine("minigrad"))
    relative, absolute = tolerance
    wrong = [
        (label, a, b)
        for label, a, b in differences(expected, found, relative, absolute)
        if not alike(a, b, relative, absolute * max(1, largest(a)))
    ]
    lines = [f"{label}\n  PyTorch  {a}\n  minigrad {b}" for label, a, b in wrong[:4]]
    assert not wrong, "\n".join([what, *lines])


def largest(answer) -> float:
    """The largest finite number in plain data."""
    if isinstance(answer, float):
        return abs(answer) if math.isfinite(answer) else 0
    parts = answer.values() if isinstance(answer, dict) else answer
    return max(map(largest, parts), default=0) if isinstance(answer, (dict, list)) else 0


def engine(name):
    """`minigrad`, or `torch` with its ledger (import errors pass through)."""
    if name == "minigrad":
        return importlib.import_module("minigrad")
    from course.twin.tracker import as_mg, torch

    torch.set_warn_always(True)  # else a warning is seen by the first case alone
    return as_mg()


def torch_version():
    """The version of the torch that can be imported, without its build tag, or None."""
    try:
        import torch
    except ImportError:
        return None
    return torch.__version__.split("+")[0]
