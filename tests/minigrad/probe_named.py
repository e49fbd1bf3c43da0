"""Probes of what torch.autograd names besides backward(): hooks of several, modes, edges."""

import gc

from probing import CHANGED, equal, grad, graph, leaf, live, mg, refuses

from minigrad.core import observer


def check_a_hook_of_several_hears_once_of_each_walk():
    x, y, heard = leaf(), leaf(), []
    handle = graph.register_multi_grad_hook((x, y), lambda grads: heard.append(list(grads)))
    for n in (1, 2):
        (x * 2 + y).sum().backward()
        equal(len(heard), n)
    equal([g is not None for g in heard[0]], [True, True])
    (x * 2).sum().backward()
    equal([g is None for g in heard[-1]], [False, True])
    (x * y).sum().backward(inputs=[y])
    equal([g is None for g in heard[-1]], [True, False])
    handle.remove()
    handle.remove()
    (x + y).sum().backward()
    equal(len(heard), 4)


def check_a_hook_of_several_keeps_no_gradient():
    x = leaf()
    before, heard = live(), []
    handle = graph.register_multi_grad_hook((x,), lambda grads: heard.append(len(grads)))
    z = (x * 2) * 1
    middle = graph.register_multi_grad_hook((z, x), lambda grads: heard.append(len(grads)))
    grad(z.sum(), z, retain_graph=True)
    (x * 3).sum().backward()
    x.grad = None
    del z
    equal(live(), before)
    equal(len(heard), 3)
    handle.remove(), middle.remove()


def check_a_hook_of_several_is_asked_only_while_it_is_there():
    x = leaf()
    before = observer.watching
    handles = [graph.register_multi_grad_hook((x,), print) for _ in range(2)]
    equal(len(observer.watching), len(before) + 1)
    for handle in (*handles, handles[0]):
        handle.remove()
    equal(observer.watching, before)


def check_a_version_may_be_counted_by_hand():
    x = leaf() * 1
    y = x * x
    graph.increment_version(x)
    equal(x._version, 1)
    refuses(CHANGED, lambda: y.sum().backward())
    graph.increment_version([x, y])
    equal((x._version, y._version), (2, 1))


def check_hooks_may_be_forbidden():
    with graph.disable_saved_tensors_hooks("not here"):
        refuses("not here", lambda: graph.save_on_cpu().__enter__())
    with graph.save_on_cpu():
        refuses("too late", lambda: graph.disable_saved_tensors_hooks("too late").__enter__())


def check_what_inference_made_is_neither_saved_nor_written():
    x = leaf()
    with mg.inference_mode():
        p = mg.ones(100)
        p.add_(1)
    assert p.is_inference() and not x.is_inference()
    refuses("cannot be saved for backward", lambda: p * x)
    refuses("outside InferenceMode", lambda: p.add_(1))
    refuses("do not track version", lambda: p._version)
    equal(p.clone()._version, 0)
    alias = p.data
    equal(alias._version, 0)
    alias.add_(1)
    equal(alias._version, 1)
    refuses("cannot be saved for backward", lambda: alias * x)


def check_an_inference_tensor_goes_on_as_one():
    with mg.inference_mode():
        p, q = mg.ones(100).requires_grad_(), mg.ones(100)
    assert p.requires_grad and p.detach().is_inference()
    equal(p.detach()._version, 0)
    x = mg.ones(100)
    x.add_(1)
    x.data = q
    equal(x._version, 1)


def check_what_was_saved_may_be_overwritten():
    before = live()
    with graph.allow_mutation_on_saved_tensors() as context:
        x = leaf()
        y, other = x * 1, x * 1
        z = (y * y).sum() + (other * other).sum()
        held = live()
        equal((len(context.original), len(context.cloned)), (2, 0))
        y.mul_(3)
        equal((live() - held, len(context.original), len(context.cloned)), (400, 1, 1))
        y.mul_(3)
        equal(live() - held, 400)
        z.backward()
        equal(x.grad.tolist(), [4.0] * 100)
        del z
        equal((len(context.original), len(context.cloned)), (0, 0))
        t = (y * y).sum()
        equal(len(context.original), 1)
        y.mul_(2)
        u = (other * other).sum()
        equal((len(context.original), len(context.cloned)), (1, 1))
    equal((len(context.original), len(context.cloned)), (0, 0))
    refuses("outside of the", t.backward, AssertionError)
    del x, y, other, t, u
    gc.collect()
    equal(live(), before)


def check_the_same_tensor_is_saved_by_one_handle():
    with graph.allow_mutation_on_saved_tensors() as context:
        x = leaf() * 1
        y = x * x
        equal(len(context.original), 1)
        x.add_(1)
        z = x * x
        equal((len(context.original), len(context.cloned)), (1, 1))
        x.add_(1)
        (y + z).sum().backward()


def check_a_sum_of_products_has_the_axes_that_were_asked_for():
    x = leaf(2, 3)
    equal(mg.einsum("ij,kj->ik", x, x).tolist(), [[3.0, 3.0]] * 2)
    equal(mg.einsum("ij,ij->ij", x, x).tolist(), x.tolist())
    equal(mg.einsum("ij->", x).tolist(), 6.0)


def check_an_edge_keeps_the_graph_alone():
    x = leaf()
    before = live()
    y = x * 2
    place = graph.get_gradient_edge(y)
    del y
    equal(live(), before)
    equal(grad(place, x, mg.ones(100))[0].tolist(), [2.0] * 100)
