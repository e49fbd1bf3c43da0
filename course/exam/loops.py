"""Programs of the first part of the exam: eight turns of a loop over a net of two tanh layers.

The loops of lessons 05 and 08. Each takes `torch` (PyTorch or minigrad) and `note`, which writes
down the bytes alive after each layer and each backward. U = 32 * 8 * 4 bytes: one activation.
"""

from .nets import D, data

TURNS = 8


def begin(torch, note):
    """The batch, and a weight whose gradient has its bytes already."""
    w = torch.full((D, D), 0.1, requires_grad=True)
    w.grad = torch.zeros(D, D)
    note.start()
    x = data(torch)
    note()
    return x, w


def loss_of(x, w, note):
    h = (x @ w).tanh()
    note()
    h = (h @ w).tanh()
    note()
    return h.sum()


def turns(torch, note, **options):
    x, w = begin(torch, note)
    for _ in range(TURNS):
        loss = loss_of(x, w, note)
        note()
        loss.backward(**options)
        note()


def retained(torch, note):
    turns(torch, note, retain_graph=True)


def losses(torch, note, backward):
    x, w = begin(torch, note)
    kept = []
    for _ in range(TURNS):
        loss = loss_of(x, w, note)
        if backward:
            loss.backward()
            note()
        kept.append(loss)


def losses_walked(torch, note):
    losses(torch, note, backward=True)


def losses_unwalked(torch, note):
    losses(torch, note, backward=False)


def outputs_detached(torch, note):
    """A list of results, each without its graph; the bytes are the same ones."""
    x, w = begin(torch, note)
    kept = []
    for _ in range(TURNS):
        h = (x @ w).tanh()
        note()
        h.sum().backward()
        kept.append(h.detach())
        note()


def carried(torch, note, cut=False, **options):
    """A state that each turn takes over from the one before, with its history or without."""
    h, w = begin(torch, note)
    for _ in range(TURNS):
        h = (h @ w).tanh()
        note()
        h.register_hook(lambda grad: note())
        h.sum().backward(**options)
        if cut:
            h = h.detach()
        note()


def carried_on(torch, note):
    carried(torch, note, retain_graph=True)


def carried_cut(torch, note):
    carried(torch, note, cut=True)
