"""M19, C10, 001.6: checkpoint, by a walk inside a walk and by hooks."""

from tests.twin import probes
from tests.twin.registry import add, case, empty_the_queue

BOTH = (True, False)


def both(title):
    """A case for each way: it is given `way`, the value of use_reentrant."""

    def register(function):
        def run(mg, out):
            for way in BOTH:
                function(mg, out, way)

        add(function.__name__.removeprefix("case_"), title, run)
        return function

    return register


def segment(w, calls):
    """Two saved tensors, U bytes each: what the matmul reads, what tanh made."""

    def run(x):
        calls.append("run")
        return ((x @ w).tanh() @ w).exp()

    return run


def leaves(mg, rows=4):
    x = (mg.arange(rows * 8.0).view(rows, 8) / (rows * 8)).detach().requires_grad_()
    return x, mg.full((8, 8), 0.125, requires_grad=True)


@both("M19 C10 one segment: node, bytes, calls, gradients")
def case_ckpt_bytes(mg, out, way):
    calls = []
    x, w = leaves(mg)
    mg.reset_peak_memory_stats()
    before = mg.memory_allocated()
    y = mg.utils.checkpoint.checkpoint(segment(w, calls), x, use_reentrant=way)
    out(f"{way} live", mg.memory_allocated() - before)
    out(f"{way} node", [type(y.grad_fn).__name__, len(calls)])
    loss = y.sum()
    out.peak(f"{way} forward")
    loss.backward()
    out.peak(f"{way} backward")
    out(f"{way} gradients", [x.grad, w.grad, len(calls)])
    out(f"{way} live at the end", mg.memory_allocated() - before)
    out.error(f"{way} once more", loss.backward)
    empty_the_queue(mg)
    out(f"{way} calls at the end", len(calls))


@case("M19 no word about use_reentrant warns, and is reentrant")
def case_ckpt_unsaid(mg, out):
    x, w = leaves(mg)
    y = out.warned("warning", lambda: mg.utils.checkpoint.checkpoint(segment(w, []), x))
    out("node", repr(y.grad_fn))
    y.sum().backward()
    out("gradient", w.grad)


@both("M19 inputs that need no gradient")
def case_ckpt_no_grad_input(mg, out, way):
    x, w = leaves(mg)
    x = x.detach()
    run = segment(w, [])
    y = out.warned(
        f"{way} warning", lambda: mg.utils.checkpoint.checkpoint(run, x, use_reentrant=way)
    )
    out(f"{way} flags", [y.requires_grad, y.is_leaf])
    out.error(f"{way} backward", lambda: y.sum().backward())
    out(f"{way} gradient", w.grad)


@both("M19 grad() and inputs=: only without reentrance")
def case_ckpt_partial(mg, out, way):
    x, w = leaves(mg)
    h = x.exp()
    calls = []
    loss = mg.utils.checkpoint.checkpoint(segment(w, calls), h, use_reentrant=way).sum()
    out.error(f"{way} grad", lambda: out("grad", mg.autograd.grad(loss, h, retain_graph=True)))
    out.error(f"{way} inputs", lambda: loss.backward(inputs=[w], retain_graph=True))
    empty_the_queue(mg)
    out(f"{way} gradients", [x.grad, w.grad, len(calls)])
    out.error(f"{way} all", loss.backward)
    empty_the_queue(mg)
    out(f"{way} gradients then", [x.grad, w.grad, len(calls)])


@both("C10 retain_graph: a segment runs once more for each backward")
def case_ckpt_retain(mg, out, way):
    x, w = leaves(mg)
    calls = []
    y = mg.utils.checkpoint.checkpoint(segment(w, calls), x, use_reentrant=way)
    loss = y.sum()
    for number in (1, 2):
        loss.backward(retain_graph=True)
        out.live(f"{way} after {number}")
        out.peak(f"{way} after {number}")
        out(f"{way} calls after {number}", [len(calls), w.grad])
    loss.backward()
    out.live(f"{way} in the end")
    out.error(f"{way} once more", loss.backward)
    empty_the_queue(mg)
    out(f"{way} calls", len(calls))


def dropped(mg, w, masks):
    def run(x):
        masks.append(mg.rand(4, 8))
        return (x @ w) * (masks[-1] > 0.5).float()

    return run


@both("C10 random numbers are drawn again, and those outside go on")
def case_ckpt_random(mg, out, way):
    for preserve in BOTH:
        x, w = leaves(mg)
        masks = []

        drop = dropped(mg, w, masks)
        mg.manual_seed(3)
        y = mg.utils.checkpoint.checkpoint(drop, x, use_reentrant=way, preserve_rng_state=preserve)
        between = mg.get_rng_state()
        y.sum().backward()
        label = f"{way} {preserve}"
        out(f"{label} same mask", mg.equal(masks[0], masks[1]))
        after = mg.get_rng_state()
        mg.set_rng_state(between)
        one = mg.rand(3)
        mg.set_rng_state(after)
        out(f"{label} outside goes on", mg.equal(one, mg.rand(3)))
        out(f"{label} gradient is right", mg.allclose(w.grad, x.t() @ (masks[0] > 0.5).float()))


@both("C10 keyword arguments")
def case_ckpt_kwargs(mg, out, way):
    x, w = leaves(mg)

    def run(x, *, factor=1.0, other=None):
        return (x @ w * factor).tanh() * (1 if other is None else other)

    def call():
        y = mg.utils.checkpoint.checkpoint(run, x, factor=2.0, other=w[:4], use_reentrant=way)
        y.sum().backward()
        out("gradients", [x.grad, w.grad])

    out.error(f"{way}", call)
    out.error(
        f"{way} unknown check",
        lambda: mg.utils.checkpoint.checkpoint(run, x, use_reentrant=way, determinism_check="all"),
    )


@both("C10 several outputs, some of them no tensors; arguments that are no tensors")
def case_ckpt_outputs(mg, out, way):
    x, w = leaves(mg)
    z = mg.ones(4, 8, requires_grad=True)

    def run(a, factor, b, nothing):
        h = (a @ w).tanh()
        return h * factor, None, b.exp() * h, "text", a.detach()

    results = mg.utils.checkpoint.checkpoint(run, x, 3.0, z, None, use_reentrant=way)
    out(f"{way} results", [probes.is_tensor(r) or r for r in results])
    out(f"{way} flags", [r.requires_grad for r in results if probes.is_tensor(r)])
    results[0].sum().backward(retain_graph=True)
    out(f"{way} one output", [x.grad, z.grad, w.grad])
    out.live(f"{way} after one")
    (results[0] * results[2]).sum().backward()
    out(f"{way} both outputs", [x.grad, z.grad, w.grad])


RETURNS = {
    "number": lambda x: 3.0,
    "None": lambda x: None,
    "list": lambda x: [x * 2, x * 3],
    "dict": lambda x: {"y": x * 2},
    "its argument": lambda x: x,
    "detached": lambda x: x.exp().detach(),
}


@both("C10 a segment that returns no tensor, a list, its argument")
def case_ckpt_returns(mg, out, way):
    x, _ = leaves(mg)

    def call(label):
        y = mg.utils.checkpoint.checkpoint(RETURNS[label], x, use_reentrant=way)
        y = y[0] if isinstance(y, list) else y["y"] if isinstance(y, dict) else y
        out(f"{way} {label}", getattr(y, "requires_grad", y))
        if probes.is_tensor(y):
            y.sum().backward()

    for label in RETURNS:
        out.error(f"{way} {label} ends", call, label)
        empty_the_queue(mg)


def second_time(one, other):
    calls = []

    def run(x):
        calls.append(x)
        return (one if len(calls) == 1 else other)(x)

    return run


DIFFERENT = {
    "fewer": (lambda x: x.exp().tanh().exp(), lambda x: x.exp().tanh()),
    "more": (lambda x: x.exp().tanh(), lambda x: x.exp().tanh().exp()),
    "other shape": (lambda x: x.exp(), lambda x: x[:2].exp()),
    "other dtype": (lambda x: x.exp().sum(), lambda x: x.double().exp().sum()),
    "other value": (lambda x: x.exp().sum(), lambda x: (x * 2).exp().sum()),
    "no grad": (lambda x: x.exp(), lambda x: x.detach().exp()),
}


@case("M19 a segment that is another one in the second run")
def case_ckpt_different(mg, out):
    for way in BOTH:
        for stop in BOTH:
            for check in ("default", "none"):
                for label, (one, other) in DIFFERENT.items():
                    if check == "none" and label in ("other shape", "other dtype"):
                        continue  # unchecked, they are the kernels' business
                    x, _ = leaves(mg)
                    y = mg.utils.checkpoint.checkpoint(
                        second_time(one, other), x, use_reentrant=way, early_stop=stop,
                        determinism_check=check,
                    )  # fmt: skip
                    loss = y.sum()
                    out.error(f"{way} {stop} {check} {label}", loss.backward)
                    empty_the_queue(mg)
                    out(f"{way} {stop} {check} {label} gradient", x.grad)
    kinds = mg.utils.checkpoint.CheckpointError.__mro__
    out("CheckpointError", [kind.__name__ for kind in kinds])


@both("C10 inside no_grad, and inside each other")
def case_ckpt_nested(mg, out, way):
    calls = []
    x, w = leaves(mg)
    with mg.no_grad():
        y = mg.utils.checkpoint.checkpoint(segment(w, calls), x, use_reentrant=way)
    out(f"{way} no_grad", [y.requires_grad, len(calls)])

    def outer(x):
        calls.append("outer")
        run = segment(w, calls)
        h = mg.utils.checkpoint.checkpoint(run, x, use_reentrant=way)
        return mg.utils.checkpoint.checkpoint(run, h, use_reentrant=way)

    y = mg.utils.checkpoint.checkpoint(outer, x, use_reentrant=way)
    out.live(f"{way} nested")
    out.peak(f"{way} nested")
    loss = y.sum()
    out(f"{way} calls forward", calls[1:])
    del calls[:]
    loss.backward()
    out(f"{way} calls backward", calls)
    out.peak(f"{way} nested backward")
    out(f"{way} gradients", [x.grad, w.grad])


@both("C10 one way inside the other")
def case_ckpt_mixed(mg, out, way):
    calls = []
    x, w = leaves(mg)

    def outer(x):
        h = mg.utils.checkpoint.checkpoint(segment(w, calls), x, use_reentrant=not way)
        return h.tanh()

    loss = mg.utils.checkpoint.checkpoint(outer, x, use_reentrant=way).sum()
    loss.backward()
    out(f"{way}", [x.grad, w.grad, len(calls)])
    out.live(f"{way}")
    out.peak(f"{way}")


@case("C10 what was saved, read outside a backward")
def case_ckpt_read(mg, out):
    x, w = leaves(mg)
    calls = []
    y = mg.utils.checkpoint.checkpoint(segment(w, calls), x, use_reentrant=False)
    loss = y.sum()
    out("saved", [y.grad_fn._saved_result.sum(), len(calls)])
    out("saved again", [y.grad_fn._saved_result.sum(), len(calls)])
    loss.backward(retain_graph=True)
    out("calls", len(calls))
    loss.backward()
    out.error("freed", lambda: y.grad_fn._saved_result)
    x, w = leaves(mg)
    y = mg.utils.checkpoint.checkpoint(segment(w, calls), x, use_reentrant=True)
    out("reentrant", [[list(t.shape) for t in y.grad_fn.saved_tensors], y.grad_fn.needs_input_grad])


@both("C10 an argument that was overwritten since")
def case_ckpt_overwritten(mg, out, way):
    x, w = leaves(mg)
    h = x * 2
    loss = mg.utils.checkpoint.checkpoint(segment(w, []), h, use_reentrant=way).sum()
    h.mul_(2)
    out.error(f"{way}", loss.backward)
    empty_the_queue(mg)


@both("C10 an error in the segment, in the first run and in the second")
def case_ckpt_raises(mg, out, way):
    def fail(x):
        raise ValueError("nothing to compute")

    x, w = leaves(mg)
    out.error(f"{way} first", lambda: mg.utils.checkpoint.checkpoint(fail, x, use_reentrant=way))
    out(f"{way} mode", [mg.is_grad_enabled(), (x * x).grad_fn._saved_self is x])
    y = mg.utils.checkpoint.checkpoint(second_time(lambda x: x.exp(), fail), x, use_reentrant=way)
    out.error(f"{way} second", y.sum().backward)
    empty_the_queue(mg)
    out(f"{way} mode then", [mg.is_grad_enabled(), (x * x).grad_fn._saved_self is x])
    (x * x).sum().backward()
    out(f"{way} gradient", x.grad)


@both("C10 hooks and retain_grad around a segment")
def case_ckpt_hooks(mg, out, way):
    seen = []
    x, w = leaves(mg)
    h = x.exp()
    h.retain_grad()
    h.register_hook(lambda g: seen.append(["h", g.sum()]))
    w.register_hook(lambda g: seen.append(["w", g.sum()]))
    y = mg.utils.checkpoint.checkpoint(segment(w, seen), h, use_reentrant=way)
    y.register_hook(lambda g: seen.append(["y", g.sum()]))
    y.sum().backward()
    out(f"{way}", [seen, h.grad])


@both("C10 a backward inside the segment")
def case_ckpt_inner(mg, out, way):
    for stop in BOTH:
        calls = []

        def inner(x, calls=calls):
            calls.append("run")
            h = x.exp()
            (g,) = mg.autograd.grad(h.sum(), h, retain_graph=True)
            with mg.enable_grad():
                z = x.detach().requires_grad_()
                z.exp().sum().backward()
            return h * (g + z.grad)

        x, _ = leaves(mg)

        def call(way=way, stop=stop, x=x, inner=inner):
            y = mg.utils.checkpoint.checkpoint(inner, x, use_reentrant=way, early_stop=stop)
            y.sum().backward()

        out.error(f"{way} {stop}", call)
        empty_the_queue(mg)
        out(f"{way} {stop} gradient", [x.grad, len(calls)])
