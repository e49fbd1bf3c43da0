"""Figures that nobody measured, for the tests of the benchmarks' reports."""

TIMES = {"minigrad": [1.0, 3.0, 2.0, 6.0], "torch": [2.0, 2.0, 2.0, 2.0], "numpy": [1.0] * 4}


def answers(times=TIMES):
    """What the workers would have said, a round at a time."""
    return {
        engine: [{"seconds": t / 1000, "steps": 9, "faults": 0.0} for t in each]
        for engine, each in times.items()
    }


def results(*cases):
    """The whole of a run, as it is written to a file."""
    machine = {"processor": "AMD Z-80 (R)", "cores": "2"}
    return {
        "date": "2026-11-22", "machine": machine, "rounds": 4, "load": "0.1, 0.2",
        "cases": list(cases),
    }  # fmt: skip
