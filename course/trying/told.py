"""What an outcome tells beside its value: the learner's line, the call, and what was alive."""

from course.trying import forms

KINDS = {"list", "dict", "text", "number", "bool", "set"}
# Of what the reference returns: kinds that no case takes in its place.
ALIEN = {kind: KINDS - {kind} for kind in KINDS}
ALIEN |= {"set": KINDS - {"set", "list"}, "tensor": KINDS - {"list", "number"}}


def line(outcome):
    """`line 3: h = x @ w`, or ""."""
    number = outcome.get("line")
    if not number:
        return ""
    code = outcome.get("code", "").strip()
    return f"line {number}: {code}" if code else f"line {number}"


def gave(outcome):
    """What the last call returned, in words, or "" where it returned nothing or none was noted."""
    return gaves(outcome)[-1]


def gaves(outcome):
    """What each call returned, in words."""
    return outcome.get("asked", {}).get("gave") or [""]


def alien(outcome, wanted):
    """(what a call returned, what was expected or "") where that is of another kind, or None.

    Where the reference returns several kinds, which of them was expected is not told.
    """
    rights = {general: text for text in gaves(wanted) if (general := forms.general(text))}
    kinds = {forms.family(text) for text in rights.values() if text != "None"}
    if not kinds or "" in kinds:
        return None
    one = next(iter(rights)).replace("a list of", "a list or tuple of") if len(rights) == 1 else ""
    for text in gaves(outcome):
        if all(forms.family(text) in ALIEN[kind] for kind in kinds):
            return text, one
        if one and forms.swapped(text, gaves(wanted)[-1]):
            return text, one
    return None


def began(case, outcome):
    """Whether the code began that an error came out of; else Python could not even call it."""
    text, name = outcome.get("text", ""), case.exercise
    if outcome.get("line") or outcome["error"] not in ("TypeError", "AttributeError"):
        return True
    if outcome.get("where") == "call":
        return False
    return not text.startswith((f"{name}.", f"{name}()")) and f"'{name}' " not in text


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
    """`alive at the peak: 3 tensors of shape (32, 4), 1536 bytes, made on line 2; ...`, or ""."""
    rows = [_group(*row) for row in outcome.get("alive", [])]
    return f"alive {outcome.get('when', '')}: {'; '.join(rows)}" if rows else ""


def _group(at, shape, count, size):
    where = f"made on line {at}" if at else "made by the check"
    sides = shape.split(" x ")
    kind = f"shape ({', '.join(sides)}{',' * (len(sides) == 1)})" if shape else "one number"
    return f"{count} tensor{'s' * (count != 1)} of {kind}, {size} bytes, {where}"
