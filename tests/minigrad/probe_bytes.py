"""Probes of the ledger, of what is saved, and of freeing."""

from probing import (
    AT_FIRST,
    TWICE,
    AddOne,
    Function,
    N,
    Square,
    Two,
    equal,
    grad,
    leaf,
    live,
    mg,
    names,
    np,
    peak,
    refuses,
)  # fmt: skip

# -- the ledger --


def check_nothing_lives_at_first():
    equal(AT_FIRST, (0, 0))


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
    x = mg.from_numpy(np.ones(N).reshape(2, -1))
    equal((live(), x.untyped_storage().nbytes()), (8 * N, 8 * N))


def check_an_array_of_numpys_counts_from_its_first_element_to_its_last():
    x = mg.from_numpy(np.ones(N)[3:9:2])
    equal((live(), x.untyped_storage().nbytes(), x.stride()), (40, 40, (2,)))


def check_data_can_be_replaced():
    x = leaf(1)
    x.data = mg.ones(N)
    equal(live(), 4 * N)


def check_the_peak():
    mg.reset_peak_memory_stats()
    x = mg.ones(N)
    equal(peak(), 4 * N)
    y = x + x
    del y
    equal(peak(), 8 * N)
    mg.reset_peak_memory_stats()
    equal(peak(), 4 * N)


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


def check_three_in_one_operation_save_what_the_others_need():
    x, c = leaf(), mg.ones(N)
    equal(names(mg.lerp(x, c, c)), [("Lerp", "weight")])
    equal(names(mg.lerp(c, x, c)), [("Lerp", "weight")])
    equal(names(mg.lerp(c, c, x)), [("Lerp", n) for n in ("end", "self", "weight")])
    equal(names(mg.addcmul(x, c, c)), [])
    equal(names(mg.addcmul(c, x, c)), [("Addcmul", "tensor2")])
    equal(names(mg.addcmul(c, c, x)), [("Addcmul", "tensor1")])
    equal(names(mg.addcdiv(x, c, c)), [("Addcdiv", "tensor2")])
    equal(names(mg.addcdiv(c, x, c)), [("Addcdiv", "tensor2")])
    equal(names(mg.addcdiv(c, c, x)), [("Addcdiv", n) for n in ("tensor1", "tensor2")])


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
    assert peak() - before <= 8 * N, peak() - before
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
    z = (x * 5).sum()
    z.backward()
    refuses(TWICE, z.backward)


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


class Three(Function):
    """a + b + c, whose three gradients have bytes of their own."""

    @staticmethod
    def forward(ctx, a, b, c):
        return a + b + c

    @staticmethod
    def backward(ctx, g):
        return g * 1, g * 1, g * 1


def check_gradients_of_one_of_several_outputs_are_added_in_place():
    x = leaf(N + 1)
    part = x.split(N)[0]
    loss = Three.apply(part, part, part).sum()
    before = live()
    mg.reset_peak_memory_stats()
    loss.backward()
    equal(peak() - before, 4 + 3 * 4 * N)  # a fourth would be a sum of its own


def check_a_gradient_that_a_rule_has_turned_round_is_added_to_in_place():
    x = mg.ones(N, 2, requires_grad=True)
    y = x * 1
    other = y * 2  # older: its gradient comes second
    both = y.roll(1), other
    before = live()
    mg.reset_peak_memory_stats()
    mg.autograd.grad(both, [x], [mg.ones(N, 2), mg.ones(N, 2)])
    equal(peak() - before, 4 * 8 * N)  # two given, two that meet; a fifth would be their sum
