"""The Python objects behind the cards of a torch recording, as far as there are any.

What PyTorch holds in C++ alone has no Python object that refers to it.
"""

from __future__ import annotations

import gc
from pathlib import Path

import torch

from course.step.search import RUNNING, written
from course.step.torch_parts import alive

HERE = str(Path(torch.__file__).parent)


class Objects:
    """Finds objects by their numbers, and says which object has which card."""

    running = f"{RUNNING}, or PyTorch itself"

    def __init__(self, recorder):
        self.recorder, self.serial = recorder, {}

    def inside(self, file) -> bool:
        """Is it one of PyTorch's?"""
        return file.startswith(HERE)

    def objects(self, things, serial) -> dict:
        """{thing: object} of those that can be found."""
        self.serial, found = serial, {}
        for address, number in serial["t"].items():
            known = self.recorder.known.get(address)
            if known is not None and f"t{number}" in things:
                found |= {f"t{number}": tensor for tensor in alive([known.ref])}
        for node in _nodes() if any(thing[0] == "n" for thing in things) else ():
            if (thing := self.card(node)) in things:
                found[thing] = node
        return found

    def card(self, value) -> str | None:
        """The thing that has this object's card."""
        letter, address = "", None
        if issubclass(type(value), torch.Tensor):
            letter, address = "t", value._cdata
        elif _is_node(type(value)):
            letter, address = "n", self.recorder.number_of(value)
        number = self.serial[letter].get(address) if letter else None
        return f"{letter}{number}" if number else None

    def unseen(self, holder, attribute, steps):
        """An attribute; the picture has no arrow for it."""
        if attribute:
            yield attribute + written(steps)


def _is_node(kind) -> bool:
    return hasattr(kind, "_sequence_nr") and hasattr(kind, "next_functions")


def _nodes() -> list:
    """Those that some Python object refers to."""
    kinds: dict = {}
    found = []
    for thing in gc.get_objects():
        kind = type(thing)
        if kind not in kinds:
            kinds[kind] = _is_node(kind)
        if kinds[kind]:
            found.append(thing)
    return found
