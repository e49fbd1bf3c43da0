"""The ledger of a recording: it also tells when a storage was born or died."""

from __future__ import annotations

import weakref

from whoholds.on_torch.ledger import Ledger, expired
from whoholds.on_torch.parts import address_of, followed
from whoholds.on_torch.several import parts_of, unfollowed


class Bytes(Ledger):
    """The tracker's ledger, which also says when a storage was born or died."""

    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder
        self.loose: dict | None = None  # address -> weak pointer; None: to be found anew

    def see(self, tensor):
        self.recorder.guarded(self._see, tensor)

    def _see(self, tensor):
        recorder, own, several = self.recorder, followed(tensor), parts_of(tensor)
        if recorder.inside.look() and not recorder.walks:
            recorder.meet_fresh()  # what the module before has made is no scratch
        spot = recorder.spot() if own or several else None
        if own and not several and self.lives(address_of(tensor)) and recorder.rests(spot):
            recorder.catch_up(quick=True)  # nothing is told but deaths
            return
        recorder.catch_up()
        if own or several:
            recorder.where(spot)
        else:
            recorder.leave_out(tensor, unfollowed(tensor))
        for part in several:
            recorder.several = True
            self.count(part)
        if own and self.count(tensor) and not recorder.walks and recorder.seed is None:
            recorder.fresh.append(weakref.ref(tensor))  # of the program, no gradient

    def count(self, tensor) -> bool:
        """Count its storage and say so, if it is a new one."""
        address = address_of(tensor)
        if tensor.device.type == "meta" or self.lives(address):
            return False
        self.add(address)
        self.recorder.note("born", address, self.watched[address][1])
        return True

    def add(self, address):
        super().add(address)
        if self.loose is not None:
            self.loose[address] = self.watched[address][0]

    def quick(self):
        """Tell of deaths; not of a storage that a living tensor was last told to be on.

        Such a one dies first if the program gives the tensor another `.data`.
        """
        if self.loose is None:
            told = {known.facts[1] for known in self.recorder.known.values() if known.facts}
            rows = self.watched.items()
            self.loose = {a: weak for a, (weak, _) in rows if a not in told}
        for address in [a for a, weak in self.loose.items() if expired(weak)]:
            self.forget(address)

    def forget(self, address):
        super().forget(address)
        if self.loose is not None:
            self.loose.pop(address, None)
        self.recorder.note("died", address)
