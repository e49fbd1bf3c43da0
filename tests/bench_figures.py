"""Figures that nobody measured, for the tests of the benchmarks' reports."""

from benchmarks import rounds

REFUSED = "the kernel says: No such file or directory"


def answer(ours, theirs, instructions=None):
    """What a pair would have said; times in milliseconds."""
    return {
        "seconds": [[t / 1000 for t in ours], [t / 1000 for t in theirs]],
        "instructions": instructions or [[0], [0]],
        "faults": [[0.0], [3.0]],
        "not counted": None if instructions else REFUSED,
    }


def chain():
    """A case with a ratio that is counted and has a bar, and one that has neither."""
    counted = answer([1, 3, 2, 6], [2, 2, 2, 2], [[5, 5], [10, 10]])
    ratios = [
        rounds.ratio("minigrad", "torch", counted),
        rounds.ratio("numpy", "torch", answer([1] * 4, [2] * 4)),
    ]
    rounds.add_peaks(ratios, {"minigrad": 30, "torch": 40})
    return {"case": "chain", "title": "t", "ratios": ratios, "left out": ["mygrad is out."]}


def results(*cases):
    """The whole of a run, as it is written to a file."""
    machine = {"processor": "AMD Z-80 (R)", "cores": "2"}
    return {
        "date": "2026-11-22", "machine": machine, "rounds": 4, "load": "0.1, 0.2",
        "cases": list(cases),
    }  # fmt: skip
