"""PyTorch's words for what an operation refuses."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import on_host
from minigrad.core.dtypes import BY_NUMPY
from minigrad.core.messages import NO_ROOM  # noqa: F401  (it is one of them)
from minigrad.ops.layout import index_steps, is_mask, outermost_first

NOT_COMPATIBLE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension "
    "spans across two contiguous subspaces). Use .reshape(...) instead."
)
BOOL_NEGATED = (
    "{}, the `-` operator, {} a bool tensor is not supported. If you are trying to invert a mask, "
    "use the `~` or `logical_not()` operator instead."
)
NO_FLOATS = "data set to a tensor that requires gradients must be floating point or complex dtype"
MINUS_BOOL = BOOL_NEGATED.format("Subtraction", "with")
BOOL_MINUS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
    "`logical_xor()` operator instead."
)
ROUNDING_MODE = "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'"
NEGATIVE_SLOPE = (
    "In-place {} backward calculation is triggered with a negative slope which is not supported. "
    "This is caused by calling in-place forward function with a negative slope, please call "
    "out-of-place version instead."
)
NEGATIVE_LEAKY_SLOPE = NEGATIVE_SLOPE.format("leakyReLu") + (
    " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place "
    "leakRelu backward calculation with negative slope"
)
NO_GRADIENT = (
    "The function '{}' is not differentiable with respect to argument '{}'. This input cannot have "
    "requires_grad True."
)
CONTAINS = "Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}."
INVERT = "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
CLAMP_TO_NOTHING = "torch.clamp: At least one of 'min' or 'max' must not be None"
SPLIT_BY_0 = "split_size can only be 0 if dimension size is 0, but got dimension size of {}"
NO_DIMENSIONS = "Dimension specified as {} but tensor has no dimensions"
DOT_DTYPES = "dot : expected both vectors to have same dtype, but found {} and {}"
MV_DTYPES = "addmv input tensors must have the same dtype, but got {1}, {0}, and {1}"
OTHER_DTYPE = "expected scalar type {} but found {}"
BYTE_INDEX = (
    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
)
PUT = (
    "Index put requires the source and destination dtypes match, got {} for the destination and {} "
    "for the source."
)
PUT_SHAPE = (
    "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}"
)
FILL = "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions."
NOT_EXPANDABLE = "size {{{}}} is not expandable to size {{{}}}."
EXPANDED = (
    "Use of {} on expanded tensors is deprecated. Please clone() the tensor before performing this "
    "operation. This also applies to advanced indexing e.g. tensor[{}"
)
REPEATS = (
    "unsupported operation: more than one element of the written-to tensor refers to a single "
    "memory location. Please clone() the tensor before performing the operation."
)
OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to "
    "a single memory location. Please clone() the tensor before performing the operation."
)
BOOL_ALPHA = "Boolean alpha only supported for Boolean results."
ALPHA = "For integral input tensors, argument alpha must not be a floating point number."
INTEGER_POWER = "Integers to negative integer powers are not allowed."
EMPTY_EXTREMUM = (
    "{0}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
    "dim with the 'dim' argument."
)
UNIQUE_OF_NOTHING = (
    "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied",
    "Number of zero sized dimensions is more than one, so unique cannot be applied ",
)
MSE_SIZES = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to "
    "incorrect results due to broadcasting. Please ensure they have the same size."
)

FLOAT_OF_GRAD = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)

DEEPCOPY = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
    "the moment.  If you were attempting to deepcopy a module, this may be because of a "
    "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
)

HOOK_STAYS = (
    "backward hook {!r} on tensor will not be serialized.  If this is expected, you can decorate "
    "the function with @torch.utils.hooks.unserializable_hook to suppress this warning"
)

NO_INDEX = "only integer tensors of a single element can be converted to an index"

INDEX_OF_0D = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
    "to convert a 0-dim tensor to a number"
)
OUT_OF_NOTHING = "index is out of bounds for dimension with size 0"
OUT_OF_0D = "index {} is out of bounds for dimension 0 with size 0"

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
    "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
    "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
    "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information."
)
ONLY_LEAVES = "you can only change requires_grad flags of leaf variables."
USE_DETACH = (
    " If you want to use a computed variable in a subgraph that doesn't require differentiation "
    "use var_no_grad = var.detach()."
)
DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
    "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
    "buckets, and hence detach_() cannot be called on these gradients. To fix this error, please "
    "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
)
NO_LEAF_HOOK = "post accumulate grad hooks cannot be registered on non-leaf tensors"
NUMPY_OF_CUDA = (
    "can't convert {} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
    "memory first."
)

BOOLEAN_MASKS = "masked_fill_ only supports boolean masks, but got mask with dtype {}"
VALUE_OF_0D = (
    "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s)."
)
NORM_OF_FLOATS = "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}"
NORM_IN_FLOATS = "linalg.vector_norm: dtype should be floating point or complex, but got {}"
NORM_NARROWED = (
    "linalg.vector_norm: the dtype of the input ({}) should be convertible without narrowing to "
    "the specified dtype ({})"
)
NORM_OF_NOTHING = (
    "linalg.vector_norm cannot compute the {} norm on {} the operation does not have an identity"
)
NO_MATRIX_NORM = (
    "minigrad has norms of vectors only, none of a matrix as a whole: leave out the order, or name "
    "the one axis to take it along"
)
UNIFORM_BOUNDS = "uniform_ expects to return a [from, to) range, but found from={:g} > to={:g}"
UNNAMED = (
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, "
    "please report an enhancement request to PyTorch.)"
)
PROBABILITY = UNNAMED.format("p_in >= 0 && p_in <= 1")
TRUTH_AS_SIZE = UNNAMED.format("scalar.isIntegral( false)")
WEIGHTS_OF_FLOATS = "multinomial only supports floating-point dtypes for input, got: {}"
REPEAT_DIMENSIONS = (
    "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
)
WEIGHTS = "probability tensor contains either `inf`, `nan` or element < 0"
NO_WEIGHTS = "invalid multinomial distribution (sum of probabilities <= 0)"
TOO_MANY_SAMPLES = "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
RANDOM_BOUNDS = "random_ expects 'from' to be less than 'to', but got from={} >= to={}"
EINSUM_OF_NOTHING = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand "
    "and its subscripts list"
)
DOTS_OF_OPERAND = (
    "einsum(): found '.' for operand {} for which an ellipsis was already found",
    "einsum(): found '.' for operand {} that is not part of any ellipsis",
)
DOTS_OF_OUTPUT = (
    "einsum(): found '.' for output but an ellipsis (...) was already found",
    "einsum(): found '.' for output that is not part of any ellipsis (...)",
)
NO_SUBSCRIPT = (
    "einsum(): invalid subscript given at index {} in the equation string, subscripts must be in "
    "[a-zA-Z]"
)
NEGATIVE_LENGTH = "Trying to create tensor with negative dimension {}: {}"
INDEX_OUT_OF_DATA = "INDICES element is out of DATA bounds, id={} axis_dim={}"
INDEX_TO_SCALAR = "index_select(): Index to scalar can have only 1 value, got {} value(s)"
INDEX_DIMENSIONS = "Index tensor must have the same number of dimensions as {} tensor"


def index_size_error(name, i, index, x, dim, src=None) -> str:
    """An index longer than the tensor along another axis than the one it picks from."""
    large, small = list(index.shape), list(x.shape)
    if name == "gather":
        return (
            f"Size does not match at dimension {i} expected index {large} to be no larger than "
            f"self {small} apart from dimension {dim}"
        )
    source = "" if src is None else f" and to be no larger size than src {list(src.shape)}"
    return (
        f"Expected index {large} to be no larger than self {small} apart from dimension {dim}"
        f"{source}"
    )


def masked_fill_arguments(mask, value) -> str:
    """What masked_fill() says when it is given other things than it takes."""
    first, second = (
        "Tensor" if kind(a) == "Tensor" else f"!{kind(a, True)}!" for a in (mask, value)
    )
    text = f"masked_fill() received an invalid combination of arguments - got ({kind(mask)}, "
    text += f"{kind(value)}), but expected one of:\n"
    for wanted, got in (("Tensor", second), ("Number", f"!{second.strip('!')}!")):
        text += f" * (Tensor mask, {wanted} value)\n      didn't match because some of the "
        text += f"arguments have invalid types: ({first}, {got})\n"
    return text


def kind(value, long=False) -> str:
    """The type of an argument as PyTorch names it; of a list also that of what is in it."""
    name = "Tensor" if hasattr(value, "untyped_storage") else type(value).__name__
    if long and isinstance(value, (list, tuple)):
        return f"{name} of [{', '.join(map(kind, value))}]"
    return name


NOT_BROADCAST = (
    "Attempting to broadcast a dimension of length {} at {}! Mismatching argument at index 1 had "
    "torch.Size({}); but expected shape should be broadcastable to {}"
)
OTHER_COLUMNS = "X1 and X2 must have the same number of columns. X1: {} X2: {}"


def not_implemented(kernel: str, x) -> NotImplementedError:
    """What PyTorch says of a tensor's dtype, or of a dtype, that a kernel was not written for."""
    kind = getattr(x, "dtype", x).scalar_type
    return NotImplementedError(f"\"{kernel}\" not implemented for '{kind}'")


def found_dtype(found, expected) -> RuntimeError:
    """An operand of another dtype than the first."""
    have, want = (BY_NUMPY[dtype].scalar_type for dtype in (found, expected))
    return RuntimeError(f"Found dtype {have} but expected {want}")


def index_error(x, kept: list) -> IndexError:
    """What could not be chosen of `x`.

    PyTorch goes from place to place and looks at all indices of each, numpy from index to index.
    It counts the indices, not their axes.
    """
    sizes, found = numbers_of(x, kept)
    numbers = [on_host(i) for i in found]
    try:
        together = np.broadcast_arrays(*numbers)
    except ValueError:
        shapes = ", ".join(str([*i.shape]) for i in numbers)
        return IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        )
    if 0 in sizes:
        return IndexError(OUT_OF_NOTHING)
    shape = together[0].shape
    decided = (None,) * len(shape)
    axes = outermost_first(shape, tuple(index_steps(shape, decided, i) for i in numbers))
    places = np.stack([i.transpose(axes).reshape(-1) for i in together], axis=1)
    wrong = (places < -np.array(sizes)) | (places >= sizes)
    row, index = np.argwhere(wrong)[0]
    return IndexError(
        f"index {places[row, index]} is out of bounds for dimension {index} "
        f"with size {sizes[index]}"
    )


def numbers_of(x, kept: list) -> tuple:
    """The axes' lengths and what chooses along each; a mask is as many numbers as it has axes."""
    sizes: list = []
    numbers: list = []
    axis = 0
    for i in kept:
        found = _chosen_by(i)
        sizes += x._array.shape[axis : axis + len(found)]
        numbers += found
        axis += max(len(found), 1)
    return sizes, numbers


def _chosen_by(i) -> tuple:
    if i is None:
        return ()
    return i._array.nonzero() if is_mask(i._array) else (i._array,)


def permute_error(x, dims) -> RuntimeError:
    """Axes that are missing or named twice."""
    if len(dims) != x._array.ndim:
        return RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {x._array.ndim} is "
            f"not equal to len(dims) = {len(dims)}"
        )
    return RuntimeError("permute(): duplicate dims are not allowed.")


NEGATIVE_STRIDE = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides "
    "are not currently supported. (You can probably work around this by making a copy of your "
    "array  with array.copy().) "
)
INTERLEAVED_SIZE = "repeat_interleave: Invalid output_size, expected {} but got {}"
INTERLEAVED_ALONG = (
    "repeats must have the same size as input along dim, but got repeats.size(0) = {} and "
    "input.size({}) = {}"
)
OPTIONS = (
    "TensorOptions(dtype={}, device={}, layout=Strided, requires_grad=false (default), "
    "pinned_memory=false (default), memory_format=(nullopt))"
)
COPY_OF_TENSOR = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)


def grad_dtype_error(tensor, new) -> RuntimeError:
    """M14: `.grad` of another dtype."""
    return RuntimeError(
        f"attempting to assign a gradient with dtype '{new.dtype.c_name}' to a tensor with "
        f"grad_dtype '{tensor.dtype.scalar_type}'. The gradient must match the tensor's grad_dtype "
        "(defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
        "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the "
        "dtypes of a tensor and its gradient may break downstream systems that assume they match."
    )


def grad_device_error(tensor, new) -> RuntimeError:
    """M14: `.grad` on another device."""
    return RuntimeError(
        f"attempting to assign a gradient with device type '{new.device.type}' to a tensor with "
        f"device type '{tensor.device.type}'. Please ensure that the gradient and the tensor are "
        "on the same device"
    )


def grad_size_error(tensor, new) -> RuntimeError:
    """M14: `.grad` of another shape."""
    return RuntimeError(
        f"attempting to assign a gradient of size '{list(new.shape)}' to a tensor of size "
        f"'{list(tensor.shape)}'. Please ensure that the gradient and the tensor are the same size"
    )
