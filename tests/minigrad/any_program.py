"""The random programs of the twin, with every rule, several dtypes, and what is forbidden.

A step is (operation, a number, another), as in tests/twin/programs.py. What an engine refuses is
reported with its words, and the program goes on: both ways of the engine must refuse the same.
"""

from minigrad.autograd import graph
from tests.minigrad.rules import (
    INTO_X,
    LAYERS,
    LOSSES,
    ONE_AXIS,
    PAIR,
    POSITIVE,
    PRODUCTS,
    TWO,
    TWO_POSITIVE,
    UNARY,
)
from tests.twin.programs import OPERATIONS, Machine

OF_ONE = [*(UNARY | POSITIVE | ONE_AXIS | {name: f for name, (f, _) in LOSSES.items()}).values()]
SHAPED = {name: f for name, (f, shapes) in (PRODUCTS | LAYERS).items() if len(shapes[0]) == 2}
OF_TWO = [*(TWO | TWO_POSITIVE | INTO_X | PAIR | SHAPED).values()]


class Program(Machine):
    """Runs one program on minigrad alone; a step does something for whatever numbers it has."""

    def run(self, steps):
        super().run(steps)
        self.pool = [entry for entry in self.pool if self.is_of_use(entry[0])]

    def is_of_use(self, tensor):
        """Whether it is no view that may not be used any more."""
        try:
            self.out.graph("graph", tensor)
        except RuntimeError as error:
            self.out("graph", error)
            return False
        return True

    def attempt(self, label, step):
        try:
            self.step(*step)
        except Exception as error:
            self.out(label, error)
        self.out(label, self.pool[-1][0])

    def step(self, name, one, two):
        if name not in MORE:
            return super().step(name, one, two)
        x = self.pool[two % len(self.pool)][0]
        y = self.pool[(two + one) % len(self.pool)][0]
        return MORE[name](self, x, y, one)

    def rule(self, x, y, one):
        self.keep(OF_ONE[one % len(OF_ONE)](x))

    def both(self, x, y, one):
        self.keep(OF_TWO[one % len(OF_TWO)](x, y))

    def wrong(self, x, y, one):
        """Shapes that may not fit, and what is no tensor."""
        [x.__add__, x.__matmul__, x.__truediv__][one % 3]([y, "text", None][one % 7 % 3])

    def double(self, x, y, one):
        self.keep(x.double() if one % 2 else x * y.detach().double().sum())

    def integer(self, x, y, one):
        self.keep(self.mg.arange(x.numel()).view(x.shape) * (x if one % 2 else 2))

    def empty(self, x, y, one):
        self.keep(x.reshape(-1)[:0])

    def scalar(self, x, y, one):
        self.keep(x * y.sum() if one % 2 else y.mean() - x)

    def packed(self, x, y, one):
        with graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
            self.keep(x.exp() if one % 2 else x * y)

    def quiet(self, x, y, one):
        """A view that nobody tracks, and a view of it."""
        with self.mg.no_grad():
            view = x[None]
        self.keep(view[0])

    def changed(self, x, y, one):
        """What a node has saved may be changed by this."""
        x.detach().mul_(0.5)

    def data(self, x, y, one):
        x.data = y.detach() if one % 2 else x.detach().clone()

    def left(self, x, y, one):
        x.detach_()

    def retained(self, x, y, one):
        x.retain_grad()

    def asked(self, x, y, one):
        keep_graph = bool(one % 2)
        found = self.mg.autograd.grad(x.sum(), y, allow_unused=True, retain_graph=keep_graph)
        self.out("asked", found)


MORE = {
    f.__name__: f
    for f in (
        Program.rule, Program.both, Program.wrong, Program.double, Program.integer, Program.empty,
        Program.scalar, Program.packed, Program.quiet, Program.changed, Program.data, Program.left,
        Program.retained, Program.asked,
    )
}  # fmt: skip
STEPS = (*OPERATIONS, *MORE, "rule", "both")  # the last two more often


def program(mg, shapes, steps):
    def run(out):
        machine = Program(mg, out, shapes)
        machine.run(steps)
        machine.finish()

    return run
