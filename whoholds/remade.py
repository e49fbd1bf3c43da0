"""What each turn makes anew, and larger: `cache = cat([cache, new])` lives for one turn alone."""

from __future__ import annotations

from collections import Counter
from itertools import chain

ENDS = 4  # turns that end with as much more than the one before: no batch does so by chance
MANY = 7  # or turns of which each ends with more than the one before
OVER = {"kind": "over"}


def at_ends(events, marks, place_of) -> dict:
    """{place: (bytes that each turn has made there and ends with, the largest one, as "s7")}.

    A place is a line. `marks` are the events with which turns end.
    """
    ends, sizes = set(marks), []
    totals: Counter = Counter()  # of the turn
    there: dict = {}  # storage: (its place, its bytes, its turn)
    for number, event in enumerate(chain(events, [OVER])):
        if number in ends:
            sizes.append(totals)
            totals = Counter()
        if event["kind"] == "born":
            place, size, _ = there[event["storage"]] = place_of(event), event["size"], len(sizes)
            totals[place] += size
        elif event["kind"] == "died" and event["storage"] in there:
            place, size, turn = there.pop(event["storage"])
            totals[place] -= size * (turn == len(sizes))
    largest: dict = {}  # place: (bytes, storage), of alike ones the later
    for storage, (place, size, _) in there.items():
        if size >= largest.get(place, (0, None))[0]:
            largest[place] = size, storage
    return {place: ([n[place] for n in sizes], f"s{one}") for place, (_, one) in largest.items()}


def more(sizes, ends=ENDS) -> int:
    """Bytes a turn by which these sizes have grown, or 0 if they have not."""
    steps = [after - before for before, after in zip(sizes, sizes[1:], strict=False)]
    last = steps[1 - ends :]
    if len(sizes) >= ends and last[0] > 0 and len(set(last)) == 1:
        return last[0]
    return sum(steps) // len(steps) if len(sizes) >= MANY and min(steps) > 0 else 0
