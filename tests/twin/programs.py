"""Random straight-line programs, as data: the same list of steps runs on either engine.

A step is (operation, one number, another); numbers pick operands from the names alive at that
point, modulo their count. A step that does not fit the shapes is skipped, by shapes alone, so
both engines skip the same ones.
"""

import random

from tests.twin.registry import empty_the_queue

UNARY = ("neg", "exp", "tanh", "relu", "sigmoid", "sum", "sum0", "clone", "scale", "shift")
BINARY = ("add", "sub", "mul", "matmul")
VIEWS = ("view", "t", "expand", "unsqueeze")
OTHERS = ("del", "detach", "hook", "grad", "backward", "add_", "mul_", "root", "no_grad")
OPERATIONS = UNARY + BINARY + VIEWS + OTHERS
SHAPES = [(4,), (3, 4), (3, 1), (4, 3), (1,), ()]


def fits(one, two):
    """Do two shapes broadcast?"""
    return all(a == b or 1 in (a, b) for a, b in zip(one[::-1], two[::-1], strict=False))


class Machine:
    """Runs one program; `family` numbers the tensors that share a storage."""

    def __init__(self, mg, out, shapes):
        self.mg, self.out = mg, out
        self.pool, self.families = [], 0
        self.leaves = [self.leaf(shape, index) for index, shape in enumerate(shapes)]
        for leaf in self.leaves:
            self.keep(leaf)

    def leaf(self, shape, index):
        count = 1
        for size in shape:
            count *= size
        data = [((7 * k + 3 * index) % 11 - 5) / 8 for k in range(count)]
        return self.mg.tensor(data).view(shape).detach().requires_grad_(index != 2)

    def keep(self, tensor, family=None):
        if family is None:
            self.families += 1
            family = self.families
        self.pool.append((tensor, family))

    def run(self, steps):
        for number, step in enumerate(steps):
            self.mg.reset_peak_memory_stats()
            label = f"{number} {step[0]}"
            self.attempt(label, step)
            self.out.live(label)
            self.out.peak(label)
            if not self.pool:
                break

    def attempt(self, label, step):
        try:
            self.step(*step)
        except RuntimeError as error:
            self.out(label, str(error))
            empty_the_queue(self.mg)

    def step(self, name, one, two):
        x, family = self.pool[one % len(self.pool)]
        y, _ = self.pool[two % len(self.pool)]
        if name in ("neg", "exp", "tanh", "relu", "sigmoid", "sum", "clone"):
            self.keep(getattr(x, name)())
        elif name in BINARY:
            self.binary(name, x, y)
        elif name in VIEWS:
            self.view(name, x, family)
        else:
            getattr(self, "do_" + name.rstrip("_"))(x, family, one % len(self.pool))

    def binary(self, name, x, y):
        if name == "matmul":
            if x.dim() == y.dim() == 2 and x.shape[1] == y.shape[0]:
                self.keep(x @ y)
        elif fits(tuple(x.shape), tuple(y.shape)):
            self.keep({"add": x.__add__, "sub": x.__sub__, "mul": x.__mul__}[name](y))

    def view(self, name, x, family):
        if name == "view" and x.is_contiguous():
            self.keep(x.view(-1), family)
        elif name == "t" and x.dim() == 2:
            self.keep(x.t(), family)
        elif name == "expand":
            self.keep(x.expand(2, *x.shape), family)
        elif name == "unsqueeze":
            self.keep(x.unsqueeze(0), family)

    def do_sum0(self, x, family, index):
        if x.dim():
            self.keep(x.sum(0))

    def do_scale(self, x, family, index):
        self.keep(x * 0.5)

    def do_shift(self, x, family, index):
        self.keep(1 - x)

    def do_no_grad(self, x, family, index):
        with self.mg.no_grad():
            self.keep(x * x)

    def do_del(self, x, family, index):
        if len(self.pool) > len(self.leaves):
            del self.pool[index]

    def do_detach(self, x, family, index):
        self.keep(x.detach(), family)

    def do_hook(self, x, family, index):
        if x.requires_grad:
            x.register_hook(lambda grad: grad * 2.0)

    def do_grad(self, x, family, index):
        if x.requires_grad:
            found = self.mg.autograd.grad(
                x.sum(), self.leaves[0], allow_unused=True, retain_graph=bool(index % 2)
            )
            self.out("grad", found)

    def do_backward(self, x, family, index):
        if x.requires_grad:
            x.sum().backward(retain_graph=bool(index % 2))

    def do_root(self, x, family, index):
        if x.requires_grad:
            x.sum().backward(retain_graph=True)

    def do_add(self, x, family, index):
        if self.alone(family):
            x.add_(1.0)

    def do_mul(self, x, family, index):
        if self.alone(family):
            x.mul_(0.5)

    def alone(self, family):
        """Writing through views of a graph tensor is not what these programs are about."""
        return sum(other == family for _, other in self.pool) == 1

    def finish(self):
        out, mg = self.out, self.mg
        out("values", [tensor for tensor, _ in self.pool])
        out("flags", [[t.requires_grad, t.is_leaf, t._version] for t, _ in self.pool])
        total = sum((t.sum() for t, _ in self.pool if t.requires_grad), mg.zeros(()))
        mg.reset_peak_memory_stats()
        for retain in (True, False):
            out.error("backward", total.backward, retain_graph=retain)
            empty_the_queue(mg)
            out.live("backward")
            out.peak("backward")
            out("gradients", [leaf.grad for leaf in self.leaves])
        del total
        self.pool.clear()
        out.live("names gone")
        self.leaves.clear()
        out.live("all gone")


def program(shapes, steps):
    def run(mg, out):
        machine = Machine(mg, out, shapes)
        machine.run(steps)
        machine.finish()

    return run


def drawn(seed, most=14):
    """(shapes, steps) of the program of this number: where hypothesis is not there to draw one."""
    draw = random.Random(seed)
    shapes = draw.choices(SHAPES, k=draw.randint(1, 3))
    count = draw.randint(4, most)
    return shapes, [
        (draw.choice(OPERATIONS), draw.randint(0, 11), draw.randint(0, 11)) for _ in range(count)
    ]
