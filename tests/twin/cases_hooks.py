"""C6: hooks of tensors and nodes; saved-tensor hooks."""

from tests.twin import probes
from tests.twin.registry import case


@case("C6 order of hooks around a non-leaf")
def case_c6_order(mg, out):
    a = mg.ones(2, requires_grad=True)
    y = a * 2.0
    order = []

    def say(word, result=None):
        return lambda *_: order.append(word) or result

    y.grad_fn.register_prehook(say("node pre"))
    y.grad_fn.register_hook(say("node post"))
    y.register_hook(say("first"))
    y.retain_grad()
    y.register_hook(lambda g: order.append("second") or g * 3)
    y.register_hook(lambda g: order.append(f"third sees {g.tolist()}"))
    a.register_hook(say("leaf"))
    y.sum().backward()
    out("order", order)
    out("captured after all", y.grad)
    out("gradient", a.grad)


@case("C6 order of hooks around a leaf")
def case_c6_leaf_order(mg, out):
    a = mg.ones(2, requires_grad=True)
    order = []
    y = a * 2.0
    node = y.grad_fn.next_functions[0][0]
    node.register_prehook(lambda g: order.append(["pre", g[0].tolist(), a.grad is None]))
    node.register_hook(lambda gi, go: order.append(["post", len(gi), go[0].tolist()]))
    a.register_post_accumulate_grad_hook(lambda t: order.append(["acc", t is a, t.grad.tolist()]))
    a.register_hook(lambda g: order.append(["tensor", a.grad is None]) or g * 2)
    y.sum().backward()
    out("order", order)
    out("gradient", a.grad)


@case("C6 replacing, chaining, removing")
def case_c6_replace(mg, out):
    a = mg.ones(2, requires_grad=True)
    one = a.register_hook(lambda g: g * 2)
    a.register_hook(lambda g: None)
    two = a.register_hook(lambda g: g + 1)
    (a * 1.0).sum().backward()
    out("2*g + 1", a.grad)
    a.grad = None
    one.remove()
    one.remove()
    (a * 1.0).sum().backward()
    out("g + 1", a.grad)
    two.remove()
    a.grad = None
    (a * 1.0).sum().backward()
    out("g", a.grad)
    out("handle", type(one).__name__)
    with a.register_hook(lambda g: g * 7):
        (a * 1.0).sum().backward()
    (a * 1.0).sum().backward()
    out("as a context: 1+7+1", a.grad)


@case("C6 removing inside the hook; registering inside the hook")
def case_c6_inside(mg, out):
    a = mg.ones(2, requires_grad=True)
    calls = []

    def once(g):
        calls.append("once")
        handle.remove()

    handle = a.register_hook(once)
    a.register_hook(lambda g: calls.append("always"))
    for _ in range(2):
        (a * 1.0).sum().backward()
    out("calls", calls)


@case("C6 grad mode in hooks; what a hook may do")
def case_c6_mode(mg, out):
    a = mg.ones(2, requires_grad=True)
    h = a * 2.0
    seen = []

    def hook(g):
        seen.append([mg.is_grad_enabled(), g.requires_grad, g.tolist()])
        with mg.enable_grad():
            inner = mg.ones(2, requires_grad=True)
            (inner * 3.0).sum().backward()
            seen.append(inner.grad.tolist())

    h.register_hook(hook)
    h.sum().backward()
    out("in the hook", seen)
    out("gradient", a.grad)
    out("grad mode after", mg.is_grad_enabled())


@case("C6 node hooks replace; prehooks see one tuple, post hooks two")
def case_c6_node(mg, out):
    a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
    y = a * b
    seen = []
    y.grad_fn.register_prehook(lambda go: (go[0] * 2,))
    post = y.grad_fn.register_hook(lambda gi, go: seen.append([list(map(plain, gi)), plain(go[0])]))
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, None))
    y.sum().backward(retain_graph=True)
    out("seen", seen)
    out("gradients", [a.grad, b.grad])
    post.remove()
    y.sum().backward()
    out("seen once", len(seen))
    one_sided = a * mg.ones(2)
    one_sided.grad_fn.register_hook(lambda gi, go: seen.append(list(map(plain, gi))))
    one_sided.sum().backward()
    out("None for a constant", seen[-1])


def plain(tensor):
    return None if tensor is None else tensor.tolist()


@case("C6 post-accumulate hooks: a step inside backward")
def case_c6_post_accumulate(mg, out):
    w = mg.tensor([1.0, 2.0], requires_grad=True)

    def step(t):
        with mg.no_grad():
            t.sub_(t.grad * 0.5)
        t.grad = None

    handle = w.register_post_accumulate_grad_hook(step)
    (w * w).sum().backward()
    out("stepped", [w.tolist(), w.grad])
    handle.remove()
    (w * w).sum().backward()
    out("removed", w.grad)
    out.error("on a constant", mg.ones(2).register_post_accumulate_grad_hook, step)


@case("C6 hooks belong to the value; after an in-place op they stay with the old node")
def case_c6_in_place(mg, out):
    a = mg.ones(2, requires_grad=True)
    h = a * 2.0
    seen = []
    h.register_hook(lambda g: seen.append(["old", g.tolist()]))
    h.retain_grad()
    h.mul_(5.0)
    h.register_hook(lambda g: seen.append(["new", g.tolist()]))
    h.sum().backward()
    out("seen", seen)
    out("h.grad moved with the tensor", h.grad)
    out("gradient", a.grad)


@case("C6 hooks see summed gradients; several backwards call them each time")
def case_c6_summed(mg, out):
    a = mg.ones(2, requires_grad=True)
    h = a * 2.0
    seen = []
    h.register_hook(lambda g: seen.append(g.tolist()))
    y = (h + h * 3.0).sum() + h.sum()
    y.backward(retain_graph=True)
    y.backward()
    out("seen", seen)
    life = probes.Life()
    life.all("h", h)
    del h, y
    out("hooks keep nothing alive", life.alive())


@case("C6 a hook on a leaf that never gets a gradient; a hook under retain")
def case_c6_unused(mg, out):
    a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
    seen = []
    b.register_hook(lambda g: seen.append("b"))
    (a * 2.0).sum().backward()
    out("not called", seen)
    out.error("not callable", a.register_hook, "x")


@case("saved_tensors_hooks: pack and unpack, nested, left")
def case_saved_hooks(mg, out):
    hooks = mg.autograd.graph.saved_tensors_hooks
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    seen = []

    def pack(t):
        seen.append(["pack", t.tolist(), t.requires_grad])
        return t.tolist()

    def unpack(data):
        seen.append(["unpack", data])
        return mg.tensor(data)

    with hooks(pack, unpack):
        y = (a * a).exp()
    z = y * y
    out("packed", seen)
    z.sum().backward()
    out("all", seen)
    out("gradient", a.grad)
    out.error("read after", lambda: y.grad_fn._saved_result)
    seen.clear()
    with hooks(pack, unpack), hooks(lambda t: t * 10, lambda t: t / 10):
        y = a.exp()
    y.sum().backward()
    out("only the inner pair", seen)
    seen.clear()
    with hooks(pack, unpack):
        y = a.exp()
    out("each read unpacks", [len(seen), y.grad_fn._saved_result.tolist(), len(seen)])


@case("saved_tensors_hooks free what was packed away")
def case_saved_hooks_bytes(mg, out):
    a = mg.ones(100, requires_grad=True)
    hooks = mg.autograd.graph.saved_tensors_hooks

    with hooks(lambda t: (t.sum().item(), t.shape), lambda p: mg.full(p[1], p[0] / p[1][0])):
        y = a.exp().tanh().sum()
    out.live("packed to a number")
    y.backward()
    out("gradient", a.grad[0])
    out.live("after")


@case("save_on_cpu")
def case_save_on_cpu(mg, out):
    a = mg.ones(100, requires_grad=True)
    with mg.autograd.graph.save_on_cpu():
        h = a.exp()
        y = (h * h).sum()
    out("saved is a copy or not", probes.saved(y.grad_fn.next_functions[0][0]))
    del h
    y.backward()
    out("gradient", a.grad[:2])
    out.live("after")


@case("autograd.grad calls a captured tensor's hooks, but not its node's")
def case_hooks_of_captured(mg, out):
    w = mg.ones(3, requires_grad=True)
    y = w * 2
    order = []
    y.grad_fn.register_prehook(lambda g: order.append("node pre"))
    y.register_hook(lambda g: order.append("tensor"))
    y.retain_grad()
    mg.autograd.grad(y.exp().sum(), [y])
    out("called", order)
    out("captured", y.grad)
