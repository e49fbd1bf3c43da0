"""What sets a program up: seeds, switches of libraries, the dtype of floats nobody gave one."""

import importlib

from tests.twin import probes
from tests.twin.registry import case


def in_default(mg, dtype, made):
    """made() where this dtype is the default; it is float32 again after it."""
    mg.set_default_dtype(dtype)
    try:
        return made()
    finally:
        mg.set_default_dtype(mg.float32)


def programs_have(mg):
    """{what: a tensor that a program makes without a dtype}."""
    whole, yes = mg.tensor([1, 2]), mg.tensor([True])
    single = mg.tensor([1.0], dtype=mg.float32)
    nn = mg.nn
    return {
        "makers": [mg.zeros(2), mg.ones(2), mg.empty(2).dtype, mg.full((2,), 1.5), mg.eye(2)],
        "ranges": [mg.arange(3.0), mg.arange(3), mg.linspace(0, 1, 3)],
        "drawn": [t.dtype for t in (mg.rand(2), mg.randn(2), mg.normal(0.0, 1.0, (2,)))],
        "numbers": [mg.tensor(0.1), mg.tensor([]), mg.as_tensor([0.1, 2]), mg.tensor([1, 2])],
        "beside whole": [whole + 0.1, whole / 3, whole * 2, yes * 0.1, 1 / whole, whole**0.5],
        "of whole": [whole.exp(), mg.sqrt(whole), whole.log2(), whole.sigmoid(), whole.rsqrt()],
        "beside single": [single + 0.1, single * mg.ones(()), single * mg.ones(1)],
        "where": [mg.where(yes, 0.1, 0.2), mg.where(yes, whole, 0.1), mg.where(yes, 1, 2)],
        "layers": [t.dtype for t in (*nn.LSTM(2, 3).parameters(), *nn.BatchNorm1d(2).buffers())],
        "more layers": [t.dtype for net in (nn.Linear(1, 1), nn.Conv1d(1, 1, 1), nn.PReLU())
                        for t in net.parameters()],
        "old": [mg.Tensor([1]), mg.FloatTensor([1]), mg.Tensor(2).dtype],
        "limits": [mg.finfo().dtype, mg.finfo(mg.float16).dtype],
        "new": [single.new_zeros(2), mg.ones_like(single), whole.new_tensor([0.5])],
        "logsumexp": [whole.logsumexp(0), whole.softmax(0, dtype=mg.float32)],
    }  # fmt: skip


@case("set_default_dtype: makers, numbers and layers follow it, and what is printed")
def case_default_dtype(mg, out):
    out("first", mg.get_default_dtype())
    for dtype in (mg.float64, mg.float32, mg.float16):
        made = in_default(mg, dtype, lambda: (programs_have(mg), mg.get_default_dtype()))
        out("default", made[1])
        for what, tensors in made[0].items():
            out(what, tensors)
        printed = in_default(mg, dtype, lambda: [str(t) for t in (
            mg.tensor([0.1]), mg.tensor([0.1], dtype=mg.float32), mg.zeros(0), mg.tensor([1]),
            mg.zeros(0, dtype=mg.int64), mg.ones(1, dtype=mg.float64),
        )])  # fmt: skip
        out("printed", printed)
    out.error("whole", lambda: mg.set_default_dtype(mg.int64))
    out.error("a bool", lambda: mg.set_default_dtype(mg.bool))
    out.error("a number", lambda: mg.set_default_dtype(3))
    out.error("a name", lambda: mg.set_default_dtype("float64"))
    out("as it was", mg.get_default_dtype())


@case("set_default_dtype: a step of an optimizer, its state, and a second derivative")
def case_default_dtype_training(mg, out):
    def trained():
        w = mg.tensor([0.5, -1.0], requires_grad=True)
        loss = (w.sigmoid() * mg.tensor([1, 2]) / 3).sum()
        (slope,) = mg.autograd.grad(loss, w, create_graph=True)
        (slope * slope).sum().backward()
        opt = mg.optim.NAdam([w])
        opt.step()
        return [w.detach(), w.grad, opt.state[w], probes.graph(loss.grad_fn)]

    out("float64", in_default(mg, mg.float64, trained))
    out("float32", trained())


@case("layers of doubles begin with numbers that no float32 has")
def case_double_layers(mg, out):
    nn = mg.nn

    def makers():
        return [nn.Linear(3, 40), nn.Conv1d(3, 9, 3), nn.Embedding(9, 9), nn.LSTM(3, 9)]

    for layers in (makers(), in_default(mg, mg.float64, makers), [nn.Linear(3, 40).double()]):
        for layer in layers:
            single = [t.float().double().equal(t.double()) for t in layer.parameters()]
            out(
                type(layer).__name__,
                [single, {t.dtype for t in layer.parameters()} == {mg.float64}],
            )


@case("switches that change nothing here: deterministic algorithms, threads, cuDNN, MPS")
def case_switches(mg, out):
    out("first", mg.are_deterministic_algorithms_enabled())
    mg.use_deterministic_algorithms(True, warn_only=True)
    out("set", [mg.are_deterministic_algorithms_enabled(),
                mg.is_deterministic_algorithms_warn_only_enabled()])  # fmt: skip
    mg.use_deterministic_algorithms(False)
    out("not set", [mg.are_deterministic_algorithms_enabled(),
                    mg.is_deterministic_algorithms_warn_only_enabled()])  # fmt: skip
    out.error("a number", lambda: mg.use_deterministic_algorithms(1))
    before = mg.get_num_threads()
    mg.set_num_threads(3)
    out("threads", mg.get_num_threads())
    mg.set_num_threads(before)
    for number in (0, 1.5, True, "1"):
        out.error("threads", lambda number=number: mg.set_num_threads(number))
    cudnn = mg.backends.cudnn
    out("cudnn", [cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32])
    cudnn.deterministic = cudnn.benchmark = True
    out("changed", [cudnn.benchmark, cudnn.deterministic, cudnn.is_available(), cudnn.version()])
    cudnn.deterministic = cudnn.benchmark = False
    for name in ("benchmark", "deterministic", "enabled"):
        out.error(name, lambda name=name: setattr(cudnn, name, 3))
    with cudnn.flags(enabled=False):
        out("inside", [cudnn.enabled, cudnn.benchmark])
    out("after", cudnn.enabled)
    out("mps", [mg.backends.mps.is_available(), mg.backends.mps.is_built()])
    out("tf32", mg.backends.cuda.matmul.allow_tf32)


@case("what asks for a GPU and its seeds where there is none")
def case_set_up_cuda(mg, out):
    out("none", [mg.cuda.device_count(), mg.cuda.is_initialized()])
    out("seeds", [mg.cuda.manual_seed(3), mg.cuda.manual_seed_all(3), mg.cuda.seed_all()])
    out("version", [mg.__version__.split(".")[:2], mg.version.cuda, mg.version.hip])
    out("the same", [mg.version.__version__ == mg.__version__, type(mg.__version__) is not int])
    for net in (mg.nn.RNN(1, 1), mg.nn.LSTM(1, 1), mg.nn.GRU(1, 1)):
        out("flattened", net.flatten_parameters())


@case("random.fork_rng: the numbers after it are those due without it")
def case_fork_rng(mg, out):
    mg.manual_seed(3)
    first = mg.rand(2)
    mg.manual_seed(3)
    with mg.random.fork_rng():
        mg.rand(5)
    out("the same", mg.equal(first, mg.rand(2)))
    mg.random.manual_seed(3)
    with mg.random.fork_rng(enabled=False):
        other = mg.rand(2)
    out("not forked", [mg.equal(first, other), mg.random.initial_seed()])
    state = mg.random.get_rng_state()
    one = mg.rand(1)
    mg.random.set_rng_state(state)
    out("state", mg.equal(one, mg.rand(1)))


@case("Module.type changes the dtype of floats and of whole numbers alike")
def case_module_type(mg, out):
    net = mg.nn.Sequential(mg.nn.Linear(1, 2), mg.nn.BatchNorm1d(2))
    out("itself", [net.type(mg.float64) is net, [t.dtype for t in net.state_dict().values()]])
    out("by its name", [t.dtype for t in net.type("torch.HalfTensor").state_dict().values()])
    out("keyword", net.type(dst_type=mg.float32)[0].weight.dtype)
    out.error("whole", lambda: net.type(mg.int64))
    out.error("no type", lambda: net.type("Foo"))


@case("nn.modules: the classes by PyTorch's files, and the bases that programs ask for")
def case_nn_modules(mg, out):
    nn = mg.nn
    out("the same", [nn.modules.linear.Linear is nn.Linear, nn.modules.Conv2d is nn.Conv2d,
                     nn.modules.module.Module is nn.Module])  # fmt: skip
    bases = [
        nn.modules.batchnorm._BatchNorm, nn.modules.conv._ConvNd, nn.modules.conv._ConvTransposeNd,
        nn.modules.loss._Loss, nn.modules.rnn.RNNBase, nn.modules.rnn.RNNCellBase,
    ]  # fmt: skip
    made = [
        nn.BatchNorm1d(1), nn.BatchNorm2d(1), nn.Conv1d(1, 1, 1), nn.ConvTranspose2d(1, 1, 1),
        nn.MSELoss(), nn.CrossEntropyLoss(), nn.LSTM(1, 1), nn.GRU(1, 1), nn.RNNCell(1, 1),
        nn.Linear(1, 1), nn.LayerNorm(1),
    ]  # fmt: skip
    for one in made:
        out(type(one).__name__, [isinstance(one, base) for base in bases])
    out("not there", [hasattr(nn.modules, "linears"), hasattr(nn.modules.linear, "Conv2d")])
    sizes = nn.modules.utils
    out("pairs", [sizes._single(2), sizes._pair(2), sizes._triple([1, 2]), sizes._ntuple(4)(0)])
    out("named", [sizes._quadruple.__name__, sizes._ntuple(2).__name__])
    loss = nn.modules.loss._WeightedLoss
    out("weighted", [issubclass(loss, nn.modules.loss._Loss), isinstance(nn.NLLLoss(), loss)])


@case("modules by PyTorch's files: distributions, optim, utils.data, nn.utils")
def case_files(mg, out):
    names = (
        "distributions.normal.Normal distributions.categorical.Categorical"
        " distributions.bernoulli.Bernoulli distributions.distribution.Distribution"
        " distributions.kl.kl_divergence optim.adam.Adam optim.adamw.AdamW optim.sgd.SGD"
        " optim.adadelta.Adadelta optim.adagrad.Adagrad optim.adamax.Adamax optim.nadam.NAdam"
        " optim.rmsprop.RMSprop optim.lbfgs.LBFGS optim.optimizer.Optimizer"
        " nn.utils.clip_grad.clip_grad_norm_"
        " nn.utils.convert_parameters.parameters_to_vector utils.data.dataset.Dataset"
        " utils.data.dataset.random_split utils.data.dataloader.DataLoader"
        " utils.data.dataloader.default_collate utils.data.sampler.RandomSampler"
    )
    engine = "torch" if "torch" in mg.optim.__name__ else "minigrad"
    for name in names.split():
        place, _, thing = name.rpartition(".")
        found = getattr(importlib.import_module(f"{engine}.{place}"), thing)
        shown = importlib.import_module(f"{engine}.{place.rpartition('.')[0]}")
        out(name, found is getattr(shown, thing))
    for place in ("distributions.foo", "nn.modules.foo", "utils.data.foo"):
        try:
            importlib.import_module(f"{engine}.{place}")
        except ModuleNotFoundError as error:
            out(place, str(error).replace("minigrad", "torch"))
