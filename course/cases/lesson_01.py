"""Lesson 01: bytes of names, views and lists; who holds a tensor, and when it dies."""

import minigrad as mg
from course.trying import Raised, any_form, beyond, by_hand, case, measure

from .several import along

# --- shelf_of_views


LINES = (
    "`zeros(rows, columns)`: how many elements, of 4 bytes each?",
    "`[t, t.t(), t[0]]`: a list holds references. Which of these three has bytes of its own?",
    "`t.clone()`: the one line so far that copies.",
    "`del t` takes one arrow away. Does something on the shelf still lead to the tensor?",
    "`shelf = [copy[0]]`: the old list has no name any more. What does it take along, and what "
    "does the new row look into?",
    "`copy.sum(0)` is new and small. But who still looks into the old copy?",
    "`del shelf`: with the row goes all that it held. What has a name now?",
)


def shapes(draw):
    """Sizes so small that seven numbers of bytes fit into a line of the table."""
    return draw.int(2, 1001), draw.int(2, 1001)


@case(
    "shelf_of_views",
    "lines 1 to 7",
    points=4,
    hint=along(LINES),
    returns="Return a list, one number for each line.",
)
def shelf_lines(f, draw):
    return f(*shapes(draw))


@by_hand("shelf_of_views", "work the bytes out from the sizes")
def shelf_by_hand(draw):
    return shapes(draw)


# --- first_rows


def batches(draw):
    """(load, how many, a list that grows with each load)."""
    count, columns, loaded = draw.int(4, 7), draw.int(3, 6), []
    arrays = [draw.array(20, columns) for _ in range(count)]

    def load(i):
        loaded.append(i)
        return mg.tensor(arrays[i])

    return load, count, loaded


ROWS = "The result is a list of tensors, each with a storage: call no `tolist` on them."


@any_form
def about_rows(got, want):
    if isinstance(got, Raised):
        return None
    if isinstance(got, str):
        return "Return a list, with all rows in it. A generator has loaded nothing yet."
    return "Keep what the function gives: row 0 of each batch, in this order."


def rows_or_kind(found):
    """The list, or in words what came in place of one."""
    lazy = hasattr(found, "__next__")
    return f"a {type(found).__name__}, no list" if lazy else found


@case("first_rows", "the rows", given=True, hint=about_rows, returns=ROWS)
def rows_values(f, draw):
    load, count, _ = batches(draw)
    found = rows_or_kind(f(load, count))
    return found if isinstance(found, str) else [row.tolist() for row in found]


@any_form
def about_loads(got, want):
    if not isinstance(got, dict):
        return None
    if got["loaded"] != want["loaded"]:
        return "`load(i)` is dear: call it once for each i."
    return about_rows(got["rows"], want["rows"])


@case(
    "first_rows", "how often a batch is loaded", given=True, needs=("the rows",), hint=about_loads
)
def rows_loaded(f, draw):
    load, count, loaded = batches(draw)
    found = rows_or_kind(f(load, count))
    rows = found if isinstance(found, str) else [row.tolist() for row in found]
    return {"loaded": loaded, "rows": rows}


@case(
    "first_rows",
    "bytes that the result holds",
    points=2,
    needs=("the rows",),
    hint=beyond(
        "A row is small; what it looks into is not. Which of section 3's methods gives a row a "
        "storage of its own?"
    ),
)
def rows_kept(f, draw):
    load, count, _ = batches(draw)
    run = measure(f, load, count)
    return run.at_end(run.kept)


@case(
    "first_rows",
    "bytes at the peak",
    points=2,
    at_most="1.5 batches + rows",  # right 1 batch and the rows, wrong from 2
    needs=("the rows",),
    hint="More is alive at once than one batch and the rows. While `load` makes a batch, what does "
    "your name still refer to? And is each row made once?",
)
def rows_peak(f, draw):
    load, count, _ = batches(draw)
    batch = load(0)
    sizes = {"batches": batch.nbytes, "rows": count * batch[0].numel() * 4}
    run = measure(f, load, count)
    found = rows_or_kind(run.value)
    return found if isinstance(found, str) else run.at_peak(**sizes)


# --- live_after


def program(draw, whats, count=12):
    """Random lines that use only names that are bound."""
    bound = ["a"]
    lines: list = [("new", "a", draw.int(1, 999))]
    for _ in range(count):
        what, name = draw.choice(whats), draw.choice("abcd")
        if what == "del" and len(bound) > 1:
            bound.remove(name := draw.choice(bound))
            lines.append(("del", name))
        else:
            more = draw.choice(bound) if what in ("name", "view", "copy") else draw.int(1, 999)
            lines.append((what if what != "del" else "new", name, more))
            bound = sorted({*bound, name})
    return lines


TWO = "Return two whole numbers: bytes alive at the end, and the most at once."


def bookkeeping(sentence):
    """A hint about the two numbers; `sentence` where bytes are missing or too many at the end."""

    def hint(got, want):
        if isinstance(got, Raised):
            return None
        if [4 * one for one in got] == want:
            return "You counted elements. A float has 4 bytes: `mg.zeros(n)` has 4 times n."
        if got[0] != want[0]:
            return sentence
        if got[1] < want[1]:
            return (
                "The peak lies within a line: the right side is made before the name lets go of "
                "what it referred to."
            )
        return "The most bytes at one moment: what has gone before does not count with what came."

    return hint


@case(
    "live_after",
    "names and del",
    returns=TWO,
    draws=6,
    hint=bookkeeping("`del` takes a name away, and `b = a` copies nothing: does any name still "
                     "lead to these bytes?"),
)  # fmt: skip
def live_names(f, draw):
    shared = [("new", "a", draw.int(1000, 9999)), *[("name", b, "a") for b in "bc"], ("del", "a")]
    return list(f(program(draw, ("new", "name", "name", "del")) + shared))


@case(
    "live_after",
    "with views",
    returns=TWO,
    hint=bookkeeping("A view is a tensor without bytes of its own, and it holds all the bytes of "
                     "the storage that it looks into."),
)  # fmt: skip
def live_views(f, draw):
    seen = [("new", "a", draw.int(1000, 9999)), *[("view", c, "a") for c in "cd"], ("del", "a")]
    return list(f(program(draw, ("new", "name", "view", "view", "del")) + seen))


@case(
    "live_after",
    "with copies, and names used again",
    returns=TWO,
    points=2,
    draws=6,
    hint=bookkeeping("A copy has a storage of its own, as large as the one it was made from. And a "
                     "name that is used again lets go of what it referred to."),
)  # fmt: skip
def live_copies(f, draw):
    again = [("new", "a", draw.int(10000, 99999)), ("copy", "a", "a"), ("view", "b", "a")]
    return list(f(program(draw, ("new", "name", "view", "copy", "copy", "del")) + again))


@by_hand("live_after", "keep books of numbers")
def live_by_hand(draw):
    return (program(draw, ("new", "name", "view", "copy", "del")),)
