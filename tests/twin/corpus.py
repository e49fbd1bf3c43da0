"""Programs as people post them, written for PyTorch, on minigrad: `python -m tests.twin.corpus`.

It prints how each ends and what share of them ends alike; names of programs run these alone.

Each program of tests/whoholds/corpus and of tests/twin/posted runs on both engines with the same
random numbers. It ends alike if it prints the same, ends in the same error or in none, and if at
each backward its graph has saved as many bytes. Left out of what is printed: addresses, the name
of the engine, one unit in the last digit of a number, and what a float of 32 bits does not hold.
"""

import argparse
import json
import math
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from course.twin.compare import same_names
from tests.twin import corpus_engines as engines

ROOT = Path(__file__).parents[2]
FOLDERS = "tests/whoholds/corpus/programs", "tests/twin/posted/programs"
PROGRAMS = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.py"))


class Ran(NamedTuple):
    """What one run of a program says of itself."""

    printed: str
    error: list | None  # class and text
    saved: list  # bytes, at each backward


def ran(run, path) -> Ran:
    """In a process of its own, which `run(path, report)` prepares."""
    from tests.whoholds.fork import forked

    with tempfile.TemporaryDirectory() as folder:
        _, printed, _ = forked(run, str(path), Path(folder))
        error, saved = json.loads((Path(folder) / "report.json").read_text("utf-8"))
    return Ran(printed, error, saved)


def on_torch(path, report):
    import torch

    engines.share_numbers(torch)
    reported(path, report, torch, engines.of_torch)


def on_minigrad(path, report):
    engines.become_minigrad()
    reported(path, report, engines.minigrad, engines.of_minigrad)


def reported(path, report, mg, saved):
    """Run the program, and write down its error and the bytes it saved."""
    from tests.whoholds.fork import plain

    found: list = []
    engines.watch(mg, saved, found)
    error = None
    try:
        plain(path, report)
    except BaseException as raised:
        error = [type(raised).__name__, str(raised)]
        raise
    finally:
        report.write_text(json.dumps([error, found]), encoding="utf-8")


# -- comparing --

OF_FLOAT32 = 9  # digits that tell one from the next
DIGIT = re.compile(r"\d")
NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")


def difference(path) -> str:
    """How the two runs of a program differ; "" if they do not."""
    one, other = ran(on_torch, path), ran(on_minigrad, path)
    if not same_error(one.error, other.error):
        return f"error: PyTorch {one.error}, minigrad {other.error}"
    if not same_text(one.printed, other.printed):
        return f"printed:\n{one.printed}    minigrad:\n{other.printed}"
    if one.saved != other.saved:
        return f"saved bytes: PyTorch {one.saved}, minigrad {other.saved}"
    return ""


def same_error(one, other) -> bool:
    if not (one and other):
        return one == other
    return one[0] == other[0] and same_text(one[1], other[1])


def same_text(one, other) -> bool:
    """The same words; numbers may differ by one in the last digit, or as floats of 32
    bits do where they are printed with more digits than these have."""
    one, other = same_names(one), same_names(other)
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(near(*pair) for pair in pairs)


def near(one, other) -> bool:
    if min(len(DIGIT.findall(text.partition("e")[0])) for text in (one, other)) > OF_FLOAT32:
        return math.isclose(float(one), float(other), rel_tol=1e-6)  # a double that shows one
    digits = min(len(text.partition("e")[0].partition(".")[2]) for text in (one, other))
    unit = 10.0**-digits * (10.0 ** int(one.partition("e")[2]) if "e" in one else 1)
    return abs(float(one) - float(other)) <= 1.01 * unit


OTHERWISE = {  # why: the programs, and what minigrad says, or in what they differ
    "there are no eigenvalues": {"010_gan_diversity_penalty": "no attribute 'eigvalsh'"},
    "no sequences are packed": {
        "164_packed_lstm_misspelt_module": "cannot import name 'pack_padded_sequence'",
    },
    "a gradient is 0 but for its rounding, and Adam makes a whole step of it": {
        "152_ppo_gaussian_with_kl_stop": "stopped 4",
    },
    "a module keeps no registry: one that forgets super().__init__() works": {
        "159_lora_without_super_init": "minigrad None",
    },
    "a loader works in this process alone": {
        "030_loader_workers_strings": "no workers",
        "043_dataset_copy_per_worker": "no workers",
    },
    "there are no floats of fewer digits, and no autocast to them": {
        "031_autocast_cpu": "no attribute 'autocast'",
        "041_master_weights_loss_scaling": "no attribute 'bfloat16'",
    },
    "torch.func transforms functions; minigrad differentiates what was recorded": {
        "032_vmap_of_grad": "cannot import name 'grad'",
        "062_hvp_two_ways": "cannot import name 'grad'",
    },
    "no tensor is sparse": {
        "034_sparse_embedding_adam": "does not know sparse",
        "169_matrix_factorization_sparse": "does not know sparse",
        "045_dense_grad_made_sparse": "no attribute 'SparseAdam'",
    },
    "there is no compiler": {
        "046_compiled_add_in_loop": "no attribute 'compile'",
        "047_compiled_sequential_in_main": "no attribute 'compile'",
    },
    "no bytes are shared between processes": {
        "054_hogwild_notes": "No module named 'minigrad.multiprocessing'",
        "079_hogwild_class": "No module named 'minigrad.multiprocessing'",
    },
}
KNOWN = {name: said for programs in OTHERWISE.values() for name, said in programs.items()}


def surprising(name, found) -> bool:
    """Whether a program does not end as is recorded of it."""
    return KNOWN[name] not in found if name in KNOWN else bool(found)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.twin.corpus", description=__doc__)
    parser.add_argument("names", nargs="*", help="programs, all if none is named")
    names = parser.parse_args().names
    paths = [path for path in PROGRAMS if not names or path.stem in names]
    alike = wrong = 0
    for path in paths:
        found = difference(path)
        alike += not found
        wrong += surprising(path.stem, found)
        mark = "not as recorded: " if surprising(path.stem, found) else ""
        print(f"{path.stem:40}{mark}{found or 'alike'}", flush=True)
    print(f"{alike} of {len(paths)} programs end alike: {alike / len(paths):.0%}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
