"""A case is one program on given numbers, and a function per engine that prepares a step of it.

Such a function gets the engine's module and the numbers, and gives back `step()`, which does all
that is timed: forward, backward, and the update if there is one. A step returns what the engines
must agree on: the loss, or (loss, the gradient that came last) where no update would show it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """`engines`: name -> function(module, numbers); the name's first word is the module's.

    `base`: the engine that all others are divided by; `also`: more pairs (engine, over whom).
    `anew`: a step is good for one time only, and what makes the next one is not timed.
    `long`: a quick run leaves it out, unless it is asked for.
    `ledger`: the bytes of a step are counted, too.
    """

    name: str
    title: str
    numbers: Callable[[], Any]
    engines: dict[str, Callable]
    base: str = "torch"
    also: tuple = ()
    anew: bool = False
    long: bool = False
    ledger: bool = True

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(name, self.base) for name in self.engines if name != self.base] + [*self.also]

    def step(self, engine: str) -> Callable:
        return self.engines[engine](module(engine), self.numbers())


def module_name(engine: str) -> str:
    return engine.split()[0]


def module(engine: str):
    """The engine's module, with one thread."""
    found = importlib.import_module(module_name(engine))
    if found.__name__ == "torch":
        found.set_num_threads(1)
    return found
