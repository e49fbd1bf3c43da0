"""What a learner did is kept in `my/progress.json`: the first choice of each prediction counts.

Written only by a notebook that runs inside the working copies, or in a kernel that was told where
they are; so never by the build, nbval or a look at `notebooks/`. Trouble with the file is one
sentence, and never stops a lesson.
"""

import json
from pathlib import Path

from course.copies import write
from whoholds.unattended import revealing

FILE = "progress.json"
EMPTY: dict = {"version": 1, "predictions": {}, "exercises": {}, "tries": {}, "golf": {}}


class Unreadable(ValueError):
    """The file is there and is no record; the text is one sentence with the remedy."""


_told: list = []  # where the kernel was told that the working copies are


def work_in(my):
    """Let `my` be the learner's folder where a notebook runs outside of the working copies."""
    _told[:] = [my]


def folder():
    """The learner's `my/` when this notebook runs in it or was told of it, else None."""
    if revealing():
        return None
    try:
        here = Path.cwd()
    except OSError:
        return None
    return around(here) or next((my for my in _told if _is_ours(my)), None)


def around(place):
    """The learner's `my/` that `place` is or lies in, else None."""
    return next(filter(_is_ours, (place, *place.parents)), None)


def _is_ours(place):
    return place.name == "my" and (place / ".base").is_dir()


def load(my):
    """The record in `my/`; an empty one where there is none yet."""
    path = my / FILE
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        found = {}
    except (OSError, ValueError) as error:
        raise Unreadable(f"{_where(my)} cannot be read ({_brief(error)}); {REMEDY}") from None
    if not is_record(found):
        raise Unreadable(f"{_where(my)} is no record of progress; {REMEDY}")
    return {**EMPTY, **found}


REMEDY = "nothing more is recorded until you rename or delete it"


def prediction(card, judged):
    """Note a locked choice; gives a sentence when that was not possible, else ""."""

    def change(record):
        old = record["predictions"].get(card.id, {})
        new = {"outcome": judged["outcome"], "choice": judged["choice"]}
        form = {"form": card.form} if card.form else {}
        entry = (old or new) | form | {"times": _count(old) + 1}
        record["predictions"] = {**record["predictions"], card.id: entry}

    return _changed(change)


def answer(id):
    """What is on record for a prediction, as {"outcome", "choice", ...}; {} where nothing is."""
    my = folder()
    try:
        return load(my)["predictions"].get(id, {}) if my else {}
    except Unreadable:
        return {}


def record_exercise(id, passed):
    """Note that an exercise was checked; once passed it stays so. Gives a sentence or ""."""

    def change(record):
        tried = record["tries"].get(id)
        tried = tried if isinstance(tried, int) else 0
        record["tries"] = {**record["tries"], id: tried + 1}
        before = record["exercises"].get(id) is True
        record["exercises"] = {**record["exercises"], id: before or bool(passed)}

    return _changed(change)


def tries(id):
    """How often the exercise was checked, as far as it is recorded."""
    my = folder()
    try:
        found = load(my)["tries"].get(id) if my else 0
    except Unreadable:
        return 0
    return found if isinstance(found, int) else 0


def record_stroke(id, stroke):
    """Note a try at memory golf, [products, bytes], once. Gives a sentence or ""."""

    def change(record):
        old = [one for one in _strokes(record, id) if one != stroke]
        record["golf"] = {**record["golf"], id: [*old, list(stroke)]}

    return _changed(change)


def strokes(id):
    """The recorded tries, the last one last."""
    my = folder()
    try:
        return _strokes(load(my), id) if my else []
    except Unreadable:
        return []


def _strokes(record, id):
    found = record["golf"].get(id, [])
    pairs = (one for one in found if isinstance(one, list)) if isinstance(found, list) else ()
    return [one for one in pairs if len(one) == 2 and all(type(n) is int for n in one)]


BEST = ("right", "wrong", "skipped")  # of two outcomes the one that comes first


def merged(mine, theirs):
    """The better of two records of one learner; merged once more, it stays the same."""
    golf = {
        id: [s for s in _strokes(theirs, id) if s not in _strokes(mine, id)] + _strokes(mine, id)
        for id in mine["golf"] | theirs["golf"]
    }
    return {
        **theirs,
        **mine,
        "predictions": _both(mine, theirs, "predictions", _better),
        "exercises": _both(mine, theirs, "exercises", lambda a, b: a is True or b is True),
        "tries": _both(mine, theirs, "tries", _more),
        "golf": golf,
    }


def _both(mine, theirs, part, chosen):
    one, other = mine[part], theirs[part]
    both = {id: chosen(one[id], other[id]) for id in one.keys() & other.keys()}
    return other | one | both


def _better(mine, theirs):
    """The better of two entries, the own one where they are as good; the larger count of times."""
    ranks = [BEST.index(e["outcome"]) if e.get("outcome") in BEST else 9 for e in (mine, theirs)]
    entry = theirs if ranks[1] < ranks[0] else mine
    return entry | {"times": max(_count(mine), _count(theirs))}


def _more(mine, theirs):
    return max((n for n in (mine, theirs) if isinstance(n, int)), default=0)


def save(my, record):
    """Replace the record in `my/` in one step."""
    write(my / FILE, json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def _changed(change):
    my = folder()
    if my is None:
        return ""
    try:
        record = load(my)
        change(record)
        save(my, record)
    except Unreadable as error:
        return f"Not recorded: {error}."
    except OSError as error:
        return f"Not recorded: {_where(my)} cannot be written ({_brief(error)})."
    return ""


def is_record(found):
    """Whether what was read can be a record, of this or of a later version."""
    if not isinstance(found, dict):
        return False
    parts = [found.get(key, {}) for key in ("predictions", "exercises", "tries", "golf")]
    entries = parts[0].values() if isinstance(parts[0], dict) else [None]
    return all(isinstance(part, dict) for part in parts) and all(
        isinstance(entry, dict) for entry in entries
    )


def _count(entry):
    times = entry.get("times", 0)
    return times if isinstance(times, int) else 0


def _where(my):
    return f"{my.name}/{FILE}"


def _brief(error):
    return error.strerror if isinstance(error, OSError) and error.strerror else "it is not JSON"
