"""What the modules that programs use say of themselves, refuse, and do in corners; module hooks."""

from collections import OrderedDict

from tests.twin import probes
from tests.twin.registry import case

REPRS = """
LeakyReLU(.2)|LeakyReLU(.2, True)|GELU()|GELU('tanh')|SiLU()|SiLU(True)|Sigmoid()|Tanh()|ReLU()
ReLU(True)|ReLU6()|ELU()|ELU(.5, True)|SELU()|Softplus()|Softplus(2, 3)|Hardtanh()|Mish(True)
Hardtanh(-2., 1.5, inplace=True)|LogSigmoid()|Softsign()|Tanhshrink()|Softmax(1)|Softmax()
Softmin(1)|LogSoftmax(-1)|GLU()|GLU(0)|Hardswish()
Hardswish(True)|Hardsigmoid(True)|RMSNorm(3)
RMSNorm((2, 3), 1e-3, False)|Unflatten(1, (2, 2))|Unflatten(0, [1, 2])|SoftMarginLoss()
Flatten()|Flatten(0, 1)|Identity(3, a=2)|Embedding(4, 3)
Embedding(4, 3, padding_idx=-1)|Embedding(4, 3, scale_grad_by_freq=True)|LSTMCell(3, 4, False)
RNNCell(3, 4, nonlinearity='relu')|GRUCell(3, 4)
LSTM(3, 4, 2, batch_first=True, bidirectional=True, dropout=.1)|GRU(3, 4, bias=False)|RNN(3, 4)
RNN(3, 4, 2, 'relu')|BatchNorm2d(3)|BatchNorm2d(3, affine=False)|MaxPool2d(2)
MaxPool2d((2, 3), 1, (1, 1), ceil_mode=True)|AvgPool2d(2)|AvgPool2d((2, 1), padding=0)
AdaptiveAvgPool2d(1)|AdaptiveAvgPool2d((2, None))|MSELoss()|BCELoss()|BCEWithLogitsLoss()
SmoothL1Loss()|HuberLoss(delta=2.)|NLLLoss()|L1Loss(reduction='sum')|Dropout(.5, True)|ModuleList()
ModuleDict()|ModuleList([nn.ReLU(), nn.ReLU(), nn.Linear(1, 2), nn.ReLU()])
ModuleDict({'a': nn.ReLU()})|PairwiseDistance(1., keepdim=True)|CosineSimilarity(0, 1e-6)
Sequential(nn.ModuleList([nn.LSTM(1, 2), nn.LSTM(1, 2)]), nn.ModuleDict([('b', nn.Tanh())]))
"""


def each(text):
    return [part for line in text.split("\n") for part in line.split("|") if part]


@case("modules: what they look like, and the state that they keep")
def case_module_reprs(mg, out):
    for code in each(REPRS):
        module = eval(f"nn.{code}", {"nn": mg.nn})
        out(code, [repr(module), [[n, list(t.shape)] for n, t in module.state_dict().items()]])


LAYERS = (
    "Linear(3, 2)", "Linear(3, 2, bias=False)", "LayerNorm(3)", "BatchNorm1d(3)", "BatchNorm2d(1)",
    "Embedding(3, 2)", "Conv1d(1, 1, 2)", "Conv2d(1, 1, 2)", "ConvTranspose1d(1, 1, 2)",
    "ConvTranspose2d(1, 1, 2)", "PReLU()", "RNN(3, 2)", "RNN(3, 2, 1, 'relu')", "RNNCell(3, 2)",
    "GRU(3, 2)", "GRUCell(3, 2)", "LSTM(3, 2)", "LSTMCell(3, 2)", "MultiheadAttention(2, 1)",
    "TransformerEncoderLayer(2, 1, 2)",
)  # fmt: skip
PLACES = (
    "device='cpu'", "dtype=mg.float64", "device=mg.device('cpu'), dtype=mg.float16", "device=None",
    "dtype=mg.int64",
)  # fmt: skip


@case("modules: made on a device and in a dtype")
def case_made_in_place(mg, out):
    for layer in LAYERS:
        for place in PLACES:
            line = f"mg.nn.{layer[:-1]}, {place})".replace("(, ", "(")
            try:
                state = eval(line, {"mg": mg}).state_dict()
                told = [[name, str(t.dtype), t._version] for name, t in state.items()]
            except RuntimeError:
                told = "refused"
            out(line, told)


BOUNDS = {"LSTM(3, 4, 2)": 0.5, "GRUCell(3, 4)": 0.5, "RNN(3, 16, bidirectional=True)": 0.25}


@case("modules: with which numbers they begin")
def case_module_beginnings(mg, out):
    for code, bound in BOUNDS.items():
        module = eval(f"nn.{code}", {"nn": mg.nn})
        largest = max(p.abs().max().item() for p in module.parameters())
        out(code, [largest <= bound, largest > bound * 0.8])
    table = mg.nn.Embedding(300, 10, padding_idx=2).weight
    out("embedding", [abs(table.mean().item()) < 0.1, 0.8 < table.square().mean().item() < 1.2])
    out("padding", [table[2], table.is_leaf, table.requires_grad])
    kept = mg.nn.Embedding.from_pretrained(mg.ones(2, 3))
    out("pretrained", [kept.weight, kept.weight.requires_grad])


ERRORS = """
F.leaky_relu(i)|F.leaky_relu(b)|F.gelu(i)|F.gelu(f, approximate='sigmoid')|F.silu(i)|F.elu(i)
F.softplus(i)|F.mish(i)|F.logsigmoid(i)|F.hardtanh(i)|F.hardtanh(b)|F.relu6(i)
F.hardtanh(f, 2., 1.)|nn.Hardtanh(2., 1.)|F.selu(b)|F.softmax(i, 1)|F.softmax(f, 2)
F.log_softmax(i, 0)|F.softmax(i, 1, dtype=mg.float64)|F.leaky_relu(leaf, inplace=True)
F.mse_loss(f, f[:, :2])|F.l1_loss(f, f[:, :2])|F.l1_loss(i, i)|F.smooth_l1_loss(f, f, beta=-1.)
F.huber_loss(f, f, delta=0.)|F.l1_loss(f, f, reduction='x')|F.mse_loss(f, f.double())
F.l1_loss(f, i)|F.smooth_l1_loss(f, f[:, :2])|F.binary_cross_entropy(f, f[0])
F.binary_cross_entropy(f + 1, f)|F.binary_cross_entropy(f, f + 1)|F.binary_cross_entropy(f, i)
F.binary_cross_entropy(f, f.double())|F.binary_cross_entropy(f, f, reduction='x')
F.binary_cross_entropy_with_logits(f, f[0])|F.binary_cross_entropy_with_logits(f, i)
F.binary_cross_entropy_with_logits(f, f, reduction='x')
F.binary_cross_entropy_with_logits(f, f.double())|F.embedding(f, f)|F.embedding(i, f)
F.embedding(-i, f)|F.embedding(i, f[0])|F.embedding(i, m.view(24, 4), padding_idx=24)
F.embedding(mg.tensor([1], dtype=mg.uint8), f)|nn.Embedding(4, 3, padding_idx=4)
nn.Embedding(4, 3, padding_idx=-5)|F.max_pool2d(f, 2)|F.max_pool2d(m[None], 2)
F.max_pool2d(m, 2, padding=2)|F.max_pool2d(m, 5)|F.max_pool2d(m, 2, 0)
F.max_pool2d(m, (2, 2, 2))|F.max_pool2d(m, 2, (1, 2, 3))|F.max_pool2d(m, 2, padding=-1)
F.max_pool2d(m, 2, dilation=0)|F.max_pool2d(m > 0, 2)|F.max_pool2d(m, 2, padding=(1, 1, 1))
F.max_pool2d(m, 2, dilation=(1, 1, 1))|F.max_pool2d(m[:, :0], 2)|F.avg_pool2d(m, 5)
F.avg_pool2d(m, 2, padding=2)|F.avg_pool2d(m, 2, 0)|F.avg_pool2d(m, (2, 2, 2))
F.avg_pool2d(m, 2, divisor_override=0)|F.adaptive_avg_pool2d(f, 2)
F.adaptive_avg_pool2d(m, (2, 2, 2))|nn.BatchNorm2d(3)(m[0])|nn.GroupNorm(2, 3)|F.group_norm(m, 2)
F.group_norm(m, -3)|F.group_norm(f[0], 1)|F.group_norm(m, 3, f)|F.group_norm(m, 3, bias=f[0, :2])
F.group_norm(m.double(), 3, f[0])|F.group_norm(m.long(), 3)|F.instance_norm(f)
F.instance_norm(m, f[0])|F.instance_norm(m, use_input_stats=False)|F.instance_norm(m.long())
F.instance_norm(m, weight=f)|nn.InstanceNorm2d(3)(f)|nn.InstanceNorm2d(4, affine=True)(m)
F.max_pool1d(f, 0)|F.max_pool1d(f, 2, 0)|F.max_pool1d(f, (1, 2))|F.max_pool1d(f, 2, 1, 2)
F.max_pool1d(f, 4)|F.max_pool1d(f[0], 2)|F.max_pool1d(f, 2.)
F.avg_pool1d(m, 2)|F.avg_pool1d(f, (1, 2))|F.avg_pool1d(f, 5)|F.adaptive_avg_pool1d(m, 2)
F.adaptive_avg_pool1d(f, (1, 2))|F.adaptive_avg_pool1d(f, -1)|F.adaptive_avg_pool2d(m, -1)
nn.BatchNorm2d(4)(m)
nn.Flatten(5)(m)|nn.LSTMCell(3, 4)(m)|nn.LSTMCell(3, 4)(m[0, 0])|nn.LSTMCell(3, 4)(f, (f, f))
nn.LSTMCell(3, 4)(f, (m[0, 0], m[0, 0]))|nn.LSTMCell(3, 4)(f, (m[0, 0, :2], f))
nn.LSTMCell(3, 4)(f, (m[0], m[0]))|nn.GRUCell(3, 4)(m)|nn.GRUCell(3, 4)(f, f)
nn.RNNCell(3, 4)(f, m[0])|nn.RNNCell(3, 4, nonlinearity='x')(f)|nn.GRUCell(3, 4)(f, m[0, 0])
nn.LSTM(3, 4)(f[0])|nn.LSTM(3, 4)(m[0])|nn.LSTM(3, 4)(m[:1, 0, :2, :3].double())
nn.LSTM(3, 4)(m[0, :1, :2, :3], (m[0], m[0]))|nn.LSTM(3, 4)(m[0, :1, :2, :3], (f, m[0]))
nn.LSTM(3, 4)(f, (m[0], m[0]))|nn.LSTM(3, 4, dropout=2)|nn.LSTM(3, 0)|nn.LSTM(0, 3)
nn.LSTM(3, 4, bias=2)|nn.LSTM(3, 4, 0)|nn.LSTM(3., 4)|nn.LSTM(3, 4, batch_first=1)
nn.GRU(3, 4)(f[0])|nn.RNN(3, 4)(f[0])|nn.GRU(3, 4)(m[0, :1, :2, :3], f)|nn.GRU(3, 4)(f, m[0])
nn.GRU(3, 4)(m[0, :1, :2, :3], m[0])|nn.RNN(3, 4, nonlinearity='x')
nn.GRU(3, 4)(m[0, :0, :2, :3])|nn.RNN(3, 4)(m[0, :1, :2, :3].double())|nn.ModuleList([3])
nn.ModuleList(3)|nn.ModuleList([nn.ReLU()])[1]|nn.ModuleList([nn.ReLU()])[-2]
nn.ModuleList([nn.ReLU()])['0']|nn.ModuleDict({'forward': nn.ReLU()})
nn.ModuleDict({'a.b': nn.ReLU()})|nn.ModuleDict({'': nn.ReLU()})|nn.ModuleDict({3: nn.ReLU()})
nn.ModuleDict(3)|nn.ModuleDict([nn.ReLU()])|nn.ModuleDict([('a',)])|nn.ModuleDict({'a': 1})
nn.ModuleDict({'a': nn.ReLU()})['b']|nn.ModuleDict({'keys': nn.ReLU()})
nn.ModuleList([nn.ReLU()])(f)|nn.ModuleList([nn.ReLU()]).append(3)|nn.ModuleDict({}).pop('a')
"""


@case("modules: what they refuse, in PyTorch's words")
def case_module_errors(mg, out):
    i = mg.arange(6).view(2, 3)
    names = {"mg": mg, "nn": mg.nn, "F": mg.nn.functional, "i": i, "b": i > 2}
    names |= {"f": (i.float() + 1) / 10, "m": (mg.arange(96.0) / 96).view(2, 3, 4, 4)}
    names["leaf"] = mg.ones(2, requires_grad=True)
    for code in each(ERRORS):
        out.error(code, eval, code, names)
    F, f = mg.nn.functional, names["f"]
    out.warned("sizes differ", F.l1_loss, f, f[0])
    out.warned("no dim", F.softmax, f)
    out.warned("dropout of one layer", mg.nn.LSTM, 3, 4, dropout=0.5)


CORNERS = [-200.0, -30.0, -5.0, -1.0, -1e-3, -0.0, 0.0, 1e-3, 0.5, 1.0, 3.0, 6.0, 20.5, 200.0]
SMOOTH = "leaky_relu elu selu gelu silu mish softplus hardtanh relu6 logsigmoid softsign"
SMOOTH = [*SMOOTH.split(), "hardswish", "hardsigmoid"]


@case("activations and losses at corners: large numbers, zeros, bounds")
def case_module_corners(mg, out):
    F = mg.nn.functional
    for name in SMOOTH:
        x = mg.tensor(CORNERS, dtype=mg.float64, requires_grad=True)
        y = getattr(F, name)(x)
        out(name, [y, *mg.autograd.grad(y.sum(), x)])
    half = mg.tensor(CORNERS[1:-1], dtype=mg.float16)
    out("gelu of float16", [F.gelu(half).dtype, F.gelu(half)[4:9].float().sum().item()])
    x = mg.tensor(CORNERS, requires_grad=True)
    t = mg.tensor([k % 2.0 for k in range(len(CORNERS))])
    loss = F.binary_cross_entropy_with_logits(x, t, pos_weight=mg.tensor(3.0))
    out("with logits", [loss, *mg.autograd.grad(loss, x)])
    p = mg.tensor([0.0, 0.0, 0.3, 1.0, 1.0], requires_grad=True)
    loss = F.binary_cross_entropy(p, mg.tensor([0.0, 1.0, 0.3, 0.0, 1.0]), reduction="none")
    out("of certainties", [loss, *mg.autograd.grad(loss.sum(), p)])
    x = mg.tensor([[[1.0, 1.0], [1.0, float("nan")]], [[-float("inf")] * 2] * 2])
    for pad in (0, 1):
        out("pool", F.max_pool2d(x, 2, 1, pad, return_indices=True))
    out("of integers", F.max_pool2d(mg.arange(16).view(1, 4, 4), 3, 2, 1))
    for padding in (True, False):
        out("mean", F.avg_pool2d(mg.ones(1, 4, 4), 3, 2, 1, True, padding))
    w, b = mg.ones(4, 3, requires_grad=True), mg.ones(4, requires_grad=True)
    out("linear of a view", probes.graph(F.linear(mg.ones(2, 5, 3).transpose(0, 1), w, b).grad_fn))
    twice = mg.tensor([[1, 1], [0, 2]])
    w = mg.ones(3, 2, requires_grad=True)
    out("embedding", mg.autograd.grad(F.embedding(twice, w, 0, scale_grad_by_freq=True).sum(), w))


@case("containers: append, insert, pop, slices, names; children of a list are trained")
def case_containers(mg, out):
    nn = mg.nn
    layers = nn.ModuleList([nn.Linear(1, 2), nn.ReLU()])
    layers.append(nn.Linear(2, 1)).extend([nn.Tanh(), nn.Flatten()])
    layers.insert(1, nn.Sigmoid())
    layers += [nn.SiLU()]
    out(
        "list",
        [len(layers), repr(layers), repr(layers[1:3]), repr(layers[-1]), layers[0] in layers],
    )
    out("pop", [repr(layers.pop(1)), repr(layers), repr(layers + [nn.GELU()])])
    del layers[-1], layers[1:2]
    layers[1] = nn.Linear(1, 1)
    out("names", [n for n, _ in nn.Sequential(layers).named_parameters()])
    kinds = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Linear(1, 1)})
    kinds["c"] = nn.Tanh()
    kinds.update([("a", nn.SiLU())])
    out("dict", [list(kinds), len(kinds), "c" in kinds, "d" in kinds, repr(kinds)])
    out("views", [list(kinds.keys()), [repr(m) for m in kinds.values()], repr(kinds.pop("a"))])
    del kinds["c"]
    out("left", [[k, repr(m)] for k, m in kinds.items()])
    kinds.clear()
    out("empty", repr(kinds))


@case("containers: a Sequential of names, written to, cut and joined")
def case_named_sequential(mg, out):
    nn = mg.nn
    net = nn.Sequential(OrderedDict([("first", nn.Linear(1, 2)), ("act", nn.ReLU())]))
    out("names", [list(net.state_dict()), repr(net), repr(net.act), repr(net[1:])])
    net[1] = nn.Tanh()
    net += nn.Sequential(nn.Linear(2, 1))
    out("joined", [repr(net), repr(nn.Sequential(nn.ReLU()) + net)])
    del net[0]
    out("cut", [repr(net), repr(net.pop(-1)), repr(net.insert(0, nn.GELU()))])
    for wrong in (lambda: net.__setitem__(0, 3), lambda: net[5], lambda: net + [nn.ReLU()]):
        out.error("wrong", wrong)
    out.error("in a list", nn.Sequential, [nn.ReLU()])


@case("C6: hooks before and after a module's forward, in their order; handles")
def case_forward_hooks(mg, out):
    net, said = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.ReLU()), []
    x = mg.ones(1, 2)

    def say(name, result=None):
        def hook(module, *rest):
            said.append([name, type(module).__name__, [type(r).__name__ for r in rest]])
            return result

        return hook

    first = net[0].register_forward_hook(say("after"))
    net[0].register_forward_hook(say("after, kwargs"), with_kwargs=True)
    net[0].register_forward_hook(say("first after"), prepend=True)
    net[0].register_forward_pre_hook(say("before"))
    net[0].register_forward_pre_hook(say("first before, kwargs"), with_kwargs=True, prepend=True)
    net(x)
    out("order", said)
    first.remove()
    first.remove()
    said.clear()
    net[0](x)
    out("one removed", said)
    relu = mg.nn.ReLU()
    relu.register_forward_pre_hook(lambda m, args: args[0] * 2)
    relu.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
    handle = relu.register_forward_hook(lambda m, args, y: (args[0], y))
    out("replaced", relu(x))
    handle.remove()
    with relu.register_forward_pre_hook(lambda m, a, k: ((a[0] * 3,), k), with_kwargs=True):
        out("with", relu(x))
    out("after with", relu(x))
    relu.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True)
    out.error("no pair", relu, x)


@case("C6: full backward hooks see what enters and leaves a module, and may replace it")
def case_backward_hooks(mg, out):
    said = []

    def say(name):
        def hook(module, *grads):
            said.append([name, type(module).__name__, list(grads)])

        return hook

    x = mg.tensor([[1.0, -2.0]], requires_grad=True)
    relu = mg.nn.ReLU()
    relu.register_full_backward_hook(say("second"))
    relu.register_full_backward_hook(say("first"), prepend=True)
    relu.register_full_backward_pre_hook(say("pre"))
    y = relu(x)
    out("graph", probes.graph(y.grad_fn))
    out("views", [y._base is None, y.grad_fn.next_functions[0][0].name()])
    out.error("in place", lambda: y.add_(1))
    out("gradient", mg.autograd.grad(y, x, mg.ones(1, 2)))
    out("told", said)
    scale = mg.nn.Tanh()
    scale.register_full_backward_hook(lambda m, inner, outer: (inner[0] * 10,))
    plain = scale.register_full_backward_pre_hook(lambda m, outer: outer[0] + 1)
    out.error("a tensor, and no tuple", lambda: scale(x).sum().backward())
    plain.remove()
    scale.register_full_backward_pre_hook(lambda m, outer: (outer[0] + 1,))
    out("replaced", mg.autograd.grad(scale(x * 0).sum(), x))
    scale.register_full_backward_hook(lambda m, inner, outer: (None, None))
    out.error("too many", lambda: scale(x).sum().backward())
    several(mg, out, say, said)


def several(mg, out, say, said):
    class Two(mg.nn.Module):
        def forward(self, a, b, c):
            return a * c, b, 3

    two, x, z = Two(), mg.ones(2, requires_grad=True), mg.ones(2)
    two.register_full_backward_hook(say("two"))
    said.clear()
    a, b, _ = two(x, z, 2.0)
    out("two", [a.grad_fn.name(), b.grad_fn, b.requires_grad])
    a.sum().backward()
    out("two told", said)
    said.clear()
    line = mg.nn.Linear(2, 1)
    line.register_full_backward_hook(say("line"))
    y = line(z)
    out("graph without inputs", probes.graph(y.grad_fn))
    out.warned("no inputs", y.sum().backward)
    out("no inputs told", [[name, kind, len(grads)] for name, kind, grads in said])
    with mg.no_grad():
        out("no graph", two(x, z, 2.0)[0].grad_fn)
    words = mg.nn.Identity()
    words.register_full_backward_hook(say("words"))
    out.warned("no tensor", words, "a")


@case("BatchNorm2d: values, statistics, what it saves; a count stays an integer in any dtype")
def case_batch_norm_2d(mg, out):
    layer = mg.nn.BatchNorm2d(2).to(mg.float64)
    x = (mg.arange(24.0).double() / 7).sin().view(2, 2, 2, 3).requires_grad_()
    y = layer(x)
    out("training", [y, probes.saved(y.grad_fn)])
    out("gradients", mg.autograd.grad((y * y).sum() + (y * x).sum(), [x, layer.weight, layer.bias]))
    out("state", dict(layer.state_dict()))
    out("eval", layer.eval()(x))
    out("float32", dict(layer.to(mg.float32).state_dict()))
