"""Who watches the engine: usually nobody. A recording, a count or a budget derives from Observer.

The engine tells of a few events, and never asks what became of them. Of each observer only what it
overrides is called.

    class Deaths(Observer):
        def died(self, storage):
            print(storage.bytes, "bytes have gone")

    with Deaths():
        step()
"""

from __future__ import annotations

from minigrad.core.modes import Block, leaving

watching: tuple = ()  # the observers at work, in the order in which they came
booking = False  # one of them is asked, or told, when bytes enter the ledger
# What is called when an event happens. (Written out: mypy and readers want to see the names.)
on_admit: tuple = ()
on_born: tuple = ()
on_died: tuple = ()
on_passed: tuple = ()
on_made: tuple = ()
on_writing: tuple = ()
on_written: tuple = ()
on_moving: tuple = ()
on_moved: tuple = ()
on_read: tuple = ()
on_changed: tuple = ()
on_joined: tuple = ()
on_computed: tuple = ()
on_recorded: tuple = ()
on_asked: tuple = ()
on_started: tuple = ()
on_visited: tuple = ()
on_arrived: tuple = ()
on_accumulated: tuple = ()
on_freed: tuple = ()
on_ended: tuple = ()
on_replayed: tuple = ()
EVENTS = [name[3:] for name in list(globals()) if name.startswith("on_")]


class Observer(Block):
    """Override what you want to hear of; what happens in other threads is told, too."""

    def __enter__(self):
        self._guarded()
        watch(self)
        return self

    @leaving
    def __exit__(self, *error):
        leave(self)
        self._guard = None

    # -- bytes --

    def admit(self, size: int) -> None:
        """So many bytes shall enter the ledger; an error raised here keeps them out."""

    def born(self, storage) -> None:
        """A Storage was made and its bytes entered."""

    def died(self, storage) -> None:
        """The last reference to a Storage has gone, and with it its bytes."""

    def passed(self, size: int) -> None:
        """A rule had so many bytes at one moment, its results among them; those are born next."""

    # -- tensors --

    def made(self, tensor, owns: bool) -> None:
        """A tensor was made, on bytes of its own (a Storage was born for it) or on shared ones."""

    def writing(self, tensor) -> None:
        """A tensor will be overwritten in place: its new values are computed first."""

    def written(self, tensor) -> None:
        """A tensor was overwritten in place; its version has moved on."""

    def moving(self, tensor) -> None:
        """An optimizer, running statistics or a replay will overwrite it, which is no operation of
        the program's."""

    def moved(self, tensor) -> None:
        """It has been."""

    def read(self, array) -> None:
        """The program takes values out: those of a tensor, with numpy(), item(), print, pickle;
        or an answer, a length or an error that depends on values: equal(), x[mask], x[9].
        A part without elements: from here on the program sees what is written to the array."""

    def changed(self) -> None:
        """The program has set a tensor's .grad, .data or requires_grad, or moved its grad_fn."""

    def joined(self, tensor, role: str, of=None) -> None:
        """`tensor` is now an optimizer's "state" of the parameter `of`, or a module's "buffer"."""

    # -- the graph --

    def computed(self, op, gradients=None) -> None:
        """A rule has run: its forward, or its backward, which gave these arrays (or None)."""

    def recorded(self, node, out, inputs) -> None:
        """`node` was made for `out`, of `inputs`: tensors, numbers, None."""

    def asked(self, tensors, inputs, capture: bool) -> None:
        """The program calls backward() or grad()."""

    def started(self, roots: list, keep_graph: bool) -> None:
        """A walk begins at `roots`, (node, output number, gradient) each."""

    def visited(self, node) -> None:
        """`node` is about to run."""

    def arrived(self, leaf, grad) -> None:
        """`grad` has come to `leaf`, and is about to be added to `leaf.grad`."""

    def accumulated(self, leaf) -> None:
        """A gradient has been added to `leaf.grad`."""

    def freed(self, node) -> None:
        """What `node` had saved was let go."""

    def ended(self, error: BaseException | None) -> None:
        """The walk is over; `error` is what stopped it, if something did."""

    # -- a recording --

    def replayed(self, replay) -> None:
        """A recording is about to be repeated: of the rules in it nobody else is told."""


class Births(Observer):
    """Calls one function with each Storage that is born."""

    def __init__(self, call):
        self.call = call

    def born(self, storage):
        self.call(storage)


def watch(observer: Observer) -> None:
    """From here on tell `observer`; it comes after those who watch already."""
    _subscribe((*watching, observer))


def leave(observer: Observer) -> None:
    """Tell it no more; nothing happens if it does not watch. No class of theirs is asked."""
    _subscribe(tuple([one for one in watching if one is not observer]))


def tell_moving(tensors) -> None:
    for tell in on_moving:
        for one in tensors:
            tell(one)


def tell_moved(tensors) -> None:
    for tell in on_moved:
        for one in tensors:
            tell(one)


def tell_computed(op, gradients=None) -> None:
    for tell in on_computed:
        tell(op, gradients)


def tell_recorded(node, out, given: tuple) -> None:
    for tell in on_recorded:
        tell(node, out, given)


def _subscribe(observers: tuple, names=globals()) -> None:  # noqa: B008, ours for ever
    """Make `on_born` and its kin: of each observer what it overrides, and nothing else."""
    made: dict = {"watching": observers}
    for event in EVENTS:
        heard = [getattr(type(o), event).__get__(o) for o in observers if overrides(o, event)]
        made[f"on_{event}"] = tuple(heard)
    made["booking"] = bool(made["on_admit"] or made["on_born"])
    names.update(made)  # all at once, or an interrupt would leave them half made


def overrides(observer: Observer, event: str) -> bool:
    return getattr(type(observer), event) is not getattr(Observer, event)
