"""Every twin case on the GPU: beside what PyTorch's processor said, and beside PyTorch's CUDA.

Beside the recording, a tensor's device is taken out of what is printed; bytes are the ledger's.
Beside PyTorch CUDA they are those of the two pools.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import minigrad
from benchmarks.gpu import engines
from benchmarks.gpu.place import Place
from benchmarks.gpu.row import Row, compared, left_out
from course.twin.compare import differences
from tests.twin import golden, registry
from tests.twin.known import KNOWN_DIFFERENCES

RELATIVE, ABSOLUTE = 1e-4, 1e-5  # a card sums in another order
DEVICE = re.compile(r",?\s+device='cuda:0'")
TYPES = {"torch.cuda.BoolTensor": "CPUBoolType", "torch.cuda.": "torch."}
SAMPLE, DEEP = 100, ("c2_deep", "c2_deep_saved")  # on the stand-in, whose pool is Python
RECORDED = "the cases beside the recording"
ONE = "one number that lies on the card is no number to PyTorch: it is copied, or put"
ON_A_CARD = {  # case -> labels that cannot be as on the processor, and why
    "ckpt_random": ("outside goes on", "get_rng_state() is that of the processor's numbers"),
    "m18": ("numpy", "a tensor on the GPU refuses numpy()"),
    "views_put": ("0-d", ONE),
    "views_index_put": ("one for a mask", ONE),
    "views_overlap": ("x[mask]", ONE),
    "copies_asked_for": ("cpu", "the processor is another device"),
    "repr_others": ("device", "the device is another"),
    "no_card": ("asked for", "here is one"),
    "set_up_cuda": ("none", "here is one"),
    "update_bn": ("pairs", "the layer is on the card, and it is asked for the processor's numbers"),
}


def rows(place: Place) -> Iterator[Row]:
    cases = registry.all_cases()
    recorded = golden.load()
    with place.default():
        for name, (_, function) in cases.items():
            found = without_device(registry.run_case(function, minigrad))
            yield beside_the_recording(name, recorded[name], found)
    yield from beside_torch(place, cases)


def beside_the_recording(name: str, expected: list, found: list) -> Row:
    return compared(RECORDED, name, unexpected(name, without_device(expected), found))


def unexpected(name: str, expected: list, found: list) -> list:
    wrong = differences(expected, found, RELATIVE, ABSOLUTE)
    known = KNOWN_DIFFERENCES.get(name, {})
    return [d for d in wrong if d[0] not in known and not on_a_card(name, d[0])]


def on_a_card(name: str, label: str) -> bool:
    """Everything after a refused numpy() is missing from the report as well."""
    words = ON_A_CARD.get(name, ("",))[0]
    return bool(words) and (words in label or name == "m18")


def beside_torch(place: Place, cases: dict) -> Iterator[Row]:
    group = f"the cases beside {engines.torch_name(place)}, bytes of the pools"
    if why := engines.why_no_torch(place):
        yield left_out(group, why)
        return
    ours = engines.pooled()
    with engines.torch_beside(place) as torch:
        for number, (name, function) in enumerate(mixed(cases)):
            if not place.has_time() or (place.simulated and number == SAMPLE):
                yield left_out(group, f"{number} of {len(cases)} cases were tried")
                return
            if place.simulated and name in DEEP:
                continue
            expected = registry.run_case(function, torch)
            with place.default():
                found = registry.run_case(function, ours)
            wrong = unexpected(name, without_device(expected), without_device(found))
            yield compared(group, name, wrong)


def mixed(cases: dict) -> list:
    """(name, function) in an order that has some of every file where the time ends early."""
    return random.Random(0).sample([(name, f) for name, (_, f) in cases.items()], len(cases))


def without_device(entries):
    """Texts as the processor prints them: no device, and line breaks where they come."""
    if isinstance(entries, str):
        for there, here in TYPES.items():
            entries = entries.replace(there, here)
        return " ".join(DEVICE.sub("", entries).split())
    if isinstance(entries, list):
        return [without_device(entry) for entry in entries]
    if isinstance(entries, dict):
        return {key: without_device(value) for key, value in entries.items()}
    return entries
