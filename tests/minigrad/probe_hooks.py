"""Probes of hooks on gradients, and on what is saved."""

import threading
import warnings

from probing import (
    TWICE,
    N,
    equal,
    grad,
    graph,
    leaf,
    live,
    mg,
    modes,
    names,
    peak,
    refuses,
    saved,
)  # fmt: skip

F = mg.nn.functional

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


def check_two_hooks_of_a_leaf():
    x, seen = leaf(), []
    x.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: g * 5)
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()[0]))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(2))
    x.sum().backward()
    equal(seen, [10, 2])


def check_a_hook_after_a_leaf_sees_what_arrived():
    x, seen = leaf(), []
    y = x * 2
    y.grad_fn.next_functions[0][0].register_hook(lambda ins, outs: seen.append((ins, len(outs))))
    y.sum().backward()
    equal(seen, [((), 1)])


def check_a_hook_runs_once_where_a_walk_stops_and_goes_on():
    x, seen = leaf(), []
    y = x * 2
    y.register_hook(lambda g: seen.append(1))
    grad((y * 3).sum(), [y, x])
    equal(seen, [1])
    grad((y * 3).sum(), [y])
    equal(seen, [1, 1])


def check_a_gradient_that_did_not_come_is_not_retained():
    one, other = leaf(2).unbind()
    one.retain_grad()
    other.backward()
    assert one.grad is None


def check_a_tensor_that_left_its_graph_can_be_written():
    y = leaf() * 1
    y.retain_grad()
    y.detach_()
    y.mul_(leaf())
    y.sum().backward()


def check_who_asks_a_non_leaf_for_its_gradient_is_warned():
    x = leaf()
    y, z = x * 1, x * 1
    z.retain_grad()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        equal((x.grad, z.grad, len(said)), (None, None, 0))
        equal((y.grad, len(said)), (None, 1))
        y.grad = mg.ones(N)
        equal((y.grad.tolist()[0], len(said)), (1, 1))


def check_a_node_can_be_run_by_hand():
    node = (leaf() * 2).grad_fn
    equal(node(mg.ones(N))[0].tolist(), [2] * N)
    refuses("expected 1 arguments", lambda: node(mg.ones(N), mg.ones(N)), TypeError)


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


def check_hooks_are_called_once_each_in_the_order_of_names_and_results_last():
    seen: list = []
    note = lambda t: seen.append([*t.shape]) or t  # noqa: E731
    x, y = mg.ones(2, 1, requires_grad=True), mg.ones(1, 3, requires_grad=True)
    with graph.saved_tensors_hooks(note, note):
        mg.ones(4).exp(), mg.ones(4) * x.detach()
        out = (x * y).pow(mg.full((1,), 2.0, requires_grad=True))
    order = [[1, 3], [2, 1], [1], [2, 3], [2, 3]]
    equal(seen, order)
    out.sum().backward()
    equal(seen, [*order, *order[2:], *order[:2]])


def check_a_result_that_is_written_in_place_is_packed_once():
    packed = []
    with graph.saved_tensors_hooks(lambda t: packed.append(t.tolist()[0]), lambda t: t):
        y = leaf() * 1
        y.exp_()
    equal(len(packed), 1)


def check_a_hook_frees_the_gradient_that_it_has_just_got():
    x, found = leaf(), []

    def drop(t):
        t.grad = None
        found.append(live())

    x.register_post_accumulate_grad_hook(drop)
    before = live()
    (x * 1).sum().backward()
    equal((found, live()), ([found[0]], before))
    assert found[0] < before + x.nbytes


class Times(mg.nn.Module):
    def forward(self, x, by=1):
        return x * by


def check_a_modules_hooks_are_given_what_they_asked_for():
    module, seen = Times(), []
    module.register_forward_pre_hook(lambda m, given: seen.append(len(given)))
    module.register_forward_pre_hook(lambda m, given, named: seen.append(named), with_kwargs=True)
    module.register_forward_hook(lambda m, given, out: seen.append(out.item()))
    module.register_forward_hook(lambda m, given, named, out: seen.append(named), with_kwargs=True)
    module(mg.ones(1), by=3)
    equal(seen, [1, {"by": 3}, 3.0, {"by": 3}])


def check_a_hook_for_any_case_is_called_once_when_forward_fails():
    module, seen = Times(), []
    module.register_forward_hook(lambda *_: seen.append("always"), always_call=True)
    module.register_forward_hook(lambda *_: seen.append("else"))
    try:
        module(mg.ones(2), by=mg.ones(3))
    except RuntimeError:
        equal(seen, ["always"])


def check_a_modules_parameters_can_be_exchanged():
    module = mg.nn.Linear(1, 1)
    module._parameters = {"other": mg.nn.Parameter(mg.ones(2))}
    equal([name for name, _ in module.named_parameters()], ["other"])


def check_an_op_that_fails_leaves_nothing_packed():
    h = [leaf().exp()]
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        refuses("must match the size", lambda: h[0] * mg.ones(2, 3))
    h.clear()
    equal((live(), modes.state.packed), (0, ()))


def check_a_segment_keeps_nothing_for_saved_tensors_that_are_gone():
    x = leaf()
    run = lambda x: (x.exp(), x.tanh())  # noqa: E731
    one, two = mg.utils.checkpoint.checkpoint(run, x, use_reentrant=False)
    del two
    before = live()
    one.sum().backward(retain_graph=True)
    equal(live() - before, x.grad.untyped_storage().nbytes())


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


def check_a_packed_input_comes_back_with_its_history():
    x = leaf()
    y = x * 1
    with graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
        z, w = y.sin(), x.cos()
    before = live()
    back, end = z.grad_fn._saved_self, w.grad_fn._saved_self
    equal(live(), before)
    assert back.grad_fn is y.grad_fn and end.is_leaf and end.requires_grad
    assert not (x.exp().grad_fn._saved_result.is_leaf)


def check_a_pack_hook_may_stop_an_operation_before_it_computes():
    x, y = leaf(), leaf()
    before = live()
    for function in (
        lambda: x.sin(), lambda: x * y, lambda: F.mse_loss(x, y), lambda: x.maximum(2.0),
    ):  # fmt: skip
        mg.reset_peak_memory_stats()
        with graph.saved_tensors_hooks(lambda t: 1 / 0, lambda t: t):
            refuses("division", function, ZeroDivisionError)
        equal(peak(), before)


def check_nothing_is_packed_that_is_not_recorded():
    x, packed = leaf(), []
    with graph.saved_tensors_hooks(packed.append, lambda t: t), mg.no_grad():
        x * x, x.sin()
    equal(packed, [])
    equal(names(x * 2), [("Mul", "other")])


def check_hooks_of_another_thread_keep_nothing_here():
    entered, leave = threading.Event(), threading.Event()

    def elsewhere():
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    entered.wait(10)
    leaf() * leaf()
    leaf().exp()
    here = live(), names(leaf() * leaf())
    leave.set()
    thread.join()
    equal(here, (0, [("Mul", "self"), ("Mul", "other")]))


# -- create_graph --


def check_gradients_with_a_graph_are_added_and_not_overwritten():
    x = leaf()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the circle that x.grad now is part of
        (x**3).sum().backward(create_graph=True)
        first = x.grad
        equal((first.requires_grad, first.tolist()[0]), (True, 3))
        (x**2).sum().backward(create_graph=True)
    equal((first.tolist()[0], x.grad.tolist()[0], x.grad is first), (3, 5, False))
    (second,) = grad(x.grad.sum(), x)
    equal(second.tolist()[0], 8)
    x.grad = None


def check_what_comes_back_from_a_hook_is_the_leaf_to_the_graph():
    x = leaf()
    with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = (x * x).sum()
    (first,) = grad(y, x, create_graph=True)
    first.sum().backward()
    equal(x.grad.tolist()[0], 2)
    back = y.grad_fn.next_functions[0][0]._saved_self
    x.grad = None
    del x, y, first
    equal((live(), back.tolist()[0]), (4 * N, 1))  # and holds no leaf
