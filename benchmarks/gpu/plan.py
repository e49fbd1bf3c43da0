"""The stages, in order: what each is about, and how many seconds it may take.

A stage is a generator function of a Place that yields rows. What one does not use of its share goes
to the next; all together stay under eight minutes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Stage:
    name: str
    title: str
    share: float  # seconds
    where: str  # module:function

    @property
    def function(self) -> Callable:
        module, function = self.where.split(":")
        return getattr(importlib.import_module(module), function)


def stage(name: str, title: str, share: float) -> Stage:
    return Stage(name, title, share, f"benchmarks.gpu.stages.{name}:rows")


FACTS = stage("facts", "the card, its driver, the versions", 40)
STAGES = (
    stage("checks", "what must hold on a GPU, and the slopes of all rules", 65),
    stage("suite", "the tests that pytest runs on a GPU", 70),
    stage("ops", "each rule beside numpy and PyTorch", 60),
    stage("twins", "the twin cases beside the recording and PyTorch", 45),
    stage("programs", "random programs beside numpy and PyTorch; the ledger and the pool", 45),
    stage("replays", "replays beside the functions themselves", 40),
    stage("lesson", "the cells of lesson 14", 25),
    stage("timing", "benchmark rows beside PyTorch, timed with events", 60),
)
MINUTES = 8


class UnknownStage(Exception):
    """The text is one sentence that names the stages there are."""


def chosen(names) -> list[Stage]:
    """The stages of these names, or all."""
    known = {one.name: one for one in STAGES}
    for name in names:
        if name not in known:
            raise UnknownStage(f"There is no stage {name}: choose from {', '.join(known)}.")
    return [known[name] for name in names or known]


def scaled(stages, factor: float) -> list[Stage]:
    """The same stages with so much of their time."""
    return [replace(one, share=one.share * factor) for one in stages]
