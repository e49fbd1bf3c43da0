"""What PyTorch refuses because a gradient would be lost or wrong: a class of faults that is silent
wherever it is not looked for."""

from tests.twin.registry import case


@case("refused: arguments by which PyTorch does not differentiate")
def case_no_gradient(mg, out):
    F, nn = mg.nn.functional, mg.nn
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    x, yes = mg.tensor([0.5, 0.25]), mg.tensor([1.0, 0.0])
    for wants in (False, True):
        x = x.clone().requires_grad_(wants)
        rows, c = x.reshape(1, 2), mg.tensor([1])
        for weight in (w, w * 2):
            out.error("bce", F.binary_cross_entropy, x, yes, weight)
            out.error("logits", F.binary_cross_entropy_with_logits, x, yes, weight)
            out.error("nll_loss", F.nll_loss, rows, c, weight)
            out.error("cross_entropy", F.cross_entropy, rows, c, weight)
        positive = nn.BCEWithLogitsLoss(pos_weight=w)
        for loss in (nn.BCELoss(w), positive, nn.CrossEntropyLoss(w, label_smoothing=0.1)):
            out.error(type(loss).__name__, loss, rows, c if "Cross" in repr(loss) else yes[None])
        out.error("mean", F.batch_norm, rows, w, mg.ones(2))
        out.error("variance", F.batch_norm, rows, None, w * 1, None, None, True)
    with mg.no_grad():
        out("none wanted", [F.binary_cross_entropy(x, yes, w), F.cross_entropy(rows, c, w)])


@case("refused: a slope that the result does not tell")
def case_negative_slopes(mg, out):
    F = mg.nn.functional
    x = mg.tensor([1.0, -2.0], requires_grad=True)
    for slope in (-0.25, 0.0, 0.25):
        for f in (F.leaky_relu, F.elu):
            out.error("in place", lambda: f(x * 1, slope, inplace=True).sum().backward())  # noqa: B023
            out(f"apart {slope} {f.__name__}", mg.autograd.grad(f(x * 1, slope).sum(), x))


@case("refused: what a Function marks as dirty and does not return")
def case_dirty_and_gone(mg, out):
    class Written(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, dirty, returned):
            x.add_(1)
            given = {"x": x, "y": y, "new": x * 2}
            ctx.mark_dirty(*(given[name] for name in dirty))
            return tuple(given[name] for name in returned)

        @staticmethod
        def backward(ctx, *grads):
            return grads[0], None, None, None

    leaf = mg.tensor([1.0, 2.0], requires_grad=True)
    for dirty in (["x"], ["y"], ["x", "y"], ["new"]):
        for returned in (["x"], ["new"], ["y", "x"]):
            for x in (leaf * 1, mg.ones(2)):
                out.error(f"{dirty} {returned}", Written.apply, x, mg.ones(2), dirty, returned)


@case("refused: reading where a scatter writes; a gradcheck of nothing")
def case_scatter_overlap(mg, out):
    index = mg.tensor([0, 1])
    for name in ("scatter_", "scatter_add_"):
        for begin in range(3):
            y = mg.arange(4.0)
            out.error(f"{name} {begin}", getattr(y, name), 0, index, y[begin : begin + 2])
            out("left", y)
    out.error("gradcheck", mg.autograd.gradcheck, mg.exp, (mg.ones(2, dtype=mg.float64),))


@case("losses: a weight for each class")
def case_class_weights(mg, out):
    F = mg.nn.functional
    x = mg.tensor([[0.5, 1.0, -1.0], [0.25, 2.0, 0.5], [1.0, -0.5, 0.0]], requires_grad=True)
    weight, target = mg.tensor([1.0, 0.5, 2.0]), mg.tensor([2, 0, 1])
    for reduction in ("mean", "sum", "none"):
        for ignored in (-100, 0):
            for smoothing in (0.0, 0.25):
                options = {"reduction": reduction, "ignore_index": ignored}
                loss = F.cross_entropy(x, target, weight, label_smoothing=smoothing, **options)
                slope = mg.autograd.grad(loss.sum(), x, create_graph=True)[0]
                second = mg.autograd.grad(slope.square().sum(), x)
                out(f"{reduction} {ignored} {smoothing}", [loss, slope, second])
    node = F.nll_loss(x, target, weight).grad_fn
    out("saved", [node._saved_weight, node._saved_total_weight, node._saved_target])
    out("kept", list(mg.nn.CrossEntropyLoss(weight).state_dict().items()))
    for wrong in (mg.ones(2), mg.ones(1, 3), weight.double(), mg.tensor(1.0)):
        out.error("wrong", F.nll_loss, x, target, wrong)
        out.error("and the batch", F.nll_loss, x, target[:2], wrong)
        out.error("and the class", F.nll_loss, x, target + 5, wrong)
