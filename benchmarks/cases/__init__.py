"""All cases, by name, in the order in which they run."""

from benchmarks.cases import chain, conv, depth, elementwise, mlp, recording, residual, scalars

MODULES = chain, scalars, mlp, conv, residual, depth, elementwise, recording
CASES = {case.name: case for module in MODULES for case in module.CASES}
