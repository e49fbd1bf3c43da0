"""What convolutions refuse, in PyTorch's words and order."""

from __future__ import annotations

from collections.abc import Iterable

from minigrad.core.dtypes import bool_, int32, uint8
from minigrad.ops import messages
from minigrad.ops.convolution import grown
from minigrad.ops.padding import MODES
from minigrad.ops.shapes import several

WORDS = {"same", "valid"}
UNEVEN = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy "
    "of the input be created"
)
STRIDED = "padding='same' is not supported for strided convolutions"
NUMBERS = (
    "expected {name} to be a single integer value or a list of {axes} values to match the "
    "convolution dimensions, but got {name}={found}"
)
OTHER_AXES = (
    "Expected {0}-dimensional input for {0}-dimensional weight {1}, but got {2}-dimensional input "
    "of size {3} instead"
)
TOO_SMALL = (
    "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't be "
    "greater than actual input size"
)
FIRST = "dimension 0, but got weight of size "
NO_RESULT = (
    "Given input size per channel: ({}). Calculated output size per channel: ({}). Output size is "
    "too small"
)
TOO_MUCH = (
    "output padding must be smaller than either stride or dilation, but got "
    "output_padding_height: {} output_padding_width: {} stride_height: {} stride_width: {} "
    "dilation_height: {} dilation_width: {}"
)
LENGTHS = "ConvTranspose{0}D: for {1}D input, output_size must have {0} or {2} elements (got {3})"
OTHER_SIZE = (
    "requested an output size of {}, but valid sizes range from {} to {} (for an input of {})"
)
OTHER_DTYPE = (
    "Input type ({}) and {what} type ({}) should be the same or input should be a MKLDNN tensor "
    "and {what} is a dense tensor"
)


def only_zeros(layer, padding_mode, **others) -> None:
    odd = [*others, *["padding_mode"] * (padding_mode != "zeros")]
    if padding_mode not in ("zeros", *MODES):
        found = f"but got padding_mode={padding_mode!r}"
        raise ValueError(f"padding_mode must be one of { {'zeros', *MODES} }, {found}")
    if odd:
        raise NotImplementedError(
            f"minigrad's {layer} does not know {odd[0]}: it takes stride, padding, dilation, "
            "groups and bias, and its frame is of zeros"
        )


def check_groups(groups, takes, gives) -> None:
    """Of a layer: so many channels in each group, and so many filters."""
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    for name, channels in (("in", takes), ("out", gives)):
        if channels % groups:
            raise ValueError(f"{name}_channels must be divisible by groups")


def rows_more(layer, x, output_size) -> tuple:
    """The output padding with which a transposed convolution makes a result of this size."""
    size, axes = output_size, layer.axes
    before = 2 if x.ndim == axes + 2 else 1
    size = size[before:] if len(size) == before + axes else size
    if len(size) != axes:
        raise ValueError(LENGTHS.format(axes, x.ndim, before + axes, len(size)))
    places = zip(layer.stride, layer.padding, layer.dilation, layer.kernel_size, strict=True)
    least = [
        (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
        for n, (stride, padding, dilation, kernel) in zip(x.shape[before:], places, strict=True)
    ]
    most = [n + stride - 1 for n, stride in zip(least, layer.stride, strict=True)]
    more = tuple(n - first for n, first in zip(size, least, strict=True))
    if any(not 0 <= m < stride for m, stride in zip(more, layer.stride, strict=True)):
        raise ValueError(OTHER_SIZE.format(size, least, most, f"torch.Size({[*x.shape[2:]]})"))
    return more


def check_word(padding, stride) -> None:
    if padding not in WORDS:
        raise ValueError(f"Invalid padding string {padding!r}, should be one of {WORDS}")
    if padding == "same" and set(stride) != {1}:
        raise ValueError(STRIDED)


def each_axis(number, axes: int) -> tuple:
    """A number for each axis, from one for all of them or from as many."""
    numbers = several(number)
    if not all(isinstance(n, int) for n in numbers):
        raise TypeError(f"conv() received an invalid combination of arguments: {number}")
    return numbers * axes if len(numbers) == 1 else numbers


def repeated(number, axes: int) -> tuple:
    """What a layer keeps: a number for each axis, or what it is given."""
    return tuple(number) if isinstance(number, Iterable) else (number,) * axes


def check_axes(name, axes, x, weight, padding) -> None:
    if x.ndim != axes + 2:
        raise RuntimeError(
            f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got "
            f"input of size: {list(x.shape)}"
        )
    if isinstance(padding, str) and padding not in WORDS:
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")


def check_numbers(axes, **given) -> None:
    """One for each axis, none below what it may be."""
    for name, numbers in given.items():
        if len(numbers) not in (1, axes):
            raise RuntimeError(NUMBERS.format(name=name, axes=axes, found=list(numbers)))
    for name in ("padding", "output_padding"):
        if min(given[name]) < 0:
            raise RuntimeError(f"negative {name} is not supported")
    if min(given["stride"]) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(given["dilation"]) < 0:
        raise RuntimeError("dilation should be greater than zero")


def check_sizes(x, weight, bias, groups, transposed) -> None:
    """The channels of the image and of the filters, and the filters and their biases."""
    shape, given = list(weight.shape), f"Given groups={groups}, "
    takes, gives = weight.shape[:2] if transposed else weight.shape[1::-1]
    takes, gives = (takes, gives * groups) if transposed else (takes * groups, gives)
    way = "transposed=1, " if transposed else ""
    if x.ndim != weight.ndim:
        raise RuntimeError(OTHER_AXES.format(weight.ndim, shape, x.ndim, list(x.shape)))
    if len(weight) < groups:
        raise RuntimeError(
            f"{given}expected weight to be at least {groups} at {FIRST}{shape} instead"
        )
    if len(weight) % groups:
        raise RuntimeError(
            f"{given}expected weight to be divisible by {groups} at {FIRST}[{shape}] instead"
        )
    if x.shape[1] != takes:
        raise RuntimeError(
            f"{f'Given {way}' if way else given}weight of size {shape}, expected "
            f"input{list(x.shape)} to have {takes} channels, but got {x.shape[1]} channels instead"
        )
    if bias is not None and bias.shape != (gives,):
        raise RuntimeError(
            f"Given {way}weight of size {shape}, expected bias to be 1-dimensional with {gives} "
            f"elements, but got bias of size {list(bias.shape)} instead"
        )


def check_room(x, weight, places) -> None:
    """A window fits into the image with its frame."""
    has = [n + 2 * pad for n, pad in zip(x.shape[2:], places.padding, strict=True)]
    wants = [(k - 1) * gap + 1 for k, gap in zip(weight.shape[2:], places.dilation, strict=True)]
    if any(k > n for k, n in zip(wants, has, strict=True)):
        raise RuntimeError(TOO_SMALL.format(by(has), by(wants)))


def check_result(x, weight, places, more) -> None:
    """The result has a size; its output padding is less than the stride, or the dilation."""
    stride, _, dilation = places
    if len(x) and any(m >= max(steps) for m, *steps in zip(more, stride, dilation, strict=True)):
        found = as_image(more, 0), as_image(stride), as_image(dilation)
        raise RuntimeError(TOO_MUCH.format(*sum(found, [])))
    sides = grown(x.shape[2:], weight.shape[2:], places, more)
    if min(sides) < (1 if len(x) else 0):
        raise RuntimeError(NO_RESULT.format(*(by(as_image(s)) for s in (x.shape[2:], sides))))


def check_image(x) -> None:
    if 0 in x.shape[2:] and 0 not in x.shape[:2]:
        raise RuntimeError(
            "Only zero batch or zero channel inputs are supported, but got input shape: "
            f"{[*x.shape[:2], *as_image(x.shape[2:])]}"
        )


def as_image(numbers, one: int = 1) -> list:
    """As PyTorch's kernels see a sequence: it is an image of one row."""
    return [*[one] * (2 - len(numbers)), *numbers]


def by(numbers) -> str:
    return " x ".join(map(str, numbers))


def check_dtypes(x, **others) -> None:
    for name, other in others.items():
        if other is not None and other.dtype is not x.dtype:
            raise RuntimeError(OTHER_DTYPE.format(x.dtype.legacy, other.dtype.legacy, what=name))


def check_dilation(dilation, transposed) -> None:
    if min(dilation) == 0:
        found = as_image(dilation)
        text = "dilation_height: {}, dilation_width: {}".format(*found) if transposed else found
        raise RuntimeError(f"dilation should be greater than zero, but got {text}")


def check_kernel(x, dilation, transposed) -> None:
    """PyTorch has no kernel of this kind for the dtype."""
    if transposed and x.dtype in (bool_, uint8, int32):
        raise messages.not_implemented("slow_conv_transpose2d_out_cpu", x)
    if set(dilation) != {1} and x.dtype in (bool_, uint8, int32):
        raise messages.not_implemented("slow_conv_dilated<>", x)
    if x.dtype is bool_:
        raise messages.not_implemented("slow_conv2d_cpu", x)


def check_bias(x, bias) -> None:
    if bias is not None and bias.dtype is not x.dtype:
        raise RuntimeError(
            f"Input type ({x.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be the same"
        )


def check_all(x, weight, bias, places, groups, more, transposed) -> None:
    """In PyTorch's order."""
    check_numbers(weight.ndim - 2, **places._asdict(), output_padding=more)
    check_sizes(x, weight, bias, groups, transposed)
    if not transposed:
        check_room(x, weight, places)
    check_image(x)
    check_dtypes(x, weight=weight, bias=bias)
    if len(x):
        check_dilation(places.dilation, transposed)
    if transposed:
        check_result(x, weight, places, more)
    if len(x):
        check_kernel(x, places.dilation, transposed)
