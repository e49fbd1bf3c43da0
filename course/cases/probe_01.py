"""Lesson 01: a probe that says whether a tensor dies, tried on worlds of names."""

import numpy as np

import minigrad as mg
from course.trying import Raised, any_form, case, measure

# --- dies_with: worlds, each a function that gives (names, what deletes)


def only_name(t):
    return {"t": t}, lambda names: names.pop("t")


def two_names(t):
    return {"t": t, "u": t}, lambda names: names.pop("t")


def on_a_shelf(t):
    return {"t": t, "shelf": [t]}, lambda names: names.pop("t")


def nothing_deleted(t):
    return {"t": t}, lambda names: None


def shelf_cleared(t):
    def delete(names):
        names["shelf"].clear()
        del names["t"]

    return {"t": t, "shelf": [t]}, delete


def turned_elsewhere(t):
    return {"t": t}, lambda names: names.update(t=mg.zeros(50))


def a_clone(t):
    return {"t": t, "copy": t.clone()}, lambda names: names.pop("t")


def a_view(t):
    return {"t": t, "row": t[0]}, lambda names: names.pop("t")


def a_view_gone(t):
    return {"t": t, "row": t[0]}, lambda names: names.clear()


def a_ring(t):
    ring = [t]
    ring.append(ring)
    return {"t": t, "ring": ring}, lambda names: names.clear()


PLAIN = (only_name, two_names, on_a_shelf, shelf_cleared, nothing_deleted)
BYTES = (turned_elsewhere, a_clone, a_view, a_view_gone)


def try_on(f, draw, worlds):
    """The worlds of which `f` says that the tensor dies; or what it did that it should not."""
    found: dict = {"died": [], "not": []}
    for world in worlds:
        make, delete, calls = instance(world, draw.array(3, 4))
        said = f(make, delete)
        if calls != ["make", "delete"]:
            return " ".join(["called:", *calls])
        if not isinstance(said, bool | np.bool_):
            return said
        found["died" if said else "not"].append(world.__name__.replace("_", " "))
    return {kind: sorted(names) for kind, names in found.items()}


def instance(world, array):
    """(make, delete, their calls) of a world, whose tensor nobody else holds."""
    deletes, calls = [], []

    def make():
        calls.append("make")
        names, how = world(mg.tensor(array))
        deletes.append(how)
        return names

    def delete(names):
        calls.append("delete")
        deletes[-1](names)

    return make, delete, calls


@any_form
def probing(got, want):
    if isinstance(got, str) and got.startswith("called:"):
        return (
            "Call `make` once, then `delete` once with what it gave: a second `make` gives another "
            "tensor."
        )
    if not isinstance(got, dict):
        return None if isinstance(got, Raised) else "Return True or False."
    wrong = set(got["died"]) ^ set(want["died"])
    if wrong == {"a ring"}:
        return (
            "A ring whose last name goes is not dead yet: it waits for the collector. At once "
            "means: without a search for it."
        )
    if got["died"] == want["not"]:
        return "Each of your answers is the opposite: True stands for a tensor that died."
    if not got["died"]:
        return (
            "Your probe never sees a tensor die. Is one of its own names an arrow to it? A weak "
            "reference is none."
        )
    if {"on a shelf", "two names", "a view"} & set(got["died"]) - set(want["died"]):
        return "That the name `t` is gone says nothing: another arrow may lead to the tensor."
    if "turned elsewhere" in wrong - set(got["died"]):
        return "`delete` may bring a tensor, too. Ask after the one that stood under `t` before."
    return "The tensor dies when the last arrow to it has gone, and not before."


@case("dies_with", "names and lists", hint=probing)
def probe_names(f, draw):
    return try_on(f, draw, draw.some(PLAIN, len(PLAIN)))


@case("dies_with", "views, copies, a name used again", hint=probing)
def probe_views(f, draw):
    return try_on(f, draw, draw.some(BYTES, len(BYTES)))


@case("dies_with", "a ring", hint=probing)
def probe_ring(f, draw):
    return measure(try_on, f, draw, draw.some((a_ring, only_name, two_names), 3)).value


def about_probe(got, want):
    if isinstance(got, Raised):
        return None
    if got["at the peak"] > want["at the peak"]:
        return (
            "Copy nothing: the probe needs no bytes of its own. The tensor of `make` is there "
            "anyway."
        )
    return "Something outlives your probe and holds bytes." if got["left"] > want["left"] else None


@case("dies_with", "bytes at the peak, and left", hint=about_probe)
def probe_bytes(f, draw):
    run = measure(try_on, f, draw, [two_names, only_name, on_a_shelf])
    return {"at the peak": run.peak, "left": run.left()}
