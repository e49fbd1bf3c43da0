"""Conv2d, Dropout, BatchNorm1d, LayerNorm, cross entropy, Adam: what they save, and their words."""

from tests.twin import probes
from tests.twin.registry import case


def numbers(mg, *shape, scale=10.0):
    """Distinct numbers of both signs, the same on every engine."""
    n = 1
    for length in shape:
        n *= length
    return ((mg.arange(n).float() * 7) % 23 / scale - 1).view(shape)


def leaf(mg, *shape):
    return numbers(mg, *shape).requires_grad_()


def told(mg, out, label, function, *leaves):
    """Value, saved attributes, edges and live bytes of the result; gradients; bytes at the end."""
    before = mg.memory_allocated()
    y = function()
    out(f"{label}: value", y)
    out(f"{label}: bytes", mg.memory_allocated() - before)
    out(f"{label}: saved", probes.saved(y.grad_fn))
    out(f"{label}: graph", probes.graph(y.grad_fn))
    if leaves:
        weights = ((mg.arange(y.numel()).float() * 5) % 11 / 10 - 0.3).view(y.shape)
        grads = mg.autograd.grad((y * weights).sum(), leaves)
        out(f"{label}: gradients", list(grads))
        out(f"{label}: after backward", mg.memory_allocated() - before)


@case("E: conv2d saves input and weight, whoever wants a gradient")
def case_conv2d(mg, out):
    F = mg.nn.functional
    x, w, b = leaf(mg, 2, 3, 5, 4), leaf(mg, 4, 3, 3, 2), leaf(mg, 4)
    told(mg, out, "plain", lambda: F.conv2d(x, w), x, w)
    told(mg, out, "with bias", lambda: F.conv2d(x, w, b, stride=2, padding=1), x, w, b)
    told(mg, out, "two numbers", lambda: F.conv2d(x, w, b, (1, 2), (0, 2)), x, w, b)
    told(mg, out, "weight frozen", lambda: F.conv2d(x, w.detach(), b), x, b)
    told(mg, out, "data", lambda: F.conv2d(x.detach(), w), w)
    told(mg, out, "bias alone", lambda: F.conv2d(x.detach(), w.detach(), b), b)
    told(mg, out, "one image", lambda: F.conv2d(x[0], w, b), x, w, b)
    point = leaf(mg, 2, 3, 1, 1)
    told(mg, out, "1 x 1", lambda: F.conv2d(x, point), x, point)
    y = F.conv2d(x, w)
    y.sum().backward()
    out.error("twice", lambda: y.sum().backward())


@case("Conv2d: names, shapes, repr; wrong shapes in PyTorch's words")
def case_conv2d_module(mg, out):
    nn, F = mg.nn, mg.nn.functional
    layers = [nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(3, 4, (3, 2), stride=2, bias=False)]
    for layer in layers:
        out("repr", repr(layer))
        out("parameters", [[name, list(p.shape)] for name, p in layer.named_parameters()])
        out("result", list(layer(mg.ones(2, 3, 6, 6)).shape))
    bound = 27**-0.5
    out("bounds", [bool((p.abs() <= bound).sum() == p.numel()) for p in layers[0].parameters()])
    x, w = mg.ones(2, 3, 5, 5), mg.ones(4, 3, 3, 3)
    out.error("channels", F.conv2d, x, mg.ones(4, 2, 3, 3))
    out.error("bias", F.conv2d, x, w, mg.ones(3))
    out.error("too large", F.conv2d, x, mg.ones(4, 3, 9, 9))
    out.error("padded, too large", F.conv2d, x, mg.ones(4, 3, 9, 2), padding=1)
    out.error("2-d", F.conv2d, x[0, 0], w)
    out.error("dtype", F.conv2d, x, w.double())
    out.error("stride", F.conv2d, x, w, stride=0)
    out.error("padding", F.conv2d, x, w, padding=-1)
    out.error("module", layers[0], mg.ones(2, 4, 5, 5))


@case("E: dropout saves a float mask; nothing in eval and for p = 0")
def case_dropout(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x = mg.ones(40, 50, requires_grad=True)
    before = mg.memory_allocated()
    y = F.dropout(x, 0.75)
    out("bytes", mg.memory_allocated() - before)
    out("the numbers", sorted(set(y.flatten().tolist())))
    out("about a quarter", 300 < (y != 0).sum().item() < 700)
    mask = y.grad_fn._saved_other
    out("mask", [mg.equal(mask, y.detach()), str(mask.dtype), list(mask.shape), mask.requires_grad])
    out("graph", probes.graph(y.grad_fn))
    (slope,) = mg.autograd.grad(y.sum(), x)
    out("the gradient is the mask", mg.equal(slope, y.detach()))
    again = F.dropout(x, 0.75)
    out("another mask", mg.equal(again, y))
    mg.manual_seed(1)
    one = F.dropout(x)
    mg.manual_seed(1)
    out("seeded", mg.equal(one, F.dropout(x)))
    out("identity", [F.dropout(x, 0.0) is x, F.dropout(x, 0.5, training=False) is x])
    out("module", [nn.Dropout(0.3).eval()(x) is x, nn.Dropout(0.3)(x) is x])
    everything = F.dropout(x, 1.0)
    out("p = 1", [everything.sum(), everything.grad_fn._saved_other])
    out("no graph", F.dropout(x.detach()).requires_grad)
    out("repr", [repr(nn.Dropout()), repr(nn.Dropout(0.3))])
    out.error("p too large", nn.Dropout, 1.5)
    out.error("p negative", F.dropout, x, -0.1)
    double = F.dropout(mg.ones(3, dtype=mg.float64, requires_grad=True))
    out("dtype", [str(double.dtype), str(double.grad_fn._saved_other.dtype)])


@case("E: batch_norm saves input, weight and two numbers per channel")
def case_batch_norm(mg, out):
    for shape in ((4, 3), (2, 3, 4)):
        batch_norm(mg, out, shape)


def batch_norm(mg, out, shape):
    nn = mg.nn
    x, layer = leaf(mg, *shape), nn.BatchNorm1d(3)
    with mg.no_grad():
        layer.weight.copy_(mg.tensor([1.0, 2.0, -0.5]))
        layer.bias.copy_(mg.tensor([0.0, 1.0, 2.0]))
    parameters = layer.weight, layer.bias
    told(mg, out, f"{shape}", lambda: layer(x), x, *parameters)
    out("statistics", dict(layer.state_dict()))
    told(mg, out, f"{shape}, data", lambda: layer(x.detach()), *parameters)
    layer.eval()
    told(mg, out, f"{shape}, eval", lambda: layer(x), x, *parameters)
    out("as before", dict(layer.state_dict()))
    plain = nn.BatchNorm1d(3, affine=False)
    told(mg, out, f"{shape}, not affine", lambda: plain(x), x)
    alone = nn.BatchNorm1d(3, track_running_stats=False).eval()
    told(mg, out, f"{shape}, not tracked", lambda: alone(x), x)


@case("BatchNorm1d: running statistics, repr, twice in one graph, wrong shapes")
def case_batch_norm_module(mg, out):
    nn = mg.nn
    layer = nn.BatchNorm1d(2, momentum=None)
    for i in range(3):
        layer(numbers(mg, 3, 2) * (i + 1))
        out("plain average", dict(layer.state_dict()))
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout(0.1))
    out("state", list(model.state_dict()))
    out("parameters", [name for name, _ in model.named_parameters()])
    x = leaf(mg, 3, 2)
    layer(layer(x)).sum().backward()
    out("twice in one graph", [x.grad is not None, layer.num_batches_tracked])
    y = layer(x)
    layer.running_mean.zero_()
    try:
        y.sum().backward()
    except RuntimeError as error:
        out("statistics overwritten", "modified by an inplace operation" in str(error))
    out("repr", [repr(layer), repr(nn.BatchNorm1d(3, affine=False, track_running_stats=False))])
    out.error("one row", layer, mg.ones(1, 2))
    out.error("features", layer, mg.ones(4, 3))
    out.error("1-d", layer, mg.ones(2))
    out.error("4-d", layer, mg.ones(2, 2, 2, 2))
    out("one row in eval", layer.eval()(mg.ones(1, 2)))


@case("E: group_norm saves input, weight and two numbers per group")
def case_group_norm(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x, w, b = leaf(mg, 2, 4, 3), leaf(mg, 4), leaf(mg, 4)
    told(mg, out, "groups", lambda: F.group_norm(x, 2, w, b), x, w, b)
    told(mg, out, "no parameters", lambda: F.group_norm(x, 4), x)
    told(mg, out, "data", lambda: F.group_norm(x.detach(), 1, w, b), w, b)
    told(mg, out, "no bias", lambda: F.group_norm(x, 2, w), x, w)
    told(mg, out, "turned", lambda: F.group_norm(x.transpose(1, 2), 3), x)
    rows, four = leaf(mg, 4, 2, 5), leaf(mg, 2, 2, 3, 2)
    told(mg, out, "channels last", lambda: F.group_norm(four.permute(0, 3, 1, 2), 2), four)
    out("node", F.group_norm(x, 2).grad_fn(mg.ones(2, 4, 3), None, None))
    out.error("bias alone", lambda: F.group_norm(rows, 1, None, w[:2]).sum().backward())
    layers = nn.GroupNorm(2, 4), nn.GroupNorm(4, 4, 0.1, False), nn.GroupNorm(1, 4, bias=False)
    out("module", [[repr(layer), list(layer.state_dict()), layer(x)] for layer in layers])


@case("group_norm: its gradient is composed, through the numbers that it has saved")
def case_group_norm_second(mg, out):
    shapes = (2, 4, 3), (4,), (4,), (2, 4, 3)
    x, w, b, h = (numbers(mg, *shape).double().requires_grad_() for shape in shapes)
    for given in ((x, w, b), (x,)):
        y = mg.nn.functional.group_norm(x, 2, *given[1:])
        first = mg.autograd.grad(y, given, h, create_graph=True)
        out("graphs", [probes.graph(g.grad_fn) for g in first])
        total = sum((g * g).sum() for g in first)
        second = mg.autograd.grad(total, (*given[:2], h), create_graph=True)
        out("second", list(second))
        out("third", list(mg.autograd.grad(sum((g * g).sum() for g in second), (x, h))))


@case("E: instance_norm is batch_norm of one batch of all channels")
def case_instance_norm(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x, w, b = leaf(mg, 2, 3, 4), leaf(mg, 3), leaf(mg, 3)
    mean, var = numbers(mg, 3), numbers(mg, 3) + 2
    told(mg, out, "plain", lambda: F.instance_norm(x), x)
    told(mg, out, "affine", lambda: F.instance_norm(x, None, None, w, b), x, w, b)
    told(mg, out, "tracked", lambda: F.instance_norm(x, mean, var, w), x, w)
    out("statistics", [mean, var, mean._version])
    told(mg, out, "theirs", lambda: F.instance_norm(x, mean, var, use_input_stats=False), x)
    out("as before", [mean, var, mean._version])
    layer = nn.InstanceNorm1d(3, momentum=0.5, affine=True, track_running_stats=True)
    out("module", [layer(x), layer(x[0]), dict(layer.state_dict())])
    out("in eval", [layer.eval()(x), dict(layer.state_dict())])
    out("reprs", [repr(layer), repr(nn.InstanceNorm2d(3)), repr(nn.InstanceNorm3d(1, bias=False))])
    old = {"running_mean": mean, "running_var": var}
    out.error("an old state", nn.InstanceNorm1d(3).load_state_dict, old)


@case("losses by margins and likelihoods are composed: values, nodes, bytes, words")
def case_margins(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x, y, z = (leaf(mg, 2, 3) for _ in "xyz")
    y, z = (y + 0.3).detach().requires_grad_(), (z * 0.5).detach()
    signs, counts = mg.tensor([1, -1]), mg.tensor([[0.0, 1.0, 2.0], [3.0, 0.5, 4.0]])
    each = mg.tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 0.0]])
    told(mg, out, "ranking", lambda: F.margin_ranking_loss(x, y, each, 0.5), x, y)
    told(mg, out, "hinge", lambda: F.hinge_embedding_loss(x, each), x)
    told(mg, out, "cosine", lambda: F.cosine_embedding_loss(x, y, signs, 0.25), x, y)
    told(mg, out, "triplet", lambda: F.triplet_margin_loss(x, y, z, swap=True), x, y)
    told(mg, out, "poisson", lambda: F.poisson_nll_loss(x, counts, full=True), x)
    told(mg, out, "poisson of means", lambda: F.poisson_nll_loss(x + 2, counts, False), x)
    told(mg, out, "gauss", lambda: F.gaussian_nll_loss(x, y, counts + 1, True), x, y)
    var = (counts + 1).requires_grad_()
    told(mg, out, "gauss, of a variance", lambda: F.gaussian_nll_loss(x, y, var), x, y, var)
    told(mg, out, "gauss, a number", lambda: F.gaussian_nll_loss(x, y, 2.0), x, y)
    for name in ("TripletMarginLoss", "MarginRankingLoss", "GaussianNLLLoss"):
        out(name, [repr(getattr(nn, name)()), sorted(getattr(nn, name)().state_dict())])
    out.error("no margin", nn.TripletMarginLoss, 0)
    out.error("margin", F.triplet_margin_loss, x, y, z, -1.0)
    out.error("axes", F.triplet_margin_loss, x, y, z[0])
    out.error("ranked axes", F.margin_ranking_loss, x, y, z[0])
    out.error("targets", F.cosine_embedding_loss, x, y, each)
    out.error("one target", F.cosine_embedding_loss, x, y, signs[0])
    out.error("negative", F.gaussian_nll_loss, x, y, -counts)
    out.error("sizes", F.gaussian_nll_loss, x, y, counts[0])
    out.error("reduction", F.gaussian_nll_loss, x, y, counts, reduction="x")


@case("E: rms_norm is composed; glu, hardswish, hardsigmoid, soft_margin_loss, unflatten")
def case_gates(mg, out):
    F = mg.nn.functional
    x, w, half = leaf(mg, 2, 4), leaf(mg, 4), leaf(mg, 4, 2).half().detach().requires_grad_()
    told(mg, out, "rms", lambda: F.rms_norm(x, (4,), w), x, w)
    told(mg, out, "rms of two axes", lambda: F.rms_norm(x, (2, 4), None, 0.1), x)
    told(mg, out, "rms, turned", lambda: F.rms_norm(x.t(), [2]), x)
    told(mg, out, "rms of half floats", lambda: F.rms_norm(half, (2,), half[0].detach()), half)
    told(mg, out, "glu", lambda: F.glu(x), x)
    told(mg, out, "glu along", lambda: F.glu(half, 0), half)
    told(mg, out, "hardswish", lambda: F.hardswish(x * 2), x)
    told(mg, out, "hardswish in place", lambda: F.hardswish(x * 3, True), x)
    told(mg, out, "hardsigmoid", lambda: F.hardsigmoid(x * 2), x)
    told(mg, out, "hardsigmoid in place", lambda: F.hardsigmoid(x * 3, inplace=True), x)
    signs = (x.detach() * 7).sin().sign()
    for reduction in ("mean", "sum", "none"):
        told(mg, out, reduction, lambda r=reduction: F.soft_margin_loss(x, signs, reduction=r), x)
    told(mg, out, "whole signs", lambda: F.soft_margin_loss(x, signs.long()[0]), x)
    told(mg, out, "unflatten", lambda: x.unflatten(1, (2, -1)), x)
    layers = mg.nn.Unflatten(0, (1, 2)), mg.nn.GLU(0), mg.nn.RMSNorm(4), mg.nn.Hardsigmoid()
    out("modules", [[layer(x), dict(layer.state_dict())] for layer in layers])
    for given in ((1, (3, -1)), (1, (2, 3)), (5, (2, 2)), (1, ()), (1, 4), ("a", (2, 2))):
        out.error(f"unflatten {given}", x.unflatten, *given)
    for given in (4, (2.0, 1)):
        out.error(f"Unflatten {given}", mg.nn.Unflatten, 1, given)
    whole = mg.arange(4)
    for function in (F.glu, F.hardswish, F.hardsigmoid):
        out.error(f"whole {function.__name__}", function, whole)
    out.error("odd", F.glu, x[:, 1:])
    out.error("no axes", F.glu, x[0, 0])
    out.error("shape", F.rms_norm, x, (3,))
    out.error("more axes", F.rms_norm, x, (4, 4, 4))
    out.error("weight", F.rms_norm, x, (4,), w[1:])
    out.error("nothing", F.rms_norm, x, ())
    out.error("whole rows", F.rms_norm, whole, (4,))
    out.warned("another dtype", F.rms_norm, x, (4,), w.double())
    out.error("sizes", F.soft_margin_loss, x, x[:, :3].detach())
    out.error("no room", F.soft_margin_loss, x[:1], signs)
    out.error("whole", F.soft_margin_loss, whole, whole)
    out.error("truth", F.soft_margin_loss, whole > 1, whole)
    out.error("of the target", F.soft_margin_loss, x, x)
    (g,) = mg.autograd.grad(F.hardsigmoid(x).sum(), x, create_graph=True)
    out("its node", g.grad_fn.name())
    out.error("no second", lambda: g.sum().backward())


@case("E: pooling of sequences is pooling of images of one row")
def case_pooled_rows(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x = leaf(mg, 2, 3, 7)
    told(mg, out, "max", lambda: F.max_pool1d(x, 3, 2, 1), x)
    told(mg, out, "mean", lambda: F.avg_pool1d(x, 3, 2, 1, True, False), x)
    told(mg, out, "to a size", lambda: F.adaptive_avg_pool1d(x, 3), x)
    told(mg, out, "to one", lambda: F.adaptive_avg_pool1d(x[0], 1), x)
    out("where", F.max_pool1d(x, 2, return_indices=True))
    with mg.no_grad():
        before = mg.memory_allocated()
        y = F.max_pool1d(x, 2, dilation=2, ceil_mode=True)
        out("of data", [y, mg.memory_allocated() - before])
    layers = nn.MaxPool1d(2), nn.AvgPool1d(2, 1, 1), nn.AdaptiveAvgPool1d(2)
    out("modules", [[repr(layer), layer(x)] for layer in layers])


@case("E: layer_norm saves input, parameters and two numbers per row")
def case_layer_norm(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x, w, b = leaf(mg, 4, 2, 3), leaf(mg, 3), leaf(mg, 3)
    told(mg, out, "rows", lambda: F.layer_norm(x, (3,), w, b), x, w, b)
    told(mg, out, "no parameters", lambda: F.layer_norm(x, (3,)), x)
    told(mg, out, "data", lambda: F.layer_norm(x.detach(), (3,), w, b), w, b)
    told(mg, out, "no bias", lambda: F.layer_norm(x, (3,), w), x, w)
    wide = leaf(mg, 2, 3)
    told(mg, out, "two axes", lambda: F.layer_norm(x, (2, 3), wide), x, wide)
    layers = nn.LayerNorm(3), nn.LayerNorm((2, 3), elementwise_affine=False)
    out("module", [repr(layers[0]), repr(layers[1]), list(layers[0].state_dict())])
    out("no bias", repr(nn.LayerNorm(3, bias=False)))
    out("values", [layer(x) for layer in layers])
    out.error("shape", layers[0], mg.ones(4, 5))
    out.error("shape of two", layers[1], mg.ones(4, 3))


@case("E: images in another size, by old places or by means of four")
def case_resized(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x, inf = leaf(mg, 1, 2, 2, 3), float("inf")
    told(mg, out, "nearest", lambda: F.interpolate(x, (3, 7)), x)
    told(mg, out, "nearest, scaled", lambda: F.interpolate(x, scale_factor=(1.2, 2.5)), x)
    told(mg, out, "smaller", lambda: F.interpolate(x, 1, mode="bilinear"), x)
    for corners in (False, True):
        layer = nn.Upsample(scale_factor=(2, 1.5), mode="bilinear", align_corners=corners)
        told(mg, out, f"bilinear, {corners}", lambda: layer(x), x)  # noqa: B023
    out("large", F.interpolate(x.detach(), (2, 140), mode="bilinear")[0, 0, :, ::20])
    out("large, nearest", F.interpolate(x.detach(), scale_factor=(1.7, 70))[0, 0, :, ::20])
    y = mg.tensor([[[[1.0, inf], [2.0, 3.0]]]])
    out("inf", [F.interpolate(y, 4), F.interpolate(y, 4, mode="bilinear")])
    out("the same size", F.interpolate(y, 2, mode="bilinear"))
    out("repr", [repr(nn.Upsample(3)), repr(nn.Upsample(scale_factor=2, mode="bilinear"))])
    out("half", F.interpolate(x.detach().to(mg.float16), (3, 4), mode="bilinear"))
    out.error("whole numbers", lambda: F.interpolate(x.to(mg.int64), 4))
    out.error("whole numbers, large", lambda: F.interpolate(x.to(mg.int32), 400, mode="bilinear"))
    out.error("three axes", lambda: F.interpolate(x[0], 4, mode="bilinear"))
    out.error("two axes", lambda: F.interpolate(x[0, 0], scale_factor=2))
    out.error("no size", lambda: F.interpolate(x))
    out.error("both", lambda: F.interpolate(x, 4, 2))
    out.error("empty", lambda: F.interpolate(x, 0))
    out.error("corners", lambda: F.interpolate(x, 4, align_corners=True))
    out.error("sizes", lambda: F.interpolate(x, (4,)))
    out.error("scales", lambda: F.interpolate(x, scale_factor=(2, 2, 2)))
    out.error("a mode", lambda: F.interpolate(x, 4, mode="what"))
    out.error("a part of a place", lambda: F.interpolate(x, (4, 2.5)))


@case("E: cross_entropy with smoothed labels is composed; its errors")
def case_smoothed_labels(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x, t = leaf(mg, 4, 3), mg.tensor([0, 2, 1, 2])
    for reduction in ("mean", "sum", "none"):
        loss = nn.CrossEntropyLoss(ignore_index=1, reduction=reduction, label_smoothing=0.1)
        told(mg, out, reduction, lambda: loss(x, t), x)  # noqa: B023
    told(mg, out, "all of it", lambda: F.cross_entropy(x, t, label_smoothing=1), x)
    told(mg, out, "one row", lambda: F.cross_entropy(x[0], t[1], label_smoothing=0.5), x)
    told(mg, out, "less than none", lambda: F.cross_entropy(x, t, label_smoothing=-0.5), x)
    told(mg, out, "double", lambda: F.cross_entropy(x.double(), t, label_smoothing=0.5), x)
    out("repr", repr(nn.CrossEntropyLoss(label_smoothing=0.1)))
    out("of nothing", F.cross_entropy(x[:0], t[:0], label_smoothing=0.5))
    out.error("too much", F.cross_entropy, x, t, label_smoothing=1.25)
    out.error("a list of one", F.cross_entropy, x[0], t[:1], label_smoothing=0.5)
    out("a list of one", F.cross_entropy(x[0], t[:1], reduction="none"))
    out.error("its backward", F.cross_entropy(x[0], t[:1]).backward)
    out.error("a list of two bools", F.cross_entropy, x[0], t[:2] > 0)


@case("E: cross_entropy is NllLoss over LogSoftmax; what both save, and its errors")
def case_cross_entropy(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x, t = leaf(mg, 4, 3), mg.tensor([0, 2, 1, 2])
    for reduction in ("mean", "sum", "none"):
        loss = nn.CrossEntropyLoss(reduction=reduction)
        told(mg, out, reduction, lambda: loss(x, t), x)  # noqa: B023
    told(mg, out, "ignored", lambda: F.cross_entropy(x, mg.tensor([0, -100, 1, -100])), x)
    told(mg, out, "another one ignored", lambda: F.cross_entropy(x, t, ignore_index=2), x)
    told(mg, out, "one row", lambda: F.cross_entropy(x[0], mg.tensor(2)), x)
    told(mg, out, "nll_loss", lambda: F.nll_loss(x, t), x)
    loss = F.cross_entropy(x, t)
    out("log-probabilities", probes.saved(loss.grad_fn.next_functions[0][0]))
    out("repr", repr(nn.CrossEntropyLoss()))
    large = mg.tensor([[1000.0, 0.0, -1000.0]], requires_grad=True)
    told(mg, out, "large scores", lambda: F.cross_entropy(large, mg.tensor([1])), large)
    out.error("rows", F.cross_entropy, x, mg.tensor([0, 1]))
    out.error("class", F.cross_entropy, x, mg.tensor([0, 1, 2, 3]))
    out.error("negative class", F.cross_entropy, x, mg.tensor([0, 1, 2, -1]))
    out.error("floats", F.cross_entropy, x, t.float())
    out.error("int", F.cross_entropy, x, t.int())
    out.error("matrix", F.cross_entropy, x, mg.ones(4, 2))
    out.error("reduction", F.cross_entropy, x, t, reduction="most")


OPTIMIZERS = {
    "Adam": ("Adam", {}),
    "Adam, larger": ("Adam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-3}),
    "Adam, decay": ("Adam", {"lr": 0.1, "weight_decay": 0.5}),
    "AdamW": ("AdamW", {"lr": 0.1}),
    "AdamW, decay": ("AdamW", {"lr": 0.1, "weight_decay": 0.5}),
    "SGD, all": ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}),
}


@case("Adam, AdamW: five steps, their state, a changed lr, a leaf laid out otherwise")
def case_adam(mg, out):
    for label, (name, options) in OPTIMIZERS.items():
        w = leaf(mg, 2, 3)
        v = numbers(mg, 2, 3).t().requires_grad_()
        w.grad, v.grad = mg.zeros(2, 3), mg.zeros(3, 2)
        optimizer = getattr(mg.optim, name)([w, v], **options)
        for i in range(5):
            optimizer.zero_grad(set_to_none=False)
            ((w @ v) * numbers(mg, 2, 2)).tanh().sum().backward()
            optimizer.step()
            optimizer.param_groups[0]["lr"] *= 0.5 if i == 2 else 1
        out(label, [w, v, w._version > 0, w.is_leaf, v.is_contiguous()])
        out("lr", [optimizer.param_groups[0]["lr"]])
        names = ["momentum_buffer"] if name == "SGD" else ["exp_avg", "exp_avg_sq"]
        out("state", [optimizer.state[v][name] for name in names])
    out.error("lr", mg.optim.Adam, [w], lr=-1.0)
    out.error("beta", mg.optim.Adam, [w], betas=(0.9, 1.0))
    out.error("eps", mg.optim.Adam, [w], eps=-1.0)
    out.error("decay", mg.optim.Adam, [w], weight_decay=-1.0)
    out.error("SGD's momentum", mg.optim.SGD, [w], momentum=-1.0)
    out.error("nothing", mg.optim.AdamW, [])
