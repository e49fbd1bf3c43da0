"""Names that posted programs use, beside the operations: optimizers, scalers, distributions."""

from tests.twin.registry import case


@case("Corpus: a layer's parameters were written to once")
def case_layers_begin(mg, out):
    nn = mg.nn
    for layer in (
        nn.Linear(2, 3), nn.Conv2d(1, 2, 2), nn.LayerNorm(3), nn.BatchNorm1d(3), nn.PReLU(2),
        nn.Embedding(3, 2), nn.Embedding(3, 2, padding_idx=0), nn.LSTM(2, 3), nn.GRUCell(2, 3),
    ):  # fmt: skip
        tensors = [*layer.named_parameters(), *layer.named_buffers()]
        out(type(layer).__name__, [[name, t._version] for name, t in tensors])


@case("Corpus: LBFGS, and a closure for any optimizer")
def case_closures(mg, out):
    for kind, options in (("LBFGS", {}), ("LBFGS", {"lr": 0.1, "max_iter": 7, "history_size": 2}),
                          ("LBFGS", {"max_eval": 3}), ("SGD", {"lr": 0.1})):  # fmt: skip
        x = mg.tensor([3.0, -2.0], dtype=mg.float64, requires_grad=True)
        b = mg.tensor(0.5, dtype=mg.float64, requires_grad=True)
        optimizer = getattr(mg.optim, kind)([x, b], **options)
        losses = []

        def closure(x=x, b=b, optimizer=optimizer, losses=losses):
            optimizer.zero_grad()
            loss = (x * x * mg.tensor([1.0, 4.0])).sum() + (x.sum() - b).square() + b.exp()
            loss.backward()
            losses.append(loss.item())
            return loss

        for turn in range(3):
            out(f"{kind} {options} {turn}", [optimizer.step(closure), x, b, x._version])
        out(f"{kind} {options}: losses", losses)


@case("Corpus: a scaled loss; a step is left out after inf")
def case_scaler(mg, out):
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = mg.optim.SGD([x], lr=0.1)
    scaler = mg.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    out.error("too early", scaler.step, optimizer)
    for factor in (1.0, 2.0, float("inf"), 1.0):
        optimizer.zero_grad()
        scaler.scale((x * x).sum() * factor).backward()
        out("scaled", x.grad)
        scaler.unscale_(optimizer)
        out.error("twice", scaler.unscale_, optimizer)
        scaler.step(optimizer)
        out.error("step twice", scaler.step, optimizer)
        scaler.update()
        out("after", [x, x.grad, scaler.get_scale()])
    out.error("no look", scaler.update)


@case("Corpus: a module called with other parameters")
def case_functional_call(mg, out):
    net = mg.nn.Sequential(mg.nn.Linear(2, 1), mg.nn.Linear(1, 1, bias=False))
    w = mg.tensor([[0.5, -1.0]], requires_grad=True)
    given = {"0.weight": w, "0.bias": mg.zeros(1), "1.weight": mg.tensor([[2.0]])}
    y = mg.func.functional_call(net, given, mg.tensor([[1.0, 3.0]]))
    out("result", y)
    y.sum().backward()
    out("gradients", [w.grad, [p.grad for p in net.parameters()]])
    out("itself again", [net[0].weight is not w, len(list(net.parameters()))])


@case("Corpus: gradients in batches")
def case_batched(mg, out):
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp() * x.sum()
    rows = mg.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    out("rows", mg.autograd.grad(y, x, rows, is_grads_batched=True, retain_graph=True))
    out("freed", mg.autograd.grad(y, [x], [rows], is_grads_batched=True))
    out.error("again", mg.autograd.grad, y, x, rows, is_grads_batched=True)


@case("Corpus: the density of a normal distribution, the odds of a categorical one")
def case_distributions(mg, out):
    D = mg.distributions
    if hasattr(D.Distribution, "set_default_validate_args"):
        D.Distribution.set_default_validate_args(True)  # PyTorch's compiler turns it off
    m = mg.tensor([0.5, -1.0], requires_grad=True)
    s = mg.tensor([1.0, 2.0], requires_grad=True)
    normal = D.Normal(m, s)
    out("repr", [repr(normal), repr(D.Normal(0.0, 1.0))])
    out("normal", [normal.log_prob(mg.tensor([0.0, 1.0])), normal.entropy(), normal.variance])
    normal.log_prob(mg.tensor([0.0, 1.0])).sum().backward()
    out("gradients", [m.grad, s.grad])
    out("shapes", [normal.sample((3,)).shape, normal.rsample().requires_grad, normal.batch_shape])
    w = mg.tensor([[0.2, 0.3, 0.5], [1.0, 1.0, 2.0]], requires_grad=True)
    for name in ("probs", "logits"):
        odds = D.Categorical(**{name: w})
        out(f"{name} repr", repr(odds))
        out(name, [odds.log_prob(mg.tensor([2, 0])), odds.entropy(), odds.probs, odds.logits])
        (odds.log_prob(mg.tensor([2, 0])).sum() + odds.entropy().sum()).backward()
        out(f"{name} gradient", w.grad)
        drawn = odds.sample((4,))
        out(f"{name} sample", [drawn.shape, drawn.dtype, odds.sample().shape])
        out(f"{name} beyond", said(odds.log_prob, mg.tensor([0, 7])))
    out("scale", said(D.Normal, 0.0, -1.0))
    out("both", said(D.Categorical))
    out("0-d", said(D.Categorical, mg.tensor(1.0)))
    out("negative", said(D.Categorical, mg.tensor([-1.0, 2.0])))
    out("nan", said(normal.log_prob, mg.tensor([float("nan"), 1.0])))


def said(function, *args):
    """The text of its error, which has reprs in it."""
    try:
        function(*args)
    except ValueError as error:
        return str(error)


@case("Corpus: a generator of one's own orders a loader's samples")
def case_generator(mg, out):
    def order(seed):
        own = mg.Generator().manual_seed(seed)
        loader = mg.utils.data.DataLoader(list(range(20)), shuffle=True, generator=own)
        return [batch.item() for batch in loader]

    mg.manual_seed(0)
    before = order(3)
    out("same", [before == order(3), before == order(4), sorted(before)])
    out("seed", mg.Generator().manual_seed(7).initial_seed())


@case("Corpus: what else programs call")
def case_called(mg, out):
    x = mg.tensor([1.0, -2.0], requires_grad=True)
    out("numpy", (x * 2).numpy(force=True).tolist())
    out("equal", [x.equal(x.clone()), x.equal(mg.zeros(2)), x.equal(mg.zeros(3))])
    with mg.autograd.grad_mode.set_multithreading_enabled(False):
        x.sum().backward()
    out("grad", x.grad)
    y = mg.utils.checkpoint.checkpoint(mg.exp, x, use_reentrant=False, debug=True)
    y.sum().backward()
    out("checkpoint", x.grad)
