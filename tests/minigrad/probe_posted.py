"""Facts about names that posted programs use, about leaves of another size among them."""

import numpy as np
from probing import equal, leaf, live, peak

import minigrad as mg
from minigrad import nn

F = nn.functional


def resized(*factors):
    """A leaf of 3 elements that has 2 x 3 now, and products of what it was."""
    x = mg.ones(3, requires_grad=True)
    products = [x * factor for factor in factors]
    x.data = mg.ones(2, 3)
    return x, products


def check_a_gradient_is_written_into_the_new_shape_of_its_leaf():
    x, (y,) = resized(2.0)
    y.backward(mg.ones(3))
    equal(x.grad.tolist(), [[2.0] * 3] * 2)


def check_a_second_gradient_of_a_resized_leaf_is_added():
    x, (y, z) = resized(2.0, 3.0)
    y.backward(mg.ones(3))
    z.backward(mg.ones(3))
    equal(x.grad.tolist(), [[5.0] * 3] * 2)


def check_a_recorded_gradient_of_a_resized_leaf_has_its_shape_and_a_history():
    x, (y,) = resized(mg.ones(3, requires_grad=True) * 2)
    y.backward(mg.ones(3), create_graph=True, inputs=[x])
    equal((x.grad.tolist(), x.grad.requires_grad), ([[2.0] * 3] * 2, True))


def made(compute):
    """By how many bytes more are alive once it has computed this."""
    before = live()
    out = compute()
    found = live() - before
    del out
    return found


def check_results_count_as_bytes():
    x = mg.arange(8.0).reshape(2, 4)
    equal(made(lambda: F.max_pool1d(x, 2)), 16)
    equal(made(lambda: mg.bincount(mg.tensor([1, 1, 3]))), 32)
    equal(made(lambda: mg.median(x, 1)), 8 + 16)
    leaf = mg.ones(2, 4, 4, requires_grad=True)
    equal(made(lambda: F.dropout1d(leaf, 0.5)), 128 + 32)


def check_versions_of_pooled_sequences():
    x = mg.arange(8.0).reshape(2, 4)
    equal([F.max_pool1d(one, 2)._version for one in (x, x[None])], [1, 0])


def peak_of(compute):
    before = live()
    mg.reset_peak_memory_stats()
    compute()
    return peak() - before


def check_a_loss_lets_go_of_its_parts():
    x, y = (mg.rand(1000, requires_grad=True) for _ in "xy")
    z = mg.ones(1000)
    equal(peak_of(lambda: F.margin_ranking_loss(x, y, z, reduction="sum")), 16_000)
    with mg.no_grad():  # the result, and a mean and its root
        equal(peak_of(lambda: F.rms_norm(x, (1000,))), 4000 + 8)


def fails(call, kind=RuntimeError):
    try:
        call()
    except kind:
        return True
    return False


def check_index_add_writes_where_it_may():
    index, source, wide = mg.tensor([0]), mg.ones(1), mg.ones(1).expand(3)
    leaf = mg.ones(3, requires_grad=True)
    assert fails(lambda: wide.index_add_(0, index, source))
    assert fails(lambda: leaf.index_add_(0, index, source))
    equal(wide.index_add(0, index, source).tolist(), [2, 1, 1])
    equal(leaf.index_add(0, index, source).tolist(), [2, 1, 1])
    with mg.no_grad():
        equal(leaf.index_add_(0, index, source).tolist(), [2, 1, 1])


def check_index_add_looks_at_what_it_writes():
    row, rows, none = mg.ones(1), mg.ones(1, 2), mg.ones(0)
    here, nowhere, outside = mg.tensor([0]), none.long(), mg.tensor([1])
    assert fails(lambda: row.index_add(0, nowhere, none, alpha=1e300))
    assert fails(lambda: rows.index_add(0, here, rows, alpha=1e300))
    equal(rows.index_add(0, nowhere, mg.ones(0, 2), alpha=1e300).tolist(), [[1, 1]])
    assert fails(lambda: none.index_add(0, here, row), IndexError)
    assert fails(lambda: rows.index_add(0, outside, rows))


def check_a_quotient_without_a_slope_leads_to_what_wants_one():
    x = leaf(2)
    y = x * 1
    with mg.no_grad():
        lost = y[:]
    ways = [2 // lost, lost // 2, mg.ones(2) // y, y // y]
    equal([[to and to.name() for to, _ in one.grad_fn.next_functions] for one in ways],
          [[None], [None], ["MulBackward0"], ["MulBackward0"] * 2])  # fmt: skip


def check_a_bias_without_a_weight_has_no_gradient_in_groups():
    x, bias = mg.rand(2, 2, 3), mg.ones(2, requires_grad=True)
    assert fails(F.group_norm(x, 1, None, bias).sum().backward)
    F.group_norm(x, 1, mg.ones(2), bias).sum().backward()
    equal(bias.grad.tolist(), [6, 6])
    x.requires_grad = True
    F.group_norm(x, 1).sum().backward()


def check_second_gradients_of_groups():
    x = mg.tensor([[[1.0, 2.0, 4.0]]], dtype=mg.float64, requires_grad=True)
    assert mg.autograd.gradgradcheck(lambda x: F.group_norm(x, 1) ** 2, (x,))


def check_states_have_their_own_last():
    optimizer = mg.optim.SGD([mg.ones(1, requires_grad=True)], lr=1.0, momentum=0.5)
    schedule = mg.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.0)
    equal([*schedule.state_dict()][-1], "_scale_fn_custom")


def check_statistics_are_counted_anew():
    net = nn.Sequential(nn.BatchNorm1d(1))
    batches = [mg.tensor([[1.0], [3.0]]), mg.tensor([[5.0], [7.0]])]
    mg.optim.swa_utils.update_bn(batches, net)
    equal(np.round(net[0].running_mean.tolist(), 5).tolist(), [4.0])


def check_old_statistics_of_images_are_named_in_an_error():
    layer = nn.InstanceNorm1d(1)
    state = {"running_mean": mg.zeros(1), "running_var": mg.ones(1)}
    try:
        layer.load_state_dict(state)
    except RuntimeError as error:
        equal("Unexpected key" in str(error), False)


def check_nothing_is_said_to_be_built_for_a_card():
    equal((mg.version.cuda, mg.version.hip), (None, None))
