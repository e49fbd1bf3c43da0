"""What each group of a trace's cards has to lay out: every event goes to the groups it is about."""

from __future__ import annotations

from whoholds.views.groups import Groups
from whoholds.views.layout import Seen


class Split:
    """`seen` is what each group has seen, by (turn, title), in the order in which they began."""

    def __init__(self, trace):
        self.groups, self.end = Groups(trace), len(trace.events)
        self.seen: dict = {}  # group -> Seen
        self.on: dict = {}  # tensor -> the group of its storage
        self.named: dict = {}  # name -> {group: what it leads to there}
        for step, event in enumerate(trace.events):
            getattr(self, "_" + event["kind"], self._card)(event, step)

    def _tell(self, group, event, step):
        if group is not None:
            if group not in self.seen:
                self.seen[group] = Seen(self.end)
            self.seen[group].see(event, step)

    def _card(self, e, step):
        """What a node saved is on the node's card."""
        of = self.groups
        self._tell(of.nodes.get(e.get("node")) or of.storages.get(e.get("storage")), e, step)

    def _tensor(self, e, step):
        before, after = self.on.get(e["tensor"]), self.groups.storages.get(e["storage"])
        if before != after:
            self._tell(before, e | dict(kind="forget"), step)
        self.on[e["tensor"]] = after
        self._tell(after, e, step)

    def _forget(self, e, step):
        self._tell(self.on.pop(e["tensor"], None), e, step)

    def _bind(self, e, step):
        wanted: dict = {}
        for target in e["targets"]:
            number = int(target[1:])
            group = self.on.get(number) if target[0] == "t" else self.groups.nodes.get(number)
            wanted.setdefault(group, []).append(target)
        for group in self.named.get(e["name"], {}).keys() - wanted.keys():
            self._tell(group, e | dict(kind="unbind"), step)
        for group, targets in wanted.items():
            self._tell(group, e | dict(targets=targets), step)
        self.named[e["name"]] = wanted

    def _unbind(self, e, step):
        for group in self.named.pop(e["name"], {}):
            self._tell(group, e, step)
