"""The names of torch.autograd that programs use besides backward() and grad()."""

import warnings

from tests.twin.registry import case


def warned(function):
    """(what it returns or the error's text, the texts of the warnings)."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = function()
        except Exception as error:
            result = [type(error).__name__, str(error)]
    return result, [str(one.message).strip().split("\n")[0] for one in heard]


@case("detect_anomaly: a nan is an error that names its node and its line")
def case_anomaly_nan(mg, out):
    x = mg.zeros(2, requires_grad=True)

    def failing():
        with mg.autograd.detect_anomaly():
            y = (x * 0).sqrt()
            out("kept", sorted(y.grad_fn.metadata))
            out("lines", "(x * 0).sqrt()" in y.grad_fn.metadata["traceback_"][-1])
            (y * 0).sum().backward()

    out("nan", warned(failing))
    out("off again", mg.is_anomaly_enabled())
    out("no error without", warned(lambda: (x * 0).sqrt().sum().mul(0).backward()))


@case("set_detect_anomaly: a call, a block, and without the nan check")
def case_anomaly_set(mg, out):
    x = mg.zeros(2, requires_grad=True)
    y = ((x * 0).sqrt() * 0).sum()
    with mg.autograd.set_detect_anomaly(True):
        out("on", [mg.is_anomaly_enabled(), mg.is_anomaly_check_nan_enabled()])
        out("made before", warned(y.backward))
    with mg.autograd.set_detect_anomaly(True, check_nan=False):
        out("on, no nan", [mg.is_anomaly_enabled(), mg.is_anomaly_check_nan_enabled()])
        z = ((x * 0).sqrt() * 0).sum()
        out("a nan passes", warned(z.backward))
        out("twice", warned(z.backward))
    mg.autograd.set_detect_anomaly(True)
    out("as a call", mg.is_anomaly_enabled())
    mg.autograd.set_detect_anomaly(False)
    out("off", mg.is_anomaly_enabled())
    with mg.autograd.set_detect_anomaly(True), mg.autograd.set_detect_anomaly(False):
        out("inner", mg.is_anomaly_enabled())


@case("anomaly detection in a backward inside a backward")
def case_anomaly_nested(mg, out):
    class Inner(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with mg.enable_grad():
                y = x.detach().requires_grad_()
                (y * 0).sqrt().sum().backward()
            return y.grad

    x = mg.ones(2, requires_grad=True)
    with mg.autograd.set_detect_anomaly(True):
        out("inner first", warned(lambda: Inner.apply(x).sum().backward()))


@case("Variable: a leaf on the same bytes; every tensor is one")
def case_variable(mg, out):
    Variable = mg.autograd.Variable
    t = mg.ones(2)
    v = Variable(t, requires_grad=True)
    t.add_(1)
    out("v", v)
    out("flags", [v.requires_grad, t.requires_grad, v._version, v.is_leaf, v is t])
    out(
        "instances", [isinstance(t, Variable), isinstance(v * 2, Variable), isinstance(3, Variable)]
    )
    out("parameter", isinstance(mg.nn.Parameter(t), Variable))
    out("none", list(Variable().shape))
    out("of a result", (Variable(v * 2)).grad_fn)
    out("volatile", warned(lambda: Variable(t, volatile=True).requires_grad))
    out.error("a number", Variable, 3)
    out.error("a list", Variable, [1.0])
    out.error("whole numbers", Variable, mg.ones(1).long(), requires_grad=True)
    out.error("the function", mg.autograd.variable, t)


def triple(mg):
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    return x, y, y.sum()


@case("GradientEdge: for grad() and backward() it stands for its tensor")
def case_edge(mg, out):
    graph, grad = mg.autograd.graph, mg.autograd.grad
    x, y, z = triple(mg)
    here, leaf, top = map(graph.get_gradient_edge, (y, x, z))
    out("fields", [type(here.node).__name__, here.output_nr, here.ownership_token])
    out("leaf", [type(leaf.node).__name__, leaf.output_nr, leaf._fields])
    out("grad", grad(z, here, retain_graph=True))
    out("both", grad(z, [leaf, y], retain_graph=True))
    out("of an edge", grad(top, x, retain_graph=True))
    out("given", grad(here, x, mg.tensor([1.0, 3.0]), retain_graph=True))
    mg.autograd.backward(top, retain_graph=True)
    mg.autograd.backward([here, z], [mg.ones(2), None], retain_graph=True)
    z.backward(inputs=[leaf], retain_graph=True)
    out("x.grad", x.grad)
    z.backward(inputs=[here], retain_graph=True)
    out("not accumulated", x.grad)
    out.error("no scalar", mg.autograd.backward, here)
    out.error("shape", mg.autograd.backward, here, mg.ones(3))
    out.error("no gradient", graph.get_gradient_edge, mg.ones(1))
    out.error("inputs", mg.autograd.backward, z, inputs=[3])
    other = graph.get_gradient_edge(mg.ones(1, requires_grad=True))
    out.error("unused", grad, z, other, retain_graph=True)
    zeros = {"allow_unused": True, "materialize_grads": True}
    out.error("zeros", grad, z, other, retain_graph=True, **zeros)


@case("GradientEdge: it keeps the graph, not the tensor's bytes")
def case_edge_bytes(mg, out):
    x = mg.ones(1000, requires_grad=True)
    out.live("leaf")
    y = x * 2 + 1
    place = mg.autograd.graph.get_gradient_edge(y)
    del y
    out.live("edge alone")
    out("grad", mg.autograd.grad(place, x, mg.ones(1000))[0].sum())
    out.live("after")


@case("register_multi_grad_hook: once those that the walk computes are there")
def case_multi(mg, out):
    a, b = (mg.tensor([n, 2.0], requires_grad=True) for n in (1.0, 3.0))
    c, d = a * b, a * b
    hook = mg.autograd.graph.register_multi_grad_hook
    heard = []
    handle = hook((a, b, c, d), lambda grads: heard.append([g is not None for g in grads]))
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    mg.autograd.grad(c.sum(), c, retain_graph=True)
    (c + d).sum().backward(retain_graph=True)
    out("heard", heard)
    out.error("grad of a leaf", mg.autograd.grad, c.sum(), a, retain_graph=True)
    handle.remove()
    handle.remove()
    c.sum().backward(retain_graph=True)
    out("removed", len(heard))
    first = []
    hook((a, c, mg.ones(1)), lambda g: first.append(g.tolist()), mode="any")
    c.mul(2).sum().backward(retain_graph=True)
    c.mul(3).sum().backward(retain_graph=True)
    out("any", first)
    out("kind", type(handle).__name__)
    out.error("mode", hook, (a,), print, mode="some")
    out.error("no gradient", hook, (mg.ones(1),), print)


@case("increment_version and disable_saved_tensors_hooks")
def case_small_names(mg, out):
    graph = mg.autograd.graph
    x = mg.ones(2, requires_grad=True)
    y = (x * 2).exp()
    graph.increment_version(x)
    graph.increment_version([x, y])
    out("versions", [x._version, y._version])
    out.error("saved", lambda: y.sum().backward())
    out.error("a number", graph.increment_version, 3)

    def hooks():
        return graph.saved_tensors_hooks(lambda t: t, lambda t: t)

    def refused():
        with graph.disable_saved_tensors_hooks("none"), hooks():
            pass

    def inside():
        with hooks(), graph.disable_saved_tensors_hooks("too late"):
            pass

    def restored():
        with graph.disable_saved_tensors_hooks("outer"):
            with graph.disable_saved_tensors_hooks("inner"):
                pass
            with graph.save_on_cpu():
                pass

    for function in (refused, inside, restored):
        out.error(function.__name__, function)
    with hooks():
        out("afterwards", (x * x).sum())


@case("inference_mode: its tensors are no part of any graph, ever")
def case_inference(mg, out):
    x = mg.ones(2, requires_grad=True)
    with mg.inference_mode():
        p, q, view = mg.ones(2), x * 2, x.view(2)
        out("inside", [t.is_inference() for t in (p, q, view, x)])
        out("flags", [q.requires_grad, mg.is_grad_enabled(), mg.is_inference_mode_enabled()])
        p.add_(1)
        out.error("version inside", lambda: p._version)
        with mg.inference_mode(False):
            out("suspended", [(x * 2).requires_grad, mg.is_inference_mode_enabled()])
    out("outside", [mg.is_grad_enabled(), mg.is_inference_mode_enabled()])
    out("p", p)
    out.error("version", lambda: p._version)
    out.error("saved", lambda: p * x)
    out("not saved", (p + x).requires_grad)
    out("copied", mg.zeros(2).copy_(p))
    out.error("a gradient", p.requires_grad_)
    others = p.clone(), p.view(2), p.detach(), p * 2
    out("others", [t.is_inference() for t in others])
    out("a clone", (p.clone() * x).sum())
    out.error("written", p.add_, 1)  # which torch says when it has written


@case("inference_mode as a decorator")
def case_inference_decorator(mg, out):
    @mg.inference_mode
    def bare():
        return mg.ones(1)

    @mg.inference_mode()
    def called():
        return mg.ones(1)

    @mg.inference_mode(mode=False)
    def off():
        return mg.ones(1)

    out("inference", [f().is_inference() for f in (bare, called, off)])
    out("after", [mg.is_grad_enabled(), mg.ones(1).is_inference()])


@case("allow_mutation_on_saved_tensors: what is overwritten is cloned first")
def case_mutation(mg, out):
    allow = mg.autograd.graph.allow_mutation_on_saved_tensors
    with allow() as context:
        a = mg.tensor([1.0, 2.0], requires_grad=True)
        b = a.clone()
        y = (b**2).sum()
        out("before", [len(context.cloned), len(context.original)])
        b.sin_()
        out("written", len(context.cloned))
        z = (b * b).sum()
        b.mul_(3)
        (y + z).backward()
        out("a.grad", a.grad)
    out("context", type(context).__name__)

    def outside():
        with allow():
            y = (a**2).sum()
        y.backward()

    def nested():
        with allow(), allow():
            pass

    out.error("outside", outside)
    out.error("nested", nested)
    y = (a**2).sum()
    with mg.no_grad():
        a.add_(1)
    out.error("as ever", y.backward)


@case("set_checkpoint_early_stop")
def case_early_stop(mg, out):
    checkpoint = mg.utils.checkpoint
    ran = []

    def function(x):
        y = x.sin().exp()
        ran.append("last")
        return y

    for early in (True, False):
        x = mg.ones(2, requires_grad=True)
        with checkpoint.set_checkpoint_early_stop(early):
            y = checkpoint.checkpoint(function, x, use_reentrant=False)
        y.sum().backward()
        out(f"early {early}", [len(ran), x.grad])


@case("the short names of dtypes")
def case_dtype_names(mg, out):
    for name in ("float", "double", "half", "int", "long"):
        out(name, [getattr(mg, name), mg.ones(1, dtype=getattr(mg, name)).dtype])
