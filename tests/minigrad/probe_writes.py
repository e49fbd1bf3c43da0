"""Probes of version counters, and of writes that are recorded."""

from probing import (
    CHANGED,
    TWICE,
    AddOne,
    N,
    Square,
    equal,
    leaf,
    live,
    mg,
    refuses,
)  # fmt: skip

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
    t = mg.ones(N)
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


def check_an_optimizer_numbers_the_parameters_of_its_groups():
    ws = [mg.nn.Parameter(mg.ones(N)) for _ in range(3)]
    optimizer = mg.optim.SGD([{"params": ws[:2]}, {"params": ws[2], "lr": 1.0}], momentum=0.9)
    (ws[0].sum() + ws[2].sum()).backward()
    optimizer.step()
    state = optimizer.state_dict()
    equal(
        [[*state["state"]], [g["params"] for g in state["param_groups"]]], [[0, 2], [[0, 1], [2]]]
    )
    equal(live(), 7 * 4 * N)  # three parameters, two gradients, two velocities


def check_a_scheduler_keeps_its_optimizer_in_no_ring():
    optimizer = mg.optim.SGD([mg.nn.Parameter(mg.ones(N))], lr=0.5)
    schedule = mg.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step(), schedule.step()
    equal(optimizer.param_groups[0]["lr"], 0.25)


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


def check_views_made_before_a_write_follow_it():
    x = leaf()
    y = x * 1
    views = y.view(1, N), y.view(N, 1)
    y.mul_(2)
    for view in views:
        view.sum().backward(retain_graph=True)
    equal(x.grad.tolist(), [4] * N)
    z = mg.ones(N)
    early = z.view(1, N)
    z.mul_(leaf())
    assert early.requires_grad
    once = early.grad_fn
    assert early.grad_fn is once
    z.add_(1)
    assert early.grad_fn is not once


def check_retain_grad_follows_an_in_place_write():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.mul_(5)
    (y * 3).sum().backward()
    equal(y.grad.tolist()[0], 3)
