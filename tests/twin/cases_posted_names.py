"""Names that posted programs stop at: samplers, channels dropped, padded sequences, counts."""

from tests.twin import probes
from tests.twin.registry import case


@case("samplers: numbers of samples, in order, by chance, by weight, in batches")
def case_samplers(mg, out):
    data = mg.utils.data
    out("in order", [list(data.SequentialSampler("abc")), len(data.SequentialSampler("abc"))])
    random = data.RandomSampler("abcd")
    out("by chance", [sorted(random), len(random), random.num_samples, random.replacement])
    more = data.RandomSampler("abcd", num_samples=6)
    out("more than there are", [len(list(more)), sorted(list(more)[:4]), len(more)])
    again = data.RandomSampler([1], replacement=True, num_samples=35)
    out("with replacement", [list(again), len(again)])
    subset = data.SubsetRandomSampler([5, 3, 9])
    out("of some", [sorted(subset), len(subset)])
    weighted = data.WeightedRandomSampler([0.0, 2, 0.0], 4)
    out("by weight", [list(weighted), len(weighted), weighted.weights, weighted.replacement])
    out("without replacement", sorted(data.WeightedRandomSampler(mg.ones(3), 3, False)))
    batches = data.BatchSampler(range(5), 2, False)
    out("batches", [list(batches), len(batches), len(data.BatchSampler(range(5), 2, True))])
    out("the last left out", list(data.BatchSampler(data.SequentialSampler("abc"), 2, True)))
    loader = data.DataLoader([1, 2, 3, 4], sampler=data.SubsetRandomSampler([1, 1]), batch_size=2)
    out("a loader", list(loader))
    out(
        "its batches",
        list(data.DataLoader([1, 2, 3], batch_sampler=batches.__class__([0, 2], 1, False))),
    )
    first = mg.Generator().manual_seed(3), mg.Generator().manual_seed(3)
    out("a generator", len({tuple(data.RandomSampler(range(9), generator=g)) for g in first}))
    out("subscript", data.Sampler[int] is not None)
    for name, wrong in {
        "RandomSampler": [([],), ([1], 1), ([1], False, -1), ([1], False, 1.5)],
        "WeightedRandomSampler": [([1], 0), ([1], True), ([[1]], 1), ([1], 1, 3)],
        "BatchSampler": [([1], 0, True), ([1], 1, 1), ([1], 1.0, True)],
    }.items():
        for given in wrong:
            out.error(name, lambda name=name, given=given: getattr(data, name)(*given))
    out.error("none", lambda: iter(data.Sampler()))
    out.error("no length", lambda: len(data.Sampler()))
    out.error("too many", lambda: list(data.WeightedRandomSampler([1.0], 2, False)))


@case("IterableDataset: its samples as they come, in a loader too")
def case_iterable_dataset(mg, out):
    data = mg.utils.data

    class Some(data.IterableDataset):
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return iter(range(self.n))

    class Long(Some):
        def __len__(self):
            return self.n

    out("batches", list(data.DataLoader(Some(5), batch_size=2)))
    out("whole ones", list(data.DataLoader(Some(5), batch_size=2, drop_last=True)))
    out("no batches", list(data.DataLoader(Some(3), batch_size=None)))
    out(
        "length",
        [len(data.DataLoader(Long(5), 2)), len(data.DataLoader(Long(5), 2, drop_last=True))],
    )
    out(
        "chained",
        [list(Some(2) + Some(1)), len(Long(2) + Long(1)), type(Some(1) + Some(1)).__name__],
    )
    out(
        "kind",
        [isinstance(Some(1), data.Dataset), issubclass(data.ChainDataset, data.IterableDataset)],
    )
    out.error("no iter", lambda: data.IterableDataset())
    out.error("shuffled", lambda: data.DataLoader(Some(1), shuffle=True))
    out.error("a sampler", lambda: data.DataLoader(Some(1), sampler=[0]))
    out.error("batches of its own", lambda: data.DataLoader(Some(1), batch_sampler=[[0]]))
    out.error("no length", lambda: len(data.DataLoader(Some(1))))
    out.error("an index", lambda: Some(1)[0])
    out.error("a data set of the other kind", lambda: list(Some(1) + [1]))


@case("dropout1d and dropout2d drop whole channels; the mask has one number for each")
def case_channels_dropped(mg, out):
    F, nn = mg.nn.functional, mg.nn
    x = mg.ones(2, 3, 2, 2, requires_grad=True)
    y = F.dropout2d(x, 0.5)
    mask = y.grad_fn._saved_other
    out("the mask", [mask.shape, mask.dtype, mask.requires_grad, probes.graph(y.grad_fn)])
    out("whole", mg.equal(y.detach(), mask.expand(2, 3, 2, 2)))
    out("values", {0.0, 2.0} >= set(mask.flatten().tolist()))
    flat = mg.ones(2, 3, requires_grad=True)
    out("of a sequence", probes.graph(F.dropout1d(flat).grad_fn))
    out("all", [F.dropout2d(x, 1.0), probes.graph(F.dropout2d(x, 1.0).grad_fn)])
    out("identity", [F.dropout2d(x, 0.0) is x, F.dropout1d(x[0], 0.5, False).shape,
                     nn.Dropout2d().eval()(x) is x, F.dropout2d(x[:0], 0.9).shape])  # fmt: skip
    out("repr", [nn.Dropout1d(), nn.Dropout2d(0.3, True)])
    out("in place", [F.dropout2d((z := mg.ones(1, 2, 1, 1)), 1.0, inplace=True) is z, z])
    out("one row in place", [F.dropout1d((z := mg.ones(2, 3)), 1.0, inplace=True) is z, z])
    out("state", nn.Dropout2d(0.2).state_dict())
    out.warned("few axes", F.dropout2d, mg.ones(2, 2), 0.0)
    out.warned("three axes", F.dropout2d, mg.ones(2, 2, 2), 0.0)
    out.error("one axis", F.dropout1d, mg.ones(2))
    out.error("one axis of channels", F.dropout2d, mg.ones(2))
    out.error("p", F.dropout2d, x, 2)
    out.error("p of a layer", nn.Dropout1d, -1)
    out.error("whole numbers", F.dropout2d, mg.ones(1, 1, 1, 1, dtype=mg.int64))
    whole = F.dropout2d(mg.ones(1, 1, 1, 1, dtype=mg.int64), 1.0)
    out("whole numbers, all", whole)


@case("gumbel_softmax: rows that add up to 1, and one-hot ones with the same gradient")
def case_gumbel_softmax(mg, out):
    F = mg.nn.functional
    x = mg.tensor([[0.5, -1.0, 2.0]], requires_grad=True)
    y = F.gumbel_softmax(x, tau=0.5)
    out("soft", [y.shape, mg.allclose(y.sum(-1), mg.ones(1)), probes.graph(y.grad_fn)])
    hard = F.gumbel_softmax(x, hard=True)
    out("hard", [sorted(hard.flatten().round().tolist()), probes.graph(hard.grad_fn)])
    out("saved", [[t[0] if isinstance(t, tuple) else t for t in probes.saved(y.grad_fn)][:1] == []])
    out("of columns", mg.allclose(F.gumbel_softmax(x.t(), dim=0).sum(), mg.ones(())))
    out.warned("eps", F.gumbel_softmax, mg.zeros(1), eps=1e-3)
    out.error("whole", F.gumbel_softmax, mg.ones(2, dtype=mg.int64))
    out.error("no such axis", F.gumbel_softmax, x, dim=5)


@case("exponential_ overwrites with waiting times")
def case_exponential(mg, out):
    x = mg.ones(200)
    out("positive", [bool((x.exponential_() > 0).all()), x._version])
    out("mean", 0.3 < mg.ones(2000).exponential_(2).mean().item() < 0.7)
    y = (mg.ones(2, requires_grad=True) * 2).exponential_()
    out("graph", probes.graph(y.grad_fn))
    out("none", mg.zeros(0, dtype=mg.int64).exponential_())
    out("never", mg.ones(2).exponential_(float("inf")))
    for rate in (0, -1.5, float("nan"), "a"):
        out.error("rate", lambda rate=rate: mg.ones(2).exponential_(rate))
    out.error("whole", lambda: mg.ones(2, dtype=mg.int64).exponential_())
    out.error("a leaf", lambda: mg.ones(2, requires_grad=True).exponential_())


@case("pad_sequence: sequences of several lengths in one tensor")
def case_pad_sequence(mg, out):
    pad = mg.nn.utils.rnn.pad_sequence
    x, y = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([3.0, 4, 5], requires_grad=True)
    for given in ([x, y], [y, x], (x,)):
        out("values", [pad(given), pad(given, True), pad(given, padding_value=-1.0)])
        out("left", pad(given, batch_first=True, padding_value=9, padding_side="left"))
    z = pad([x, y], True)
    out("graph", probes.graph(z.grad_fn))
    (z * z).sum().backward()
    out("gradients", [x.grad, y.grad])
    rows = pad([mg.ones(2, 3), mg.zeros(1, 3)])
    out("rows", [rows.shape, rows.stride(), rows])
    out("whole", pad([mg.arange(2), mg.arange(3)], padding_value=1.5))
    out("of a tensor", pad(mg.ones(2, 3)))
    out("another dtype", pad([mg.ones(2), mg.ones(3, dtype=mg.float64)]).dtype)
    a, b = mg.ones(2), mg.ones(3)
    out.error("none", pad, [])
    out.error("no sequence", pad, 3)
    out.error("side", pad, [a, b], True, 0.0, "up")
    out.error("numbers", pad, [1, 2])
    out.error("single", pad, [mg.ones(())])
    out.error("rows of other lengths", pad, [mg.ones(2, 3), mg.ones(4, 2)])
    out.error("axes", pad, [mg.ones(2), mg.ones(4, 3)])
    out.error("batch_first", pad, [a, b], 1)


@case("bincount: how often each number stands there, or its weights")
def case_bincount(mg, out):
    i = mg.tensor([0, 0, 3])
    out("values", [mg.bincount(i), i.bincount(minlength=5), mg.bincount(i, minlength=2)])
    weights = mg.tensor([0.5, 1, 2])
    out("weights", [mg.bincount(i, weights), i.bincount(i), i.bincount(weights.double(), 5)])
    out("dtypes", [mg.bincount(i.to(mg.uint8), weights.half()), mg.bincount(i.int())])
    none = mg.tensor([], dtype=mg.int64)
    out("none", [mg.bincount(none), mg.bincount(none, minlength=2), mg.bincount(none, mg.ones(0))])
    w = mg.ones(3, requires_grad=True)
    y = mg.bincount(i, w)
    out("graph", [y.requires_grad, y.grad_fn.name()])
    out.error("derivative", lambda: y.sum().backward())
    out.error("floats", lambda: mg.bincount(weights))
    out.error("bools", lambda: mg.bincount(i > 1))
    out.error("negative", lambda: mg.bincount(i - 1))
    out.error("axes", lambda: mg.bincount(i.reshape(3, 1)))
    out.error("a number", lambda: mg.bincount(mg.tensor(3)))
    out.error("minlength", lambda: mg.bincount(i, minlength=-1))
    out.error("a float", lambda: mg.bincount(i, minlength=1.5))
    out.error("other weights", lambda: mg.bincount(i, mg.ones(2)))
    out.error("no weights", lambda: mg.bincount(i, 3))


@case("median: the lower one in the middle, and of equal ones the place where PyTorch has it")
def case_median(mg, out):
    x = mg.tensor([[3.0, 1, 2], [9, 7, 7]], requires_grad=True)
    out("all", [x.median(), mg.median(x), x.median(1), mg.median(x, dim=0, keepdim=True)])
    out("node", [probes.graph(x.median().grad_fn), probes.saved(x.median().grad_fn)])
    values = x.median(-1).values
    out("node along an axis", [probes.graph(values.grad_fn), probes.saved(values.grad_fn)])
    (x.median() * 2 + x.median(1)[0].sum()).backward()
    out("gradient", x.grad)
    for n in (4, 5, 8, 20, 60, 200):
        numbers = mg.tensor([float(i * i * 7 % 11 % 4) for i in range(n)])
        out("ties", numbers.median(0))
    nan = mg.tensor([[1.0, float("nan"), 0], [2.0, 1.0, 0.0]])
    out("nan", [nan.median(), nan.median(1), nan.median(0)])
    out("whole", [mg.tensor([3, 1, 2, 2]).median(), mg.tensor(2).median(0)])
    out("none", [mg.zeros(0).median(), mg.zeros(2, 0).median(0)])
    out("printed", str(mg.tensor([2.0, 1.0]).median(0)).replace("minigrad", "torch"))
    (slope,) = mg.autograd.grad((x * x).median(), x, create_graph=True)
    slope.sum().backward()
    out("second", [x.grad, probes.graph(slope.grad_fn)])
    out.error("axis", lambda: x.median(3))
    out.error("of none", lambda: mg.zeros(2, 0).median(1))
    out.error("bools", lambda: mg.tensor([True]).median())
    out.error("no axis", lambda: x.median(keepdim=True))


@case("index_add: slices added at the places that a vector names")
def case_index_add(mg, out):
    x, y = mg.ones(3, 2, requires_grad=True), mg.arange(6.0).reshape(3, 2).requires_grad_()
    i = mg.tensor([0, 0, 2])
    z = x.index_add(0, i, y)
    out("values", [z, mg.index_add(x, 0, i, y, alpha=2)])
    out("by name", x.index_add(dim=1, index=mg.tensor([1]), source=y[:, :1]))
    out("node", [probes.graph(z.grad_fn), probes.saved(z.grad_fn)])
    data = x.index_add(0, i, y.detach())
    out("of data", [probes.graph(data.grad_fn), probes.saved(data.grad_fn)])
    (mg.index_add(x, 0, i, y, alpha=0.5) * y).sum().backward()
    out("gradients", [x.grad, y.grad])
    sums = mg.zeros(3, 2)
    out("in place", [sums.index_add_(0, i, mg.ones(3, 2)) is sums, sums, sums._version])
    written = (x * 1).index_add_(1, mg.tensor([1, 1], dtype=mg.int32), y[:, :2], alpha=-1)
    out("written", [written, probes.graph(written.grad_fn)])
    out("numbers", [mg.tensor(1.0).index_add(0, mg.tensor(0), mg.tensor(2.0)),
                    mg.arange(3).index_add(0, i, i)])  # fmt: skip
    for alpha in (1, 3):
        w = (x * x).index_add(0, i, y * y, alpha=alpha)
        first = mg.autograd.grad((w * w).sum(), [x, y], create_graph=True)
        second = mg.autograd.grad(sum(g.sum() for g in first), [x, y])
        out("second", [*second, [probes.graph(g.grad_fn) for g in first]])
    out.error("shape", lambda: x.index_add(0, i, mg.ones(3, 3)))
    out.error("count", lambda: x.index_add(1, i, y))
    out.error("index", lambda: x.index_add(0, i + 5, y))
    out.error("negative", lambda: x.index_add(0, i - 1, y, alpha=2))
    out.error("floats", lambda: x.index_add(0, i.float(), y))
    out.error("dtype", lambda: x.index_add(0, i, y.double()))
    out.error("axes", lambda: x.index_add(0, i.reshape(3, 1), y))
    out.error("axis", lambda: x.index_add(5, i, y))
    out.error("a number", lambda: x.index_add(0, i, 3))
    out.error("a leaf", lambda: x.index_add_(0, i, y))


@case("clip_grad_norm, the old name of clip_grad_norm_, warns")
def case_old_clip(mg, out):
    p = mg.ones(2, requires_grad=True)
    p.grad = mg.ones(2)
    out.warned("warns", mg.nn.utils.clip_grad_norm, [p], 1.0)
    out("clipped", [p.grad, mg.nn.utils.clip_grad_norm(p, max_norm=0.5, norm_type=1.0), p.grad])
