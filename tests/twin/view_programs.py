"""Random programs that write to views: through the view, its base and its siblings, in every order.

A step is (operation, a number, another), as in programs.py; each is one line of OPERATIONS. Half of
the programs look at every graph after each step; the others must not, since who asks a view for its
node makes it a new one. `python -m tests.twin.view_programs 3000` looks through so many programs
and prints each kind of difference once, as short as it gets.
"""

import functools
import itertools
import random
import sys
import warnings

from course.twin.compare import alike
from tests.twin import graph_programs as graphs
from tests.twin import probes, registry
from tests.twin.known import left_out
from tests.twin.programs import Machine

SHAPES = [(4,), (3, 4), (2, 3, 2), (1, 3), (4, 1)]
MOST_TENSORS = 9
PAIRS = {"write_of", "packed", "both"}
WRITES = {"CopySlices", "CopyBackwards", "AsStridedBackward0"}


class Writes(Machine):
    """Runs one program; what an engine refuses is reported, and the program goes on."""

    def __init__(self, mg, out, shapes, looks):
        super().__init__(mg, out, shapes)
        self.looks, self.counts = looks, True
        self.hooked, self.told = [], []  # tensors with a hook; views that were told to be leaves
        self.numbers = itertools.count()
        for leaf in self.leaves[:2]:
            self.keep(leaf * 1)
            self.keep(self.pool[-1][0][:1])
        self.keep(mg.zeros(shapes[0]))
        self.keep(self.pool[-1][0][-1])

    def run(self, steps):
        for number, step in enumerate(steps):
            label = f"{number} {step[0]}"
            self.attempt(label, step)
            while len(self.pool) > MOST_TENSORS:
                del self.pool[len(self.leaves) + number % 3]
            if self.counts:
                self.out.live(label)
            for place, (tensor, _) in enumerate(self.pool):
                self.state(f"{label}: tensor {place}", tensor)

    def attempt(self, label, step):
        try:
            self.step(*step)
        except Exception as error:
            self.out(label, [type(error).__name__, str(error)])
            registry.empty_the_queue(self.mg)

    def step(self, name, one, two):
        alive = [tensor for tensor, _ in self.pool]
        inner = (
            alive[len(self.leaves) :] if one else alive
        )  # a leaf can be written to: now and then
        x = inner[one % len(inner)]
        fitting = [t for t in alive if fits(x, t)] if name in PAIRS and two % 10 else alive
        y = fitting[two % len(fitting)]
        if name == "put" or (name in PAIRS and x is not y):
            y = y.clone() if tangled(x, y) else y
        OPERATIONS[name](self, x, y, one * 1000 + two)

    def state(self, label, t):
        self.out(f"{label} flags", [t.requires_grad, t._version, t._is_view(), t.retains_grad])
        if self.looks:
            self.out(f"{label} leaf", graphs.answer(lambda: t.is_leaf))
            self.out(f"{label} graph", graphs.answer(lambda: self.graph(t.grad_fn)))

    def graph(self, node):
        """Names and edges, the order of making, what is saved, and in which leaves it ends."""
        nodes = probes.walk(node)
        made = [n._sequence_nr() for n in nodes if not hasattr(n, "variable")]
        ends = [n.variable for n in nodes if hasattr(n, "variable")]
        known = [[i for i, (t, _) in enumerate(self.pool) if t is end] for end in ends]
        saved = self.counts and [tensors(n) for n in nodes if "Inside" not in probes.name(n)]
        lines = [line.replace("ReshapeAlias", "View") for line in probes.graph(node)]  # as counted
        return [lines, [sorted(made).index(n) for n in made], known, saved]

    def finish(self, number):
        ends = [t for t, _ in self.pool if t.requires_grad]
        for i in range(number % 3 + 1):
            if ends:
                self.last(ends[(number + i) % len(ends)], number + i)
        self.out("values", [t for t, _ in self.pool])
        self.gradients("last")
        del ends
        self.pool.clear()
        self.hooked.clear()
        self.told.clear()
        self.leaves.clear()
        if self.counts:
            self.out.live("all gone")

    def last(self, x, n):
        try:
            self.backward(x, x, n * 7)
        except RuntimeError as error:
            self.out("last backward", [type(error).__name__, str(error)])
            registry.empty_the_queue(self.mg)

    def gradients(self, label):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.out(f"{label} gradients", [t.grad for t, _ in self.pool])

    # -- the operations: of x, of another tensor y, and of a number --

    def view(self, x, y, n):
        if n % 18 != 11 or x.dim() < 3:  # t(), of which PyTorch finds another fault first
            self.keep(graphs.a_view(x, n))

    def part(self, x, y, n):
        index = graphs.an_index(self.mg, x.shape, n)
        if x.dim():
            self.keep(x[index])

    def several(self, x, y, n):
        if x.dim():
            some = [
                lambda: x.split(2), lambda: x.unbind(-1), lambda: x.chunk(2, -1),
                lambda: x.split([1, x.shape[0] - 1]),
            ]  # fmt: skip
            pieces = some[n % len(some)]()
            self.keep(pieces[n % len(pieces)])

    def quiet_view(self, x, y, n):
        with self.mg.no_grad():
            self.keep(graphs.a_view(x, n))

    def apart(self, x, y, n):
        self.keep([x.detach, lambda: x.detach().clone()][n % 2]())

    def compute(self, x, y, n):
        self.keep(graphs.an_operation(self.mg, x, n))

    def both(self, x, y, n):
        some = [lambda: x * y, lambda: x + y, lambda: self.mg.stack([x, y]), lambda: x - y]
        if x.shape == y.shape:
            self.keep(some[n % len(some)]())

    def write(self, x, y, n):
        some = [
            lambda: x.add_(1), lambda: x.mul_(0.5), x.zero_, lambda: x.fill_(0.25), x.neg_, x.tanh_,
            x.relu_, lambda: x.div_(2), x.sigmoid_, x.sin_, lambda: x.pow_(2), x.exp_,
            lambda: x.clamp_(-0.3, 0.4), x.square_, x.abs_,
            lambda: x.masked_fill_(self.mg.zeros(x.shape) == 0, 2.0),
        ]  # fmt: skip
        some[n % len(some)]()

    def write_of(self, x, y, n):
        first = y[0].clone() if x is y and y.dim() else y
        some = [
            lambda: x.add_(y), lambda: x.mul_(y), lambda: x.copy_(y), lambda: x.add_(y, alpha=2),
            lambda: x.sub_(y), lambda: x.div_(y * y + 1), lambda: x.mul_(first),
            lambda: x.copy_(y.sum()), lambda: x.fill_(y.sum()), lambda: x.add_(y.double()),
        ]  # fmt: skip
        some[n % len(some)]()

    def quiet_write(self, x, y, n):
        with self.mg.no_grad():
            self.write(x, y, n)

    def put(self, x, y, n):
        value = [
            lambda: 0.5, lambda: y, lambda: y.sum(), lambda: y[:1], lambda: y.sum().double(),
            lambda: 2, lambda: y.view(1, -1), lambda: self.mg.tensor(3.0), lambda: y.sum(0),
        ]  # fmt: skip
        index = graphs.an_index(self.mg, x.shape, n // 7)
        if x.dim():  # of none PyTorch says other words while its bytes are counted
            x.detach()[index]  # out of bounds it is an error here: it would write some of it
        x[index] = value[n % len(value)]()

    def fail(self, x, y, n):
        """What PyTorch refuses has asked a view for its node all the same."""
        far = x.dim() + 2
        some = [
            lambda: x.sum(far), lambda: x.unsqueeze(far), lambda: x.select(0, 99), lambda: x[99],
            lambda: x.expand(7, 9, 7), lambda: x.view(-1, 97), lambda: x + self.mg.zeros(97, 97),
            lambda: x.transpose(0, far), lambda: x.narrow(0, 0, 99), lambda: x.softmax(far),
            lambda: x @ self.mg.zeros(97, 97), lambda: x.permute(0, 0, 0), lambda: x.squeeze(far),
            lambda: x.cumsum(far), lambda: x.reshape(97, 97), lambda: x.flatten(far),
        ]  # fmt: skip
        if x.dim():  # of none PyTorch says other words while its bytes are counted
            some[n % len(some)]()

    def inside(self, x, y, n):
        self.keep(inside(self.mg)[n % 2].apply(x))

    def packed(self, x, y, n):
        def pack(t):
            if self.counts:
                self.out(f"packed {n}", [list(t.shape), probes.name(t.grad_fn), t._version])
            return t.detach().clone()

        with self.mg.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            self.write_of(x, y, n)
            self.write(x, y, n)

    def on(self, x, y, n):
        x.requires_grad_(bool(n % 4))
        if x._is_view():
            self.told.append(x)

    def leave(self, x, y, n):
        self.counts = False  # PyTorch shows what it will refuse in backward
        hooked = among(x, self.hooked)  # whose hooks PyTorch keeps for the leaf
        if not x.retains_grad and not hooked:  # else PyTorch asserts in vain
            x.detach_()

    def retain(self, x, y, n):
        x.retain_grad()

    def hook(self, x, y, n):
        if x._is_view() and x.grad_fn is None:
            return  # PyTorch crashes if its base wants a gradient
        if among(x, self.told):
            return  # if a write has moved it into a graph, PyTorch calls it twice, and then refuses
        number = next(self.numbers)
        self.hooked.append(x)
        x.register_hook(lambda grad: self.out(f"hook {number}", grad.clone()))

    def node_hook(self, x, y, n):
        number = next(self.numbers)
        register = [lambda: x.grad_fn.register_hook, lambda: x.grad_fn.register_prehook][n % 2]()
        register(lambda *grads: self.out(f"node hook {number}", grads))

    def drop(self, x, y, n):
        if len(self.pool) > len(self.leaves) + 1:
            del self.pool[len(self.leaves) + n % (len(self.pool) - len(self.leaves))]

    def backward(self, x, y, n):
        try:
            x.sum().backward(retain_graph=bool(n % 2), inputs=[y] if n % 5 == 0 else None)
        finally:
            self.gradients(f"backward {n}")

    def grad(self, x, y, n):
        of = [y, self.leaves[n % len(self.leaves)]]
        found = self.mg.autograd.grad(
            (x * x).sum(), of, retain_graph=bool(n % 3), allow_unused=True
        )
        self.out(f"grad {n}", found)

    def twice(self, x, y, n):
        of, self.counts = self.leaves[0], False  # they are composed otherwise
        (found,) = self.mg.autograd.grad((x * x).sum(), of, create_graph=True, allow_unused=True)
        self.out(f"twice {n}", found)
        if found is not None and found.requires_grad:
            if self.looks:
                names = [probes.name(node) for node in probes.walk(found.grad_fn)]
                self.out(f"twice {n} writes", sorted(filter(WRITES.__contains__, names)))
            (second,) = self.mg.autograd.grad(
                found.sum(), of, retain_graph=True, allow_unused=True
            )  # in PyTorch it may be zeros that have no bytes yet, which cannot be listed
            self.out(f"second {n}", second if second is None else second.clone())


def among(x, tensors) -> bool:
    """Is it one of them? (`in` would compare their elements.)"""
    return any(t is x for t in tensors)


def fits(x, y):
    """Can x be overwritten with y?"""
    pairs = zip(x.shape[::-1], y.shape[::-1], strict=False)
    return y.dim() <= x.dim() and all(m in (n, 1) for n, m in pairs)


def tangled(x, y):
    """May they share elements? Then it is not said what is read of one while the other is written,
    and PyTorch refuses some of it by the steps along axes of length 1, which numpy lacks."""
    if x.untyped_storage().data_ptr() != y.untyped_storage().data_ptr() or not x.numel():
        return False
    ends = [(t.data_ptr(), t.data_ptr() + 8 * reach(t)) for t in (x, y)]
    (start, end), (other, last) = ends
    return start < last and other < end


def reach(t):
    """How many elements lie from its first to its last, both counted."""
    return 1 + sum((n - 1) * step for n, step in zip(t.shape, t.stride(), strict=True))


def tensors(node):
    """What it has saved, of tensors."""
    return {name: form for name, form in probes.readable(node).items() if "grad_fn" in str(form)}


@functools.cache
def inside(mg):
    """Two Functions: one writes to its input, the other hands out a view of it."""

    class InsideWrite(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(3)

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    class InsideView(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

        @staticmethod
        def backward(ctx, grad):
            return grad.sum().expand(1)

    return InsideWrite, InsideView


OFTEN = (
    "view part view write write_of put compute both write write_of put part backward grad hook "
    "retain twice write write_of put fail"
).split()
OPERATIONS = {
    name: function
    for name, function in vars(Writes).items()
    if name in OFTEN
    or name in "several quiet_view apart quiet_write inside packed on leave node_hook drop".split()
}


def drawn(seed, most=12):
    """(shapes, steps, looks, number) of the program of this number."""
    draw = random.Random(seed)
    shapes = draw.choices(SHAPES, k=draw.randint(1, 2))
    looks = draw.random() < 0.5
    names = [*OPERATIONS, *OFTEN, *OFTEN]
    steps = [
        (draw.choice(names), draw.randint(0, 11), draw.randint(0, 999))
        for _ in range(draw.randint(2, most))
    ]
    return shapes, [s for s in steps if looks or s[0] != "node_hook"], looks, draw.randint(0, 99)


def entries(mg, shapes, steps, looks, number):
    """What the program says of itself on one engine."""

    def program(mg, out):
        machine = Writes(mg, out, shapes, looks)
        machine.run(steps)
        machine.finish(number)

    return [[label, as_counted(value)] for label, value in registry.run_case(program, mg)]


def as_counted(value):
    """An error under the name that a view has in PyTorch while its bytes are counted."""
    if isinstance(value, list) and len(value) == 2 and str(value[0]).endswith("Error"):
        return [value[0], str(value[1]).replace("ReshapeAlias", "View")]
    return value


def difference(torch, minigrad, *program):
    """The first entry in which the engines differ, as (label, PyTorch's, minigrad's), or None."""
    pairs = itertools.zip_longest(entries(torch, *program), entries(minigrad, *program))
    for one, other in pairs:
        if one and other and one[0] == other[0] and alike(one[1], other[1]):
            continue
        if one and other and left_out(one, other):
            return None
        return (one or other)[0], one and one[1], other and other[1]
    return None


def shortest(torch, minigrad, shapes, steps, *rest):
    """The program without each step that the difference does not need."""
    for place in reversed(range(len(steps))):
        fewer = steps[:place] + steps[place + 1 :]
        if difference(torch, minigrad, shapes, fewer, *rest):
            steps = fewer
    return shapes, steps, *rest


def main(count, start):
    torch, minigrad = registry.engine("torch"), registry.engine("minigrad")
    seen, wrong = set(), 0
    with torch:
        for seed in range(start, start + count):
            program = drawn(seed)
            if difference(torch, minigrad, *program):
                wrong += 1
                program = shortest(torch, minigrad, *program)
                found = difference(torch, minigrad, *program)
                if graphs.kind(found) not in seen:
                    seen.add(graphs.kind(found))
                    print(f"{seed}: {program}\n  {found[0]}\n    torch    {found[1]}"
                          f"\n    minigrad {found[2]}", flush=True)  # fmt: skip
    print(f"{count} programs from {start} on, {wrong} differ")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
