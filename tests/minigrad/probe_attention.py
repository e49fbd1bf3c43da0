"""Probes of attention: what it saves, owns, and lets go on its way."""

from probing import equal, live, mg, peak

UNIT = 4 * 8 * 4  # bytes of 8 places of 4 numbers


def check_a_product_added_to_saves_what_the_gradients_need():
    x, y = mg.ones(1, 2, 3, requires_grad=True), mg.ones(1, 3, 2)
    node = mg.baddbmm(mg.ones(1), x, y).grad_fn
    equal((node._saved_batch1 is None, node._saved_batch2 is y), (True, True))
    node = mg.baddbmm(mg.ones(1), x.detach(), y.requires_grad_()).grad_fn
    equal((node._saved_batch1 is None, node._saved_batch2 is None), (False, True))


def check_attention_has_its_result_and_a_number_for_each_row():
    attend = mg.nn.functional.scaled_dot_product_attention
    q = mg.ones(1, 1, 8, 4, requires_grad=True)
    y = attend(q, q, q)
    equal((y.nbytes, live()), (UNIT, 2 * UNIT + 4 * 8))


def check_gradients_of_attention_are_their_own():
    attend = mg.nn.functional.scaled_dot_product_attention
    q, k, v = (mg.ones(1, 1, 8, 4, requires_grad=True) for _ in range(3))
    y = attend(q, k, v)
    before = live()
    grads = mg.autograd.grad(y, [q, k, v], mg.ones_like(y), create_graph=True)
    equal((live() - before, len(grads)), (3 * UNIT, 3))


def check_heads_let_go_what_is_done_with():
    heads = mg.nn.MultiheadAttention(4, 1).eval()
    given = [mg.ones(8, 2, 4) for _ in range(3)]
    # as many bytes at the highest point as PyTorch
    for weighs, most in ((True, 1536), (False, 1088)):
        before = live()
        mg.reset_peak_memory_stats()
        with mg.no_grad():
            heads(*given, need_weights=weighs)
        equal((weighs, peak() - before), (weighs, most))
