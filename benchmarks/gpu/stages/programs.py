"""Random programs on the GPU, beside numpy and PyTorch; and the ledger beside the pool, in each.

After every operation the pool must have handed out what the ledger's storages are in whole steps,
and no byte more: what a rule needed on the way is given back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import minigrad
from benchmarks.gpu import engines
from benchmarks.gpu.place import Place
from benchmarks.gpu.row import FAILED, PASSED, Row, compared, left_out
from benchmarks.gpu.stages.twins import ABSOLUTE, RELATIVE, without_device
from course.twin.compare import differences
from tests.minigrad.ledger import Ledger
from tests.twin import programs, registry

LEAST, MOST = 30, 150  # programs: as many as there is time for; the least on the stand-in
TOO_LARGE = 1e4  # beyond, one rounding of exp becomes a visible difference
BESIDE, POOL = "random programs beside {}", "ledger and pool after each operation"


def rows(place: Place) -> Iterator[Row]:
    why = engines.why_no_torch(place)
    if why:
        yield left_out(BESIDE.format(engines.torch_name(place)), why)
        yield from all_programs(place, None)
        return
    with engines.torch_beside(place) as torch:
        yield from all_programs(place, torch)


def all_programs(place: Place, torch) -> Iterator[Row]:
    for seed in itertools.count():
        if seed == MOST or (seed >= LEAST and (place.simulated or not place.has_time())):
            return
        yield from one_program(place, torch, seed)


def one_program(place: Place, torch, seed: int) -> Iterator[Row]:
    run = programs.program(*programs.drawn(seed))
    on_numpy = registry.run_case(run, minigrad)
    with place.default():
        on_gpu = registry.run_case(run, minigrad)
        pooled = registry.run_case(run, engines.pooled())
        yield pool_row(seed, run)
    if not tame(on_numpy):
        return
    yield compared(BESIDE.format("numpy"), f"seed {seed}", unlike(on_numpy, on_gpu))
    if torch is not None:
        group = BESIDE.format(engines.torch_name(place))
        yield compared(group, f"seed {seed}", unlike(registry.run_case(run, torch), pooled))


def unlike(expected: list, found: list) -> list:
    return differences(without_device(expected), without_device(found), RELATIVE, ABSOLUTE)


def tame(data: Any) -> bool:
    """Are all numbers of a report small enough to compare?"""
    if isinstance(data, float):
        return abs(data) < TOO_LARGE
    if isinstance(data, dict):
        return "float" not in data and all(map(tame, data.values()))
    return all(map(tame, data)) if isinstance(data, list) else True


def pool_row(seed: int, run) -> Row:
    """Runs the program once more; each time it asks for bytes, both are read."""
    apart: list = []
    ledger = Ledger()
    before = minigrad.cuda.memory_allocated()

    def allocated(device=None):
        apart.append(minigrad.cuda.memory_allocated() - before - ledger.in_steps())
        return minigrad.memory_allocated()

    with ledger.watching():
        registry.run_case(run, engines.Facade(minigrad, **engines.memory_functions(allocated)))
    wrong = [bytes for bytes in apart if bytes]
    detail = f"the pool has {wrong[0]} bytes more than the storages" if wrong else ""
    return Row(POOL, f"seed {seed}", FAILED if wrong else PASSED, detail)
