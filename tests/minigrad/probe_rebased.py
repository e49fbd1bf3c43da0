"""Probes of writes to views in a graph: what CopySlices holds, frees and tells of."""

from probing import CHANGED, TWICE, Function, N, equal, grad, leaf, live, mg, refuses, saved


class Tripled(Function):
    """It overwrites what it is given."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    @staticmethod
    def backward(ctx, g):
        return g * 3


def rows(y):
    """What is saved below a base, of the write alone."""
    return [(r["name"], r["freed"]) for r in saved(y) if r["node"] == "CopySlices"]


def check_a_write_to_a_view_is_freed_with_the_node_of_its_base():
    x = leaf()
    y = x * 1
    before = live()
    y[:2].mul_(x[:2])
    equal((rows(y), live() - before), ([("self", False), ("other", False)], 8))
    y.sum().backward()
    equal((rows(y), live() - before), ([("self", True), ("other", True)], 4 * N))
    refuses(TWICE, lambda: y.sum().backward())


def check_a_write_that_saves_nothing_is_refused_twice_all_the_same():
    x = leaf()
    y = x * 1
    y[:2].add_(1)
    y[2:4].mul_(mg.ones(2))
    equal(rows(y), [("other", False)])
    y.sum().backward()
    equal(rows(y), [("other", True)])
    refuses(TWICE, lambda: y.sum().backward())
    z = mg.zeros(N)
    z[:2].add_(x[:2])
    z.sum().backward()
    refuses(TWICE, lambda: z.sum().backward())


def check_the_old_value_of_a_write_has_its_history():
    x = leaf()
    y = x * 1
    y.mul_(x)
    equal(y.grad_fn._saved_self.grad_fn.name(), "CloneBackward0")
    (g,) = grad(y.sum(), x, create_graph=True)
    equal(grad(g.sum(), x)[0].tolist()[:2], [2, 2])


def check_a_function_that_overwrites_forgets_the_gradient():
    x = leaf()
    y = x * 1
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    equal((y.grad is None, Tripled.apply(y).grad), (False, None))
    y.sum().backward()
    equal(x.grad.tolist()[:2], [4, 4])


def check_a_constant_made_in_inference_mode_joins_no_graph():
    with mg.inference_mode():
        base = mg.ones(N)
    refuses("Inplace update to inference tensor", lambda: base[:2].copy_(leaf()[:2]))


def check_what_was_detached_and_joins_again_was_overwritten():
    x = leaf()
    y = (x * 1).exp()
    z = (y * y).sum()
    y.detach_()
    y.copy_(x)
    refuses(CHANGED, z.backward)


def check_an_error_of_an_operation_leaves_no_cycle():
    before = live()
    refuses("unsupported operand", lambda: mg.ones(N) + "a", TypeError)
    equal(live() - before, 0)
