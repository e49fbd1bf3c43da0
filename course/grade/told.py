"""What an outcome tells beside its value: the learner's line, the call, and what was alive."""


def line(outcome):
    """`line 3: h = x @ w`, or ""."""
    number = outcome.get("line")
    if not number:
        return ""
    code = outcome.get("code", "").strip()
    return f"line {number}: {code}" if code else f"line {number}"


def gave(outcome):
    """What the last call returned, in words, or "" where it returned nothing or none was noted."""
    return (outcome.get("asked", {}).get("gave") or [""])[-1]


def call(outcome, path):
    """The call that failed, or "" where that cannot be told.

    path: where the value is wrong first; None after an error.
    """
    asked = outcome.get("asked", {})
    calls = asked.get("calls", [])
    number = asked.get("failed") if path is None else _owner(asked.get("places"), path)
    if number is not None and 0 <= number < len(calls):
        return calls[number]
    return calls[0] if len(set(calls)) == 1 else ""


def _owner(places, path):
    """The number of the call whose answer stands at the path, or None."""
    if not places or not path:
        return None
    key, owners = places
    inside = path if key is None else path[1:] if path[0] == key else ()
    return next((number for at, number in owners if inside and at == inside[0]), None)


def alive(outcome):
    """`alive at the peak: 3 of 32 x 4 made on line 2; ...`, or ""."""
    rows = [_group(*row) for row in outcome.get("alive", [])]
    return f"alive {outcome.get('when', '')}: {'; '.join(rows)}" if rows else ""


def _group(at, shape, count, size):
    where = f"made on line {at}" if at else "made by the check"
    return f"{count} of {shape or 'one number'} ({size} bytes) {where}"
