"""2.2 and 2.4 of the memory reference: bytes and products of checkpointed nets; when hooks pack."""

from tests.twin import probes
from tests.twin.registry import case

BOTH = (True, False)


def net(mg, blocks, hidden):
    """The parameters of residual blocks x + F(x), their gradients there already."""
    parameters = []
    for _ in range(blocks):
        for shape in ((8, hidden), (hidden,), (hidden, 8), (8,)):
            parameter = mg.full(shape, 0.125, requires_grad=True)
            parameter.grad = mg.zeros(*shape)
            parameters.append(parameter)
    return [parameters[i : i + 4] for i in range(0, len(parameters), 4)]


def chain(blocks):
    def run(x):
        for w1, b1, w2, b2 in blocks:
            x = x + ((x @ w1 + b1).relu() @ w2 + b2)
        return x

    return run


def step(mg, blocks, every, rows=16, **options):
    """Peak and last bytes of a training step in units of U, and its products of matrices."""
    start, unit = mg.memory_allocated(), rows * 8 * 4
    mg.reset_peak_memory_stats()
    with mg.memory.count_ops() as n:
        x = mg.full((rows, 8), 0.5, requires_grad=True)
        y = x
        for i in range(0, len(blocks), every):
            run = chain(blocks[i : i + every])
            y = mg.utils.checkpoint.checkpoint(run, y, **options) if options else run(y)
        y.backward(mg.ones(rows, 8))
    return [(b - start) / unit for b in (mg.max_memory_allocated(), mg.memory_allocated())] + [
        n.matmuls
    ]


@case("C10 bytes and products of the reference net, for each spacing")
def case_ckpt_net(mg, out):
    for hidden in (8, 16):
        blocks = net(mg, 6, hidden)
        out(f"{hidden} plain", step(mg, blocks, 6))
        for every in (1, 2, 3, 6):
            for way, stop in ((True, True), (False, True), (False, False)):
                found = step(mg, blocks, every, use_reentrant=way, early_stop=stop)
                out(f"{hidden} {every} {way} {stop}", found)


@case("C10 segments halved again and again")
def case_ckpt_recursive(mg, out):
    def halves(blocks):
        def run(x):
            if len(blocks) == 1:
                return chain(blocks)(x)
            middle = len(blocks) // 2
            for half in (blocks[:middle], blocks[middle:]):
                x = mg.utils.checkpoint.checkpoint(halves(half), x, use_reentrant=way)
            return x

        return run

    for way in BOTH:
        blocks = net(mg, 16, 8)
        start = mg.memory_allocated()
        mg.reset_peak_memory_stats()
        with mg.memory.count_ops() as n:
            x = mg.full((16, 8), 0.5, requires_grad=True)
            halves(blocks)(x).backward(mg.ones(16, 8))
        out(f"{way}", [(mg.max_memory_allocated() - start) / 512, n.matmuls])


@case("C6 pack hooks see the inputs before the op computes, and give them back with a history")
def case_hooks_pack_first(mg, out):
    x = mg.ones(4, 8, requires_grad=True)
    w = mg.full((8, 8), 0.125, requires_grad=True)
    h = x.exp()
    seen, start = [], mg.memory_allocated()

    def pack(tensor):
        seen.append([list(tensor.shape), mg.memory_allocated() - start])
        return tensor.detach()

    def forward(ctx, *tensors):
        ctx.save_for_backward(*tensors)
        return tensors[0] * 2

    def backward(ctx, grad):
        seen.append(
            [[t.requires_grad, t.is_leaf, probes.name(t.grad_fn)] for t in ctx.saved_tensors]
        )
        return grad, None

    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    double = type("Double", (mg.autograd.Function,), members)
    with mg.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        kept = [h @ w, h * 2.0, h * h, h.tanh(), h**2, mg.cat([h, h]), h.sum(), h / w[:4]]
        y = double.apply(h, w)
    out("packed", sorted(seen))  # of @, PyTorch packs the second factor first
    y.sum().backward()
    out("history", seen[-1])
    out("first and last", [kept[0].grad_fn._saved_self.requires_grad, seen[-1]])
