"""A pytest plugin: its first lines say what the notebooks run on, and so are compared with."""

import importlib.metadata
import sys
from importlib.metadata import PackageNotFoundError

from . import kernels


def on() -> str:
    """Python, numpy, its kernels and PyTorch, or that it is not there."""
    parts = [f"Python {sys.version.split()[0]}", f"numpy {importlib.metadata.version('numpy')}"]
    core = kernels.own()
    parts += [f"OpenBLAS's {core} kernels"] if core else []
    try:
        parts.append(f"PyTorch {importlib.metadata.version('torch')}")
    except PackageNotFoundError:
        parts.append("no PyTorch")
    return ", ".join(parts)


def pytest_report_header() -> str:
    return f"computing with: {on()}"
