"""What the figures were taken on: the processor, the versions, and what numpy multiplies with.

No path and no host name: the facts are committed with the figures.

    python -m benchmarks.machine

prints them as JSON: asked for in a child, as the figures are, they are true of the figures.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import re
from pathlib import Path

from benchmarks.instructions import counter

PACKAGES = "numpy", "torch", "mygrad", "autograd", "micrograd"


def facts() -> dict[str, str]:
    return {
        "processor": processor(),
        "cores": str(cores()),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **versions(),
        "BLAS of numpy": blas(),
        "instructions": "counted" if callable(count := counter()) else f"not counted, {count}",
        "collector": "on for both, and made to collect before each turn",
        "threads": "1, on one core" if hasattr(os, "sched_setaffinity") else "1",
    }


def processor() -> str:
    with contextlib.suppress(OSError):
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def blas() -> str:
    """The library and the core it computes for: a wrong core halves the speed of a product."""
    try:
        import numpy  # noqa: F401  (loads it)
        import threadpoolctl
    except ImportError:
        return "unknown (threadpoolctl is not installed)"
    for library in threadpoolctl.threadpool_info():
        if library["user_api"] == "blas":
            core = library.get("architecture") or "unknown core"
            return f"{library['internal_api']} {library['version']}, {core}"
    return "unknown"


def load() -> str:
    """How many processes wanted a core in the last minute."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def slug(name: str) -> str:
    """A name that a file can have."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


if __name__ == "__main__":
    print(json.dumps(facts()))
