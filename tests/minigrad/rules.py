"""Every differentiable operation, one line each: a function and the shapes it is tried with.

The tables are data for test_gradients.py and test_engine.py. Values lie at least 0.3 away from
0 and from each other, so that no finite difference steps over the kink of relu, max or clamp.
"""

import copy

import numpy as np

import minigrad as mg

SHAPES = [((),), ((3,),), ((2, 3),), ((2, 1, 3),), ((2, 0),)]
MATRICES = [((2, 3),), ((3, 3),), ((1, 4),)]
BLOCKS = [((2, 3, 4),), ((2, 1, 3),)]
PAIRS = [
    ((), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((2, 3), ()),
    ((1,), (2, 3)), ((2, 1, 3), (4, 1)), ((), (2, 2)), ((1, 1), (3,)), ((0, 3), (3,)),
]  # fmt: skip
INTO = [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), ()), ((4,), (1,))]
INF = float("inf")
SAME = [((3,), (3,)), ((2, 3), (2, 3)), ((), ())]


def leaf(shape, seed=0, positive=False):
    """Distinct float64 numbers of both signs, or of one."""
    random = np.random.default_rng(seed)
    n = int(np.prod(shape))
    numbers = random.permutation(np.linspace(0.3, 1.9, n)) + 0.01 * seed
    signs = 1 if positive else random.permutation(np.resize([1, -1], n))
    return mg.tensor(np.asarray(numbers * signs).reshape(shape), requires_grad=True)


def written(x, index, value):
    x = x.clone()
    x[index] = value
    return x


def weighted(pieces):
    """Several outputs as one, no two with the same weight."""
    return mg.cat([piece.reshape(-1) * k for k, piece in enumerate(pieces, 1)])


def turned(x):
    """x.T, which is deprecated for what is no matrix."""
    return x.T if x.ndim == 2 else x.permute(tuple(range(x.ndim))[::-1])


def followed(x, view):
    """A view of a copy of `x` that is written to after the view was made."""
    y = x * 1
    seen = view(y)
    y.mul_(3)
    return seen


F, nn = mg.nn.functional, mg.nn
UNARY = {
    "-x": lambda x: -x,
    "abs": lambda x: x.abs(),
    "clone": lambda x: x.clone(),
    "exp": lambda x: x.exp(),
    "isfinite": lambda x: x * x.isfinite(),
    "clamp_min": lambda x: x.clamp_min(0.5),
    "tanh": lambda x: x.tanh(),
    "sigmoid": lambda x: x.sigmoid(),
    "relu": lambda x: x.relu(),
    "sin": lambda x: x.sin(),
    "cos": lambda x: x.cos(),
    "square": lambda x: x.square(),
    "reciprocal": lambda x: x.reciprocal(),
    "clamp": lambda x: x.clamp(-1.11, 1.13),
    "clamp(min)": lambda x: x.clamp(min=0),
    "clamp(max)": lambda x: x.clamp(max=0.9),
    "x + 2": lambda x: x + 2,
    "2 + x": lambda x: 2 + x,
    "x - 2.5": lambda x: x - 2.5,
    "2 - x": lambda x: 2 - x,
    "x * 3": lambda x: x * 3,
    "3 * x": lambda x: 3 * x,
    "x / 4": lambda x: x / 4,
    "4 / x": lambda x: 4 / x,
    "x ** 3": lambda x: x**3,
    "x ** 2.0": lambda x: x**2.0,
    "x ** -1": lambda x: x**-1,
    "x ** 1": lambda x: x**1,
    "x ** 0": lambda x: x**0,
    "2 ** x": lambda x: 2**x,
    "1.5 ** x": lambda x: 1.5**x,
    "0 ** x": lambda x: 0 ** (x * x),
    "x % 0.7": lambda x: x % 0.7,
    "x %= 0.7": lambda x: (x * 2).remainder_(0.71),
    "fmod(0.7)": lambda x: x.fmod(0.7),
    "fmod_(0.7)": lambda x: (x * 2).fmod_(0.71),
    "mul(2, x)": lambda x: mg.mul(2, x),
    "sub(2, x)": lambda x: mg.sub(2, x),
    "add(2, x, alpha)": lambda x: mg.add(2, x, alpha=1.5),
    "div(2, x)": lambda x: mg.div(2, x),
    "div(2, x, trunc)": lambda x: mg.div(2, x, rounding_mode="trunc") * x,
    "x + x": lambda x: x + x,
    "x * x": lambda x: x * x,
    "x - x*x": lambda x: x - x * x,
    "x / (1+x*x)": lambda x: x / (1 + x * x),
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean() if x.numel() else x.sum(),
    "x[...]": lambda x: x[...],
    "x[None]": lambda x: x[None],
    "unsqueeze(-1)": lambda x: x.unsqueeze(-1),
    "squeeze": lambda x: x.squeeze(),
    "expand": lambda x: x.expand(3, *x.shape),
    "view(-1)": lambda x: x.view(-1) if x.numel() else x.view(x.numel()),
    "flatten": lambda x: x.flatten(),
    "T": turned,
    "exp_": lambda x: x.clone().exp_(),
    "tanh_": lambda x: x.clone().tanh_(),
    "neg_": lambda x: x.clone().neg_(),
    "relu_": lambda x: x.clone().relu_(),
    "sigmoid_": lambda x: x.clone().sigmoid_(),
    "abs_": lambda x: x.clone().abs_(),
    "square_": lambda x: x.clone().square_(),
    "clamp_": lambda x: x.clone().clamp_(-1.11, 1.13),
    "uniform_": lambda x: (x * 2).uniform_(1, 1) * x,
    "normal_": lambda x: (x * 2).normal_(1, 0) * x,
    "bernoulli_": lambda x: (x * 2).bernoulli_(1) * x,
    "bernoulli": lambda x: (x * 0 + 1).bernoulli() * x,
    "bernoulli_(chances)": lambda x: (x * 2).bernoulli_(x * 0 + 1) * x,
    "normal(means)": lambda x: mg.normal(x - x, 0.0) + x,
    "normal(deviations)": lambda x: mg.normal(0.0, x - x) + x,
    "normal(both)": lambda x: mg.normal(x - x, x - x) + x,
    "masked_fill": lambda x: x.masked_fill(x.detach() > 0.7, 1.5),
    "masked_fill_": lambda x: (x * 2).masked_fill_(x.detach() > 0.7, 1.5) * x,
    "masked_select": lambda x: x.masked_select(x.detach() > 0),
    "norm": lambda x: x.norm(),
    "norm(1)": lambda x: x.norm(1),
    "norm(3)": lambda x: x.norm(3),
    "norm(0.5)": lambda x: x.norm(0.5),
    "norm(inf)": lambda x: x.norm(float("inf")) if x.numel() else x.sum(),
    "prod": lambda x: x.prod(),
    "prod, a zero": lambda x: (x * (x.detach() < 1.8)).prod(),
    "repeat": lambda x: x.repeat(2, *(3,) * x.ndim) if x.ndim else x.repeat(2),
    "roll": lambda x: x.roll(2),
    "zero_": lambda x: (x * 2).zero_() + x,
    "fill_": lambda x: (x * 2).fill_(1.5) * x,
    "mul_(2)": lambda x: x.clone().mul_(2),
    "add_(2)": lambda x: x.clone().add_(2),
    "sub_(2)": lambda x: x.clone().sub_(2),
    "div_(2)": lambda x: x.clone().div_(2),
    "x[...] = 2": lambda x: written(x, ..., 2),
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "leaky_relu_": lambda x: F.leaky_relu(x * 2, 0.1, inplace=True),
    "elu": lambda x: F.elu(x, 0.7),
    "elu_": lambda x: F.elu(x * 2, 0.7, inplace=True),
    "celu": lambda x: F.celu(x, 0.7),
    "celu(2)": lambda x: F.celu(x, 2),
    "celu_": lambda x: F.celu(x * 2, 0.7, inplace=True),
    "softshrink": lambda x: F.softshrink(x, 0.83),
    "softshrink(0.5)": lambda x: F.softshrink(x * 2, 0.53),
    "hardshrink": lambda x: x.hardshrink(0.83),
    "nan_to_num": lambda x: x.masked_fill(x.detach() > 0.7, INF).nan_to_num(posinf=1.5),
    "nan_to_num_": lambda x: x.masked_fill(x.detach() > 0.7, -INF).nan_to_num_(0.5, 1.5, -2.0),
    "threshold": lambda x: F.threshold(x, 0.83, 0.2),
    "threshold_": lambda x: F.threshold(x * 2, 0.83, 0.2, inplace=True),
    "selu": F.selu,
    "gelu": F.gelu,
    "gelu(tanh)": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "silu_": lambda x: F.silu(x * 2, inplace=True),
    "mish": F.mish,
    "hardswish": lambda x: F.hardswish(x * 2),
    "hardswish_": lambda x: F.hardswish(x * 2, inplace=True),
    "hardsigmoid": lambda x: F.hardsigmoid(x * 2),
    "hardsigmoid_": lambda x: F.hardsigmoid(x * 2, inplace=True),
    "unflatten": lambda x: x.unflatten(-1, (1, -1)) if x.ndim and x.numel() else x * 1,
    "softplus": lambda x: F.softplus(x, 3, 4),
    "hardtanh": lambda x: F.hardtanh(x, -1.11, 1.13),
    "relu6": lambda x: F.relu6(x * 4),
    "logsigmoid": F.logsigmoid,
    "softsign": F.softsign,
    "tan": lambda x: x.tan(),
    "atan": lambda x: x.atan(),
    "asin": lambda x: (x * 0.2).asin(),
    "acos": lambda x: (x * 0.2).acos(),
    "atanh": lambda x: (x * 0.2).atanh(),
    "sinh": lambda x: x.sinh(),
    "cosh": lambda x: x.cosh(),
    "asinh": lambda x: x.asinh(),
    "erf": lambda x: x.erf(),
    "erfc": lambda x: x.erfc(),
    "expm1": lambda x: x.expm1(),
    "exp2": lambda x: x.exp2(),
    "x.sign()": lambda x: x.sign() * x,
    "x.floor()": lambda x: x.floor() * x,
    "x.ceil()": lambda x: x.ceil() * x,
    "x.round()": lambda x: x.round() * x,
    "x.floor_()": lambda x: (x * 1).floor_() * x,
    "the old value lives": lambda x: (lambda y: y.exp() * y.add_(1))(x * 2),
}
POSITIVE = {
    "sqrt": lambda x: x.sqrt(),
    "log": lambda x: x.log(),
    "log1p": lambda x: x.log1p(),
    "log2": lambda x: x.log2(),
    "log10": lambda x: x.log10(),
    "logit": lambda x: (x * 0.2).logit(),
    "logit(eps)": lambda x: (x * 0.2).logit(0.01),
    "rsqrt": lambda x: x.rsqrt(),
    "acosh": lambda x: (x + 1).acosh(),
    "x ** 0.5": lambda x: x**0.5,
    "x ** -1.5": lambda x: x**-1.5,
}
ONE_AXIS = {
    "max": lambda x: x.max(),
    "median": lambda x: x.median(),
    "median(-1)": lambda x: x.median(-1).values,
    "min": lambda x: x.min(),
    "max(0)": lambda x: x.max(0).values,
    "max(-1, keepdim)": lambda x: x.max(-1, keepdim=True).values,
    "min(1)": lambda x: x.min(1).values,
    "min(0, keepdim)": lambda x: x.min(0, keepdim=True)[0],
    "amax": lambda x: x.amax(),
    "amax(-1)": lambda x: x.amax(-1),
    "amin((0, 1), keepdim)": lambda x: x.amin((0, 1), keepdim=True),
    "sum(0)": lambda x: x.sum(0),
    "sum(-1, keepdim)": lambda x: x.sum(-1, keepdim=True),
    "sum((0, 1))": lambda x: x.sum((0, 1)),
    "sum((0, -1), keepdim)": lambda x: x.sum((0, -1), keepdim=True),
    "mean(0)": lambda x: x.mean(0),
    "mean(-1, keepdim)": lambda x: x.mean(-1, keepdim=True),
    "mean((0, 1))": lambda x: x.mean((0, 1)),
    "var": lambda x: x.var(),
    "var(0)": lambda x: x.var(0, unbiased=False),
    "std": lambda x: x.std(),
    "std(-1, keepdim)": lambda x: x.std(-1, keepdim=True),
    "std(correction)": lambda x: x.std((0, -1), correction=0.5),
    "var_mean": lambda x: weighted(mg.var_mean(x, -1)),
    "its mean": lambda x: mg.var_mean(x, (0, 1))[1],
    "norm(dim)": lambda x: x.norm(dim=-1),
    "norm(1.5, dim)": lambda x: x.norm(1.5, dim=(0, 1), keepdim=True),
    "norm(-inf, dim)": lambda x: x.norm(-float("inf"), dim=1),
    "prod(1)": lambda x: x.prod(1),
    "cumprod": lambda x: x.cumprod(-1),
    "cumprod(0), zeros": lambda x: (x * (x.detach() > 0)).cumprod(0),
    "logsumexp": lambda x: x.logsumexp((0, -1)),
    "logsumexp(1, keepdim)": lambda x: x.logsumexp(1, keepdim=True),
    "normalize": F.normalize,
    "prelu": lambda x: F.prelu(x, x.abs().mean().view(1)),
    "cdist": lambda x: mg.cdist(x.flatten(1), x.flatten(1) * 2 + 1),
    "prod(-1), zeros": lambda x: (x * (x.detach() > 0)).prod(-1, keepdim=True),
    "flip": lambda x: x.flip(0, -1),
    "roll(1, 0)": lambda x: x.roll((1, -2), (0, 1)),
    "tril": lambda x: x.tril(),
    "triu_": lambda x: x.clone().triu_(1),
    "unfold": lambda x: x.unfold(-1, 2, 1),
    "diff": lambda x: x.diff(dim=0, append=x),
    "diagonal": lambda x: x.diagonal(0, 1, 0),
    "diagonal(1)": lambda x: x.diagonal(-1, 0, 1),
    "diag": lambda x: x[0].diag(1),
    "diag of a matrix": lambda x: x.flatten(1).diag(-1),
    "diag_embed": lambda x: x.diag_embed(-1, 0, 2),
    "trace": lambda x: x.flatten(1).trace(),
    "fill_diagonal_": lambda x: (x * 2).fill_diagonal_(1.5) * x if x.ndim == 2 else x * 1,
    "take_along_dim": lambda x: x.take_along_dim(mg.zeros_like(x[:1], dtype=mg.int64) - 1, 1),
    "take_along_dim, in a row": lambda x: x.take_along_dim(mg.zeros(2, 2, dtype=mg.int64)),
    "gather": lambda x: x.gather(1, mg.zeros_like(x, dtype=mg.int64)),
    "scatter": lambda x: x.scatter(1, mg.zeros_like(x.narrow(1, 0, 1), dtype=mg.int64), 1.5),
    "index_select": lambda x: x.index_select(-1, mg.tensor([0, 0])),
    "sort": lambda x: x.sort().values,
    "sort(0)": lambda x: x.sort(0, descending=True).values,
    "sort(stable)": lambda x: x.sort(dim=1, stable=True).values,
    "topk": lambda x: x.topk(1, largest=False).values,
    "einsum, a sum": lambda x: mg.einsum("a...->...", x),
    "softmax(0)": lambda x: x.softmax(0),
    "softmax(-1)": lambda x: x.softmax(-1),
    "log_softmax(0)": lambda x: x.log_softmax(0),
    "log_softmax(-1)": lambda x: x.log_softmax(-1),
    "cumsum(0)": lambda x: x.cumsum(0),
    "cumsum(-1)": lambda x: x.cumsum(-1),
    "logcumsumexp(0)": lambda x: x.logcumsumexp(0),
    "logcumsumexp(-1)": lambda x: x.logcumsumexp(-1),
    "transpose": lambda x: x.transpose(0, -1),
    "movedim": lambda x: x.movedim(0, -1),
    "ravel": lambda x: x.transpose(0, -1).ravel(),
    "broadcast_to": lambda x: x.broadcast_to(2, *x.shape) * 2,
    "meshgrid": lambda x: mg.meshgrid(x.ravel(), x[0].ravel(), indexing="xy")[0] * 2,
    "broadcast_tensors": lambda x: mg.broadcast_tensors(x, x[:1])[1] * x,
    "permute": lambda x: x.permute(*range(1, x.ndim), 0),
    "permute there and on": lambda x: x.permute(1, 0, *range(2, x.ndim)).exp(),
    "reshape of a transpose": lambda x: x.transpose(0, 1).reshape(-1),
    "contiguous": lambda x: x.transpose(0, 1).contiguous(),
    "select": lambda x: x.select(1, -1),
    "narrow": lambda x: x.narrow(1, 1, 2) if x.shape[1] > 2 else x.narrow(1, 0, 1),
    "squeeze(0)": lambda x: x.squeeze(0),
    "squeeze((0, -1))": lambda x: x.squeeze((0, -1)),
    "x[0]": lambda x: x[0],
    "x[-1, 0]": lambda x: x[-1, 0],
    "x[..., 0]": lambda x: x[..., 0],
    "x[:, ::2]": lambda x: x[:, ::2],
    "x[0, None, 0:1]": lambda x: x[0, None, 0:1],
    "x[[0, 0, -1]]": lambda x: x[[0, 0, -1]],
    "x[:, [0, 0]]": lambda x: x[:, [0, 0]],
    "x[tensor]": lambda x: x[mg.tensor([0, -1, 0, 0])],
    "x[mask]": lambda x: x[x.detach() > 0],
    "x[rows, columns]": lambda x: x[[0, -1, 0], [0, 0, 0]],
    "split": lambda x: weighted(x.split(2, 1)),
    "one piece of split": lambda x: x.split(1, 1)[0],
    "chunk": lambda x: weighted(x.chunk(2, -1)),
    "chunk of nothing": lambda x: x.chunk(2, -1)[0].sum() + x[:, :0].chunk(2, 1)[1].sum(),
    "a view, then a write": lambda x: followed(x, lambda y: y[1:, ::2]),
    "an expanded view, then a write": lambda x: followed(
        x, lambda y: turned(y).expand(2, *turned(y).shape)
    ),
    "unbind": lambda x: weighted(x.unbind(1)),
    "one of unbind": lambda x: x.unbind(0)[-1],
    "for row in x": lambda x: weighted(list(x)),
    "cat of itself": lambda x: mg.cat([x, x * 2, x], 1),
    "x[0] = 2": lambda x: written(x, 0, 2),
    "x[:, 0] = x[:, -1]": lambda x: written(x, (slice(None), 0), x[:, -1]),
    "x @ x.T": lambda x: x[0] @ x[0].T if x.ndim > 2 else x @ x.t(),
}
TWO = {
    "x + y": lambda x, y: x + y,
    "x - y": lambda x, y: x - y,
    "x * y": lambda x, y: x * y,
    "x / y": lambda x, y: x / y,
    "atan2": lambda x, y: mg.atan2(x, y),
    "logaddexp": lambda x, y: mg.logaddexp(x, y),
    "maximum": lambda x, y: mg.maximum(x, y),
    "x % y": lambda x, y: x % (y * 0.77),
    "x %= y": lambda x, y: (x * 0.83 + y * 0).remainder_(y),
    "fmod": lambda x, y: x.fmod(y * 0.77),
    "div(floor)": lambda x, y: x.div(y * 0.77, rounding_mode="floor") * x,
    "div(None)": lambda x, y: x.div(y, rounding_mode=None),
    "div_(trunc)": lambda x, y: (x * 0.83 + y * 0).div_(y, rounding_mode="trunc") * x,
    "minimum": lambda x, y: mg.minimum(x, y),
    "where": lambda x, y: mg.where((x.detach() > 0) & (y.detach() == y.detach()), x, y),
    "where(numbers)": lambda x, y: mg.where(x.detach() > 0, x, 3.5) + mg.where(y > 0, -1, y),
}
TWO_POSITIVE = {"x ** y": lambda x, y: x**y}
INTO_X = {
    "add_": lambda x, y: x.clone().add_(y),
    "add_(alpha)": lambda x, y: x.clone().add_(y, alpha=3),
    "sub_": lambda x, y: x.clone().sub_(y),
    "sub_(alpha)": lambda x, y: x.clone().sub_(y, alpha=0.5),
    "mul_": lambda x, y: x.clone().mul_(y),
    "div_": lambda x, y: x.clone().div_(y),
    "copy_": lambda x, y: x.clone().copy_(y) + x,
    "x[...] = y": lambda x, y: written(x, ..., y),
    "+= and *=": lambda x, y: (x * 2).__iadd__(y).__imul__(3),
}


def counted(x):
    """Each row another place of the first axis."""
    places = mg.arange(len(x) if x.ndim else 1)
    return (places.view(-1, *(1,) * (x.ndim - 1)) if x.ndim else places[0]).expand(x.shape)


PAIR = {
    "mse_loss": F.mse_loss,
    "mse_loss(sum)": lambda x, y: F.mse_loss(x, y, reduction="sum"),
    "mse_loss(none)": lambda x, y: F.mse_loss(x, y, reduction="none"),
    "l1_loss": F.l1_loss,
    **{
        f"smooth_l1_loss({r})": lambda x, y, r=r: F.smooth_l1_loss(x, y, reduction=r, beta=0.9)
        for r in ("mean", "sum", "none")
    },
    **{
        f"huber_loss({r})": lambda x, y, r=r: F.huber_loss(x, y, reduction=r, delta=0.9)
        for r in ("mean", "sum", "none")
    },
    **{
        f"binary_cross_entropy({r})": lambda x, y, r=r: F.binary_cross_entropy(
            x.sigmoid(), y.sigmoid(), weight_of(x), reduction=r
        )
        for r in ("mean", "sum", "none")
    },
    **{
        f"binary_cross_entropy_with_logits({r})": lambda x, y, r=r: (
            F.binary_cross_entropy_with_logits(x, y, weight_of(x), reduction=r)
            + F.binary_cross_entropy_with_logits(x, y, reduction=r, pos_weight=3 * weight_of(x))
        )
        for r in ("mean", "sum", "none")
    },
    "margin_ranking_loss": lambda x, y: F.margin_ranking_loss(x, y, x.detach().sign(), 0.1),
    **{
        f"soft_margin_loss({r})": lambda x, y, r=r: F.soft_margin_loss(
            x * y, y.detach().sign(), reduction=r
        )
        for r in ("mean", "sum", "none")
    },
    "hinge_embedding_loss": lambda x, y: F.hinge_embedding_loss(x * y, y.detach().sign(), 9.0),
    "poisson_nll_loss": lambda x, y: F.poisson_nll_loss(x.exp(), y.exp(), False, True),
    "gaussian_nll_loss": lambda x, y: F.gaussian_nll_loss(x, y * 2, 2.0, True),
    "inner": lambda x, y: x.inner(y),
    "tensordot": lambda x, y: mg.tensordot(x, y, ([*range(x.ndim)], [*range(y.ndim)])),
    "kl_div": lambda x, y: F.kl_div(x, y.exp(), reduction="sum"),
    "kl_div(log_target)": lambda x, y: F.kl_div(x, y, reduction="none", log_target=True),
    "pairwise_distance": F.pairwise_distance,
    "pairwise_distance(3)": lambda x, y: F.pairwise_distance(x, y, 3.0, 0.5, True),
    "cosine_similarity": lambda x, y: F.cosine_similarity(x, y, dim=-1),
    "stack(0)": lambda x, y: mg.stack([x, y, x]),
    "stack(-1)": lambda x, y: mg.stack([x, y], -1),
    "scatter(source)": lambda x, y: x.scatter(0, counted(x), y),
    "index_add": lambda x, y: x.index_add(
        0, counted(x).reshape(len(x) if x.ndim else 1, -1)[:, 0], y, alpha=2
    ),
    "scatter_add": lambda x, y: x.scatter_add(0, counted(x) * 0, y),
    "einsum, elements": lambda x, y: mg.einsum("...,...->...", x, y),
}
LOSSES = {
    f"cross_entropy({reduction})": (
        lambda x, r=reduction: F.cross_entropy(x, classes(len(x)), reduction=r), MATRICES
    )
    for reduction in ("mean", "sum", "none")
} | {
    "cross_entropy of places": (
        lambda x: F.cross_entropy(x, mg.tensor([[0, 2, -100, 1]])), [((1, 3, 4),)]
    ),
    **{
        f"cross_entropy of images ({reduction})": (
            lambda x, r=reduction: F.cross_entropy(
                x, mg.tensor([[[0, 2], [-100, 1]]]), weight_of(x[0, :, 0, 0]), reduction=r
            ),
            [((1, 3, 2, 2),)],
        )
        for reduction in ("mean", "sum", "none")
    },
    "cross_entropy of probabilities": (
        lambda x: F.cross_entropy(x, weight_of(x).expand_as(x), label_smoothing=0.1), MATRICES
    ),
    "cross_entropy of one": (lambda x: F.cross_entropy(x, mg.tensor(1)), [((3,),)]),
    "cross_entropy, one ignored": (
        lambda x: F.cross_entropy(x, mg.tensor([1, -100, 0])), [((3, 2),)]
    ),
    **{
        f"cross_entropy, smoothed ({reduction})": (
            lambda x, r=reduction: F.cross_entropy(
                x, mg.tensor([1, -100, 0]), reduction=r, label_smoothing=0.3
            ),
            [((3, 2),)],
        )
        for reduction in ("mean", "sum", "none")
    },
    **{
        f"cross_entropy, smoothed, with weights ({reduction})": (
            lambda x, r=reduction: F.cross_entropy(
                x,
                mg.tensor([1, -100, 0]),
                mg.tensor([0.5, 2.0], dtype=x.dtype),
                reduction=r,
                label_smoothing=0.3,
            ),
            [((3, 2),)],
        )
        for reduction in ("mean", "sum", "none")
    },
}  # fmt: skip


def weight_of(x):
    """Two numbers in turn, along the last axis."""
    return mg.where(mg.arange(x.shape[-1] if x.ndim else 1) % 2 == 0, 0.5, 2).to(x.dtype)[
        (...,) if x.ndim else 0
    ]


def classes(n):
    return mg.tensor([1, 2, 0][:n])


def batch_norm(x, *parameters, training=True):
    statistics = mg.full((x.shape[1],), 0.2), mg.full((x.shape[1],), 1.3)
    return F.batch_norm(x, *(s.to(x.dtype) for s in statistics), *parameters, training=training)


IMAGES = [((1, 2, 2, 3),), ((2, 1, 3, 1),)]
LAYERS = {
    "interpolate": (lambda x: F.interpolate(x, (3, 5)), IMAGES),
    "interpolate(scale)": (lambda x: F.interpolate(x, scale_factor=(2, 1.5)), IMAGES),
    "interpolate, bilinear": (lambda x: F.interpolate(x, (4, 5), mode="bilinear"), IMAGES),
    "interpolate, corners": (
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True), IMAGES
    ),
    "conv2d": (F.conv2d, [((2, 2, 4, 3), (3, 2, 2, 2)), ((1, 1, 2, 2), (1, 1, 1, 1), (1,))]),
    "conv2d, groups": (
        lambda *given: F.conv2d(*given, groups=2, padding="same"),
        [((2, 4, 3, 3), (2, 2, 1, 3), (2,)), ((1, 2, 3, 4), (4, 1, 1, 1))],
    ),
    "conv_transpose1d, groups": (
        lambda *given: F.conv_transpose1d(*given, groups=2, stride=2), [((2, 4, 3), (4, 1, 2))]
    ),
    "pad": (lambda x: F.pad(x, (1, -1, 0, 2), value=0.5), [((2, 3),), ((1, 2, 3),)]),
    "conv2d, one image": (F.conv2d, [((2, 3, 3), (2, 2, 2, 3), (2,))]),
    "conv2d, strides": (
        lambda *given: F.conv2d(*given, stride=(2, 1), padding=(1, 2)),
        [((2, 2, 4, 3), (3, 2, 3, 2), (3,))],
    ),
    "conv2d, dilated": (
        lambda *given: F.conv2d(*given, dilation=(2, 1)), [((1, 2, 4, 3), (3, 2, 2, 2), (3,))]
    ),
    "conv1d": (
        lambda *given: F.conv1d(*given, stride=2, padding=1),
        [((2, 2, 5), (3, 2, 3), (3,)), ((2, 5), (1, 2, 2))],
    ),
    "conv_transpose1d": (
        lambda *given: F.conv_transpose1d(*given, stride=2),
        [((2, 2, 5), (2, 3, 5), (3,)), ((2, 6), (2, 1, 5))],  # 5, for no length is refused
    ),
    "conv_transpose2d": (
        lambda *given: F.conv_transpose2d(
            *given, stride=(2, 1), padding=(1, 0), output_padding=(1, 0)
        ),
        [((2, 2, 5, 6), (2, 3, 5, 1), (3,)), ((2, 5, 1), (2, 1, 5, 5), (1,))],
    ),
    "conv_transpose2d, dilated": (
        lambda *given: F.conv_transpose2d(*given, output_padding=1, dilation=(2, 3)),
        [((1, 2, 5, 1), (2, 3, 1, 5))],
    ),
    "conv1d, dilated": (lambda *given: F.conv1d(*given, dilation=2), [((2, 2, 5), (1, 2, 2))]),
    "layer_norm": (
        lambda x, *given: F.layer_norm(x, x.shape[-1:], *given),
        [((3, 4), (4,), (4,)), ((2, 3, 2), (2,)), ((2, 3),)],
    ),
    "layer_norm, two axes": (
        lambda x, *given: F.layer_norm(x, (2, 3), *given), [((3, 2, 3), (2, 3), (2, 3))]
    ),
    "rms_norm": (
        lambda x, *given: F.rms_norm(x, x.shape[-1:], *given),
        [((3, 4), (4,)), ((2, 3, 2), (2,)), ((2, 3),)],
    ),
    "rms_norm, two axes": (
        lambda x, *given: F.rms_norm(x, (2, 3), *given, 0.1), [((3, 2, 3), (2, 3))]
    ),
    "glu": (F.glu, [((2, 4),), ((2,),), ((2, 0),)]),
    "glu(0)": (lambda x: F.glu(x, 0), [((4, 3),), ((2, 1, 2),)]),
    "batch_norm": (batch_norm, [((4, 2), (2,), (2,)), ((2, 3, 2), (3,)), ((3, 2),)]),
    "group_norm": (
        lambda x, *given: F.group_norm(x, 2, *given),
        [((2, 4, 2), (4,), (4,)), ((1, 2, 3), (2,)), ((2, 4),)],
    ),
    "instance_norm": (
        lambda x, *given: F.instance_norm(x, None, None, *given),
        [((2, 2, 3), (2,), (2,)), ((1, 2, 2, 2), (2,)), ((2, 1, 3),)],
    ),
    "batch_norm in eval": (
        lambda *given: batch_norm(*given, training=False),
        [((4, 2), (2,), (2,)), ((2, 3, 2), (3,)), ((3, 2),)],
    ),
}  # fmt: skip
IMAGES = [((2, 2, 5, 4),), ((2, 4, 5),)]
POOLS = {
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), IMAGES),
    "max_pool2d, overlapping": (lambda x: F.max_pool2d(x, (3, 2), 1, (1, 1), (1, 2)), IMAGES),
    "max_pool2d, ceil": (lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), IMAGES),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), IMAGES),
    "avg_pool2d, overlapping": (lambda x: F.avg_pool2d(x, 3, (2, 1), 1, True, False), IMAGES),
    "avg_pool2d, a divisor": (lambda x: F.avg_pool2d(x, 2, divisor_override=3), IMAGES),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (3, 2)), IMAGES),
    "adaptive_avg_pool2d(1)": (lambda x: F.adaptive_avg_pool2d(x, 1), IMAGES),
    "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2, 1, ceil_mode=True), [((2, 2, 5),), ((2, 4),)]),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 2, 1, 1), [((2, 2, 5),), ((2, 4),)]),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 3), [((2, 2, 5),), ((2, 4),)]),
}


def rows():
    return mg.tensor([[0, 2, 2], [1, 0, 2]])


def padded(x):
    """The third row is the padding: its gradient is 0 though it shows in the result."""
    return F.embedding(rows(), mg.cat([x, mg.zeros(1, 2, dtype=x.dtype)]), 2)


TABLES = {
    "embedding": (lambda x: F.embedding(rows(), x), [((3, 2),), ((4, 1),)]),
    "embedding of one": (lambda x: F.embedding(mg.tensor(1), x), [((3, 2),)]),
    "embedding, padded": (padded, [((2, 2),)]),
}


def with_parameters(module):
    """The module as a function of its parameters; those that it began with are given up."""
    names = [name for name, _ in module.named_parameters()]
    for name in names:
        delattr(module, name)
    vars(module)["_flat_weights"] = []  # where PyTorch's RNN has them once more

    def made(*parameters):
        new = copy.copy(module)
        vars(new).update(zip(names, parameters, strict=True))
        # Of those that it began with, PyTorch's RNN has weak references.
        vars(new).update(_flat_weights=[*parameters], _flat_weight_refs=[None for _ in names])
        return new

    return made


lstm_cell, gru_cell = with_parameters(nn.LSTMCell(2, 1)), with_parameters(nn.GRUCell(2, 1))
rnn = with_parameters(nn.RNN(1, 1, batch_first=True))
RECURRENT = {
    "LSTMCell": (
        lambda x, h, c, *rest: mg.cat(lstm_cell(*rest)(x, (h, c)), 1),
        [((3, 2), (3, 1), (3, 1), (4, 2), (4, 1), (4,), (4,))],
    ),
    "GRUCell": (
        lambda x, h, *rest: gru_cell(*rest)(x, h),
        [((3, 2), (3, 1), (3, 2), (3, 1), (3,), (3,))],
    ),
    "RNN, batch first": (
        lambda x, *rest: rnn(*rest)(x)[0],
        [((2, 3, 1), (1, 1), (1, 1), (1,), (1,))],
    ),
}
THREES = [((2, 3), (2, 3), (2, 3)), ((3,), (2, 3), (2, 1)), ((2, 3), (1,), (3,))]
PRODUCTS = {
    "1-d @ 1-d": (mg.matmul, [((3,), (3,)), ((1,), (1,))]),
    "2-d @ 1-d": (mg.matmul, [((2, 3), (3,)), ((1, 3), (3,))]),
    "1-d @ 2-d": (mg.matmul, [((3,), (3, 2)), ((1,), (1, 2))]),
    "2-d @ 2-d": (mg.matmul, [((2, 3), (3, 4)), ((1, 3), (3, 1)), ((3, 1), (1, 3))]),
    "3-d @ 2-d": (mg.matmul, [((2, 3, 4), (4, 2)), ((2, 1, 3, 2), (2, 2))]),
    "3-d @ 3-d": (mg.matmul, [((2, 3, 4), (2, 4, 2)), ((1, 1, 2), (1, 2, 1))]),
    "x.t() @ y": (lambda x, y: x.t() @ y, [((3, 2), (3, 4))]),
    "x @ y.t()": (lambda x, y: x @ y.t(), [((2, 3), (4, 3))]),
    "mm": (mg.mm, [((2, 3), (3, 2))]),
    "bmm": (mg.bmm, [((2, 3, 4), (2, 4, 1))]),
    "lerp(0.25)": (lambda x, y: x.lerp(y, 0.25), [lengths[:2] for lengths in THREES]),
    "lerp(0.75)": (lambda x, y: x.lerp(y, 0.75), [lengths[:2] for lengths in THREES]),
    "lerp(tensor)": (mg.lerp, THREES),
    "addcmul": (lambda x, y, z: mg.addcmul(x, y, z, value=-3), THREES),
    "addcdiv": (lambda x, y, z: mg.addcdiv(x, y, z.square() + 1, value=-3), THREES),
    "addmm": (mg.addmm, [((3,), (2, 4), (4, 3)), ((2, 1), (2, 4), (4, 3))]),
    "baddbmm": (mg.baddbmm, [((2, 3, 1), (2, 3, 4), (2, 4, 1)), ((1, 2), (2, 3, 4), (2, 4, 2))]),
    "outer": (mg.outer, [((2,), (3,))]),
    "masked_fill(tensor)": (
        lambda x, y: x.masked_fill(x.detach() > 0, y),
        [((2, 3), ()), ((), ())],
    ),
    "einsum": (lambda x, y: mg.einsum("bik,bjk->bji", x, y), [((2, 3, 4), (2, 1, 4))]),
    "einsum of a transpose": (lambda x, y: mg.einsum("ij,ik", x.t(), y), [((3, 2), (2, 4))]),
    "linear": (F.linear, [((2, 3), (4, 3), (4,)), ((2, 2, 3), (4, 3), (4,))]),
    "linear without bias": (F.linear, [((2, 3), (4, 3)), ((3,), (4, 3))]),
    "cat(0)": (lambda x, y: mg.cat([x, y]), [((2, 3), (1, 3)), ((2,), (3,)), ((0,), (2, 3))]),
    "cat(-1)": (lambda x, y: mg.cat([x, y], -1), [((2, 3), (2, 1))]),
    "x[0] = y": (lambda x, y: written(x, 0, y), [((2, 3), (3,)), ((2, 3), ()), ((3,), ())]),
    "x[:, 1:] = y": (
        lambda x, y: written(x, (slice(None), slice(1, None)), y),
        [((2, 3), (2, 2)), ((2, 3), (2, 1)), ((2, 3), (2,)), ((2, 3), (1, 1, 2))],
    ),
    "fill_(tensor)": (lambda x, y: x.clone().fill_(y), [((2, 3), ()), ((), ())]),
    "x[[2, 0]] = y": (lambda x, y: written(x, [2, 0], y), [((3, 2), (2, 2)), ((3, 2), (2,))]),
}


HEADS = [((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)), ((2, 1, 3, 4), (2, 1, 2, 4), (2, 1, 2, 4))]
# These have no second derivative, in PyTorch neither.
ONCE = "attention", "attention, causal", "cdist", "hardsigmoid", "hardsigmoid_"
ATTENTION = {
    "attention": (F.scaled_dot_product_attention, HEADS),
    "attention, causal": (
        lambda *given: F.scaled_dot_product_attention(*given, is_causal=True), HEADS
    ),
    "attention, composed": (
        lambda *given: F.scaled_dot_product_attention(*given, is_causal=True),
        [((3, 4), (2, 4), (2, 3)), ((2, 3, 4), (2, 3, 4), (2, 3, 2))],
    ),
}  # fmt: skip


def _table(rules, shapes, positive=False):
    return {name: (rule, shapes, positive) for name, rule in rules.items()}


EVERY = PRODUCTS | LAYERS | LOSSES | POOLS | TABLES | RECURRENT | ATTENTION
RULES = {
    **_table(UNARY, SHAPES),
    **_table(POSITIVE, SHAPES, positive=True),
    **_table(ONE_AXIS, MATRICES + BLOCKS),
    **_table(TWO, PAIRS),
    **_table(TWO_POSITIVE, PAIRS, positive=True),
    **_table(INTO_X, INTO),
    **_table(PAIR, SAME),
    **{name: (rule, shapes, False) for name, (rule, shapes) in EVERY.items()},
}


def uses(name):
    """(function, leaves) for each line of shapes; with several leaves, also each wanted alone."""
    function, lines, positive = RULES[name]
    for shapes in lines:
        for alone in (None, *range(len(shapes)))[: 1 if len(shapes) == 1 else None]:
            leaves = [leaf(shape, i, positive) for i, shape in enumerate(shapes)]
            for i, x in enumerate(leaves):
                x.requires_grad = alone in (None, i)
            yield function, leaves
