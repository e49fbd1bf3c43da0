"""A right call of each thing that minigrad has and PyTorch has as well."""

SETTING = """
x = mg.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]], requires_grad=True)
y = mg.tensor([[0.5, 1.0, 2.0], [3.0, -1.0, 0.25]])
v, u = mg.tensor([1.0, 2.0, 3.0]), mg.tensor([0.5, -1.0, 2.0])
w = mg.tensor([[1.0, 0.5, 2.0], [0.0, 1.0, -1.0], [2.0, 1.0, 0.5]])
b = mg.tensor([[[1.0, 2.0], [3.0, 4.0]]])
p = mg.tensor([[0.25, 0.5, 0.125], [0.5, 0.75, 0.25]])
q = mg.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
i, j, k = mg.tensor([[0, 1, 0]]), mg.tensor([1, 0]), mg.tensor([2, 0])
m = mg.tensor([[True, False, True], [False, True, True]])
s, r = mg.tensor(2.0), mg.tensor([1.0, 2.0], requires_grad=True)
r.sum().backward()
c1, k1 = mg.tensor([[[1.0, 2.0, 3.0, 4.0]]]), mg.tensor([[[1.0, -1.0]]])
c2, k2 = mg.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), mg.tensor([[[[1.0, 2.0]]]])
# PyTorch's compiler, which another test may have imported, turns this off
getattr(mg.distributions.Distribution, "set_default_validate_args", bool)(True)
"""

UNARY = (
    "abs absolute cos exp log neg negative reciprocal relu rsqrt sigmoid sign sin sqrt square tanh "
    "log1p log2 log10 logit ravel diag trace tan sinh cosh asin acos atan asinh acosh atanh "
    "erf erfc exp2 expm1 arcsin arccos arctan arcsinh arccosh arctanh hardshrink "
    "isfinite isinf isnan logical_not clone t numel all any argmax argmin sum mean max min prod "
    "std var flatten sort argsort unbind squeeze norm tril triu zeros_like ones_like "
    "empty_like rand_like randn_like is_tensor diagonal var_mean amax amin ceil floor round unique "
    "nonzero fliplr flipud diff median"
).split()
METHODS_ONLY = (
    "bool contiguous cpu detach dim double element_size float int is_contiguous is_floating_point "
    "long numpy stride tolist storage_offset size type is_inference half ndimension nelement"
).split()
IN_PLACE = (
    "ceil_ floor_ round_ "
    "abs_ cos_ exp_ log_ logit_ neg_ reciprocal_ relu_ sigmoid_ sin_ sqrt_ square_ tanh_ zero_ "
    "detach_"
).split()
BINARY = (
    "add sub mul div atan2 arctan2 logaddexp remainder fmod floor_divide eq ne lt le gt ge maximum "
    "minimum logical_and logical_or logical_xor multiply divide true_divide subtract greater "
    "greater_equal less less_equal not_equal pow equal allclose isclose"
).split()
WITH_ARGUMENTS = (  # of a function; that of a method stands below as well
    "logcumsumexp(y, 0)", "hardshrink(y, 0.75)", "nan_to_num(y, 0.5, 1.5)",
    "nan_to_num_(y, 0.5)", "take_along_dim(y, i)", "take_along_dim(y, i, 1)",
    "matmul(w, v)", "mm(y, w)", "bmm(b, b)", "mv(w, v)", "dot(u, v)", "outer(u, v)",
    "baddbmm(b, b, b)", "cumsum(y, 0)", "cumprod(y, 1)", "logsumexp(y, 0)", "softmax(y, 0)",
    "log_softmax(y, 1)", "cumsum(y, 0, dtype=mg.float64)",
    "mean(y, dtype=mg.float64)", "sum(y, dtype=mg.float64)",
    "softmax(y, 0, mg.float64)", "clamp(y, 0.0, 1.0)", "clamp(y, min=0.0)", "clamp_min(y, 1.0)",
    "logit(y, 0.1)", "logit_(y, 0.1)",
    "chunk(y, 2, 1)", "split(y, 1, 0)", "split_with_sizes(y, [1, 1], 0)",
    "narrow(y, 1, 0, 2)", "select(y, 0, 1)",
    "transpose(y, 0, 1)",
    "movedim(y, 0, 1)", "moveaxis(y, 0, 1)", "addmm(v, y, w)",
    "unsqueeze(y, 0)", "squeeze(y, 0)", "flatten(y, 0, 1)", "unflatten(y, 1, (1, -1))",
    "unbind(y, 1)",
    "sum(y, 0, True)", "sum(y, dim=1)", "mean(y, 1, True)", "max(y, 1, True)", "min(y, 0)",
    "argmax(y, 1, True)", "argmin(y, 1)", "all(m, 1)", "any(m, 0, True)", "prod(y, 1, True)",
    "std(y, 1)", "var(y, 1)", "norm(y, 2, 1)", "masked_fill(y, m, 2.0)", "masked_select(y, m)",
    "tril(y, 1)", "triu(y, 1)", "roll(y, 1, 0)", "diagonal(y, 0, 0, 1)", "gather(y, 0, i)",
    "diag(y, 1)", "diag_embed(y, 1, 0, 2)", "multinomial(p, 1, True)",
    "scatter(y, 0, i, q)", "scatter(y, 0, i, 2.0)", "scatter_add(y, 0, i, y)",
    "index_select(y, 0, j)", "index_add(y, 0, mg.tensor([0, 1]), x)", "median(y, 1)",
    "bincount(j, None, 3)", "bincount(j, minlength=3)",
    "sort(y, 1, True)", "argsort(y, 1)", "topk(y, 2, 1)",
    "multinomial(p, 1)", "repeat_interleave(y, 2, 1)", "reshape(y, (3, 2))", "permute(y, (1, 0))",
    "flip(y, (0,))", "add(y, x, alpha=2)", "sub(y, x, alpha=2)", "equal(y, y)", "swapaxes(y, 0, 1)",
    "div(y, x, rounding_mode='floor')",
    "lerp(y, x, 0.5)", "lerp(y, x, x)", "logit(p, 0.125)", "isclose(y, x, 0.5, 0.5)",
    "allclose(y, x, rtol=0.5, atol=0.5)", "index_add(y, 0, mg.tensor([0, 1]), x, alpha=0.5)",
    "norm(y, p=2.0)", "std(y, 1, correction=1)",
    "addcmul(y, x, x, value=2)", "addcdiv(y, x, x, value=2)",
)  # fmt: skip
FUNCTIONS_ONLY = (
    "tile(y, (2, 1))", "tensordot(y, w, 1)", "inner(y, v)",
    "cat([x, y], 0)", "bernoulli(p)", "clamp_(y, 0.0, 1.0)", "clip(y, 0.0)", "clip_(y, 0.0)",
    "fill_(y, 1.0)", "is_anomaly_check_nan_enabled()", "is_anomaly_enabled()",
    "is_inference_mode_enabled()", "FloatTensor([1.0])", "IntTensor([1])", "LongTensor([1])",
    "BoolTensor([True])", "ByteTensor([1])", "DoubleTensor(2)", "HalfTensor(2)", "stack([x, y], 0)",
    "Tensor([1.0, 2.0])", "Tensor(x)",
    "hstack([x, y])", "vstack([x, y])", "is_floating_point(y)", "cosine_similarity(x, y)",
    "pairwise_distance(x, y)", "concat([x, y])", "broadcast_tensors(v, y)",
    "meshgrid(v, u, indexing='ij')", "finfo(mg.float32)", "iinfo(mg.int64)",
    "broadcast_to(v, (2, 3))", "where(m, x, y)", "where(m)", "where(m, x, 2.0)",
    "cdist(x, y)",
    "einsum('ij,jk->ik', y, w)", "einsum('ij->i', y)", "full((2,), 1.5)", "full_like(y, 2.0)",
    "zeros(2, 3)", "zeros((2, 3))", "ones(2)", "empty(2)", "rand(2)", "randn(2)",
    "randint(0, 1, (2,))", "randperm(1)", "arange(3)", "arange(0, 3, 1)", "linspace(0.0, 1.0, 3)",
    "eye(2, 2)", "tensor([1.0, 2.0])", "tensor(1.0, dtype=mg.float64)", "as_tensor([1.0])",
    "arange(0, end=3)",
    "from_numpy(np.ones(2))", "normal(0.0, 0.0, (2,))", "manual_seed(1)", "linalg.norm(y)",
    "linalg.norm(y, 2.0, 1)", "linalg.vector_norm(y, 2.0)", "swapdims(y, 0, 1)",
    "concatenate([x, y])", "zeros(2, dtype=mg.float64)", "ones(2, requires_grad=True)",
    "std(y, 1, correction=0)", "zeros_like(y, dtype=mg.float64)",
    "zeros_like(y, memory_format=mg.preserve_format)",
)  # fmt: skip
METHODS = (
    "y.sign_()", "y.fill_diagonal_(1.0)", "y.fill_diagonal_(1.0, True)",
    "y.index_add_(0, mg.tensor([0, 1]), p)", "y.exponential_()",
    "y.isclose(x)", "y.allclose(x)", "y.reshape_as(x)", "y.amax(0)", "y.amin((0, 1), True)",
    "y.unique(dim=0)", "y.add_(x.detach())", "y.sub_(1.0)", "y.mul_(2.0)", "y.div_(2.0)",
    "y.remainder_(2.0)", "y.fmod_(2.0)", "y.floor_divide_(2.0)",
    "y.multiply_(2.0)", "y.divide_(2.0)", "y.true_divide_(2.0)", "y.subtract_(1.0)",
    "y.absolute_()", "y.negative_()", "y.where(m, x)", "y.where(m, 2.0)",
    "y.pow_(2)", "y.copy_(x)", "y.swapdims(0, 1)",
    "y.lerp_(x.detach(), 0.5)", "y.addcmul_(p, p, value=2)", "y.addcdiv_(p, p)",
    "y.add_(p, alpha=0.5)", "y.index_add_(0, mg.tensor([0, 1]), p, alpha=0.5)",
    "y.exponential_(1.0)", "y.fill_(1.0)", "y.clamp_(0.0, 1.0)", "y.clip_(0.0)",
    "y.masked_fill_(m, 1.0)",
    "y.normal_(0.0, 0.0)", "y.uniform_(0.0, 0.0)", "y.bernoulli_(1.0)", "y.expand(2, 3)",
    "v.broadcast_to(2, 3)", "y.tile(2, 1)",
    "y.expand_as(x)", "y.view(3, 2)", "y.view_as(x)", "y.reshape(6)", "y.permute(1, 0)",
    "y.repeat(1, 2)", "y.flip(0)", "y.size(0)", "y.to(mg.float64)", "y.to(dtype=mg.float64)",
    "y.unfold(1, 2, 1)", "y.inner(v)", "y.to(mg.float32, copy=True)", "y.clip(0.0, 1.0)",
    "y.to(mg.float64, memory_format=mg.contiguous_format)",
    "y.type(mg.float64)", "y.type_as(x)", "y.new_zeros(2)", "y.new_ones(2)",
    "y.new_full((2,), 1.0)", "y.new_tensor([1.0])", "y.requires_grad_(True)",
    "y.scatter_(0, i, x.detach())", "y.scatter_add_(0, i, q)", "y.sum_to_size(1, 3)", "y.tril_(0)",
    "y.triu_(0)", "y.stride()", "y._is_view()", "s.item()", "x.retain_grad()", "p.bernoulli()",
    "x.sum().backward()", "x.sum().backward(mg.tensor(1.0))", "x.register_hook(print)",
    "x.sum().backward(retain_graph=True)", "y.numpy(force=True)", "y.new_empty(2)",
    "x.register_post_accumulate_grad_hook(print)", "y.data_ptr()", "y.untyped_storage()",
)  # fmt: skip
OPERATORS = (
    "y + x", "y - x", "y * x", "y / x", "y ** 2", "y // y", "y % y", "m & m", "m | m", "y == x",
    "y != x", "y < x", "y <= x", "y > x", "y >= x", "y @ w",
)  # fmt: skip
LAYERS = (
    "celu(x)", "celu(x, 0.5)", "celu(x, alpha=0.5)", "celu_(y, 0.5)", "softshrink(x)",
    "softshrink(x, 0.25)", "hardshrink(x, 0.25)", "threshold(x, 0.5, 2.0)",
    "threshold_(y, 0.5, 2.0)", "threshold(x, threshold=0.5, value=2.0)",
    "relu(x)", "relu6(x)", "hardtanh(x)", "leaky_relu(x, 0.1)", "prelu(x, v)", "elu(x, 1.0)",
    "selu(x)", "gelu(x)", "gelu(x, approximate='tanh')", "silu(x)", "hardswish(x)",
    "hardsigmoid(x)", "glu(b)", "glu(b, 2)", "rms_norm(x, (3,))", "rms_norm(x, (3,), v)",
    "rms_norm(x, (3,), eps=1e-5)", "soft_margin_loss(x, q)", "mish(x)", "softplus(x)",
    "logsigmoid(x)", "sigmoid(x)", "tanh(x)", "softsign(x)", "tanhshrink(x)", "softmax(x, 0)",
    "softmin(x, 0)", "log_softmax(x, 0)", "dropout(x, 0.0)",
    "dropout1d(x, 0.0)", "dropout2d(c2, 0.0)", "linear(x, w)", "linear(x, w, v)",
    "embedding(j, w)", "layer_norm(x, (3,))", "layer_norm(x, (3,), v, u)", "normalize(x)",
    "group_norm(b, 1)", "group_norm(b, 1, r, r)", "instance_norm(b)", "batch_norm(y, v, u)",
    "batch_norm(y, v, u, v, u)", "mse_loss(x, y)", "l1_loss(x, y)", "smooth_l1_loss(x, y)",
    "margin_ranking_loss(x, y, q)", "hinge_embedding_loss(x, q)", "cosine_embedding_loss(x, y, k)",
    "triplet_margin_loss(x, y, q)", "poisson_nll_loss(x, q)", "gaussian_nll_loss(x, y, p)",
    "huber_loss(x, y)", "kl_div(p.log(), p, reduction='sum')", "binary_cross_entropy(p, q)",
    "binary_cross_entropy(p, q, q)", "binary_cross_entropy_with_logits(x, q)",
    "cross_entropy(x, k)", "nll_loss(x, k)", "cross_entropy(x, k, reduction='sum')",
    "conv1d(c1, k1)", "conv2d(c2, k2)", "conv2d(c2, k2, groups=1)", "pad(y, (1, 1))",
    "conv1d(c1, k1, mg.ones(1))", "conv_transpose1d(c1, k1)", "conv_transpose2d(c2, k2)",
    "cosine_similarity(x, y)", "pairwise_distance(x, y)", "interpolate(c2, 2)", "one_hot(j)",
    "avg_pool1d(c1, 2)", "max_pool1d(c1, 2)", "adaptive_avg_pool1d(c1, 2)", "avg_pool2d(c2, 2)",
    "max_pool2d(c2, 2)", "adaptive_avg_pool2d(c2, 1)", "scaled_dot_product_attention(b, b, b)",
    "leaky_relu_(y)", "relu_(y)",
    # numbers that are options
    "leaky_relu(x, negative_slope=0.1)", "leaky_relu_(y, 0.1)", "elu(x, alpha=0.5)",
    "softplus(x, 1.5, 20.0)", "softplus(x, beta=1.5)", "hardtanh(x, -1.0, 1.0)",
    "layer_norm(x, (3,), eps=1e-5)", "group_norm(b, 1, eps=1e-5)", "instance_norm(b, eps=1e-5)",
    "batch_norm(y, v, u, training=True, momentum=0.1, eps=1e-5)", "huber_loss(x, y, delta=0.5)",
    "smooth_l1_loss(x, y, beta=0.5)", "triplet_margin_loss(x, y, q, 1.0, 2.0, 1e-6)",
    "margin_ranking_loss(x, y, q, margin=0.5)", "hinge_embedding_loss(x, q, margin=0.5)",
    "cosine_embedding_loss(x, y, k, margin=0.5)", "poisson_nll_loss(x, q, eps=1e-8)",
    "pairwise_distance(x, y, 2.0, 1e-6)", "cosine_similarity(x, y, 1, 1e-8)",
    "pad(y, (1, 1), value=0.5)", "cross_entropy(x, k, label_smoothing=0.1)",
    "scaled_dot_product_attention(b, b, b, scale=0.5)", "normalize(x, 2.0, 1)",
)  # fmt: skip
MODULES = (
    "ReLU()(x)", "ReLU6()(x)", "SELU()(x)", "SiLU()(x)", "Mish()(x)", "Sigmoid()(x)", "Tanh()(x)",
    "LogSigmoid()(x)", "Softsign()(x)", "Tanhshrink()(x)", "Softmax(0)(x)", "Softmin(0)(x)",
    "LogSoftmax(0)(x)", "LeakyReLU()(x)", "PReLU()(x)", "ELU()(x)", "Hardtanh()(x)", "GELU()(x)",
    "Hardswish()(x)", "CELU(0.5)(x)", "Softshrink(0.25)(x)", "Hardshrink(0.25)(x)",
    "Threshold(0.5, 2.0)(x)",
    "Hardsigmoid()(x)", "GLU(2)(b)", "RMSNorm(3)(x)", "RMSNorm(3)", "Unflatten(1, (3, 1))(x)",
    "SoftMarginLoss()(x, q)",
    "Softplus()(x)", "Identity()(x)", "Linear(3, 2)(x)", "Linear(3, 2, bias=False)(x)",
    "Dropout(0.0)(x)", "Dropout1d(0.0)(x)", "Dropout2d(0.0)(c2)",
    "LayerNorm(3)(x)", "BatchNorm1d(3)(x)", "BatchNorm2d(1)(c2)",
    "GroupNorm(1, 1)(c2)", "InstanceNorm2d(1)(c2)", "GroupNorm(1, 2)", "InstanceNorm1d(3)",
    "CosineSimilarity()(x, y)", "PairwiseDistance()(x, y)", "Upsample(2)(c2)", "ParameterList([y])",
    "ParameterDict({'y': y})", "Embedding(3, 2)(j)", "Conv1d(1, 1, 2)(c1)", "Conv2d(1, 1, 2)(c2)",
    "ConvTranspose1d(1, 1, 2)(c1)", "ConvTranspose2d(1, 1, 2)(c2)", "AvgPool2d(2)(c2)",
    "AvgPool1d(2)(c1)", "MaxPool1d(2)(c1)", "AdaptiveAvgPool1d(2)(c1)", "MaxPool2d(2)(c2)",
    "AdaptiveAvgPool2d(1)(c2)", "Flatten()(x)", "MSELoss()(x, y)", "L1Loss()(x, y)",
    "SmoothL1Loss()(x, y)", "MarginRankingLoss()(x, y, q)", "HingeEmbeddingLoss()(x, q)",
    "CosineEmbeddingLoss()(x, y, k)", "TripletMarginLoss()(x, y, q)", "PoissonNLLLoss()(x, q)",
    "GaussianNLLLoss()(x, y, p)", "HuberLoss()(x, y)", "HuberLoss(delta=0.5)(x, y)",
    "LeakyReLU(0.5)(x)", "ELU(0.5)(x)",
    "Softplus(0.5)(x)", "LayerNorm(3, 0.5)(x)", "BatchNorm1d(3, 0.5, 0.5)(y)", "BCELoss()(p, q)",
    "BCEWithLogitsLoss()(x, q)", "CrossEntropyLoss()(x, k)", "NLLLoss()(x, k)",
    "KLDivLoss(reduction='sum')(p.log(), p)", "Sequential(mg.nn.ReLU())(x)", "RNN(3, 2)(x)",
    "RNNCell(3, 2)(x)", "GRU(3, 2)(x)", "GRUCell(3, 2)(x)", "LSTM(3, 2)(x)", "LSTMCell(3, 2)(x)",
    "MultiheadAttention(2, 1)(b, b, b)", "TransformerEncoderLayer(2, 1, 2)(b)", "Linear(3, 2)",
    "Conv2d(1, 1, 2)", "LayerNorm(3)", "BatchNorm1d(3)", "Embedding(3, 2)", "Dropout(0.5)",
    "Parameter(y)", "Parameter(y, False)", "ModuleList([mg.nn.ReLU()])", "ModuleDict({})",
    "Sequential(mg.nn.ReLU(), mg.nn.ReLU())", "RNN(3, 2)", "init.zeros_(y)", "init.ones_(y)",
    "init.constant_(y, 1.0)", "init.eye_(y)", "init.uniform_(y, 0.0, 0.0)",
    "init.normal_(y, 0.0, 0.0)", "init.calculate_gain('relu')", "init.xavier_uniform_(y)",
    "init.kaiming_normal_(y)", "utils.clip_grad_norm_([x], 1.0)",
    "utils.clip_grad_value_([r], 1.0)", "utils.get_total_norm([x])",
)  # fmt: skip
STEPS = (
    "optim.SGD([x], 0.1)", "optim.SGD([x], lr=0.1, momentum=0.5)", "optim.Adam([x], 0.1)",
    "optim.AdamW([x], 0.1)", "optim.RMSprop([x], 0.1)", "optim.Adagrad([x], 0.1)",
    "optim.Adadelta([x])", "optim.Adamax([x])", "optim.NAdam([x])", "optim.LBFGS([x])",
    "optim.SGD([{'params': [x]}], lr=0.1)", "optim.lr_scheduler.StepLR(mg.optim.SGD([x], 0.1), 2)",
    "optim.lr_scheduler.ExponentialLR(mg.optim.SGD([x], 0.1), 0.5)",
    "optim.lr_scheduler.LambdaLR(mg.optim.SGD([x], 0.1), lambda n: 1.0)",
    "autograd.grad(x.sum(), x)", "autograd.grad([x.sum()], [x])", "autograd.backward(x.sum())",
    "autograd.grad(x.sum(), x, mg.tensor(1.0))", "autograd.backward([x.sum()], [mg.tensor(1.0)])",
    "autograd.grad(x.sum(), x, retain_graph=True)", "autograd.functional.jacobian(mg.exp, v)",
    "autograd.functional.vjp(mg.exp, v, v)", "autograd.functional.hessian(mg.sum, v)",
    "autograd.gradcheck(mg.exp, (v.double().requires_grad_(),))", "autograd.set_grad_enabled(True)",
    "autograd.graph.get_gradient_edge(x.exp())", "autograd.graph.saved_tensors_hooks(print, print)",
    "autograd.graph.register_multi_grad_hook([x], print)", "autograd.graph.increment_version(y)",
    "utils.checkpoint.checkpoint(mg.exp, x, use_reentrant=False)", "utils.data.TensorDataset(y)",
    "utils.data.DataLoader(mg.utils.data.TensorDataset(y), 1)", "distributions.Normal(0.0, 1.0)",
    "distributions.Categorical(p)", "distributions.Bernoulli(p)",
    "distributions.kl_divergence(mg.distributions.Bernoulli(p), mg.distributions.Bernoulli(p))",
    "func.functional_call(mg.nn.ReLU(), {}, (x,))", "no_grad()",
    "enable_grad()", "inference_mode(True)", "Size([1])", "autograd.detect_anomaly()",
    "set_grad_enabled(True)", "device('cpu')", "Generator()",
    "set_printoptions()", "seed()", "initial_seed()",
)  # fmt: skip


def _calls():
    for name in UNARY:
        yield f"mg.{name}(y)"
        if not name.endswith("_like") and name not in (
            "is_tensor",
            "var_mean",
        ):
            yield f"y.{name}()"
    yield from (f"y.{name}()" for name in (*METHODS_ONLY, *IN_PLACE))
    yield from (f"mg.{name}(y)" for name in IN_PLACE)
    for name in BINARY:
        yield f"mg.{name}(y, {'2' if name == 'pow' else 'x'})"
    yield from (f"y.{name}(x)" for name in BINARY[:-4])
    yield "y.pow(2)"
    for text in WITH_ARGUMENTS:
        yield f"mg.{text}"
        name, _, rest = text.partition("(")
        first, _, rest = rest.partition(", ")
        yield f"{first}.{name}({rest}"
    yield from (f"mg.{text}" for text in (*FUNCTIONS_ONLY, *STEPS))
    yield from METHODS
    yield from OPERATORS
    yield from (f"F.{text}" for text in LAYERS)
    yield from (f"mg.nn.{text}" for text in MODULES)


CALLS = tuple(dict.fromkeys(_calls()))
