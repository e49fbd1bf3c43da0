"""Probes of who owns which bytes: of every kind of result, of what is saved, and of gradients."""

import copy
import random

from probing import (
    TWICE,
    Function,
    N,
    equal,
    grad,
    leaf,
    live,
    mg,
    own,
    peak,
    refuses,
)  # fmt: skip

F = mg.nn.functional


class Same(Function):
    """Its input."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class Nothing(Function):
    """x * 2, which hands no gradient on."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None


VALUES = {
    "a reduction": lambda x: x.sum(0),
    "an index": lambda x: x.argmax(1),
    "an extremum": lambda x: tuple(x.max(1)),
    "a truth": lambda x: x.all(),
    "a comparison": lambda x: x > 1,
    "its opposite": lambda x: ~(x.detach() > 1),
    "a whole number": lambda x: x.detach().long() // 2,
    "another dtype": lambda x: x.to(mg.float64),
    "a gathering": lambda x: x[[0, 2]],
    "a gathering with a slice": lambda x: x[:, [0, 2]],
    "a normalization": lambda x: F.layer_norm(x, (4,)),
    "one by channels": lambda x: F.batch_norm(x, None, None, training=True),
    "a loss": lambda x: F.nll_loss(x, mg.tensor([0, 1, 2, 3])),
    "a mask": lambda x: F.dropout(x, 0.5),
    "an empty mask": lambda x: F.dropout(x, 1.0),
    "a mean": lambda x: x.mean(1),
    "a running sum": lambda x: x.cumsum(0),
    "a product": lambda x: x @ x,
    "a broadcast": lambda x: x + mg.ones(2, 4, 4),
    "a variance and a mean": lambda x: mg.var_mean(x, 1),
    "an order": lambda x: tuple(x.sort()),
    "the largest": lambda x: tuple(x.topk(2)),
    "an order alone": lambda x: x.argsort(),
    "drawn indices": lambda x: x.multinomial(2),
    "drawn again": lambda x: x.multinomial(5, True),
    "a sum of products": lambda x: mg.einsum("ij,kj->ik", x, x),
    "a promotion": lambda x: x * mg.ones(4, 4, dtype=mg.float64),
}
VIEWS = {
    "detached": lambda x: x.detach(),
    "turned": lambda x: x.t(),
    "long": lambda x: x.view(16),
    "cut": lambda x: x[1:3],
    "pieces": lambda x: x.unbind(),
    "an input": Same.apply,
}


def tensors(result):
    return result if isinstance(result, tuple) else (result,)


def check_every_result_owns_its_bytes():
    x = leaf(4, 4)
    for name, function in VALUES.items():
        before = live()
        with mg.no_grad():
            results = tensors(function(x))
        for t in results:
            own(t)
        equal((name, live() - before), (name, sum(t.untyped_storage().nbytes() for t in results)))
        del results, t


def check_every_view_owns_none():
    x = leaf(4, 4)
    before = live()
    for function in VIEWS.values():
        results = tensors(function(x))
        equal(live(), before)
        for t in results:
            own(t)
        del results, t


def check_all_that_is_saved_owns_its_bytes():
    for function in VALUES.values():
        todo = [tensors(function(leaf(4, 4)))[0].grad_fn]
        while todo:
            node = todo.pop()
            for name in [n for n in dir(node) if n.startswith("_saved_")]:
                value = getattr(node, name)
                for t in value if isinstance(value, tuple) else [value]:
                    if isinstance(t, mg.Tensor):
                        own(t)
            todo += [node for node, _ in getattr(node, "next_functions", ()) if node is not None]


def check_the_gradient_of_a_second_output_owns_its_bytes():
    x = leaf(4, 4)
    mg.var_mean(x, 1)[1].sum().backward()
    own(x.grad)


def check_every_gradient_owns_its_bytes():
    for function in (*VALUES.values(), lambda x: x.split(2)[0]):
        x = leaf(4, 4)
        y = x * 1
        y.retain_grad()
        result = tensors(function(y))[0]
        if result.requires_grad:
            total = result.sum()
            for t in (y, result, total):
                t.register_hook(own)
            total.backward()
            own(x.grad), own(y.grad)
    x = leaf()
    y = x * 1
    y.register_hook(own)
    y.backward(mg.ones(N, dtype=mg.float64))
    equal(x.grad.dtype, mg.float32)
    shared = mg.ones(N)
    x = leaf()
    x.register_hook(lambda g: shared)
    (x * 2).sum().backward()
    own(x.grad)
    assert x.grad is not shared


def check_a_copy_owns_its_bytes_and_its_gradient():
    x = leaf()
    copy.deepcopy(x)
    x.sum().backward()
    other = copy.deepcopy(x)
    own(other), own(other.grad)
    assert other.data_ptr() != x.data_ptr() and other.grad.data_ptr() != x.grad.data_ptr()
    equal(live(), 4 * 4 * N)


def check_a_gradient_lies_as_its_leaf_does():
    x = leaf(3, 4)
    x.t().backward(mg.ones(4, 3))
    assert x.grad.is_contiguous()


def check_random_programs_book_every_byte_once():
    """The second ledger of such a program: the storages of what it holds, each once."""
    for seed in range(4):
        choose, before = random.Random(seed), live()
        held = [leaf(4, 4)]
        for _ in range(12):
            x = choose.choice(held)
            held.append(choose.choice(STEPS)(x, choose.choice(held)))
            if len(held) > 5:
                held.pop(choose.randrange(1, len(held)))
        with mg.no_grad():
            held = [t.detach() for t in held]
        del x
        sizes = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in held}
        equal(live() - before, sum(sizes.values()))
        del held


STEPS = (
    lambda x, y: x * y, lambda x, y: x + y, lambda x, y: x.t(), lambda x, y: x.exp() * 0,
    lambda x, y: x.detach(), lambda x, y: x.reshape(16).view(4, 4), lambda x, y: x @ y,
    lambda x, y: x[[0, 1, 2, 3]], lambda x, y: (x * 1).add_(y), lambda x, y: x.split(4)[0],
)  # fmt: skip


# -- what is made on the way, and not more --


def check_a_write_makes_no_bytes_of_its_own():
    for write in (
        lambda y: y.mul_(2), lambda y: y.add_(5), lambda y: y.__setitem__(0, 1.0),
        lambda y: y.zero_(), lambda y: y.relu_(),
    ):  # fmt: skip
        y = leaf() * 2
        before = live()
        mg.reset_peak_memory_stats()
        write(y)
        assert peak() - before <= 4, peak() - before
        del y


def check_a_scaled_sum_is_written_in_blocks():
    x, y = mg.ones(N), mg.ones(N)
    mg.reset_peak_memory_stats()
    x.add_(y, alpha=2)
    equal((peak(), x.tolist()[0]), (8 * N, 3))
    many = 1 << 15
    rows, row = mg.zeros(3, many), mg.ones(many)
    rows.add_(row, alpha=2)
    equal(rows.sum().item(), 6 * many)
    line = mg.ones(2 * many)
    refuses("single memory location", lambda: line[1:].add_(line[:-1], alpha=2))
    equal(line.sum().item(), 2 * many)


def check_the_peak_counts_one_byte():
    x = mg.ones(N)
    mg.reset_peak_memory_stats()
    y = mg.zeros(1, dtype=mg.uint8)
    equal((peak(), live()), (4 * N + 1, 4 * N + 1))
    del x, y


def check_only_the_gradient_asked_for_is_computed():
    x, y = leaf(), leaf()
    z, seed = x * y, mg.ones(N)
    before = live()
    mg.reset_peak_memory_stats()
    (g,) = grad(z, x, seed)
    equal(peak() - before, 4 * N)


def check_a_watched_leaf_takes_its_gradient_over_too():
    x = leaf()
    x.register_hook(lambda g: None)
    y, seed = x * 2, mg.ones(N)
    before = live()
    mg.reset_peak_memory_stats()
    y.backward(seed)
    equal(peak() - before, 4 * N)


# -- what was not kept --


def check_what_was_not_kept_cannot_be_freed():
    x, bias = mg.ones(3, 3), leaf(3)
    y = F.linear(x, x, bias)
    for _ in range(2):
        y.sum().backward()
        node = y.grad_fn
        equal((node._saved_mat1, node._saved_mat2), (None, None))
    z = leaf() * mg.ones(N)
    z.sum().backward()
    equal(z.grad_fn._saved_self, None)
    slot = z.grad_fn._raw_saved_self
    refuses("None is forbidden", lambda: slot.register_hooks(None, None))
    refuses(TWICE, lambda: z.grad_fn._saved_other)


def check_a_number_and_indices_can_be_read():
    x = leaf()
    equal((x * 5).grad_fn._saved_other.item(), 5)
    equal(x[[1, 2]].grad_fn._saved_indices[0].tolist(), [1, 2])
    y = leaf(3, 3)[:, [0, 2]]
    equal(y.grad_fn._saved_indices[0], None)
    y.sum().backward()


def check_gradients_that_nobody_wants_are_zeros_or_none():
    x, y = leaf(), leaf()
    z = (x * 2).sum()
    first, second = grad(z, [x, y], retain_graph=True, materialize_grads=True)
    own(second)
    equal(second.tolist(), [0.0] * N)
    equal(grad(z, [x, y], allow_unused=True)[1], None)


def check_a_gradient_that_never_comes_is_none():
    for order in (0, 1):
        x = leaf()
        pieces = x.split(N // 2)
        parts = [Nothing.apply(pieces[0]).sum(), (pieces[0] * 2).sum()]
        (parts[order] + parts[1 - order]).backward()
        equal(x.grad.tolist()[0], 2)
    x = leaf()
    Nothing.apply(x.split(N // 2)[0]).sum().backward()
    equal(x.grad, None)


def check_the_places_that_are_not_zero_own_their_bytes():
    own(leaf().nonzero())
    equal(mg.tensor(3.0).nonzero().untyped_storage().nbytes(), 0)


def check_what_is_taken_out_of_a_dict_of_parameters_goes():
    before = live()
    some = mg.nn.ParameterDict({"a": leaf(), "b": leaf(), "c": leaf()})
    equal(list(some), ["a", "b", "c"])
    del some["a"]
    some.pop("b")
    equal((list(some), live() - before), (["c"], 400))
    some.clear()
    equal((list(some), live()), ([], before))


def check_a_class_of_tensors_is_made_by_a_call_of_it():
    kind = type("Own", (mg.Tensor,), {})
    equal([type(of([1.0])) is of for of in (kind, mg.Tensor)], [True, True])
    assert mg.Tensor(leaf()).grad_fn is not None
