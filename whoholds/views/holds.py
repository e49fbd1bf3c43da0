"""What a card holds without having saved it, and who holds what no arrow leads to.

The twin of holds.js, for picture and text.
"""

from __future__ import annotations

from whoholds.state import LEAF_HOLDER, State
from whoholds.views.look import size_text

NAMED = "name ", ".grad of "


def holds(state) -> list:
    """(target, holder or None, words) of each such reference; targets and holders as "t4", "n2"."""
    things = {"t": state.tensors, "n": state.nodes, "s": state.storages}
    rows = [
        (f"t{node['tensor']}", f"n{number}", ".variable")
        for number, node in state.nodes.items()
        if node["name"] == LEAF_HOLDER
    ]
    for letter, of in things.items():
        for number, thing in of.items():
            rows += [(f"{letter}{number}", *by) for by in thing.get("held", ())]
    alive = lambda thing: int(thing[1:]) in things[thing[0]]  # noqa: E731
    return [row for row in rows if alive(row[0]) and alive(row[1] or row[0])]


def called(state) -> dict:
    """{"t1": its first name}."""
    found: dict = {}
    for name, targets in state.names.items():
        for target in targets:
            found.setdefault(target, state.typed(name, target))
    return found


def holders(state) -> dict:
    """{storage: who holds it, in words}, as the view tells it of a card."""
    found: dict = {number: [] for number in state.storages}
    names = called(state)
    for name, targets in state.names.items():
        tensors = [target for target in targets if target[0] == "t"]
        on = [state.tensors.get(int(t[1:]), {}).get("storage") for t in tensors]
        for number in dict.fromkeys(on):
            typed = [
                state.typed(name, t) for t, of in zip(tensors, on, strict=True) if of == number
            ]
            found.setdefault(number, []).append(f"name {typed[0]}")
    for node in state.nodes.values():
        for slot in () if node["freed"] else node["slots"]:
            found.setdefault(slot["storage"], []).append(f"node {node['name']}.{slot['slot']}")
    for target, holder, words in holds(state):
        if target[0] != "n":
            number = int(target[1:])
            storage = state.tensors[number]["storage"] if target[0] == "t" else number
            found.setdefault(storage, []).append(_whose(state, names, holder) + words)
    for number, tensor in state.tensors.items():
        if tensor["grad"] is not None:
            owner = names.get(f"t{number}", "a tensor")
            found.setdefault(tensor["grad"], []).append(f".grad of {owner}")
    return found


def outside(thing) -> str:
    """What a tensor or storage without a name is held by, if by no card."""
    words = next((words for holder, words in thing.get("held", ()) if holder is None), "")
    return words.removeprefix("name ")


def nameless(events, most=6) -> list:
    """A line for each holder of what is alive at the end and has no name, the largest first."""
    state = State()
    for event in events:
        state.apply(event)
    sizes: dict = {}
    for number, by in holders(state).items():
        if number in state.storages and not any(one.startswith(NAMED) for one in by):
            who = ", ".join(dict.fromkeys(by)) or nobody(state, number)
            sizes.setdefault(who, []).append(state.storages[number]["size"])
    ordered = sorted(sizes.items(), key=lambda row: (-sum(row[1]), row[0]))
    rows = [f"alive without a name: {size_text(sum(n))}, held by {who}" for who, n in ordered
            if sum(n)]  # fmt: skip
    return rows[:most] + ([f"and by {len(rows) - most} others"] if len(rows) > most else [])


def nobody(state, number) -> str:
    """Where nobody is told of: a recording that is stepped tells at the end of each line."""
    if state.storages[number]["flight"]:
        return "backward, on its way"
    return f"line {state.line}, which is running" if state.line else "nobody that was looked for"


def _whose(state, names, holder) -> str:
    if holder is None:
        return ""
    if holder[0] == "n":
        return f"node {state.nodes[int(holder[1:])]['name']}"
    return names.get(holder, "a tensor")
