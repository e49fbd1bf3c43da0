"""What a recording tells of both engines, whichever has run the snippet."""

from whoholds.events import shown


def told(trace):
    """(kind, line, node's name, bytes) of the events that both engines promise."""
    names, sizes, found = {}, {}, []
    for e in trace.events:
        if e["kind"] == "born":
            sizes[e["storage"]] = e["size"]
        if e["kind"] == "node":
            names[e["node"]] = e["name"]
        amount = {"line": shown(e), "save": e.get("size"), "grad": sizes.get(e.get("storage"))}
        if e["kind"] in "line node save backward visit free grad write end error".split():
            row = e["kind"], e["line"], names.get(e.get("node")), amount.get(e["kind"])
            found.append(row + (e.get("slot"), e.get("shared"), e.get("text", "")[:60]))
    return found
