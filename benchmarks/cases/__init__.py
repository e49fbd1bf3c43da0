"""All cases, by name, in the order in which they run."""

from benchmarks.cases import (
    chain, conv, depth, elementwise, million, mlp, recording, residual, scalars,
)  # fmt: skip

MODULES = chain, scalars, mlp, conv, residual, depth, elementwise, recording, million
CASES = {case.name: case for module in MODULES for case in module.CASES}
