"""Programs with Ctrl-C at a place chosen by chance, and what must be as before after each.

Python raises KeyboardInterrupt where a function begins, and after a call of one written in C. A
profiler is told of just these places: ours raises at the n-th, so a seed says where. Run 2,000:

    python -m tests.minigrad.interrupted 2000
    python -m tests.minigrad.interrupted 2000 --signals
"""

import gc
import random
import secrets
import signal
import sys
import time

import minigrad as mg
from minigrad.autograd import Function, graph
from minigrad.core import modes, node, observer, storage
from minigrad.core.storage import Storage
from minigrad.utils.checkpoint import checkpoint


class Interrupt:
    """Inside, KeyboardInterrupt is raised at the n-th place where Python might; else they are
    counted."""

    def __init__(self, at=None):
        self.at, self.places, self.done = at, 0, False

    def __enter__(self):
        sys.setprofile(self.told)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)

    def told(self, frame, event, _):
        if event in ("call", "c_return") and frame.f_code is not Interrupt.__exit__.__code__:
            self.places += 1
            if self.places == self.at:
                self.done = True  # and no more profiling: Python sees to that
                raise KeyboardInterrupt


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with mg.enable_grad():
            inner = x.detach().requires_grad_()
            (inner * inner).sum().backward()
        return grad * inner.grad


class Count(observer.Observer):
    """Watches nearly everything, as a recording does."""

    def __init__(self):
        self.events = 0

    def note(self, *_):
        self.events += 1

    born = died = made = recorded = visited = freed = note


# -- parts of programs: each takes a tensor and gives another --


def plain(x):
    return (x * 2 + x.exp()).tanh()


def views(x):
    y = x * 1
    y.view(-1)[1:].detach()
    return y.t().t()[:, :]


def in_place(x):
    y = x * 1
    y.add_(1).mul_(2)
    return y


def quiet(x):
    with mg.no_grad():
        y = x * 3
        with mg.enable_grad():
            z = x * y
    return z + mg.no_grad()(plain)(x)


def packed(x):
    with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return (x * x).exp().tanh()


def hooked(x):
    y = x * 1
    y.register_hook(lambda grad: grad * 2)
    y.register_hook(lambda grad: None)
    y.retain_grad()
    return y * y


def custom(x):
    return Square.apply(x)


def recomputed(x):
    return checkpoint(lambda t: checkpoint(plain, t, use_reentrant=False), x, use_reentrant=False)


def reentered(x):
    return checkpoint(lambda t: checkpoint(plain, t, use_reentrant=True), x, use_reentrant=True)


def watched(x):
    with Count(), Count():
        return plain(x)


def counted(x):
    with mg.memory.budget(10**12):
        return plain(x)


# (No set_grad_enabled: as in PyTorch it switches when it is made, and an interrupt that comes
# before the `with` statement has it finds the mode switched, as after a plain call.)
PARTS = (
    plain, views, in_place, quiet, packed, hooked, custom, recomputed, reentered, watched,
    counted,
)  # fmt: skip


def program(seed):
    """One training step of parts that are drawn; the new weights."""
    draw = random.Random(seed)
    weight = mg.linspace(-1, 1, 4).view(2, 2).requires_grad_()
    optimizer = draw.choice([mg.optim.SGD, mg.optim.Adam])([weight], lr=0.1)
    for _ in range(draw.randint(1, 2)):
        x = weight
        for part in draw.sample(PARTS, 3):
            x = part(x)
        x.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    return repr(weight.tolist())  # NaN and all


# -- what must be as before --


def standing():
    """Everything that a program may leave behind in the engine."""
    modes.state.left = ()  # but what was ready to run when a backward failed
    state = {name: getattr(modes.state, name) for name in dir(type(modes.state)) if name[0] != "_"}
    state["packed"] = tuple(state["packed"])  # nothing is nothing, whoever was last
    lists = {name: getattr(observer, f"on_{name}") for name in observer.EVENTS}
    more = observer.watching, observer.booking, modes.off, modes.packing
    return state, lists, more, repr(node._accumulation).split()[0]


def unseen():
    """The ledger's bytes less those of all Storages that the collector sees, one by one.

    Some are out of its sight, as whoever runs this may have frozen them: then it stays the same.
    """
    return storage.live - sum(t.bytes for t in gc.get_objects() if isinstance(t, Storage))


class Alarm:
    """The same by a real signal, after a time; nobody can say at which place."""

    def __init__(self, seconds):
        self.seconds, self.done = seconds, False

    def __enter__(self):
        self.before = signal.signal(signal.SIGALRM, self.ring)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        return self

    def __exit__(self, *error):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)

    def ring(self, *_):
        self.done = True
        raise KeyboardInterrupt


def place(draw, kind):
    """One place of the program, by its number."""
    with Interrupt() as counting:
        program(kind)
    return Interrupt(at=draw.randint(1, counting.places))


def moment(draw, kind):
    """One moment of the program, on the clock."""
    start = time.perf_counter()
    program(kind)
    return Alarm(max(1e-5, draw.random() * (time.perf_counter() - start)))


def interrupt(seed, chosen=place):
    """Interrupt one program; say what is not as before, or nothing."""
    draw = random.Random(seed)
    kind = draw.randrange(10**6)
    before, apart = standing(), unseen()
    right = program(kind)
    error = None
    try:
        with (sent := chosen(draw, kind)):
            program(kind)
        for _ in range(3):
            str(seed)  # it may come again a moment later
    except KeyboardInterrupt as caught:
        error = caught
    wrong = []
    if error is None and sent.done:
        wrong.append("the interrupt was lost")
    if standing() != before:
        wrong.append(f"{standing()} was {before}")
    if unseen() != apart:
        wrong.append(f"of the ledger's bytes a recount does not find {unseen()}, before {apart}")
    if not wrong and program(kind) != right:
        wrong.append("the next program computed something else")
    return wrong


def main(count, chosen=place):
    seed = secrets.randbelow(10**9)
    bad = 0
    for one in range(seed, seed + count):
        if wrong := interrupt(one, chosen):
            bad += 1
            print(one, *wrong, sep="\n  ")
    print(f"{count} programs interrupted, {bad} not as before")
    return bool(bad)


if __name__ == "__main__":
    how = moment if "--signals" in sys.argv else place
    sys.exit(main(int(sys.argv[1]), how))
