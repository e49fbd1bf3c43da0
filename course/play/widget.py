"""`play(source)`: the game in a notebook. The rules stay in the kernel, the page draws and asks.

Where no kernel answers, what `static` makes stands in for it.
"""

from __future__ import annotations

import itertools
from html import escape
from pathlib import Path

import anywidget
import traitlets

import minigrad
from course.play.chart import HEIGHT, WIDTH, Chart
from course.play.game import Game, Move, count
from course.play.places import places
from course.play.reason import beside
from course.play.static import how, picture, text
from whoholds import unattended
from whoholds.figure import drawn
from whoholds.step.magic import step
from whoholds.views.look import LOOK, size_text
from whoholds.views.plot import patterns
from whoholds.views.script import FOLDER, ending

HERE = Path(__file__).parent
KEYS = "Keys: arrows move, Enter plays, Backspace goes back, Shift+Enter goes on."
SILENT = (
    "The kernel has not answered yet. If a cell is running, the answer comes when it ends. If the "
    "kernel was restarted, or there is none, run this cell again to play."
)


def play(source, title="", capacity=None):
    """The backward of a snippet, or of a recorded trace, to be played by hand.

    `mg` in the snippet is minigrad. `capacity` is the size of the GPU in bytes; by default what
    the run itself needs at its highest.
    """
    trace = step(source, namespace={"mg": minigrad}) if isinstance(source, str) else source
    return Play(Game(trace, capacity), title or trace.title or "Be the engine")


class Play(anywidget.AnyWidget):
    """Synced: what stands still, and what the moves so far have led to."""

    _esm = ending("") + (HERE / "play.js").read_text("utf-8")
    _css = (FOLDER / "view.css").read_text("utf-8") + (HERE / "play.css").read_text("utf-8")
    board = traitlets.Dict().tag(sync=True)
    now = traitlets.Dict().tag(sync=True)

    def __init__(self, game, title=""):
        self._game, self._title = game, title
        self._chart = Chart(game.trace, game.capacity, game.drops)
        self._turns = itertools.count()  # the same answer twice is still an answer
        super().__init__(board=board(game, title))
        self.now = self._now(Move("back", start(game)))
        self.on_msg(self._heard)

    @property
    def game(self):
        """What the rules say, and the moves so far."""
        return self._game

    def _heard(self, _, message, buffers):
        """A click or a key: the page says which card, the game says what that leads to."""
        move = played(self._game, message)
        if move is not None:
            self.now = self._now(move, message)

    def _now(self, move, message=None) -> dict:
        plot = self._chart.svg(self._game.curve, self._game.over)
        now = situation(self._game, move, self.board["layout"], message or {})
        return now | {"plot": plot, "turn": next(self._turns)}

    def __repr__(self):
        return text(self._game, self._title)

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        data = {**(data or {}), "text/plain": repr(self)}
        if unattended.unattended():
            data["image/png"] = drawn(lambda: picture(self._game, self._title))
            metadata = {**metadata, "image/png": {"width": 900}}
        return unattended.without_widget(data), metadata


def played(game, message) -> Move | None:
    """The move that a message of the page asks for; None if it asks for nothing."""
    kind, node = message.get("type"), message.get("node")
    if kind == "visit" and node in game.labels:
        return game.visit(node)
    if kind == "drop" and node in game.labels:
        return game.drop(node, message.get("slot"))
    return {"back": game.back, "again": game.again}.get(kind, lambda: None)()


def board(game, title) -> dict:
    """All that stands still."""
    cards = places(game.trace)
    return dict(
        title=title, how=f"{how(game)} {KEYS}", look=LOOK, layout=cards, patterns=patterns(),
        source="".join(_rows(game.trace.source)), silent=SILENT, frame=f"0 0 {WIDTH} {HEIGHT}",
        heads="".join(f'<text x="{x}" y="14">{words}</text>' for x, words in cards["heads"]),
        origins={str(node): origin for node, (_, origin) in game.labels.items()},
    )  # fmt: skip


def _rows(source):
    for number, line in enumerate(source.rstrip().splitlines(), 1):
        yield f"<div><b>{number}</b><code>{escape(line) or ' '}</code></div>"


def situation(game, move, cards, asked) -> dict:
    """All that a move has changed, and at which card `asked`, the message, was refused."""
    wrong = dict(kind="error", node=game.refused[1]) if move.error else None
    meter = size_text(game.now) + (f" of {size_text(game.capacity)}" if game.drops else " alive")
    reason = beside(move, asked.get("node"), cards)
    refused = (asked["node"], asked.get("slot", ""), move.sentence) if reason else None
    return dict(
        event=wrong, state=game.world.drawn(), items=items(game, cards["nodes"], refused),
        kind=move.kind, sentence=move.sentence, error=move.error, meter=meter, reason=reason,
        part=min(1, game.now / (game.capacity or 1)), score=count(game.mistakes, "mistake"),
        line=game.walk.line, failed=game.failed is not None, moves=len(game.moves),
    )  # fmt: skip


def items(game, boxes, refused=None) -> list:
    """What can be played, in the order of the arrow keys: each node, then its chips.

    `refused` is the (node, slot, reason) of the last click, if it was refused; a node's slot is "".
    """
    found = []
    for number in sorted(game.world.nodes, key=lambda n: boxes[str(n)][:2]):
        ran = ", has run" if game.world.nodes[number]["visited"] else ""
        label = game.label(number)
        found.append(_item(f"{number}", f"node {label}{ran}", number, "", False, refused))
        for i, slot in enumerate(game.world.nodes[number]["slots"]):
            name, held = slot["slot"], slot["slot"] in game.world.held(number)
            said = f"{name}, {size_text(slot['size'])}, saved by {label}"
            said += "" if held else ", dropped"
            found.append(_item(f"{number}:{i}", said, number, name, held, refused))
    return found


def _item(key, label, node, slot, held, refused) -> dict:
    why = refused[2] if refused and refused[:2] == (node, slot) else None
    return dict(key=key, label=label, slot=slot, held=held, why=why)


def start(game) -> str:
    alive = f"{size_text(game.now)} are alive"
    return f"Line {game.walk.line} calls backward, {alive}. Which node is first?"
