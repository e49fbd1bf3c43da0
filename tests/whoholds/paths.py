"""Who can be reached in a picture: the reader's own walk along its arrows, from the names on."""

from whoholds.state import State


def reached(state) -> set:
    """Names of all cards' contents that arrows lead to: "t1" tensors, "n1" nodes, "s1" storages."""
    todo = [target for targets in state.names.values() for target in targets]
    todo += [f"s{n}" for n, storage in state.storages.items() if storage["flight"]]
    todo += [f"n{n}" for nodes in getattr(state, "roots", ()) for n in nodes]
    todo += told(state)
    seen = set()
    while todo:
        thing = todo.pop()
        if thing not in seen:
            seen.add(thing)
            todo += refers(state, thing)
    return seen


def told(state):
    """What a holder outside of the picture holds, and is named for it."""
    for letter, things in ("t", state.tensors), ("n", state.nodes), ("s", state.storages):
        for number, thing in things.items():
            if any(holder is None and words for holder, words in thing.get("held", ())):
                yield f"{letter}{number}"


def refers(state, thing):
    """What the arrows from a thing lead to."""
    number = int(thing[1:])
    if thing[0] == "t" and number in state.tensors:
        yield from of_tensor(state, state.tensors[number])
    if thing[0] == "n" and number in state.nodes:
        yield from of_node(state.nodes[number])
    for letter, things in ("t", state.tensors), ("n", state.nodes):
        for other, facts in things.items():
            if any(holder == thing for holder, _ in facts.get("held", ())):
                yield f"{letter}{other}"


def of_tensor(state, tensor):
    yield f"s{tensor['storage']}"
    if tensor["fn"] is not None:
        yield f"n{tensor['fn']}"
    if tensor["base"] is not None:
        yield f"t{tensor['base']}"
    if tensor["grad"] is not None:
        yield f"s{tensor['grad']}"
        others = state.tensors.items()
        yield from (f"t{t}" for t, other in others if other["storage"] == tensor["grad"])


def of_node(node):
    yield from (f"n{edge[0]}" for edge in node["edges"] if edge)
    for slot in () if node["freed"] else node["slots"]:
        yield f"s{slot['storage']}"
        if slot["tensor"] is not None:
            yield f"t{slot['tensor']}"
    if node["name"] == "AccumulateGrad":
        yield f"t{node['tensor']}"


def astray(events):
    """(event number, storage) of each storage without a path, wherever a line ends.

    While a line runs, what it computes may wait in the interpreter: the line itself holds it. So
    does a line that goes on when a call in it has returned.
    """
    state, line, calls = State(), 0, []
    for i, event in enumerate(events):
        before, calls = calls, event.get("calls", [])
        returned = len(calls) < len(before) and calls == before[: len(calls)]
        if event["kind"] == "line" or (event["line"] != line and not returned):
            seen = reached(state)
            yield from ((i, n) for n in state.storages if f"s{n}" not in seen)
        state.apply(event)
        line = event["line"]
    seen = reached(state)
    yield from ((len(events), n) for n in state.storages if f"s{n}" not in seen)
