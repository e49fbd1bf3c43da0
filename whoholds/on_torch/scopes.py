"""Which names lead where, told as they change: one scope for each call that is running."""

from __future__ import annotations

from whoholds.frames import chain, let_go


class Scopes:
    """Looks at the followed names of a frame and notes what was bound or unbound since."""

    def __init__(self, followed, frame, recorder):
        self.followed, self.frame, self.recorder = set(followed or ()), frame, recorder
        self.outermost = id(frame)
        self.bound: dict = {}  # frame -> {name: targets}
        self.labels: dict = {self.outermost: ""}

    def look(self, frame) -> None:
        """Note the changes in this call, and that finished calls have lost their names."""
        self.recorder.poll()
        running = chain(frame)
        for scope in [s for s in self.bound if s not in running and s != self.outermost]:
            self._rebind(scope, {})
            del self.bound[scope]
        if id(frame) != self.outermost:
            self.labels[id(frame)] = frame.f_code.co_name + "."
        self._rebind(id(frame), self._targets(frame))

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
