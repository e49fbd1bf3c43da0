"""Which names lead where, told as they change: one scope for each call that is running."""

from __future__ import annotations

from whoholds.frames import chain, let_go


class Scopes:
    """Looks at the followed names of a frame and notes what was bound or unbound since."""

    def __init__(self, followed, frame, recorder):
        self.followed, self.frame, self.recorder = set(followed or ()), frame, recorder
        self.outermost = _call(frame)
        self.bound: dict = {}  # call -> {name: targets}
        self.labels: dict = {self.outermost: ""}

    def look(self, frame, begins=False) -> None:
        """Note the changes in this call, and that finished calls have lost their names.

        A call that begins may have the address of one that is over.
        """
        self.recorder.poll()
        call, running = _call(frame), chain(frame.f_back if begins else frame).items()
        for over in [c for c in self.bound if c not in running and c != self.outermost]:
            self._rebind(over, {})
            del self.bound[over]
        if call != self.outermost:
            self.labels[call] = frame.f_code.co_name + "."
        self._rebind(call, self._targets(frame))

    def _rebind(self, scope, new) -> None:
        old, label = self.bound.get(scope, {}), self.labels[scope]
        for name in old:
            if name not in new:
                self.recorder.note("unbind", label + name)
        for name, targets in new.items():
            if old.get(name) != targets:
                self.recorder.note("bind", label + name, targets)
        self.bound[scope] = new

    def _targets(self, frame) -> dict:
        variables, found = frame.f_locals, {}
        for name in sorted(self.followed & set(variables)):
            leads = tuple(self.recorder.leads(variables[name]))[:24]
            if leads:
                found[name] = leads
        let_go(frame, variables)
        return found


def _call(frame) -> tuple:
    """What a call is known by, as long as it runs; holding the frame would hold its variables."""
    return id(frame), frame.f_code
