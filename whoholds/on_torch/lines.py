"""PyTorch, told by line: what each line of the program allocates, keeps, and has alive at most.

The ledger counts each storage from the op that made it until it dies. Names, nodes and holders are
not looked at, which is most of what recording costs.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter

from torch.optim.optimizer import register_optimizer_step_post_hook

from whoholds.lines import Lines, LineTrace
from whoholds.on_torch.beside import Beside
from whoholds.on_torch.ledger import Ledger, Watch, warm_up
from whoholds.on_torch.parts import address_of, followed
from whoholds.on_torch.turned import Turned
from whoholds.places import Places


class LineRecorder(Turned):
    """`with LineRecorder(frame=frame) as r:` follows the lines; `r.trace()` tells of them."""

    def __init__(self, names=None, frame=None):
        self.places = Places(frame.f_code.co_filename)
        self.told = Lines(self.places.main)
        super().__init__(LineTrace(self.told.turns))
        self.ledger = ByLine(self)
        self.watch, self.beside = Made(self.ledger), Beside(self.places)

    def __enter__(self):
        warm_up()
        self.hook = register_optimizer_step_post_hook(lambda *of: self.guarded(self._step, *of))
        self.watch.__enter__()
        self.beside.__enter__()
        return self

    def __exit__(self, kind, error, trace):
        self.beside.__exit__()
        self.watch.__exit__(None, None, None)
        self.hook.remove()
        self._end(error)

    def _turn(self):
        for tensor, _, (code, line) in self.beside.made():
            self.ledger.enter(tensor, (code.co_filename, line, code.co_name))
        alive, kept = self.ledger.live(), Counter[tuple]()
        for address, place in self.ledger.made.items():
            kept[place] += self.ledger.watched[address][1]
        self.told.turn(alive, kept)

    def here(self):
        """The place of the program that runs: file, line, function; None if none of it does."""
        frame, _ = self.places.of(sys._getframe(1))
        return frame and (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


@functools.cache
def gives_out(func) -> bool:
    """Whether the results of an op are on the bytes of what it was given, as a view's are."""
    return any(one.alias_info is not None for one in func._schema.returns)


class Made(Watch):
    """Says which results were there before the op."""

    def run(self, func, args, kwargs):
        self.ledger.older = gives_out(func)
        return super().run(func, args, kwargs)


class ByLine(Ledger):
    """The ledger, which also knows which line has made a storage."""

    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder
        self.older = False  # whether the op that runs makes no storages
        self.made: dict = {}  # address -> place

    def see(self, tensor):
        self.recorder.guarded(self._see, tensor)

    def _see(self, tensor):
        place = self.recorder.here()
        if place is not None and followed(tensor):
            self.enter(tensor, place, self.older)

    def enter(self, tensor, place, older=False):
        """What a line has made, or has given out and was there before."""
        told = self.recorder.told
        if not told.at_line(place):
            told.enter(place, self.live())
        address = address_of(tensor)
        if self.lives(address):
            return
        self.add(address)
        if not older:
            self.made[address] = place
            told.here["made"] += self.watched[address][1]
        if told.higher(self.total):  # an upper bound: only then it is asked exactly
            told.alive(self.live())

    def forget(self, address):
        super().forget(address)
        self.made.pop(address, None)
