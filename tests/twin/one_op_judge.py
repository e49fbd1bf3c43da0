"""Runs a one-op program on an engine, and compares what two engines say of it.

Compared are value, dtype, shape and strides of the results, the operands afterwards, gradients,
and the class and text of errors. What is left out is in `undefined`, with its reason.
"""

import enum
import math
import operator
import re
import warnings
from typing import Any

import numpy as np

from course.twin.compare import clean, same_names
from minigrad.core import frames
from tests.twin import probes
from tests.twin.one_op_shaped import OLD, SIZES

OVERLAPPING = "overlapping"  # a layout: windows, as unfold gives them
EPSILON = {"float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}
ULPS = 8


class Real(float):
    """A number of a class of a program's own, as are the next two."""


class Whole(int):
    pass


class Named(enum.IntEnum):
    ONE = 1


def namespace(mg) -> dict[str, Any]:
    """The names that a line may use, beside its operands."""

    def inside(tensor):
        with mg.inference_mode():
            return tensor.clone()

    names = {"mg": mg, "np": np, "operator": operator, "inf": math.inf, "nan": math.nan}
    return names | {"inside": inside, "Real": Real, "Whole": Whole, "Named": Named}


def run(mg, program) -> dict:
    """What this engine says: {label: value}; a tensor's label has its dtype, shape and strides."""
    names = namespace(mg)
    said: dict = {}
    getattr(mg, "set_warn_always", bool)(True)  # else PyTorch says some of them once only
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for name, given in program.operands.items():
            names[name] = eval(str(given), names)
        try:
            result = eval(program.line, names)
            tell(said, "result", result, mg)
            said["result: nodes"] = [node_of(tensor) for tensor in flat(result, mg)]
            for name in program.operands:
                tell(said, name, names[name], mg)
        except Exception as error:
            said = {"error": (type(error).__name__, same_names(clean(str(error))))}
            for name in program.operands:  # what is refused may have been written
                tell(said, name, names[name], mg)
            return said
        gradients(mg, said, result, names, program)
    ours = [one.filename for one in heard if frames.inside(one.filename)]
    assert not ours, f"a warning of {program.line} shows a line of {ours}"
    said["warnings"] = sorted({told(one) for one in heard})
    return said


def told(warning) -> str:
    """What a warning says, without the line of C++ that it came from."""
    text = str(warning.message).partition(" (Triggered internally")[0]
    return f"{warning.category.__name__}: {same_names(clean(text))}"


def tell(said, label, value, mg):
    """Write down a result: a tensor's facts, the items of a list, a number as it is."""
    if isinstance(value, mg.Tensor):
        said[f"{label}: dtype"] = str(value.dtype).rpartition(".")[2]
        said[f"{label}: shape"] = tuple(value.shape)
        said[f"{label}: strides"] = probes.strides(value)
        said[f"{label}: graph"] = value.requires_grad
        said[f"{label}: value"] = value.detach().numpy().copy()
    elif isinstance(value, (list, tuple)):
        said[f"{label}: type"] = same_names(type(value).__name__), len(value)
        for number, item in enumerate(value):
            tell(said, f"{label}[{number}]", item, mg)
    elif isinstance(value, np.ndarray):
        said[f"{label}: array"] = str(value.dtype), value.shape
        said[f"{label}: value"] = value.copy()
    else:
        said[f"{label}: plain"] = same_names(f"{type(value).__name__} {value}")


def node_of(tensor):
    """The name of the node that made a tensor, and the plain values that it shows."""
    node = tensor.grad_fn
    shown = probes.saved(node) if node else {}
    if not tensor.numel():  # steps between no elements lead nowhere
        shown = {name: value for name, value in shown.items() if "stride" not in name}
    plain = {name: form for name, form in shown.items() if "grad_fn" not in str(form)}
    return None if node is None else (probes.name(node), same_names(repr(plain)))


def gradients(mg, said, result, names, program):
    """Write down the gradients of the operands, or the error of backward."""
    roots = [t for t in flat(result, mg) if t.requires_grad and t.is_floating_point()]
    if not roots:
        return
    seeds = [seed(mg, root, program.seed) for root in roots]
    try:
        mg.autograd.backward(roots, seeds)
    except Exception as error:
        said["backward: error"] = type(error).__name__, same_names(clean(str(error)))
        return
    for name, given in program.operands.items():
        if given.grad:
            grad = names[name].grad
            said[f"{name}.grad"] = grad is None
            if grad is not None:
                tell(said, f"{name}.grad", grad, mg)


def flat(value, mg) -> list:
    if isinstance(value, mg.Tensor):
        return [value]
    found = [flat(item, mg) for item in value] if isinstance(value, (list, tuple)) else []
    return [tensor for some in found for tensor in some]


def seed(mg, root, numbers):
    count = root.numel()
    values = [float(numbers[i % len(numbers)]) for i in range(count)]
    return mg.tensor(values, dtype=root.dtype).view(root.shape)


# -- comparing --


def differences(expected, found, program) -> list:
    """(label, PyTorch's, minigrad's) of what differs, unless minigrad says that it lacks this."""
    if lacking(found):
        return []
    one_alone = ("error" in expected) != ("error" in found)
    error_only = one_alone or half_done(program, expected)
    labels = ["error"] if error_only else list(dict.fromkeys([*expected, *found]))
    triples = [(label, expected.get(label), found.get(label)) for label in labels]
    return [one for one in triples if not alike(*one, program) and not undefined(*one, program)]


def alike(label, one, other, program) -> bool:
    if label.endswith("error"):
        return same_error(one, other)
    if label.endswith("grad: strides"):
        return True  # a gradient's layout is the next node's business
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return same_values(one, other, slack(label, program), program)
    return type(one) is type(other) and one == other


def kind(label, one, other) -> str:
    """Of a difference: refused by both, by one of them, or by none."""
    if "error" not in label:
        return "silent"
    return "text" if one and other else "accepted" if one else "refused"


# -- errors --

PARSER = re.compile(
    r"invalid combination of arguments|argument '\w+'|takes .* positional argument"
    r"|unexpected keyword|missing \d+ required|invalid data type|unsupported operand type"
    r"|not supported between|object cannot be interpreted as|must be real number"
    r"|int too big to convert"
)
PARSERS = "TypeError", "OverflowError"


def same_error(one, other) -> bool:
    """The same class and text; where PyTorch's parser of arguments speaks, that both refuse."""
    if one and other and one[0] in PARSERS and PARSER.search(one[1]):
        return True
    return one == other


def lacking(found) -> bool:
    """True if minigrad refuses in words of its own: no difference is silent there."""
    name, text = found.get("error", ("", ""))
    return name == "NotImplementedError" and "minigrad" in text


# -- what PyTorch does not define, or breaks on: left out --

DRAWN = set("randint randperm normal normal_ uniform_ bernoulli bernoulli_ multinomial".split())
DRAWN |= {"new_empty", "empty"}
REPEATED = {"tril_", "triu_", "masked_fill_", "batch_norm"}
CONVOLUTIONS = {"conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"}
STEPS = set("hardtanh relu6 hardshrink softshrink hardswish elu celu selu logit".split())
NORMS = {"layer_norm", "batch_norm", "group_norm", "instance_norm"}
CASTS = set("to long int type_as copy_ fill_ __setitem__ sum tensor full full_like arange".split())
CASTS |= {*OLD, "as_tensor", "type"}


def undefined(label, one, other, program) -> str:
    """Why this difference is none; "" if it is one."""
    op, numbers = (
        program.op.rpartition(".")[2],
        label.endswith("value") and not (one is None or other is None),
    )
    if op == "stride":
        return "that of an axis of one element leads nowhere"
    values = {value for given in program.operands.values() for value in given.values}
    if op == "unique" and "dim=" in program.line and "nan" in values:
        return "of rows with a nan none is less than another: their order is the algorithm's"
    if op == "topk" and "sorted=False" in program.line:
        return "the order is anybody's"
    if op == "topk" and label == "result[1]: value":  # the values are compared before
        return "which of several equal elements are named is anybody's"
    named = label == "result[1]: value" if op == "sort" else op == "argsort" and numbers
    if named and max(one.shape, default=0) > STABLE and "stable=True" not in program.line:
        return "of many equal elements PyTorch keeps the order only if it is asked to"
    if op in OLD and program.line.partition("(")[2][:-1] in SIZES and label.endswith("value"):
        return "the bytes are as they were"
    if op in DRAWN and label.endswith(("value", "plain")):
        return "the numbers are another generator's"
    if numbers and one.dtype.kind in "iu" and op in CASTS:
        return "no integer stands for nan, inf or what is out of range: it differs by processor"
    if numbers and op == "linspace" and not np.isfinite([*one, *other]).all():
        return "what lies between a number and inf depends on the order of the terms"
    numbers_of = "tensor", "new_tensor", "as_tensor", *OLD
    if op in numbers_of and label == "error" and "np.float" in program.line:
        return "PyTorch takes numpy's float32 for a number or not, by what is beside it"
    if label.endswith("value") and (reason := written_twice(program)):
        return reason
    broken = "INTERNAL ASSERT", "codec can't decode"  # the number of a class is no letter
    if label.endswith("error") and one and any(text in one[1] for text in broken):
        return "PyTorch breaks, in its own words"
    mistaken = ("x.grad",) if op == "batch_norm" else ("backward", ".grad")
    if any(part in label for part in mistaken) and (reason := breaks(program)):
        return reason
    endless = numbers and not np.isfinite([*one.ravel(), *other.ravel()]).all()
    if op in CONVOLUTIONS and endless:
        return "inf times the zeros of the padding: PyTorch's kernels leave some of them out"
    if op == "scaled_dot_product_attention" and endless and len(one.shape) == 4:
        rest = np.where((one == 0) & np.isnan(other), one, other)
        if same_values(one, rest, slack(label, program), program):
            return "of a row of scores with a nan PyTorch makes nan or 0, by where it stands"
    shares = op == "expm1" or (op == "interpolate" and "bilinear" in program.line)
    if shares and endless:
        return "a share of 0, or of nearly 0, of inf: it depends on how a processor rounds"
    if op in NORMS and numbers:
        if "inf" in program.seed or endless:
            return "inf in a sum of terms that cancel: it depends on their order"
    if op == "gelu" and endless:
        return "of inf PyTorch's kernel for several float32 makes nan, that for one makes inf"
    if op.strip("_") in STEPS and ".grad" in label:
        if "nan" in program.line or any("nan" in one.values for one in program.operands.values()):
            return "at nan PyTorch's kernel for several numbers has another slope than that for one"
    if "alpha" in program.line and endless:
        return "alpha times a number is inf only where the product is rounded before it is added"
    if op in ("prod", "cumprod") and endless:
        return "beside a factor of 0, what comes of inf depends on the order of the terms"
    if op == "var_mean" and numbers and not np.isfinite(one).all():
        return "a running mean of inf depends on the order of the elements"
    shared = any(given.layout == "expanded" for given in program.operands.values())
    if shared and op in REPEATED and "value" in label:
        return "what is left at a place that is written several times"
    if "pow" in op and "2**" in program.line and "value" in label:
        return "an exponent of more digits than the dtype has"
    return ""


def breaks(program) -> str:
    """Why PyTorch's own backward of this is wrong, or refuses; "" if it is right."""
    op, line = program.op.rpartition(".")[2], program.line
    dtypes = {given.dtype for given in program.operands.values()}
    layouts = {given.layout for given in program.operands.values()}
    if op in ("var", "std", "var_mean") and re.search(r"[(,] ?(\(\)|\[\])", line):
        return "of var(()) it takes no axis where its forward takes all"
    if "pow" in op and ("bool" in dtypes or line.startswith(("True", "False"))):
        return "of x ** y it computes y - 1 of a y of bools, and breaks on True ** x"
    if op == "batch_norm" and layouts - {"contiguous"}:
        return "of batch_norm it reads running statistics as if they lay in order"
    return ""


def half_done(program, said) -> str:
    """Why nobody knows what is in the operands after this; "" if everybody does."""
    _, text = said.get("error", ("", ""))
    if reason := written_twice(program):
        return reason
    if writes(program) and re.search("out of bounds|of range in self|^ZeroDivisionError$", text):
        return "PyTorch writes until it meets the index, or the 0, that is refused"
    return ""


def written_twice(program) -> str:
    """Why nobody knows what a write leaves there; "" if everybody does."""
    if writes(program) and any(one.layout == OVERLAPPING for one in program.operands.values()):
        return "of windows that lie over each other a place is written more than once"
    return ""


def writes(program) -> bool:
    name = program.op.rpartition(".")[2]
    return name.startswith(("__i", "__setitem__")) or name == name.rstrip("_") + "_"


# -- values --

SUMS = (
    CONVOLUTIONS
    | NORMS
    | set(
        "sum mean cumsum softmax log_softmax matmul mm __matmul__ var std norm einsum prod bmm"
        " mv dot outer addmm logsumexp softmin var_mean linear avg_pool2d"
        " adaptive_avg_pool2d avg_pool1d adaptive_avg_pool1d mse_loss l1_loss huber_loss"
        " smooth_l1_loss binary_cross_entropy gelu cdist cumprod normalize cross_entropy"
        " rms_norm glu soft_margin_loss"
        " margin_ranking_loss hinge_embedding_loss cosine_embedding_loss triplet_margin_loss"
        " tensordot inner poisson_nll_loss gaussian_nll_loss binary_cross_entropy_with_logits"
        " nll_loss kl_div baddbmm scaled_dot_product_attention pairwise_distance"
        " cosine_similarity interpolate lerp lerp_ logcumsumexp".split()
    )
)
STABLE = 16  # elements, up to which PyTorch sorts in a way that keeps the order of equal ones
# A difference of two numbers near 1.
SLOPES = {"tanh", "tanh_", "sigmoid", "sigmoid_", "expm1"} | SUMS


def slack(label, program) -> float:
    """What terms that cancel leave over, in units in the last place of the largest of them."""
    op = program.op.rpartition(".")[2]
    size = max([1.0, *map(operand_size, program.operands.values())])
    if op in NORMS:  # a normalized row grows by 1 / sqrt(1e-5) at most
        size *= 1000
    if op in ("normalize", "cosine_similarity") and ".grad" in label:  # a row grows by 1 / its norm
        size /= min(1.0, *map(smallest, program.operands.values()))
    if op == "interpolate" and "126" in program.line:  # so many terms are added up
        size *= 126
    if op == "scaled_dot_product_attention" and ".grad" in label:  # of three factors, not two
        size **= 1.5
    if ".grad" in label and op in SLOPES:
        return largest(program.seed) * size
    return size if op in SUMS else 0.0


def largest(texts) -> float:
    """The largest finite number among these texts."""
    numbers = [abs(float(text)) for text in texts if text not in ("True", "False")]
    return max([1.0, *filter(math.isfinite, numbers)])


def smallest(given) -> float:
    """The smallest number of an operand that is not 0; 1 if that is larger."""
    numbers = [abs(float(text)) for text in given.values if text not in ("True", "False")]
    return min([1.0, *filter(lambda number: 0 < number < math.inf, numbers)])


def operand_size(given) -> float:
    size = largest(given.values)
    return size * size


def same_values(one, other, scale, program) -> bool:
    """Equal, nan to nan; floats within a few units in the last place, or of `scale`.

    The place is the coarsest operand's: one engine may do better than the other.
    """
    if one.shape != other.shape or one.dtype != other.dtype:
        return True  # which is told under its own label
    if one.dtype.kind != "f":
        return bool((one == other).all())
    dtypes = {one.dtype.name, *(given.dtype for given in program.operands.values())}
    dtypes |= {dtype for dtype in EPSILON if f"mg.{dtype}" in program.line}
    epsilon = ULPS * max(EPSILON.get(dtype, 0) for dtype in dtypes)
    if program.op.endswith("erfc"):  # of e**(-x**2): a unit of the exponent is so many of its own
        epsilon *= min(1000.0, max(map(operand_size, program.operands.values())))
    smallest = float(np.finfo(one.dtype).tiny)  # whose place is also that of all below
    one, other = (a.astype(np.float64) for a in (one, other))
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(all="ignore"):
        near = np.abs(one - other) <= epsilon * np.maximum(np.abs(one), max(scale, smallest))
    return bool((same | near).all())
