"""Probes of views that follow their base, and of a tensor parted from its views by `.data`."""

from probing import N, equal, leaf, live, mg, refuses

LEAF = "a leaf Variable that requires grad is being"
OF_LEAF = "a view of a leaf Variable that requires grad is being"


def check_a_view_follows_the_flag_of_its_base():
    base = mg.ones(N)
    view, other = base[:2], base[2:]
    base.requires_grad_()
    equal((view.requires_grad, view.is_leaf, other.requires_grad), (True, True, True))
    (view * 2).sum().backward()
    equal((base.grad, view.grad), (None, None))
    base.requires_grad_(False)
    equal(view.requires_grad, False)


def check_a_view_with_a_flag_of_its_own_outlives_a_write_to_its_base():
    base = mg.ones(N)
    view = base[:2].requires_grad_()
    base.add_(1)
    (view * 2).sum().backward()
    equal((view.is_leaf, view.grad.tolist()), (True, [2, 2]))


def check_a_view_loses_its_way_with_its_base():
    x = leaf()
    base = x * 2
    view = base[:2]
    base.detach_()
    view.sum().backward()
    equal(x.grad.tolist()[:3], [2, 2, 0])
    base.add_(1)
    view.sum().backward()
    equal((view.requires_grad, x.grad.tolist()[:3]), (True, [2, 2, 0]))


def check_a_view_of_a_view_loses_its_way_with_the_base_of_both():
    base = mg.ones(N)
    outer = base[:2].requires_grad_()
    inner = outer[:1].view(1, 1)
    base.detach().add_(1)
    inner.sum().backward()
    equal((outer.grad, inner.grad_fn.next_functions), (None, ((None, 0),)))


def check_a_view_is_as_old_as_the_bytes_it_was_made_of():
    base = mg.ones(N).add_(1)
    view = base[:2]
    base.requires_grad_()
    equal(view.is_leaf, True)


def check_a_rearranged_copy_may_be_written_to():
    x = leaf()
    y = x.view(2, -1).t().reshape(-1)
    y.mul_(2)
    y.sum().backward()
    equal((y._is_view(), x.grad.tolist()[:2]), (False, [2, 2]))


def check_outputs_have_their_numbers():
    pair = mg.var_mean(leaf())
    equal([one.output_nr for one in (*pair, *leaf().split(N // 2))], [0, 1, 0, 1])


def check_views_are_not_kept_by_their_base():
    base = mg.ones(N)
    before = live()
    views = [base[i:] for i in range(3)]
    base.requires_grad_()
    views += [base[i:] * 1 for i in range(3)]
    del views
    equal((live() - before, len(base._views)), (0, 0))


def check_a_lost_view_follows_a_write_to_its_base():
    base = mg.ones(N)
    view = base[:2]
    base.requires_grad_()
    base.detach().add_(1)
    (view * 2).sum().backward()
    equal((base.grad.tolist()[:3], view.grad_fn.name()), ([2, 2, 0], "AsStridedBackward0"))
    with mg.no_grad():
        quiet = base[:2]
        base.add_(1)
    refuses("created in no_grad mode", lambda: quiet * 2)


def check_a_leaf_that_was_told_not_to_gets_no_gradient():
    x = leaf()
    y = x * 2
    x.requires_grad_(False)
    y.sum().backward()
    equal(x.grad, None)


def check_new_data_keep_the_version_counter():
    x = mg.ones(N)
    view, aside = x[:2], x.data
    x.data = mg.zeros(N)
    x.add_(1)
    equal((x._version, view._version, aside._version), (1, 1, 0))
    view.add_(1)
    equal((x._version, view.tolist(), x.tolist()[0]), (2, [2, 2], 1))
    aside.add_(1)
    equal((x._version, aside._version), (2, 1))


def check_a_hook_lets_a_leaf_take_its_gradient_over():
    x, seen = leaf(), []
    node = x.view_as(x).grad_fn.next_functions[0][0]
    node.register_hook(lambda inputs, outputs: seen.append(outputs[0].data_ptr()))
    (x * 2).sum().backward()
    equal(seen, [x.grad.data_ptr()])


def check_a_sum_with_alpha_has_bytes_of_its_own():
    x, y = leaf(), leaf()
    before = live()
    z = x.add(y, alpha=3)
    equal((live() - before, z.grad_fn._saved_alpha), (4 * N, 3))
    z.sum().backward()
    equal((x.grad.tolist()[0], y.grad.tolist()[0]), (1, 3))


def check_the_part_of_a_leaf_is_told_from_the_whole():
    x = leaf()

    def write(index):
        x[index] = 0

    for index in (slice(None), ..., [0]):
        equal(refuses("", lambda index=index: write(index)).index(LEAF), 0)
    equal(refuses("", lambda: write(0)).index(OF_LEAF), 0)
