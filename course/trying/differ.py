"""Where two encoded values differ first, and both shown around that place.

`plain.same` decides what differs, with its tolerance.
"""

from course.trying import forms, plain

MOST = 80  # characters
MOST_WRONG = 6  # entries named


def first(got, want):
    """The path to the first entry that differs, as a tuple of keys; () for the whole, or None."""
    if plain.same(got, want):
        return None
    return next(paths(got, want))


def paths(got, want, slack=plain.ABSOLUTE):
    """The paths to all entries that differ; floats by more than `slack`, and than 1e-4 of them."""
    inner = plain.entries(got), plain.entries(want)
    if None in inner or inner[0].keys() != inner[1].keys():
        yield ()
        return
    before, slack = True, max(slack, plain.rounding(want))
    for key in inner[1]:
        pair = inner[0][key], inner[1][key]
        if not plain.same(*pair, slack=slack):
            before = False
            yield from ((key, *path) for path in paths(*pair, slack))
    if before:
        yield ()  # alike in each entry, and yet of two kinds


def both(got, want, names=(), most=MOST):
    """(what came, what was expected), each a line of at most so many characters.

    Too long, both show the same entries, and the first that differs has its path: `[63] = 0.25`.
    `names` are those of the entries, where they have any.
    """
    texts = plain.line(got), plain.line(want)
    path = first(got, want)
    if path is None or max(map(len, texts)) <= most and texts[0] != texts[1]:
        return tuple(plain.cut(text, most) for text in texts)
    texts = _ends(got, want, path)
    if not path:
        return _around(texts, most)
    rows = [list((plain.entries(_at(one, path[:-1])) or {}).items()) for one in (got, want)]
    place = next(i for i, (key, _) in enumerate(rows[0]) if key == path[-1])
    return _window(rows, place, f"{named(path, names)} = ", texts, most)


def _ends(got, want, path):
    """What stands at the path, as two texts that differ."""
    pair = [_at(one, path) for one in (got, want)]
    for form in plain.line, _typed, _exactly:
        texts = [form(one) for one in pair]
        if texts[0] != texts[1]:
            break
    return texts


def _typed(value):
    """With what an array is made of."""
    kind = f", {value['dtype']}" if isinstance(value, dict) and "dtype" in value else ""
    return f"{plain.line(value)}{kind}"


def _exactly(value):
    """With all digits, and with quotes around texts."""
    return repr(plain.decoded(value))


def _at(value, path):
    for key in path:
        value = plain.entries(value)[key]
    return value


def _window(rows, place, label, texts, most):
    """The entry between as many of its neighbours as fit in both lines."""
    lines = [label + text for text in _around(texts, most - len(label))]
    start = stop = place
    for step in range(1, len(rows[0])):
        for at in (place - step, place + step):
            if start - 1 == at >= 0 or stop + 1 == at < len(rows[0]):
                wider = [
                    _beside(line, row[at], at < place)
                    for line, row in zip(lines, rows, strict=True)
                ]
                if max(map(len, wider)) > most - 10:
                    return tuple(_dotted(line, start, stop, rows[0]) for line in lines)
                lines, start, stop = wider, min(start, at), max(stop, at)
    return tuple(lines)


def _beside(line, entry, before):
    key, value = entry
    text = plain.line(value) if isinstance(key, int) else f"{key}: {plain.line(value)}"
    return f"{text}, {line}" if before else f"{line}, {text}"


def _dotted(line, start, stop, entries):
    return "..., " * (start > 0) + line + ", ..." * (stop < len(entries) - 1)


def _around(texts, most):
    """Two texts, cut around the first character that differs."""
    one, other = texts
    if max(len(one), len(other)) <= most:
        return one, other
    place = next(
        (i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )
    start = max(0, place - most // 3)
    head = "..." if start else ""
    return tuple(plain.cut(head + text[start:], most) for text in (one, other))


def wrong(got, want, names=(), most=MOST):
    """Which entries are wrong, with what came there, and nothing of what was expected.

    `names` as for `both`.
    """
    found = [path for path in paths(got, want) if path]
    if not found or forms.mismatch(got, want):
        alike = plain.shown(got, most) == plain.shown(want, most)
        return both(got, want, names, most)[0] if alike else plain.shown(got, most)
    parts = [f"{_called(path, names)}: {_ends(got, want, path)[0]}" for path in found]
    texts = (_first_of(parts, count) for count in range(min(len(parts), MOST_WRONG), 0, -1))
    return next((text for text in texts if len(text) <= most), plain.cut(_first_of(parts, 1), most))


def _first_of(parts, count):
    more = f" and {len(parts) - count} more" if len(parts) > count else ""
    return f"wrong: {'; '.join(parts[:count])}{more}"


def _called(path, names):
    """As `named`; an entry without a name is one of the result: `result[1]`."""
    alone = isinstance(path[0], int) and path[0] >= len(names)
    return f"result{plain.path(path)}" if alone else named(path, names)


def named(path, names):
    """`[2][0]`; `kept[0]`, or `[0] of line 3`, where the third entry is called so."""
    first, rest = path[0], path[1:]
    if isinstance(first, int) and first < len(names):
        first = names[first]
    spaced = rest and " " in str(first)
    return f"{plain.path(rest)} of {first}" if spaced else plain.path((first, *rest))
