"""create_graph=True: the graph of the gradients, by name and bytes, for every rule."""

import functools
from pathlib import Path

from tests.minigrad import rules
from tests.twin.registry import add, case


def rules_of(mg):
    """The tables of rules.py for another engine: the same text, another `mg`."""
    source = Path(rules.__file__).read_text("utf-8").replace("import minigrad as mg", "")
    names = {"mg": mg, "__name__": "rules"}
    exec(source, names)
    return names


def shapes(lines):
    """Those with the most elements: neither 0-d nor empty if there are others."""
    return max(lines, key=lambda line: min(functools.reduce(int.__mul__, s, 1) for s in line))


def graph(tensor):
    """The names of the nodes behind a tensor, in depth, each once."""
    found, todo = {}, [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            name = node.name().replace("torch::autograd::", "")
            found[node] = name.replace("ReshapeAlias", "View")  # as counted
            todo += [target for target, _ in reversed(node.next_functions)]
    return [name for name in found.values() if name != "AccumulateGrad"]


def second(name, mg, out):
    table = rules_of(mg)
    function, lines, positive = table["RULES"][name]
    leaves = [table["leaf"](s, i, positive) for i, s in enumerate(shapes(lines))]
    result = function(*leaves)
    seed = (mg.arange(result.numel(), dtype=mg.float64) / 7 + 0.5).view(result.shape)
    seed.requires_grad_()
    out.live("before")
    grads = mg.autograd.grad(result, leaves, seed, create_graph=True, allow_unused=True)
    out.live("recorded")
    out("gradients", [None if g is None else g.detach() for g in grads])
    out("graph", [g if g is None or g.grad_fn is None else graph(g) for g in grads])
    wanted = [g for g in grads if g is not None and g.requires_grad]
    if wanted:
        ends = [*leaves, seed]
        weights = [g.detach() * 0.5 + 1.0 for g in wanted]
        twice = mg.autograd.grad(wanted, ends, weights, allow_unused=True)
        out("second", [None if g is None else g.clone() for g in twice])
        del weights, twice
    else:
        out("second", None)
    del grads, wanted
    out.live("after")
    seed = seed.detach()
    grads = mg.autograd.grad(function(*leaves), leaves, seed, create_graph=True, allow_unused=True)
    del seed
    out.live("held by the graph alone")
    del grads


# RNN wants Parameters; cdist has no second derivative: test_kinks.py
TRIED = [name for name in rules.RULES if not name.startswith(("RNN", "cdist"))]
for one in TRIED:
    title = f"C5 create_graph: {one}"
    add(f"second: {one}", title, functools.partial(second, one))


@case("C5 create_graph: what backward() says and leaves in .grad")
def case_second_backward(mg, out):
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = (x**3).sum()
    y.backward(create_graph=True)
    out("grad", [x.grad, x.grad.requires_grad, x.grad.grad_fn.name()])
    first = x.grad
    (x**2).sum().backward(create_graph=True)
    out("a second one", [x.grad, x.grad.grad_fn.name(), x.grad is first])
    x.grad = None
    first.sum().backward()
    out("second derivative", x.grad)
    out("the graph stayed", mg.autograd.grad(y, x))
    h = x * x
    h.retain_grad()
    (h * h).sum().backward(create_graph=True)
    out("retained", [h.grad.detach(), h.grad.requires_grad])


@case("C5 create_graph: retain_graph=False frees; a hook sees a gradient with a graph")
def case_second_freed(mg, out):
    x = mg.ones(2, requires_grad=True)
    seen = []
    y = x * x
    y.register_hook(lambda g: seen.append((g.requires_grad, mg.is_grad_enabled())))
    (g,) = mg.autograd.grad((y * y).sum(), x, create_graph=True, retain_graph=False)
    out("hook", seen)
    out.error("freed", mg.autograd.grad, g.sum(), x)
    out.error("y again", y.sum().backward)


@case("C5 higher derivatives")
def case_second_higher(mg, out):
    x = mg.tensor([0.3, 0.7], dtype=mg.float64, requires_grad=True)  # float32: no digit is left
    y = x.tanh() * x.sigmoid() + (x**4 / (1 + x * x)).log()
    for order in range(1, 5):
        (y,) = mg.autograd.grad(y.sum(), x, create_graph=True)
        out(f"order {order}", y.detach())


@case("C5 create_graph: a Function, and one that is once_differentiable")
def case_second_function(mg, out):
    class Cube(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    class Once(Cube):
        backward = staticmethod(mg.autograd.function.once_differentiable(Cube.backward))

    x = mg.tensor([1.0, 2.0], requires_grad=True)
    (g,) = mg.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
    out("second", mg.autograd.grad(g.sum(), x))
    (g,) = mg.autograd.grad((Once.apply(x) ** 2).sum(), x, create_graph=True)
    out("marked", [g.detach(), g.requires_grad, g.grad_fn.name()])
    out("leads to", [n.name() for n, _ in g.grad_fn.next_functions])
    out.error("twice", g.sum().backward)
    (g,) = mg.autograd.grad(Once.apply(x).sum(), x, create_graph=True)
    out("nothing to differentiate", g.requires_grad)


@case("C5 create_graph through saved tensors in the care of hooks, and through a checkpoint")
def case_second_hooks(mg, out):
    checkpoint = mg.utils.checkpoint.checkpoint
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    with mg.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 1, lambda t: t):
        y = x * x * x
    (g,) = mg.autograd.grad(y.sum(), x, create_graph=True)
    out("hooks", mg.autograd.grad(g.sum(), x))
    y = checkpoint(lambda t: (t * t).sin() * t, x, use_reentrant=False)
    (g,) = mg.autograd.grad(y.sum(), x, create_graph=True)
    out("checkpoint", mg.autograd.grad(g.sum(), x))
    checkpoint(lambda t: t * t, x, use_reentrant=True).sum().backward(create_graph=True)
    out("reentrant", [x.grad, x.grad.requires_grad])


@case("C5 a node called by hand records what its rule computes")
def case_second_by_hand(mg, out):
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    found = y.grad_fn(mg.ones(2))
    out("recorded", [[g.detach(), g.grad_fn.name()] for g in found])
    with mg.no_grad():
        out("not recorded", y.grad_fn(mg.ones(2)))


@case("functional: jacobian, hessian, hvp, vhp, vjp, jvp")
def case_second_functional(mg, out):
    f = mg.autograd.functional
    x, y = mg.tensor([1.0, 2.0]), mg.tensor([3.0, 5.0])
    out("jacobian", f.jacobian(lambda x: x**3, x))
    out("of two", f.jacobian(lambda x, y: (x * y, x.sum()), (x, y)))
    out("hessian", f.hessian(lambda x: (x**3).sum(), x))
    out("mixed", f.hessian(lambda x, y: (x**3 * y).sum(), (x, y)))
    for name in ("hvp", "vhp"):
        out(name, getattr(f, name)(lambda x: (x**3).sum(), x, y))
    for name in ("vjp", "jvp"):
        out(name, getattr(f, name)(lambda x, y: (x * y, x), (x, y), (y, x)))
    leaf = x.clone().requires_grad_()
    out("again", f.jacobian(lambda x: x**3, leaf, create_graph=True).requires_grad)
    out("apart", f.jacobian(lambda x: x**3, leaf).requires_grad)
    out.error("no vector", f.vjp, lambda x: x**2, x)
    out.error("a wrong one", f.vjp, lambda x: x**2, x, x[:1])
    out.error("too many", f.hvp, lambda x: (x**2).sum(), x, (x, x))
    out.error("no number", f.hessian, lambda x: x**2, x)
    out.error("no tensor", f.jacobian, lambda x: 3, x)
    out.error("linear", f.hessian, lambda x: x.sum(), x, strict=True)
    out.error("independent", f.jacobian, lambda x: mg.ones(2), x, strict=True)
    out.error("of one", f.jvp, lambda x, y: (x**2).sum(), (x, y), (x, y), strict=True)
