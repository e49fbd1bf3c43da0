"""The ways in which this processor can compute: OpenBLAS's kernels, and numpy's own loops for them.

Each is asked for in a process of its own, because a kernel that the processor lacks ends it. Where
numpy came without OpenBLAS (Accelerate on a Mac, say) there is only one way, and no name for it.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys

# From the oldest to the newest; OpenBLAS takes the nearest that it was built with. numpy's loops
# for a newer processor than that one are turned off, or only the products would be the old ones.
NAMES = {
    "Prescott": ("X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR"),
    "Nehalem": ("X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR"),
    "Sandybridge": ("X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR"),
    "Haswell": ("X86_V4", "AVX512_ICL", "AVX512_SPR"),
    "SkylakeX": (),
    "ARMV8": (),
    "NEOVERSEN1": (),
    "NEOVERSEV1": (),
}
PROBE = """
import ctypes, glob, os, numpy
for path in glob.glob(os.path.dirname(numpy.__file__) + ".libs/*openblas*"):
    name = ctypes.CDLL(path).scipy_openblas_get_corename64_
    name.restype = ctypes.c_char_p
    for kind in "float32", "float64":
        numpy.ones((65, 65), kind) @ numpy.ones((65, 65), kind)
    print(name().decode())
"""
FEATURES = """
import numpy._core._multiarray_umath as m
print(*(name for name in m.__cpu_dispatch__ if m.__cpu_features__[name]))
"""


def _said(code: str, settings: dict) -> list[str]:
    """The lines that `code` prints in a Python of its own; none if it was ended."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def own() -> str:
    """What OpenBLAS calls the kernels that it takes by itself; "" where it is not there."""
    return _core({})


def _core(settings: dict) -> str:
    """The same with other settings; "" too where this processor cannot run them."""
    return "".join(_said(PROBE, settings)[:1])


@functools.cache
def others() -> dict[str, dict[str, str]]:
    """{name: settings} of the kernels beside its own that the processor can run, oldest first."""
    (here,) = _said(FEATURES, {}) or [""]
    found: dict[str, dict[str, str]] = {}
    seen = {own(), ""}
    for name, newer in NAMES.items():
        core = _core({"OPENBLAS_CORETYPE": name})
        if core not in seen:
            off = " ".join(feature for feature in newer if feature in here.split())
            numpys = {"NPY_DISABLE_CPU_FEATURES": off} if off else {}
            found[name] = {"OPENBLAS_CORETYPE": name} | numpys
        seen.add(core)
    return found
