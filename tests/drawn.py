"""Of the tests that take minutes each tier but the longest draws some, anew in each run.

So it does of all files that have run before, and do so another way: without PyTorch, say.

What is drawn is a whole: what one worker gets, a file or a lesson of it, since its tests share what
takes long to make. The wholes are counted off in order, so that each folder has its share of them.
"""

import os

LONG = (
    "tests/browser/",
    "tests/test_gpu_command.py",
    *(f"tests/course/test_{name}.py" for name in (
        "build_check build_make classroom_pages classroom_similar exercises measured_result"
        " nbgrader on_torch play_engine playground points private reach sandbox_attacks"
        " trying_kinds".split())),
    *(f"tests/whoholds/test_{name}.py" for name in (
        "alone answer corpus growth leaks names paths peers recorder schema step views ways who"
        .split())),
)  # fmt: skip


def share() -> int:
    """One in how many is drawn; `run.py test` sets it, and whoever calls pytest gets all."""
    return int(os.environ.get("MINIGRAD_DRAW", 1))


def among() -> str | tuple:
    """How the names begin of which some are drawn."""
    return "" if os.environ.get("MINIGRAD_DRAW_FROM") == "all" else LONG


def left_out(wholes, seed: int, one_in: int, among: str | tuple = LONG) -> set:
    """Those that take long, or whatever it is that these are among, and were not drawn."""
    some = sorted(whole for whole in set(wholes) if whole.startswith(among))
    return {whole for place, whole in enumerate(some) if (place + seed) % one_in}


def line(seed: str) -> list:
    """What a run says of it, if it leaves anything out."""
    what = "what takes minutes" if among() else "all files"
    drawn = f"of {what} 1 in {share()} is run, drawn by MINIGRAD_MOVED={seed}"
    return [f"{drawn}: `run.py test --long` runs all"] if share() > 1 else []
