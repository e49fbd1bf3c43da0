"""What each word of the view means, told to whoever points at it or goes to it by Tab."""

from __future__ import annotations

from whoholds.views.layout import HEADS

HELP = {
    # the lanes
    HEADS[0]: "The variables of the program. An arrow leads to what a variable refers to; `del` "
    "erases the arrow.",
    HEADS[1]: "A card is a storage, that is, bytes. Its rows are the tensors that look at them. "
    "A storage is given back when no arrow leads to it any more.",
    HEADS[2]: "A node is a recorded operation. On it stands what it saved for backward, with an "
    "arrow to the bytes. Black arrows lead to the nodes that backward visits next.",
    "name": "A variable of the program, and an arrow to what it refers to.",
    "node": "A recorded operation. Dark frame: backward has run it. Thick frame: backward is "
    "there now; in red: it stopped there.",
    "held": "Saved for backward: as long as it stands here, the node keeps these bytes alive.",
    "freed": "Struck through: the node has let go of it. Somebody else may still hold the bytes.",
    "held shared": "Saved for backward, but it takes no bytes more: a parameter, or something that "
    "another node had saved before.",
    "freed shared": "Struck through: the node has let go of it. It never took bytes of its own.",
    "row": "A large trace is folded. A row is a turn, or what one module or one line of code has "
    "made in it: bytes, storages and nodes alive now, and how many of the nodes still have what "
    "they saved. A click shows its cards; it stays open, turn after turn, until it is clicked "
    "again. Where backward tells the turns apart, each ends with one.",
    # what bytes are for
    "parameter": "A leaf that requires grad: a weight, for example.",
    "grad": "The .grad of a tensor: what backward has added up for it.",
    "optimizer": "An optimizer keeps these bytes from step to step: momentum, for example.",
    "buffer": "A module's buffer, which is no parameter: a running mean, for example.",
    "saved": "A node has saved these bytes for backward.",
    "in flight": "A gradient on its way through backward. It goes when the node that it is for has "
    "used it.",
    "input": "A leaf that requires no grad: data, for example.",
    "result": "What an operation has computed. No node has saved it: it lives as long as somebody "
    "holds it.",
    "scratch": "Bytes that belong to no tensor of the program at this moment.",
    "given back": "Nothing refers to these bytes any more. They went in this step.",
    "only saved": "The tensor is gone; a node has saved the bytes and keeps them alive.",
    "a gradient": "It has no name: the engine holds it while it walks.",
    "no tensor": "No tensor that the view knows of is on these bytes.",
    "elsewhere": "Bytes that were allocated before this program began and have no part in it. The "
    "curve and the lanes leave them out.",
    # plot and bar
    "alive": "The step, how many there are, and the bytes alive after this one.",
    "step": "Drag: one event after the other. An arrow key goes one step, as far as the menu says.",
    "main": "How far one step goes. Main steps: to the next event that changes the picture. Every "
    "event: also those that change nothing to be seen. Lines only: to the next line of code.",
    "first": "First step (Home)", "prev": "Previous step (left arrow)",
    "play": "Play or pause (Space)", "next": "Next step (right arrow)",
    "last": "Last step (End)",
    "peak": "The most bytes alive at one moment of this program.",
    "nodes": "Dotted: nodes of the graph that are alive, whatever they have saved. None is at the "
    "bottom, the most at the top.",
    "events": "To the right: one event after the other, not seconds.",
    "scale": "Upward: bytes alive.",
    "forward": "The program computes, and records a graph.",
    "backward": "Backward walks the graph, from the newest node to the leaves.",
    "covered": "Not stepped yet: first say what you expect, then step.",
    "hold": "Point at a storage, or tap it, to see what holds it.",
    "turn": "A turn ends when the optimizer has stepped. What a turn has made, and what still "
    "lives at the end, two turns later or more, grows: it is told who holds it, and where it was "
    "made.",
    # the source
    "after": "Bytes alive after this line and what it has called, the last time that it ran. In "
    "italics: it is still running.",
    "change": "How many bytes the line added or gave back.",
}  # fmt: skip
