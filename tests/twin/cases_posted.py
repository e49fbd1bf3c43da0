"""What posted programs of the second hold-out needed: tests/twin/posted/README.md."""

from tests.twin import probes
from tests.twin.registry import case

ROW = [-2.0, -0.0, 0.5, float("nan"), float("inf")]


def shown(out, name, y, *leaves):
    """Value, graph, and the gradients of a weighted sum."""
    out(name, y.detach())
    out("graph", probes.graph(y.grad_fn))
    y.backward(y.detach() * 0 + 0.5)
    out("gradients", [x.grad for x in leaves])
    for x in leaves:
        x.grad = None


def numbers(mg, *shape, start=-1.0, stop=1.0):
    count = 1
    for n in shape:
        count *= n
    return mg.linspace(start, stop, count).view(*shape).requires_grad_()


@case("posted: sign, isnan, isinf, the logical functions")
def case_posted_signs(mg, out):
    x = mg.tensor(ROW, requires_grad=True)
    shown(out, "sign", x.sign(), x)
    out("kinds", [mg.sign(mg.tensor(v)) for v in ([True, False], [3, -2, 0])])
    out("questions", [mg.isnan(x), mg.isinf(x), x.isnan(), x.isinf()])
    a, b = mg.tensor([0, 2, 0]), mg.tensor([1.5, 0.0, 0.0])
    out("logic", [mg.logical_and(a, b), mg.logical_or(a, b), mg.logical_xor(a, b), b.logical_not()])
    out("of a leaf", [x.logical_not().requires_grad, x.isnan().grad_fn])


@case("posted: unique, repeat_interleave, pow of a number")
def case_posted_numbers(mg, out):
    x = mg.tensor([[2.0, -1.0], [2.0, 0.0]], requires_grad=True)
    out("unique", [mg.unique(x.detach()), x.unique().grad_fn.name()])
    out("more", list(mg.tensor([[3, 1], [3, 2]]).unique(return_inverse=True, return_counts=True)))
    out.error("no derivative", lambda: x.unique().sum().backward())
    shown(out, "interleaved", x.repeat_interleave(3), x)
    shown(out, "along", mg.repeat_interleave(x, 2, dim=1), x)
    out("by a tensor", mg.repeat_interleave(x.detach(), mg.tensor([0, 2]), dim=0))
    out("pow", [mg.pow(2.0, x.detach()), mg.pow(x.detach(), 2)])


@case("posted: writing functions, constructors of old")
def case_posted_functions(mg, out):
    x = mg.tensor([0.25, 1.0])
    y = mg.sin_(mg.sqrt_(x))
    out("written", [x, y is x, x._version])
    out.error("a leaf", lambda: mg.exp_(mg.ones(2, requires_grad=True)))
    out("clamped", mg.clamp_(mg.tensor([-3.0, 3.0]), -1, 1))
    out(
        "made",
        [mg.FloatTensor([1, 2]), mg.LongTensor([[1]]), mg.LongTensor(), mg.BoolTensor([0, 1])],
    )
    out("sizes", [list(mg.FloatTensor(2, 3).shape), list(mg.IntTensor(mg.Size([4])).shape)])
    out("kinds", [isinstance(x, mg.FloatTensor), isinstance(x, mg.LongTensor)])
    out.error("a number", mg.DoubleTensor, 2.5)
    out("as_tensor", [mg.as_tensor(x) is x, mg.as_tensor([1.5]), mg.as_tensor(x, dtype=mg.int64)])


@case("posted: kl_div and pairwise_distance")
def case_posted_divergence(mg, out):
    F = mg.nn.functional
    x = numbers(mg, 2, 3)
    t = numbers(mg, 2, 3, start=0.0, stop=0.8)
    for reduction in ("none", "sum", "batchmean"):
        shown(out, reduction, F.kl_div(x, t, reduction=reduction), x, t)
        fixed = F.kl_div(x, t.detach(), reduction=reduction)
        shown(out, "fixed", fixed, x)
    shown(out, "of logarithms", F.kl_div(x, t, reduction="sum", log_target=True), x, t)
    out.warned("mean", F.kl_div, x, t)
    out.error("no reduction", F.kl_div, x, t, reduction="most")
    out("module", [mg.nn.KLDivLoss(reduction="sum")(x, t), repr(mg.nn.KLDivLoss())])
    for options in ({}, {"p": 1}, {"p": 3.0, "keepdim": True}, {"eps": 0.0}):
        shown(out, "apart", F.pairwise_distance(x, t, **options), x, t)
    shown(out, "one to all", F.pairwise_distance(x, t[0]), x, t)


@case("posted: conv1d, conv_transpose2d, dilation")
def case_posted_convolutions(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x, w, b = numbers(mg, 2, 2, 7), numbers(mg, 3, 2, 3, stop=2.0), numbers(mg, 3)
    places = {}, {"stride": 2, "padding": 1}, {"dilation": 2, "padding": (2,)}
    for options in places:
        shown(out, f"conv1d {options}", F.conv1d(x, w, b, **options), x, w, b)
    shown(out, "one sequence", F.conv1d(x[0], w), x, w)
    image, filters = numbers(mg, 1, 2, 3, 4), numbers(mg, 2, 3, 2, 3, stop=2.0)
    for options in ({}, {"stride": 2, "padding": 1, "output_padding": 1}, {"dilation": (1, 2)}):
        y = F.conv_transpose2d(image, filters, b, **options)
        shown(out, f"transposed {options}", y, image, filters, b)
    shown(out, "dilated", F.conv2d(image, numbers(mg, 1, 2, 2, 2), dilation=(1, 3)), image)
    (g,) = mg.autograd.grad(F.conv1d(x, w).pow(3).sum(), x, create_graph=True)
    out("second", mg.autograd.grad(g.sum(), [x, w]))
    whole, small = ((mg.arange(n).float() % 3 - 1) for n in (24, 36))
    whole = whole.view(1, 2, 3, 4).requires_grad_()
    small = small.view(2, 3, 2, 3).requires_grad_()
    y = F.conv_transpose2d(whole, small, stride=2)
    (g,) = mg.autograd.grad(y.pow(3).sum(), whole, create_graph=True)
    out("second, transposed", mg.autograd.grad(g.sum(), [whole, small]))
    layers = nn.Conv1d(2, 3, 3, 2, 1), nn.Conv1d(1, 1, 2, dilation=2, bias=False)
    layers += nn.ConvTranspose2d(2, 3, 4, 2, 1), nn.ConvTranspose2d(2, 3, 3, 2, 1, 1, bias=False)
    out("repr", [repr(layer) for layer in layers])
    out("shapes", [[list(p.shape) for p in layer.parameters()] for layer in layers])
    out("result", [list(layers[0](x).shape), list(layers[2](image).shape)])
    out.error("axes of a sequence", layers[0], mg.ones(1, 2, 3, 4))
    out.error("axes of an image", layers[2], mg.ones(2, 3))
    out.error("channels", layers[0], mg.ones(1, 3, 7))
    out.error("channels, transposed", layers[2], mg.ones(1, 3, 4, 4))
    out.error("too short", nn.Conv1d(2, 3, 9), x)
    out.error("too short, dilated", nn.Conv1d(2, 3, 3, dilation=4), x)
    out.error("other axes", F.conv1d, x, mg.ones(3, 2, 1, 3))
    out.error("output_padding", F.conv_transpose2d, image, filters, output_padding=1)


@case("posted: interpolate and Upsample")
def case_posted_resizing(mg, out):
    nn, F = mg.nn, mg.nn.functional
    x = numbers(mg, 1, 2, 2, 3)
    for options in (
        {"scale_factor": 2},
        {"size": (3, 5)},
        {"scale_factor": 2, "mode": "bilinear"},
        {"size": 5, "mode": "bilinear"},
        {"size": 4, "mode": "bilinear", "align_corners": True},
        {"scale_factor": 0.5, "mode": "bilinear"},
    ):
        shown(out, f"{options}", F.interpolate(x, **options), x)
    out(
        "repr", [repr(nn.Upsample(scale_factor=2)), repr(nn.Upsample(size=(3, 3), mode="bilinear"))]
    )
    out.error("neither", F.interpolate, x)
    out.error("both", F.interpolate, x, 3, 2)


@case("posted: init writes into parameters, apply() goes through modules")
def case_posted_init(mg, out):
    init = mg.nn.init
    gains = ("linear", "tanh", "relu", "selu", "leaky_relu")
    out("gains", [init.calculate_gain(name) for name in gains] + [init.calculate_gain("relu", 3)])
    out("sloped", init.calculate_gain("leaky_relu", 0.1))
    out.error("no gain", init.calculate_gain, "foo")
    w = mg.nn.Parameter(mg.zeros(40, 50))
    for function in (init.xavier_uniform_, init.kaiming_uniform_):
        function(w)
        out("largest", round(w.abs().max().item(), 1))
    for function, want in ((init.xavier_normal_, 0.1491), (init.kaiming_normal_, 0.2)):
        function(w)
        out("deviation", abs(w.std().item() - want) < 0.02)
    out("written", [w.requires_grad, w.grad_fn, init.ones_(w) is w, w._version])
    out("constant", [init.constant_(mg.zeros(2), 3.0), init.zeros_(mg.ones(2))])
    out.error("no fan", init.xavier_uniform_, mg.ones(3))
    out.error("no mode", init.kaiming_normal_, mg.ones(2, 2), mode="fan")
    out.warned("nothing", init.kaiming_uniform_, mg.ones(0, 2))
    seen = []
    net = mg.nn.Sequential(mg.nn.Linear(1, 1), mg.nn.Sequential(mg.nn.ReLU()))
    out("same", net.apply(lambda module: seen.append(type(module).__name__)) is net)
    out("order", seen)


@case("posted: groups of parameters, what optimizers take, how they look")
def case_posted_optimizers(mg, out):
    w = mg.tensor([1.0, -2.0], requires_grad=True)
    v = mg.tensor([0.5], requires_grad=True)
    optim = mg.optim
    opt = optim.SGD([{"params": [w]}, {"params": v, "lr": 0.5, "momentum": 0.9}], lr=0.1)
    out("repr", repr(opt))
    for _ in range(3):
        (w * w).sum().backward()
        (v**3).sum().backward()
        opt.step()
        opt.zero_grad()
    out("groups", [w, v, w.grad, [len(group["params"]) for group in opt.param_groups]])
    extra = mg.ones(2, requires_grad=True)
    opt.add_param_group({"params": extra, "weight_decay": 0.5})
    out("options", [sorted(group) for group in opt.param_groups])
    out("defaults", sorted(opt.defaults.items(), key=str))
    out.error("twice", opt.add_param_group, {"params": [w]})
    out.error("no dict", opt.add_param_group, [w])
    out.error("a set", optim.SGD, [{"params": {w}}], lr=0.1)
    out.error("no params", optim.SGD, [{"lr": 1.0}], lr=0.1)
    out.error("several for LBFGS", optim.LBFGS, [{"params": [w]}, {"params": [v]}])
    out.warned("one twice", optim.SGD, [w, w], lr=0.1)
    out.error("nesterov", optim.SGD, [w], lr=0.1, nesterov=True)
    kinds = {
        "SGD": {"momentum": 0.9, "nesterov": True},
        "SGD ": {"momentum": 0.9, "dampening": 0.3, "maximize": True},
        "Adam": {"maximize": True},
        "Adamax": {"weight_decay": 0.1},
        "NAdam": {"weight_decay": 0.1},
        "NAdam ": {"momentum_decay": 0.1, "foreach": False},
        "RMSprop": {"maximize": True},
        "Adagrad": {"maximize": True, "foreach": True},
    }
    for name, options in kinds.items():
        x = mg.tensor([1.0, -2.0], requires_grad=True)
        opt = getattr(optim, name.strip())([x], lr=0.1, **options)
        for step in range(4):
            opt.zero_grad()
            (x * x * (step + 1)).sum().backward()
            opt.step()
        out(name, [x, sorted(opt.state[x]), repr(opt)])
    out.error("momentum_decay", optim.NAdam, [w], momentum_decay=-1)
    out.error("betas", optim.Adamax, [w], betas=(2.0, 0.5))


@case("posted: checkpoint_sequential, cross_entropy with smoothed labels")
def case_posted_rest(mg, out):
    nn, F = mg.nn, mg.nn.functional
    from_module = mg.utils.checkpoint.checkpoint_sequential
    x = numbers(mg, 3, 4)
    runs = []

    def named(k):
        return lambda x: runs.append(k) or (x * (k + 1)).tanh()

    for reentrant in (True, False):
        y = from_module([named(k) for k in range(5)], 2, x, use_reentrant=reentrant)
        out("runs", list(runs))
        y.sum().backward()
        out("after", [list(runs), x.grad])
        runs.clear()
        x.grad = None
    out.error("unknown", from_module, [mg.sin], 1, x, use_reentrant=False, foo=1)
    out.error("too many", from_module, [mg.sin], 3, x, use_reentrant=False)
    out.warned("say which", from_module, [mg.sin, mg.sin], 2, x)
    target = mg.tensor([0, 3, -100])
    for reduction in ("mean", "sum", "none"):
        y = F.cross_entropy(x, target, label_smoothing=0.2, reduction=reduction)
        shown(out, reduction, y, x)
    out("module", nn.CrossEntropyLoss(label_smoothing=0.1)(x, mg.tensor([0, 1, 2])).detach())


@case("posted: attention, of several heads, with masks; a Transformer's encoder")
def case_posted_attention(mg, out):
    nn, F = mg.nn, mg.nn.functional
    q, k, v = (numbers(mg, 2, 2, 3, 4, stop=stop) for stop in (1.0, 0.5, 2.0))
    allowed = mg.tensor([[True, False, True], [True, True, False], [False, False, True]])
    for options in ({}, {"is_causal": True}, {"attn_mask": allowed}, {"scale": 0.3}):
        y = F.scaled_dot_product_attention(q, k, v, **options)
        out("saved", [list(y.grad_fn._saved_logsumexp.shape), y.grad_fn._saved_output.equal(y)])
        shown(out, f"fused {sorted(options)}", y, q, k, v)

    def twice():
        y = F.scaled_dot_product_attention(q, k, v)
        (g,) = mg.autograd.grad(y.sum(), q, create_graph=True)
        g.sum().backward()

    out.error("twice", twice)
    for batch_first in (False, True):
        heads = nn.MultiheadAttention(4, 2, batch_first=batch_first)
        filled(mg, heads)
        x = numbers(mg, 3, 2, 4)
        y, weights = heads(x, x, x)
        out("weights", [weights.detach(), list(y.shape)])
        shown(out, "with weights", y, x)
        shown(out, "without", heads(x, x, x, need_weights=False)[0], x)
    out("repr", [repr(heads), [name for name, _ in heads.named_parameters()]])
    hidden = mg.tensor([[False, True, False], [False, False, True], [False, False, False]])
    heads = filled(mg, nn.MultiheadAttention(4, 2))
    y, weights = heads(x, x, x, attn_mask=hidden, average_attn_weights=False)
    out("each head", weights.detach())
    shown(out, "masked", y, x)
    other = numbers(mg, 3, 2, 4, stop=3.0)
    padding = mg.tensor([[False, False, True], [False, False, False]])
    out("padded", heads(x, other, other, key_padding_mask=padding)[0].detach())
    layer = filled(mg, nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0))
    out("names", [name for name, _ in layer.named_parameters()])
    shown(out, "layer", layer(x), x)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    out("encoder", [encoder(x).detach(), len(list(encoder.parameters()))])


def filled(mg, module):
    """With numbers that no random ones are needed for."""
    with mg.no_grad():
        for p in module.parameters():
            p.copy_((mg.arange(p.numel()).float() % 7 / 7 - 0.4).view(p.shape))
    return module
