"""PyTorch's words for what an operation refuses."""

from __future__ import annotations

import re

NOT_COMPATIBLE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension "
    "spans across two contiguous subspaces). Use .reshape(...) instead."
)
BOOL_NEGATED = (
    "{}, the `-` operator, {} a bool tensor is not supported. If you are trying to invert a mask, "
    "use the `~` or `logical_not()` operator instead."
)
MINUS_BOOL = BOOL_NEGATED.format("Subtraction", "with")
BOOL_MINUS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
    "`logical_xor()` operator instead."
)
INVERT = "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
CLAMP = "torch.clamp: At least one of 'min' or 'max' must not be None"
SPLIT_BY_0 = "split_size can only be 0 if dimension size is 0, but got dimension size of {}"
NO_DIMENSIONS = "Dimension specified as {} but tensor has no dimensions"
DOT_DTYPES = "dot : expected both vectors to have same dtype, but found {} and {}"
MV_DTYPES = "addmv input tensors must have the same dtype, but got {1}, {0}, and {1}"
BMM_DTYPES = "expected scalar type {} but found {}"
BYTE_MASK = "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
PUT = (
    "Index put requires the source and destination dtypes match, got {} for the destination and {} "
    "for the source."
)
FILL = "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions."
NO_ROOM = "output with shape {} doesn't match the broadcast shape {}"
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

NO_INDEX = "only integer tensors of a single element can be converted to an index"

INDEX_OF_0D = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
    "to convert a 0-dim tensor to a number"
)
OUT_OF_0D = "index {} is out of bounds for dimension 0 with size 0"

NUMPY_OF_CUDA = (
    "can't convert {} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
    "memory first."
)


def not_implemented(kernel: str, x) -> NotImplementedError:
    """What PyTorch says of a tensor's dtype, or of a dtype, that a kernel was not written for."""
    kind = getattr(x, "dtype", x).scalar_type
    return NotImplementedError(f"\"{kernel}\" not implemented for '{kind}'")


def index_error(error: IndexError, indices: list) -> IndexError:
    """What numpy refused to choose; PyTorch counts the indices, not the axes they are for."""
    found = re.fullmatch(r"index (-?\d+) is out of bounds for axis \d+ with size (\d+)", str(error))
    if found is None:
        shapes = ", ".join(str(list(i.shape)) for i in indices)
        return IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        )
    number, n = map(int, found.groups())
    wrong = [bool(((i._array >= n) | (i._array < -n)).any()) for i in indices]
    place = wrong.index(True)
    return IndexError(f"index {number} is out of bounds for dimension {place} with size {n}")


def permute_error(x, dims) -> RuntimeError:
    """Axes that are missing or named twice."""
    if len(dims) != x._array.ndim:
        return RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {x._array.ndim} is "
            f"not equal to len(dims) = {len(dims)}"
        )
    return RuntimeError("permute(): duplicate dims are not allowed.")
