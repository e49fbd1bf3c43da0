"""Sixty facts about bytes, versions and freeing, in half a second: `python probe.py [folder]`.

test_mutations.py runs it against engines with one line broken, so it looks at what such a line
would change: who is alive, how many bytes, which error. Run by hand it proves the engine as it is.
"""

import gc
import sys
import threading
import warnings

sys.path.insert(0, sys.argv[1] if len(sys.argv) > 1 else ".")
gc.disable()
warnings.simplefilter("ignore")
unraisable: list = []
sys.unraisablehook = unraisable.append

import numpy as np  # noqa: E402

import minigrad as mg  # noqa: E402
from minigrad import storage  # noqa: E402
from minigrad.autograd import Function, grad, graph, modes  # noqa: E402
from minigrad.memory import saved  # noqa: E402

N = 100
TWICE = "backward through the graph a second time"
CHANGED = "modified by an inplace operation"
START = storage.live


def live():
    return storage.live - START


def leaf(*shape):
    return mg.ones(*(shape or (N,)), requires_grad=True)


def equal(one, other):
    assert one == other, f"{one} is not {other}"


def refuses(words, function, kind=RuntimeError):
    """The text and notes of the error of function(), which must say `words`."""
    try:
        function()
    except kind as error:
        assert words in str(error), error
        return "; ".join([str(error), *getattr(error, "__notes__", ())])
    raise AssertionError(f"no error: {words}")


def names(y):
    """What each node of y's graph saved, by name."""
    return [(r["node"].partition("Backward")[0], r["name"]) for r in saved(y)]


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        result = x * x
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return 2 * x * g


class AddOne(Function):
    """In place."""

    @staticmethod
    def forward(ctx, x):
        x._array[...] += 1
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class Two(Function):
    """Two outputs, of which the second has no gradient."""

    @staticmethod
    def forward(ctx, x):
        first, second = x * 2, x * 3
        ctx.mark_non_differentiable(second)
        return first, second

    @staticmethod
    def backward(ctx, g, none):
        assert not none.tolist()[0]
        return g * 2


# -- the ledger --


def check_a_buffer_counts_while_anyone_has_it():
    x = mg.ones(N)
    equal(live(), 4 * N)
    view, twin, other, array = x.view(N, 1), x.detach(), x.data, x.numpy()
    equal(live(), 4 * N)
    del x, view, twin
    equal(live(), 4 * N)
    del other
    equal(live(), 4 * N)
    del array
    equal(live(), 0)


def check_the_bytes_of_a_view_are_all_of_its_base():
    x = storage.Storage(np.ones(N)[3:5])
    equal((live(), x.nbytes()), (8 * N, 8 * N))


def check_data_can_be_replaced():
    x = leaf(1)
    x.data = mg.ones(N)
    equal(live(), 4 * N)


def check_the_peak():
    mg.reset_peak_memory_stats()
    x = mg.ones(N)
    equal(storage.peak - START, 4 * N)
    y = x + x
    del y
    equal(storage.peak - START, 8 * N)
    mg.reset_peak_memory_stats()
    equal(storage.peak - START, 4 * N)


# -- what is saved, and only that --


def check_only_what_is_needed_is_saved():
    x, c = leaf(), mg.ones(N)
    equal(names(x * c), [("Mul", "other")])
    equal(names(c * x), [("Mul", "self")])
    equal(names(x * 5), [("Mul", "other")])
    equal(names(x / c), [("Div", "other")])
    equal(names(c / x), [("Div", "self"), ("Div", "other")])
    equal(names(x @ c), [("Dot", "tensor")])
    equal(names(c @ x), [("Dot", "self")])
    equal(names(x.exp()), [("Exp", "result")])
    equal(names(x.sin()), [("Sin", "self")])
    equal(names(x + x), [])
    equal(names(c * c), [])


def check_only_the_needed_factor_of_a_product_is_saved():
    w, x, v = leaf(3, 3), mg.ones(3, 3), mg.ones(3)
    equal(names(w @ x), [("Mm", "mat2")])
    equal(names(x @ w), [("Mm", "self")])
    equal(names(w @ v), [("Mv", "vec")])
    equal(names(x @ leaf(3)), [("Mv", "self")])
    equal(names(mg.ones(1, 3, 3) @ leaf(1, 3, 3)), [("Bmm", "self")])
    equal(names(leaf(1, 3, 3) @ mg.ones(1, 3, 3)), [("Bmm", "mat2")])
    linear = mg.nn.functional.linear
    equal(names(linear(x, w, v)), [("Addmm", "mat1")])
    equal(names(linear(w, x, v)), [("Addmm", "mat2")])
    equal(names(linear(x, x, leaf(3))), [])
    equal(names(x ** leaf(3)), [("Pow", n) for n in ("self", "exponent", "result")])


def check_an_input_is_saved_itself_and_an_output_as_a_twin():
    x = leaf()
    y = x.exp()
    z = y.sin()
    assert z.grad_fn._saved_self is y
    twin = y.grad_fn._saved_result
    assert twin is not y and twin.grad_fn is y.grad_fn
    equal(live(), 3 * 4 * N)
    del y, twin
    equal(live(), 3 * 4 * N)
    z.sum().backward()
    equal(live(), 3 * 4 * N)  # x, x.grad, z


def check_no_cycle_of_a_result_and_its_node():
    for function in (
        lambda x: x.exp(), lambda x: x.clone().exp_(), lambda x: x.max(), Square.apply,
        lambda x: 2.0**x, lambda x: x[[0, 1]], lambda x: x.unbind(), lambda x: Two.apply(x),
        lambda x: AddOne.apply(x * 1), lambda x: x.clone().mul_(2), lambda x: mg.cat([x, x]),
    ):  # fmt: skip
        x = leaf()
        function(x)
        equal(live(), 4 * N)
        del x
        equal(live(), 0)


# -- freeing --


def check_backward_frees_node_by_node():
    x = leaf()
    y = x.exp().exp().exp().exp()
    seed = mg.ones(N)
    before = live()
    mg.reset_peak_memory_stats()
    y.backward(seed)
    assert storage.peak - START - before <= 8 * N, storage.peak - START - before
    del seed
    equal(live(), 3 * 4 * N)


def check_retain_graph_keeps_and_the_next_backward_frees():
    x = leaf()
    y = x.exp().sum()
    before = live()
    y.backward(retain_graph=True)
    equal(live(), before + 4 * N)
    y.backward()
    equal(live(), 8 * N + 4)
    error = refuses(TWICE, y.backward)
    assert "ExpBackward0" in error


def check_what_saved_nothing_runs_again():
    x = leaf()
    y = (x + 5).sum()
    y.backward()
    y.backward()
    equal(x.grad.tolist(), [2] * N)
    refuses(TWICE, lambda z=(x * 5).sum(): (z.backward(), z.backward()))


def check_grad_frees_what_it_ran_and_no_more():
    x = leaf()
    y = x.exp()
    z = y.tanh().sum()
    equal(grad(z, y)[0].shape, (N,))
    y.sum().backward()  # exp did not run, so it was not freed
    refuses(TWICE, lambda: grad(z, x))
    assert x.grad is not None


def check_gradients_of_inputs_are_let_go():
    x, y = leaf(), leaf()
    z = (x.exp() * y).sum()
    before = live()
    grad(z, y, retain_graph=True)
    equal(live(), before)
    z.backward(inputs=[x])
    assert y.grad is None and x.grad is not None


def check_a_custom_function_is_freed_even_if_it_saved_nothing():
    x = leaf()
    y = Square.apply(x)
    node = y.grad_fn
    z = y.sum()
    del y
    equal(live(), 8 * N + 4)
    z.backward()
    equal(live(), 8 * N + 4)  # the result went, x.grad came
    refuses(TWICE, lambda: node.saved_tensors)
    refuses(TWICE, z.backward)
    again = Square.apply(x)
    assert again.grad_fn.saved_tensors[0] is x
    equal([t.grad_fn for t in again.grad_fn.saved_tensors], [None, again.grad_fn])
    double = Two.apply(x)[0]
    double.sum().backward()
    refuses(TWICE, lambda: double.grad_fn.saved_tensors)


def check_views_and_indices():
    x = leaf()
    y = (x * 1)[[1, 1, 2]]
    pieces = (x * 2).split(60)
    (y.sum() + pieces[1].sum()).backward()
    equal(x.grad.tolist()[:3] + x.grad.tolist()[-1:], [0, 2, 1, 2])
    refuses(TWICE, lambda: y.sum().backward())
    equal(live(), 8 * N + 12 + 24 * 0 + 4 * N)  # the pieces hold x * 2


def check_accumulate_grad_dies_with_the_graph():
    x = leaf()
    y = x * 2
    assert x._accumulator() is y.grad_fn.next_functions[0][0]
    del y
    assert x._accumulator() is None


# -- versions --


WRITES = {
    "add_": lambda t: t.add_(1),
    "mul_": lambda t: t.mul_(2),
    "zero_": lambda t: t.zero_(),
    "item": lambda t: t.__setitem__(0, 5.0),
    "item of a view": lambda t: t.view(2, -1)[0].__setitem__(0, 5.0),
    "copy_": lambda t: t.copy_(mg.ones(N)),
    "mark_dirty": AddOne.apply,
}


def check_every_write_counts():
    for name, write in WRITES.items():
        t = mg.ones(N)
        write(t)
        assert t._version == 1, name
        assert t.detach()._version == 1 and t.view(1, -1)._version == 1


def check_a_changed_input_is_refused():
    for write in WRITES.values():
        x, t = leaf(), mg.ones(N)
        y = (x * t).sum()
        with mg.no_grad():
            write(t)
        refuses(CHANGED, y.backward)


def check_a_changed_output_is_refused():
    x = leaf()
    y = x.exp()
    z = y.sum()
    with mg.no_grad():
        y.mul_(2)
    error = refuses(CHANGED, z.backward)
    assert "is at version 1; expected version 0" in error
    assert "output 0 of Exp" in error and "ExpBackward0" in error
    refuses(CHANGED, lambda: y.grad_fn._saved_result)


def check_a_write_before_saving_is_fine():
    x, t = leaf(), mg.ones(N)
    t.mul_(3)
    (x * t).sum().backward()
    y = (x * 1).mul_(2)
    (y * y).sum().backward()
    refuses(CHANGED, lambda: (lambda z: (z.exp() + z.mul_(2)).sum().backward())(x.sigmoid()))


def check_custom_functions_check_versions():
    for which in (0, 1):
        x = leaf()
        y = x * 1
        z = Square.apply(y)
        (y if which == 0 else z).detach().add_(1)
        refuses(CHANGED, lambda z=z: z.sum().backward())


def check_a_changed_index_is_refused():
    x, index = leaf(), mg.tensor([0, 1])
    y = x[index]
    index.add_(1)
    refuses(CHANGED, lambda: y.sum().backward())


def check_a_write_through_data_goes_unseen():
    x, t = leaf(), mg.ones(N)
    y = x * t
    t.data.mul_(2)
    y.sum().backward()
    equal((t._version, x.grad.tolist()[0]), (0, 2))


def check_a_new_data_keeps_the_version():
    x, t = leaf(), mg.ones(N)
    t.add_(1)
    t.data = mg.ones(N)
    equal(t._version, 1)


def check_detach_in_place_of_what_was_saved():
    x = leaf()
    y = x * 1
    z = y.sin()
    y.detach_()
    assert y.grad_fn is None and y.is_leaf
    refuses("detached in-place", lambda: z.sum().backward())
    refuses("detached in-place", lambda: z.grad_fn._saved_self)


def check_the_optimizer_counts_its_writes():
    w = mg.nn.Parameter(mg.ones(N))
    optimizer = mg.optim.SGD([w], lr=0.5, momentum=0.9)
    y = (w * w).sum()
    y.backward(retain_graph=True)
    optimizer.step()
    equal((w._version, w.tolist()[0]), (1, 0))
    refuses(CHANGED, y.backward)
    optimizer.zero_grad()
    assert w.grad is None
    equal(live(), 2 * 4 * N + 4)  # w, its velocity, y


def check_vector_times_matrix_was_squeezed_in_place():
    equal((leaf(3) @ mg.ones(3, 3))._version, 1)


# -- in place, recorded --


def check_in_place_keeps_the_old_value_if_it_is_needed():
    x = leaf()
    y = x * 2
    y.mul_(mg.ones(N, requires_grad=True))
    y.sum().backward()
    equal(x.grad.tolist(), [2] * N)
    a, b = leaf(), leaf()
    c = a * 3
    c.mul_(b)
    c.sum().backward()
    equal((a.grad.tolist()[0], b.grad.tolist()[0]), (3, 3))


def check_in_place_copies_only_then():
    x = leaf()
    y = x * 2
    before = live()
    y.mul_(2)
    y.add_(x)
    y.exp_()
    equal(live(), before)
    y.mul_(leaf())
    equal(live(), before + 8 * N)
    z = (x * 0).exp_()
    z.sum().backward()
    equal((z._version, x.grad.tolist()[0]), (1, 0))
    (x * 1).exp_().sum().backward()
    equal(round(x.grad.tolist()[0], 3), 2.718)


def check_set_item():
    x, v = leaf(), leaf(2)
    y = x * 1
    y[1:3] = v
    y.sum().backward()
    equal(x.grad.tolist()[:4], [1, 0, 0, 1])
    equal(v.grad.tolist(), [1, 1])
    constant = mg.ones(N)
    constant[1:3] = v
    constant.sum().backward()
    equal(v.grad.tolist(), [2, 2])
    refuses(TWICE, lambda: y.sum().backward())
    refuses("in-place", lambda: x.add_(1))
    equal(x._version, 0)


def check_views_made_before_a_write_are_forsaken():
    y = leaf() * 1
    view = y.view(1, N)
    y.mul_(2)
    refuses("take the view again", lambda: view.sum().backward(), NotImplementedError)
    z = mg.ones(N)
    early = z.view(1, N)
    z.mul_(leaf())
    assert early.requires_grad
    once = early.grad_fn
    z.add_(1)
    assert early.grad_fn is once  # the views of then were forgotten


def check_retain_grad_follows_an_in_place_write():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.add_(1)
    (y * 3).sum().backward()
    equal(y.grad.tolist()[0], 3)


# -- gradients --


def check_gradients_add_up_and_own_their_bytes():
    x = leaf()
    kept = []
    y = x + 0
    y.register_hook(kept.append)
    (y * 2).sum().backward()
    (x * 3).sum().backward()
    equal((kept[0].tolist()[0], x.grad.tolist()[0], x.grad._version), (2, 5, 1))
    seed = mg.ones(N)
    (x + 0).backward(seed)
    (x + 0).backward(seed)
    equal((seed.tolist()[0], seed._version, x.grad.tolist()[0]), (1, 0, 7))


def check_a_waiting_gradient_that_somebody_keeps_is_not_written_to():
    for keep in (lambda g: g, lambda g: g.view(1, -1), lambda g: g.detach()):
        x = leaf()
        old, new = x + 0, x + 0
        kept = []
        new.register_hook(lambda g, kept=kept, keep=keep: kept.append(keep(g)))
        (old * 2 + new * 3).sum().backward()
        equal((kept[0].view(-1).tolist()[0], x.grad.tolist()[0]), (3, 5))


def check_a_leaf_takes_its_gradient_over_without_a_copy():
    x = leaf()
    y = x * 2
    mg.reset_peak_memory_stats()
    before, seed = live(), mg.ones(N)
    y.backward(seed)
    equal(storage.peak - START - before, 8 * N)  # the seed and x.grad
    x.sum().backward()
    z = x.sum() + x.sum()
    del x.grad
    assert x.grad is None
    z.backward()
    equal((x.grad.tolist(), x.grad._storage.nbytes()), ([2] * N, 4 * N))


def check_an_expanded_gradient_is_not_added_to_in_place():
    x = leaf()
    ((x * mg.arange(float(N))).sum() + x.sum() * 2).backward()
    equal(x.grad.tolist(), [k + 2 for k in range(N)])


def check_a_gradient_that_is_a_view_books_no_bytes():
    x, seed = leaf(), mg.ones(N)
    x.view(1, N).backward(seed.view(1, N))
    equal(live(), 8 * N)


def check_what_is_handed_on_is_let_go_at_once():
    for function, buffers in ((lambda x: x * x, 3), (lambda x: x * 2 * 3 + x.sum(), 3)):
        x = leaf()
        y, seed = function(x), mg.ones(N)
        before = live()
        mg.reset_peak_memory_stats()
        y.backward(seed)
        most = storage.peak - START - before + 4 * N  # with the seed
        assert most <= buffers * 4 * N + 16, most


def check_a_traceback_keeps_no_starting_gradient():
    x = leaf()
    y = x.exp()
    y.backward(mg.ones(N))
    before = live()
    try:
        mg.autograd.backward([y, y, y], [mg.ones(N), mg.ones(N), mg.ones(N)])
    except RuntimeError as error:
        assert live() - before <= 4 * N, live() - before
        del error


def check_sums_of_gradients_are_made_in_place():
    x = leaf()
    y = x * 1 + x * 2 + x * 3
    seed = mg.ones(N)
    before = live()
    mg.reset_peak_memory_stats()
    y.backward(seed)
    assert storage.peak - START - before <= 8 * N, storage.peak - START - before
    equal(x.grad.tolist()[0], 6)


def check_no_gradient_outlives_its_use():
    x = leaf()
    alive = []
    y = x * 1
    y.register_hook(lambda g: alive.append(live()))
    z = (y + 0) * 2 * 3 * 4
    seed = mg.ones(N)
    before = live()
    z.backward(seed)
    equal(alive, [before + 4 * N])  # only the one that is being looked at


# -- hooks --


def check_hooks_can_be_removed_and_gradients_are_retained_weakly():
    x = leaf()
    seen = []
    y = x * 2
    handle = y.register_hook(lambda g: seen.append(1))
    leaf_handle = x.register_hook(lambda g: seen.append(2))
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    handle.remove(), leaf_handle.remove()
    y.sum().backward(retain_graph=True)
    equal((seen, y.grad.tolist()[0]), ([1, 2], 2))
    z = y * 1
    del y
    z.sum().backward()
    equal(live(), 3 * 4 * N)  # no dead tensor's .grad


def check_hooks_of_a_leaf_reach_a_later_graph():
    x = leaf()
    y = x * 2
    x.register_hook(lambda g: g * 10)
    del y
    (x * 2).sum().backward()
    equal(x.grad.tolist()[0], 20)


# -- packing --


def check_pack_hooks_keep_what_they_return():
    x = leaf()
    with graph.saved_tensors_hooks(lambda t: t.numpy().copy(), mg.from_numpy):
        y = x.detach().requires_grad_().exp()
    z = x.exp()
    equal(names(z), [("Exp", "result")])
    equal((saved(y)[0]["note"], saved(z)[0]["note"]), ("in the care of a pack hook", ""))
    y.sum().backward()
    refuses(TWICE, lambda: y.sum().backward())
    other = []
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        thread = threading.Thread(target=lambda: other.append(leaf().exp() * leaf()))
        thread.start(), thread.join()
        number = x * 5
    assert not any("pack hook" in r["note"] for r in saved(other[0]))
    other.pop().sum().backward()
    equal(saved(number)[0]["note"], "the number 5")
    refuses("modifying its input", lambda: _packed(lambda t: t.add_(1)))
    equal(modes.packing, 0)


def check_the_innermost_pack_hooks_win():
    x, packed = leaf(), []
    outer = graph.saved_tensors_hooks(lambda t: packed.append("outer") or t, lambda t: t)
    inner = graph.saved_tensors_hooks(lambda t: packed.append("inner") or t, lambda t: t)
    with outer:
        with inner:
            x.sin()
        x.sin()
    x.sin()
    equal(packed, ["inner", "outer"])


def check_a_slot_can_be_packed_until_it_is_freed():
    y = leaf().exp()
    slot = y.grad_fn._raw_saved_result
    slot.register_hooks(lambda t: t, lambda t: t)
    refuses("have already been set", lambda: slot.register_hooks(None, None))
    y.sum().backward()
    refuses("after it has been freed", lambda: slot.register_hooks(None, None))


def _packed(pack):
    with graph.saved_tensors_hooks(pack, lambda t: t):
        return (leaf() * 1).exp()


def check_packed_tensors_go_with_the_graph():
    x = leaf()
    with graph.save_on_cpu():
        y = x.exp().exp().sum()
    y.backward()
    equal(live(), 8 * N + 4)


# -- failures --


def check_a_failed_backward_leaves_nothing_in_flight():
    x = leaf()
    old = x * 1
    old.register_hook(lambda g: 1 / 0)
    others = [x * k for k in (2.0, 3.0, 4.0)]
    y = sum((o.sum() for o in others), (old * 1).sum())
    before = live()
    try:
        y.backward()
    except ZeroDivisionError as error:
        assert live() - before <= 4 * N + 4, live() - before  # the hook's frame has its argument
        del error
    equal(live(), before)
    old.detach_()
    middle = x.exp()
    y = (middle * 1).sum()
    middle.sum().backward()
    before = live()
    try:
        y.backward()
    except RuntimeError as error:
        assert live() - before <= 4, live() - before  # no frame of the engine has anything
        del error
    equal(live(), before)
    assert mg.is_grad_enabled()


def check_threads_share_a_leaf():
    x = leaf()
    threads = [
        threading.Thread(target=lambda: [(x * 2).sum().backward() for _ in range(20)])
        for _ in range(3)
    ]
    [t.start() for t in threads], [t.join() for t in threads]
    equal(x.grad.tolist(), [120] * N)


def check_a_training_step_frees_everything():
    model = mg.nn.Sequential(mg.nn.Linear(4, 8), mg.nn.Tanh(), mg.nn.Linear(8, 2), mg.nn.ReLU())
    optimizer = mg.optim.SGD(model.parameters(), lr=0.1)
    x, target = mg.ones(3, 4), mg.zeros(3, 2)
    before = live()
    for _ in range(2):
        loss = mg.nn.functional.mse_loss(Square.apply(model(x)), target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        del loss
        equal(live(), before)


def main():
    for name, check in list(globals().items()):
        if name.startswith("check_"):
            try:
                check()
                equal((live(), unraisable), (0, []))
            except BaseException as error:
                print(f"{name}: {type(error).__name__}: {error}")
                if len(sys.argv) > 2:
                    raise
                raise SystemExit(1) from None


if __name__ == "__main__":
    main()
