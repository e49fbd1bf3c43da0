"""All cases, by name, in the order in which they run."""

from importlib import import_module

MODULES = (
    "chain", "scalars", "mlp", "conv", "residual", "depth", "elementwise", "recording", "million",
)  # fmt: skip
CASES = {case.name: case for name in MODULES for case in import_module(f"{__name__}.{name}").CASES}
