"""C2 and C3: how graphs are built, what is saved, when it is released; the byte tables of A3."""

from tests.twin import probes
from tests.twin.registry import case


@case("C2 when a node is made")
def case_c2_when(mg, out):
    x, c = mg.ones(2, requires_grad=True), mg.ones(2)
    with mg.no_grad():
        off = x * 2
    results = {
        "x*c": x * c, "c*c": c * c, "no_grad": off, "x>0": x > 0, "argmax": x.argmax(),
        "to int64": x.to(mg.int64), "detach": x.detach(), "x.float() as it is": x.float(),
        "contiguous as it is": x.contiguous(), "ones_like": mg.ones_like(x), "data": x.data,
    }  # fmt: skip
    for label, y in results.items():
        out(label, [y.requires_grad, y.is_leaf, probes.name(y.grad_fn), y.output_nr])
    same = [x.float() is x, x.contiguous() is x, x.to(x.dtype) is x]
    out("nothing changes, the same object", same)
    out("leaf", [x.is_leaf, c.is_leaf, x.grad_fn])


@case("C2 edges: constants, scalars, shared nodes, output_nr")
def case_c2_edges(mg, out):
    a, b, c = (mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True), mg.ones(2))
    out("a*5", probes.edges((a * 5).grad_fn))
    out("5-a", probes.edges((5 - a).grad_fn))
    out("a+c", probes.edges((a + c).grad_fn))
    out("c+a", probes.edges((c + a).grad_fn))
    out("cat", probes.edges(mg.cat([a, c, b]).grad_fn))
    out("type", type((a + b).grad_fn.next_functions).__name__)
    one, two = mg.ones(4, requires_grad=True).chunk(2)
    out("outputs of chunk", [one.output_nr, two.output_nr, one.grad_fn is two.grad_fn])
    out("edge into output 1", (two * 2).grad_fn.next_functions[0][1])
    parts = mg.ones(3, 2, requires_grad=True).unbind()
    out("unbind", [[p.output_nr for p in parts], probes.graph((parts[2] + parts[0]).grad_fn)])
    value, index = mg.tensor([[1.0, 3.0], [4.0, 2.0]], requires_grad=True).max(1)
    out("max(1)", [value.output_nr, repr(value), repr(index), index.requires_grad])
    out("diamond", probes.graph(((a * b).exp() + (a * b).sin()).sum().grad_fn))
    h = a * b
    out("shared", probes.graph((h * h + h).grad_fn))


@case("C2 names, reprs and what a node offers")
def case_c2_nodes(mg, out):
    a = mg.ones(2, requires_grad=True)
    y = a * 3
    node = y.grad_fn
    leaf = node.next_functions[0][0]
    out("repr", [repr(node), repr(leaf)])
    out("name", [node.name(), leaf.name(), str(node)])
    out("metadata", node.metadata)
    node.metadata["x"] = 1
    out("kept", y.grad_fn.metadata)
    out("same object", y.grad_fn is node)
    out("hashable", len({node, leaf, y.grad_fn}))
    numbers = [t.grad_fn._sequence_nr() for t in (a * 2, a * 3, a * 4)]
    out("creation numbers rise", [n - numbers[0] for n in numbers])
    out("isinstance Node", isinstance(node, mg.autograd.graph.Node))
    out("saved of the sum", probes.saved(y.sum().grad_fn))


@case("C2 execution order: the newest ready node first, AccumulateGrad at once")
def case_c2_order(mg, out):
    a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
    order = []

    def watch(label, tensor):
        tensor.register_hook(lambda _g: order.append(label))

    h1 = a * 2.0
    h2 = b * 3.0
    h3 = h1 * h2
    h4 = h1.exp()
    h5 = h2.exp()
    y = (h4 + h5) + h3
    named = {"a": a, "b": b, "h1": h1, "h2": h2, "h3": h3, "h4": h4, "h5": h5, "y": y}
    for label, tensor in named.items():
        watch(label, tensor)
    y.backward(mg.ones(2))
    out("order", order)
    out("gradients", [a.grad, b.grad])


@case("C2 a diamond sums before it runs")
def case_c2_diamond(mg, out):
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    runs = []
    h = a * 2.0
    h.grad_fn.register_hook(lambda gi, go: runs.append(go[0].tolist()))
    y = h.exp() + h * h + h
    y.sum().backward()
    out("h's node ran with", runs)
    out("gradient", a.grad)


@case("C2 graphs of 50,000 nodes: built, walked, freed without recursion")
def case_c2_deep(mg, out):
    x = mg.ones(1, requires_grad=True)
    y = x
    for _ in range(50_000):
        y = y + 1
    out("value", y)
    y.backward()
    out("gradient", x.grad)
    life = probes.Life()
    life.node("last", y.grad_fn)
    life.tensor("x", x)
    del y, x
    out("freed", life.alive())
    out.live("nothing")


@case("C2 graphs of 2,000 nodes with saved tensors and a shared operand")
def case_c2_deep_saved(mg, out):
    x, w = mg.ones(1, requires_grad=True), mg.ones(1, requires_grad=True)
    y = x
    for _ in range(2_000):
        y = y * w
    y.backward(retain_graph=True)
    out("gradients", [x.grad, w.grad])
    out.live("retained")
    y.backward()
    out.live("freed")
    del y
    out.live("gone")


@case("C3 saving follows needs")
def case_c3_needs(mg, out):
    def check(label, needs, make):
        tensors = [mg.ones(2, 2) + i for i in range(len(needs))]
        for tensor, need in zip(tensors, needs, strict=True):
            tensor.requires_grad_(need)
        y = make(*tensors)
        out(f"{label} {list(needs)}", probes.saved(y.grad_fn))

    for needs in ((True, True), (True, False), (False, True)):
        check("mul", needs, lambda a, b: a * b)
        check("div", needs, lambda a, b: a / b)
        check("mm", needs, lambda a, b: a @ b)
        check("pow", needs, lambda a, b: a**b)
        check("maximum", needs, lambda a, b: mg.maximum(a, b))
        check("where", needs, lambda a, b: mg.where(a > b, a, b))
        check("mse", needs, lambda a, b: mg.nn.functional.mse_loss(a, b))
        check("sub", needs, lambda a, b: a - b)


@case("C3 release: after post hooks, before downstream tensor hooks; only nodes that ran")
def case_c3_release(mg, out):
    a = mg.ones(2, requires_grad=True)
    h = a * a
    y = h.exp()
    states = []
    y.grad_fn.register_hook(lambda gi, go: states.append(["post", probes.readable(y.grad_fn)]))
    y.grad_fn.register_prehook(lambda go: states.append(["pre", probes.readable(y.grad_fn)]))
    h.register_hook(lambda g: states.append(["h's hook", probes.readable(y.grad_fn)]))
    side = h.sin()
    y.sum().backward()
    out("y's node", states)
    out("side did not run", probes.readable(side.grad_fn))
    out("h ran", probes.readable(h.grad_fn))
    out.error("side", side.sum().backward)


@case("C3 what stays after release: edges, names, sizes, numbers; raw handles")
def case_c3_stays(mg, out):
    M = mg.ones(3, 4, requires_grad=True)
    y = (M**3).sum(1)
    power = y.grad_fn.next_functions[0][0]
    raw = power._raw_saved_self
    y.sum().backward()
    out("graph", probes.graph(y.grad_fn))
    out("sum", probes.readable(y.grad_fn))
    out("pow", probes.readable(power))
    out("raw", [type(raw).__name__, type(power._raw_saved_self).__name__])
    out.error("sum's own node again", y.grad_fn, mg.ones(3))


@case("C3 retain_graph keeps; the next backward frees")
def case_c3_retain(mg, out):
    x = mg.ones(10, requires_grad=True)
    y = ((x * 2.0).exp() ** 2).sum()
    out.live("forward")
    for retain in (True, True, False):
        y.backward(retain_graph=retain)
        out.live(f"retain {retain}")
    out("gradient", x.grad)
    out.error("one more", y.backward)
    del y
    out.live("del y")


@case("C3 ctx.saved_tensors: order, None, identity, read twice, needs_input_grad")
def case_c3_ctx(mg, out):
    seen = []

    class Three(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            z = x * y
            ctx.save_for_backward(x, None, z, y)
            ctx.mine = "kept"
            return z

        @staticmethod
        def backward(ctx, grad):
            saved = ctx.saved_tensors
            again = ctx.saved_tensors
            seen.append([t is None for t in saved] + [saved[0] is again[0], saved[2] is again[2]])
            seen.append([ctx.needs_input_grad, ctx.mine, type(ctx).__name__])
            return grad * saved[3], grad * saved[0]

    x, y = mg.tensor([2.0], requires_grad=True), mg.tensor([3.0])
    z = Three.apply(x, y)
    out("saved from outside", [len(z.grad_fn.saved_tensors), z.grad_fn.saved_tensors[0] is x])
    out("output is unpacked as a twin", z.grad_fn.saved_tensors[2] is z)
    z.backward()
    out("in backward", seen)
    out("gradient", [x.grad, y.grad])
    out("attributes stay", z.grad_fn.mine)
    out("needs", z.grad_fn.needs_input_grad)
    life = probes.Life()
    life.all("z", z)
    del z
    out("no cycle", life.alive())


STATEMENTS = {
    "everything held": "h=x*2.0;k=h.exp();l=k*k;y=l.sum();y.backward();del y;del l;del k;del h",
    "only y held": "h=x*2.0;k=h.exp();l=k*k;y=l.sum();del h;del k;del l;y.backward();del y",
    "retain": "y=((x*2.0).exp()**2).sum();y.backward(retain_graph=True);y.backward();del y",
    "detach": "k=(x*2.0).exp();d=k.detach();del k;s=d.sum();del s;del d",
    "no_grad": "t=mg.no_grad();t.__enter__();k=(x*2.0).exp();t.__exit__(None,None,None);del k",
    "chain": "y=x.exp().tanh().sigmoid().relu();z=y.sum();z.backward();del z;del y",
    "matmul": "W=mg.ones(100,100,requires_grad=True);h=x.view(1,100)@W;y=h.tanh();del h;"
    "s=y.sum();del y;s.backward();del s;del W",
    "div": "b=x+1;y=x/b;del b;s=y.sum();s.backward();del y;del s",
    "views": "v=x.view(10,10);t=v.t();c=t.contiguous();del v;del t;s=c.sum();del c;s.backward()",
    "cat": "a=x.exp();b=mg.cat([a,a]);del a;s=b.sum();del b;s.backward();del s",
    "clone and in place": "h=x.clone();h.mul_(2.0);h.exp_();s=h.sum();del h;s.backward();del s",
    "two roots": "h=x.exp();p=h.sum();q=(h*h).sum();del h;p.backward(retain_graph=True);"
    "del p;q.backward();del q",
    "softmax": "h=x.view(10,10).softmax(1);s=h.sum();del h;s.backward();del s",
    "max": "m=x.max();m.backward();del m",
    "index": "h=x[10:20]*x[0];s=h.sum();del h;s.backward();del s",
    "double": "h=x.double();y=h*h;del h;s=y.sum();del y;s.backward();del s",
}


@case("A3 bytes alive after each statement")
def case_a3_statements(mg, out):
    for title, code in STATEMENTS.items():
        x = mg.full((100,), 0.5, requires_grad=True)
        x.grad = mg.zeros(100)
        start, space = mg.memory_allocated(), {"x": x, "mg": mg}
        for statement in code.split(";"):
            exec(statement, space)
            out(f"{title}: {statement}", mg.memory_allocated() - start)
        del space, x
        out.live(f"{title}: all gone")


@case("A3 peaks of statements")
def case_a3_peaks(mg, out):
    for title in ("everything held", "only y held", "chain", "matmul", "two roots", "views"):
        x = mg.full((100,), 0.5, requires_grad=True)
        x.grad = mg.zeros(100)
        start, space = mg.memory_allocated(), {"x": x, "mg": mg}
        for statement in STATEMENTS[title].split(";"):
            mg.reset_peak_memory_stats()
            exec(statement, space)
            out(f"{title}: {statement}", mg.max_memory_allocated() - start)


@case("A3 thread 001's strategies: peaks of joint, eager retain, eager grad, hook")
def case_a3_strategies(mg, out):
    def net(depth=4):
        return [mg.full((8, 8), 0.1, requires_grad=True) for _ in range(depth)]

    def penalty(c):
        return (c.exp() * c).sin().sum()

    def joint(ws, x, total=0):
        for w in ws:
            x = (x @ w).tanh()
            total = total + penalty(x)
        total.backward()

    def eager(ws, x):
        for w in ws:
            x = (x @ w).tanh()
            penalty(x).backward(retain_graph=True)

    def grads(ws, x):
        outputs, found = [], []
        for w in ws:
            x = (x @ w).tanh()
            found += mg.autograd.grad(penalty(x), x)
            outputs.append(x)
        mg.autograd.backward(outputs, found)

    for run in (joint, eager, grads):
        ws, x = net(), mg.full((8, 8), 0.5)
        for w in ws:
            w.grad = mg.zeros(8, 8)
        mg.reset_peak_memory_stats()
        start = mg.memory_allocated()
        run(ws, x)
        out(run.__name__ + ": peak", mg.max_memory_allocated() - start)
        out(run.__name__ + ": left", mg.memory_allocated() - start)
        out(run.__name__ + ": gradient", ws[0].grad[0])
