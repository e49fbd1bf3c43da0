"""minigrad: an autograd engine small enough to read, true to PyTorch in what it keeps and frees.

core/ is the engine: storage.py (who owns the bytes), node.py (what a node is), saved.py (what it
keeps), backward.py (the walk, and freeing). ops/ has the rules; ops/elementwise.py is a good first
one. All else rides on these two.
"""

# ruff: noqa: F401, I001, A004  (the public face, in reading order; names are PyTorch's)

from math import e, inf, nan, pi

from minigrad.core import backend
from minigrad import autograd  # before Tensor, which it brings along
from minigrad.core.dtypes import Size, bool_ as bool, device, dtype
from minigrad.core.dtypes import get_default_dtype, set_default_dtype
from minigrad.core.dtypes import float16, float32, float64, int32, int64, uint8
from minigrad.core.dtypes import float16 as half, float32 as float, float64 as double
from minigrad.core.dtypes import int32 as int, int64 as long
from minigrad.core.tensor import Tensor
from minigrad.ops.creation import (
    as_tensor, empty, empty_like, from_numpy, ones, ones_like, rand, rand_like, randn, randn_like,
    tensor, zeros, zeros_like,
)  # fmt: skip
from minigrad.ops.printing import set_printoptions
from minigrad.ops.ranges import arange, full, full_like, linspace
from minigrad import second as _second
from minigrad.ops.functions import (
    abs, add, addmm, all, any, argmax, argmin, cat, chunk, clamp, clone, cos, cumsum, div, eq,
    equal, exp, flatten, ge, gt, is_tensor, le, log, log_softmax, lt, matmul, max, maximum, mean,
    min, minimum, mm, mul, narrow, ne, neg, numel, permute, pow, reciprocal, relu, reshape, select,
    sigmoid, sin, softmax, split, split_with_sizes, sqrt, square, squeeze, stack,
    sub, sum, t, tanh, transpose, unbind, unsqueeze, where,
    absolute, argsort, baddbmm, bernoulli, bmm, clip, concat, concatenate, diagonal, divide, dot,
    flip, gather, greater, greater_equal, index_select, less, less_equal, masked_fill,
    masked_select, multinomial, multiply, mv, negative, norm, not_equal, outer, prod, roll,
    scatter, scatter_add, sort, std, subtract, swapaxes, swapdims, topk, tril, triu, var,
    clamp_min, cumprod, isfinite, isinf, isnan, logical_and, logical_not, logical_or, logical_xor,
    logsumexp, rsqrt, sign, unique, amax, amin, ceil, floor, round, remainder, fmod, floor_divide,
    moveaxis, movedim, ravel, true_divide, log1p, diag, diag_embed, trace, log2, log10, logit,
    tan, sinh,
    cosh, atan2, asin, acos, atan, asinh, acosh, atanh, erf, erfc, exp2, expm1, arcsin, arccos,
    arctan, arctan2, arcsinh, arccosh, arctanh, logaddexp, logcumsumexp, hardshrink,
    take_along_dim, nan_to_num, nan_to_num_,
    abs_, clamp_, clip_, cos_, detach_, exp_, fill_, log_, logit_, neg_, reciprocal_, relu_,
    sigmoid_, sin_, sqrt_, square_, tanh_, zero_, ceil_, floor_, round_,
)  # fmt: skip
from minigrad.ops.arranged import broadcast_tensors, broadcast_to, meshgrid
from minigrad.ops.blends import addcdiv, addcmul, lerp
from minigrad.ops.combined import diff, fliplr, flipud, inner, tensordot, tile
from minigrad.ops.counting import bincount
from minigrad.ops.composed import (
    allclose, hstack, is_floating_point, isclose, nonzero, vstack,
)  # fmt: skip
from minigrad.ops.distances import cdist
from minigrad.ops.einsum import einsum
from minigrad.ops.formats import channels_last, contiguous_format, memory_format, preserve_format
from minigrad.ops.index_adding import index_add
from minigrad.ops.medians import median
from minigrad.ops.interleaved import repeat_interleave
from minigrad.ops.legacy import (
    BoolTensor, ByteTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor, LongTensor,
)  # fmt: skip
from minigrad.ops.limits import finfo, iinfo
from minigrad.ops.makers import eye
from minigrad.ops.moments import var_mean
from minigrad.ops.random_wholes import randint, randperm
from minigrad.ops.randoms import normal
from minigrad.ops.views import unflatten
from minigrad import nn, optim, replay, reversible
from minigrad.nn.distances import cosine_similarity, pairwise_distance
from minigrad.autograd.anomaly import (
    is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled,
)  # fmt: skip
from minigrad.autograd.inference import inference_mode, is_inference_mode_enabled
from minigrad.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from minigrad.core.backend import get_default_device, set_default_device
from minigrad.ops.generator import (
    Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state,
)  # fmt: skip
from minigrad import amp, backends, cuda, distributions, func, memory, utils
from minigrad.ops import linalg
from minigrad.missing import everywhere
from minigrad.utils import interrupts, random
from minigrad.utils.switches import (
    __version__, are_deterministic_algorithms_enabled, get_num_threads,
    is_deterministic_algorithms_warn_only_enabled, set_num_threads, use_deterministic_algorithms,
    version,
)  # fmt: skip
from minigrad.utils.serialization import load, save
from minigrad.memory import max_memory_allocated, memory_allocated, reset_peak_memory_stats

newaxis = None  # as an index, a new axis

backend.keep_heap()
backend.keep_quiet()
interrupts.install()
everywhere.install()
