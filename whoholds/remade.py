"""What each turn makes anew, and larger: `cache = cat([cache, new])` lives for one turn alone."""

from __future__ import annotations

ENDS = 4  # turns that end with as much more than the one before: no batch does so by chance
MANY = 7  # or turns of which each ends with more than the one before


def remade(events, marks, place_of, ends=ENDS) -> dict:
    """{place: (bytes more a turn, what was made there last)} of the turns of a trace.

    A place is a line. What was made there is as large as all of it that lives at a turn's end.
    `marks` are the events with which turns end.
    """
    at_ends = [*_at_ends(events, marks, place_of)]
    if len(at_ends) < ends:
        return {}
    found = {}
    for place, storages in at_ends[-1].items():
        sizes = [sum(there.get(place, {}).values()) for there in at_ends]
        if storages and (more := _more(sizes, ends)):
            found[place] = more, f"s{max(storages)}"
    return found


def _at_ends(events, marks, place_of):
    """{place: {storage: its bytes}} of what lives at the end of each turn."""
    there: dict = {}
    places = {}
    ends = set(marks)
    for number, event in enumerate([*events, {"kind": "over"}]):
        if number in ends:
            yield {place: dict(storages) for place, storages in there.items()}
        if event["kind"] == "born":
            place = places[event["storage"]] = place_of(event)
            there.setdefault(place, {})[event["storage"]] = event["size"]
        elif event["kind"] == "died" and event["storage"] in places:
            del there[places.pop(event["storage"])][event["storage"]]


def _more(sizes, ends) -> int:
    """Bytes a turn by which these sizes have grown, or 0 if they have not."""
    steps = [after - before for before, after in zip(sizes, sizes[1:], strict=False)]
    last = steps[1 - ends :]
    if last[0] > 0 and len(set(last)) == 1:
        return last[0]
    return sum(steps) // len(steps) if len(sizes) >= MANY and min(steps) > 0 else 0
