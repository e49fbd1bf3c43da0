"""What everything runs on; the first stage, for without a card there is nothing to do."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform
from collections.abc import Iterator

from benchmarks.gpu.place import Place
from benchmarks.gpu.row import FAILED, PASSED, Row
from minigrad import gpu

CUPY = "cupy-cuda13x", "cupy-cuda12x", "cupy"


def rows(place: Place) -> Iterator[Row]:
    if (card := gpu.current()) is None:
        yield Row("card", "", FAILED, gpu.why_not())
        return
    facts = {"device": card.name, **versions(), **({} if place.simulated else of_card(card))}
    yield Row("card", card.name, PASSED, card.name, facts)


def versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for package in ("numpy", *CUPY, "torch"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def of_card(card) -> dict[str, str]:
    runtime = card.cupy.cuda.runtime
    free, total = card.free_and_total()
    return {
        "CuPy": card.cupy.__version__,
        "CUDA of the driver": version(runtime.driverGetVersion()),
        "CUDA of CuPy": version(runtime.runtimeGetVersion()),
        "GiB of the card, free and all": f"{free / 2**30:.1f}, {total / 2**30:.1f}",
    }


def version(number: int) -> str:
    """13010 -> 13.1, as CUDA packs it."""
    return f"{number // 1000}.{number % 1000 // 10}"
