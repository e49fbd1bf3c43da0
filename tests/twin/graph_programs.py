"""Random programs about the graph: views, indices, flags, modes, hooks and writes in between.

A step is (operation, a number, another), as in programs.py. After each step every tensor tells of
itself: flags, version, strides, and its whole graph. `python -m tests.twin.graph_programs 5000`
looks through so many programs and prints each kind of difference once, as short as it gets.
"""

import itertools
import random
import sys
import warnings

from course.twin.compare import Report, alike
from tests.twin import probes, registry
from tests.twin.known import LEFT_OUT
from tests.twin.programs import Machine, fits

SHAPES = [(4,), (3, 4), (2, 3, 2), (1, 3)]
MOST_TENSORS = 7


class Words(Report):
    """A report without bytes."""

    def __init__(self, mg):
        self.mg, self.entries = mg, []


class Graphs(Machine):
    """Runs one program; what an engine refuses is reported, and the program goes on."""

    def __init__(self, mg, out, shapes):
        super().__init__(mg, out, shapes)
        self.kept = []  # alive until the end

    def run(self, steps):
        for number, step in enumerate(steps):
            self.attempt(f"{number} {step[0]}", step)
            if len(self.pool) > MOST_TENSORS:
                del self.pool[len(self.leaves)]
            for place, (tensor, _) in enumerate(self.pool):
                self.state(f"{number} {step[0]}: tensor {place}", tensor)

    def attempt(self, label, step):
        try:
            self.step(*step)
        except Exception as error:
            self.out(label, [type(error).__name__, str(error)])

    def state(self, label, t):
        self.out(f"{label} flags", [t.requires_grad, t._version, t._is_view(), t.retains_grad])
        self.out(f"{label} looks", [str(t.dtype), list(t.shape)])
        self.out(f"{label} strides", probes.strides(t))
        self.out(f"{label} leaf", answer(lambda: t.is_leaf))
        self.out(f"{label} graph", answer(lambda: self.graph(t.grad_fn)))
        self.out(f"{label} text", repr(t).partition("]")[2].rpartition(",")[2].strip(" )]\n"))

    def graph(self, node):
        """Names and edges, and which leaf a gradient ends in."""
        ends = [n.variable for n in probes.walk(node) if hasattr(n, "variable")]
        known = [[i for i, (t, _) in enumerate(self.pool) if t is end] for end in ends]
        return [probes.graph(node), known]

    def step(self, name, one, two):
        x, family = self.pool[one % len(self.pool)]
        y, _ = self.pool[two % len(self.pool)]
        if name == "both" and (x.dim() != y.dim() or not fits(tuple(x.shape), tuple(y.shape))):
            return
        writes = "write" in name or name == "put"
        if not (writes and 0 in probes.strides(x)):
            y = y if name == "both" or apart(x, y) else x
            OPERATIONS[name](self, x, y, one * 1000 + two)

    def add(self, t):
        self.keep(t, 0)

    def finish(self):
        for tensor, _ in self.pool:
            if tensor.requires_grad and tensor.dtype.is_floating_point:
                self.out.error("last backward", lambda t=tensor: t.sum().backward())
        self.gradients("last")

    def gradients(self, label):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [t.grad for t, _ in self.pool]
            wholes = [None if t._is_view() else t.grad for t, _ in self.pool]
        self.out(f"{label} gradients", found)
        self.out(f"{label} strides", [None if g is None else probes.strides(g) for g in wholes])

    # -- the operations: of x, of another tensor y, and of a number --

    def view(self, x, y, n):
        self.add(a_view(x, n))

    def several(self, x, y, n):
        if not x.dim():
            return
        pieces = [lambda: x.split(2), lambda: x.unbind(-1), lambda: x.chunk(2, -1)][n % 3]()
        self.add(pieces[n % len(pieces)])

    def index(self, x, y, n):
        self.add(x[an_index(self.mg, x.shape, n)])

    def compute(self, x, y, n):
        self.add(an_operation(self.mg, x, n))

    def both(self, x, y, n):
        self.add(of_both(self.mg, x, y, n))

    def quiet_view(self, x, y, n):
        with self.mg.no_grad():
            self.add(a_view(x, n) if n % 2 else x[an_index(self.mg, x.shape, n)])

    def quiet(self, x, y, n):
        with self.mg.no_grad():
            self.add(an_operation(self.mg, x, n))

    def quiet_write(self, x, y, n):
        with self.mg.no_grad():
            a_write(x, y, n)

    def write(self, x, y, n):
        a_write(x, y, n)

    def put(self, x, y, n):
        index = an_index(self.mg, x.shape, n)
        x.detach()[index]  # out of bounds it is an error here: PyTorch would write some of it
        x[index] = 0.5

    def aside(self, x, y, n):
        [x.detach, lambda: x.data][n % 2]().mul_(0.5)

    def other_data(self, x, y, n):
        alike = x.shape == y.shape and x.dtype == y.dtype
        x.data = y.data if alike and n % 2 else x.data * 2

    def twin(self, x, y, n):
        self.add([x.detach, lambda: x.data, x.detach][n % 3]())

    def on(self, x, y, n):
        x.requires_grad_()

    def off(self, x, y, n):
        x.requires_grad_(False)

    def set_flag(self, x, y, n):
        x.requires_grad = bool(n % 2)

    def leave(self, x, y, n):
        x.detach_()

    def retain(self, x, y, n):
        x.retain_grad()

    def forget(self, x, y, n):
        x.grad = None

    def hook(self, x, y, n):
        def hook(*grads):
            self.out(f"hook {n}", grads)
            return [None, None, None, 1.0, "text"][n // 7 % 5]

        self.kept += [x, a_hook_point(self, x, n)(hook)]

    def accumulator(self, x):
        self.kept.append(x.view_as(x).grad_fn.next_functions[0][0])
        return self.kept[-1]

    def backward(self, x, y, n):
        try:
            x.sum().backward(retain_graph=bool(n % 2), inputs=[y] if n % 5 == 0 else None)
        finally:
            self.gradients(f"backward {n}")

    def grad(self, x, y, n):
        found = self.mg.autograd.grad(x.sum(), y, retain_graph=True, allow_unused=True)
        self.out(f"grad {n}", found)


def answer(question):
    """What it returns, or the error it raises."""
    try:
        return question()
    except RuntimeError as error:
        return [type(error).__name__, str(error)]


def apart(x, y):
    """May x be overwritten with y? That is not what these programs are about."""
    shared = x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()
    return x.shape == y.shape and (x is y or not shared)


def a_hook_point(machine, x, n):
    """What registers a hook, of one of the six kinds."""
    some = [
        lambda: x.register_hook, lambda: x.register_post_accumulate_grad_hook,
        lambda: x.grad_fn.register_hook, lambda: x.grad_fn.register_prehook,
        lambda: machine.accumulator(x).register_hook,
        lambda: machine.accumulator(x).register_prehook,
    ]  # fmt: skip
    return some[n % len(some)]()


def a_view(x, n):
    """One of the views that x can have."""
    some = [
        lambda: x.view(-1), lambda: x.transpose(0, -1), lambda: x.unsqueeze(n % 2), x.squeeze,
        lambda: x.squeeze(0), lambda: x.expand(2, *x.shape), lambda: x.reshape(-1),
        lambda: x.narrow(0, 0, 1), lambda: x.select(-1, 0),
        lambda: x.permute(tuple(range(x.dim()))[::-1]),
        x.flatten, lambda: x.t(), lambda: x.T, lambda: x.view(x.shape), lambda: x.unsqueeze(-1),
        lambda: x.view_as(x), lambda: x.expand_as(x), lambda: x.reshape(x.shape),
    ]  # fmt: skip
    return some[n % len(some) if x.dim() else 2]()


def an_operation(mg, x, n):
    """One of the functions of one tensor."""
    some = [
        lambda: x * 2, lambda: x + 1, x.exp, x.sum, lambda: x.sum(-1), x.relu,
        lambda: x.softmax(-1),
        lambda: x.cumsum(0), lambda: mg.zeros_like(x), lambda: mg.ones_like(x) * x, x.clone,
        x.contiguous, x.double, lambda: x.sum(dtype=mg.float64), lambda: x.log_softmax(0),
        lambda: x.sum(0, dtype=mg.float64), lambda: x.mean(0), lambda: 1 - x, lambda: -x, x.tanh,
        lambda: x / 2, lambda: x**2, lambda: x.float(), lambda: x.abs(), lambda: x.max(),
        lambda: x.max(0)[0], lambda: x.clamp(0), lambda: x.to(mg.float64),
        lambda: x.t().contiguous(), lambda: x.type_as(x),
        lambda: mg.full_like(x, 2.0), lambda: mg.empty_like(x).zero_(),
    ]  # fmt: skip
    return some[n % len(some) if x.dim() else n % 4]()


def of_both(mg, x, y, n):
    """One of the functions of two tensors."""
    some = [
        lambda: x * y, lambda: x + y, lambda: x - y, lambda: mg.cat([x, y]),
        lambda: mg.cat([y, x], -1), lambda: mg.stack([x, x]), lambda: mg.stack([x, y], -1),
        lambda: mg.where(x > 0, x, y), lambda: mg.where(y > 0, x, 0.0), lambda: x @ y,
        lambda: mg.maximum(x, y), lambda: mg.where(x > 0, x, y.double()),
        lambda: mg.cat([x, y.double()]), lambda: x / (y * y + 1),
        lambda: mg.where(x > 0, 1.0, y.double()), lambda: x * y.sum(),
    ]  # fmt: skip
    return some[n % len(some)]()


def a_write(x, y, n):
    """One of the in-place operations."""
    some = [
        lambda: x.add_(1), lambda: x.mul_(0.5), lambda: x.add_(y), lambda: x.mul_(y), x.zero_,
        lambda: x.fill_(0.25), lambda: x.copy_(y), lambda: x.add_(y, alpha=2), x.neg_, x.tanh_,
        x.relu_, lambda: x.sub_(y, alpha=0.5), lambda: x.div_(2), x.exp_,
    ]  # fmt: skip
    some[n % len(some)]()


def an_index(mg, shape, n):
    """An index of any form, which may not fit."""
    draw = random.Random(n)
    length = draw.choice([0, 1, 1, 1, 2, 2, 3])
    items = [an_item(mg, shape[i] if i < len(shape) else 2, draw) for i in range(length)]
    if draw.random() < 0.2:
        items.insert(draw.randint(0, len(items)), ...)
    return tuple(items) if len(items) != 1 or draw.random() < 0.3 else items[0]


def an_item(mg, size, draw):
    whole = [0, -1, 1, None, None, mg.tensor(0)]
    slices = [
        slice(None),
        slice(None),
        slice(0, size),
        slice(1, None),
        slice(None, size),
        slice(0, None),
        slice(None, None, 2),
        slice(-1, None),
        slice(0, 99),
        slice(0, 0),
    ]
    lists = [
        [0],
        [0, 0],
        [-1],
        mg.tensor([0, 1]),
        mg.tensor([[0], [0]]),
        [],
        mg.tensor([i % 2 == 0 for i in range(size)]),
        [True] * size,
        [[0, 1]],
        True,
        mg.tensor(True),
        mg.tensor(False),
        range(1),
    ]
    return draw.choice(draw.choice([whole, slices, slices, lists]))  # fmt: skip


OPERATIONS = {
    f.__name__: f
    for f in (
        Graphs.view, Graphs.several, Graphs.index, Graphs.compute, Graphs.both, Graphs.quiet_view,
        Graphs.quiet, Graphs.quiet_write, Graphs.write, Graphs.put, Graphs.aside, Graphs.other_data,
        Graphs.twin, Graphs.on, Graphs.off, Graphs.set_flag, Graphs.leave, Graphs.retain,
        Graphs.forget, Graphs.hook, Graphs.backward, Graphs.grad,
    )
}  # fmt: skip
OFTEN = ["view", "index", "compute", "both", "on", "quiet_view", "hook", "backward"]


def drawn(seed, most=10):
    """(shapes, steps) of the program of this number."""
    draw = random.Random(seed)
    shapes = draw.choices(SHAPES, k=draw.randint(1, 3))
    names = [*OPERATIONS, *OFTEN]
    return shapes, [
        (draw.choice(names), draw.randint(0, 11), draw.randint(0, 999))
        for _ in range(draw.randint(2, most))
    ]


def entries(mg, shapes, steps):
    """What the program says of itself on one engine."""
    out = Words(mg)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = Graphs(mg, out, shapes)
        machine.run(steps)
        machine.finish()
    return out.entries


def refused(entry):
    """minigrad says in a sentence that it does not do this: no more can be compared."""
    value = entry and entry[1]
    return isinstance(value, list) and value[:1] == ["NotImplementedError"]


def excused(one, other):
    """The name in known.LEFT_OUT of a difference that is known, or None."""
    for name, (holds, *_) in LEFT_OUT.items():
        if holds(one, other):
            return name
    return None


def difference(torch, minigrad, shapes, steps):
    """The first entry in which the engines differ, as (label, PyTorch's, minigrad's), or None."""
    pairs = itertools.zip_longest(entries(torch, shapes, steps), entries(minigrad, shapes, steps))
    for one, other in pairs:
        if refused(other):
            return None
        if one and other and one[0] == other[0] and alike(one[1], other[1]):
            continue
        if one and other and one[0] == other[0] and excused(one, other):
            return None
        return (one or other)[0], one and one[1], other and other[1]
    return None


def shortest(torch, minigrad, shapes, steps):
    """The program without each step that the difference does not need."""
    for place in reversed(range(len(steps))):
        fewer = steps[:place] + steps[place + 1 :]
        if difference(torch, minigrad, shapes, fewer):
            steps = fewer
    return steps


def kind(found):
    """What two differences have in common that are mended together, roughly."""
    label, one, other = found
    return " ".join(label.split()[1:2] + label.split()[-1:]), str(one)[:60], str(other)[:60]


def main(count, start):
    torch, minigrad = registry.engine("torch"), registry.engine("minigrad")
    torch.remove()
    seen, wrong = set(), 0
    for seed in range(start, start + count):
        shapes, steps = drawn(seed)
        if difference(torch, minigrad, shapes, steps):
            wrong += 1
            steps = shortest(torch, minigrad, shapes, steps)
            found = difference(torch, minigrad, shapes, steps)
            if kind(found) not in seen:
                seen.add(kind(found))
                print(f"{seed}: {shapes} {steps}\n  {found[0]}\n    torch    {found[1]}"
                      f"\n    minigrad {found[2]}", flush=True)  # fmt: skip
    print(f"{count} programs from {start} on, {wrong} differ")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
