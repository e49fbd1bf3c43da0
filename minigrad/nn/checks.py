"""What the functions of nn refuse, in PyTorch's words, before anything is computed."""

from __future__ import annotations

from math import prod

from minigrad.core import modes
from minigrad.core.dtypes import float16, float32
from minigrad.core.frames import warn
from minigrad.core.inplace import check_cast
from minigrad.core.stand_ins import through
from minigrad.nn.hidden import axes
from minigrad.ops import messages, reading
from minigrad.ops.arithmetic import only_floats
from minigrad.ops.layout import outermost_first
from minigrad.ops.shapes import axis, whole

OF_FLOATS = (
    "minigrad's {} takes no half floats beside float parameters: give it x.to(minigrad.float32)"
)
OLD_WORDS = "size_average and reduce args will be deprecated, please use reduction='{}' instead."
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def size(t) -> str:
    """Its shape, as PyTorch's messages have it."""
    return f"torch.Size({list(t.shape)})"


NO_SHAPE = (
    "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
    "element, but got normalized_shape = []"
)
MISMATCH = (
    "Mismatch dtype between input and weight: input dtype = {}, weight dtype = {}, Cannot dispatch "
    "to fused implementation."
)
C_NAMES = {"Half": "c10::Half", "Byte": "unsigned char", "Long": "long int"}


def reduction(name: str, size_average=None, reduce=None) -> int:
    name = reduced_by(name, size_average, reduce)
    if name not in REDUCTIONS:
        raise ValueError(f"{name} is not a valid value for reduction")
    return REDUCTIONS[name]


def reduced_by(name: str, size_average, reduce) -> str:
    """The reduction, or the one that these two words of older programs stand for."""
    if size_average is None and reduce is None:
        return name
    each, summed = (word is not None and not word for word in (reduce, size_average))
    told = "none" if each else "sum" if summed else "mean"
    warn(OLD_WORDS.format(told))
    return told


def probability(p) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def real(x) -> None:
    if not x.dtype.is_floating_point:
        kind = x.dtype.scalar_type
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")


def writable(x, target) -> None:
    """A target that 1 can be taken from, and scores be written over."""
    if target._array.dtype == bool:
        raise RuntimeError(messages.BOOL_MINUS)
    check_cast(target, x._array.dtype)


def no_gradient(function: str, **given) -> None:
    """By these PyTorch differentiates nothing: a gradient would be lost without a word."""
    for name, tensor in given.items():
        if tensor is not None and tensor.requires_grad and modes.state.grad_enabled:
            raise RuntimeError(messages.NO_GRADIENT.format(function, name))


def probabilities(x, target) -> None:
    """Of the dtype of `x`, and from 0 to 1."""
    if target.dtype is not x.dtype:
        raise messages.found_dtype(target._array.dtype, x._array.dtype)
    only_floats(x._array, "binary_cross_entropy")
    if x._array.size:
        through(_from_0_to_1, x._array, target._array)


def _from_0_to_1(*arrays) -> None:
    """PyTorch looks at the first elements of both, then at the next, as they lie in memory."""
    if not all(array.min() >= 0 and array.max() <= 1 for array in arrays):
        axes = outermost_first(arrays[0].shape, tuple(array.strides for array in arrays))
        rows = [array.transpose(axes).reshape(-1) for array in arrays]
        outside = [~((row >= 0) & (row <= 1)) for row in rows]
        name = "input" if outside[0][(outside[0] | outside[1]).argmax()] else "target"
        raise reading.seen(RuntimeError(f"all elements of {name} should be between 0 and 1"))


def rows(x, shape, weight, bias) -> None:
    given = [t for t in (weight, bias) if t is not None]
    _check_mixed(x, given, "layer_norm")
    _check_weights(shape, weight=weight, bias=bias)
    _check_rows(x, shape, ", ".join(map(str, ("*", *shape))))
    only_floats(x._array, "LayerNormKernelImpl")
    _check_alike(x, given)


def _check_weights(shape, **given) -> None:
    if not shape:
        raise RuntimeError(NO_SHAPE)
    for name, t in given.items():
        if t is not None and t.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(t.shape)} and normalized_shape = {list(shape)}"
            )


def _check_rows(x, shape, wanted: str) -> None:
    if tuple(x.shape[x.ndim - len(shape) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got "
            f"input of size{list(x.shape)}"
        )


def squares(x, shape, weight) -> None:
    """Rows, and a weight for each place of one; a weight of another dtype is warned of."""
    _check_weights(shape, weight=weight)
    if x.ndim < len(shape):
        text = f"Input tensor must have at least {len(shape)} dimensions, but got {x.ndim}"
        raise ValueError(text)
    _check_rows(x, shape, "*" + ", ".join(map(str, shape)))
    if weight is not None and weight.dtype is not x.dtype:
        kinds = (C_NAMES.get(t.dtype.scalar_type, t.dtype.scalar_type.lower()) for t in (x, weight))
        warn(MISMATCH.format(*kinds))
    only_floats(x._array, "rms_norm")


def groups(x, count, weight, bias) -> None:
    """Channels that can be put into so many groups, and as many numbers in each vector."""
    if x.ndim < 2:
        text = f"Expected at least 2 dimensions for input tensor but received {x.ndim}"
        raise RuntimeError(text)
    shape, (many, channels, *places) = list(x.shape), x.shape
    sizes = [many * channels // count, count, *places]
    if sizes[0] * prod(places) == 1:
        text = "Expected more than 1 value per channel when training, got input size "
        raise ValueError(f"{text}{sizes}")
    if whole(count, "num_groups") <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {count}")
    if channels % count:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {shape} and num_groups={count}"
        )
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and t.shape != (channels,):
            found = [0] if weight is None else list(weight.shape)  # as PyTorch says of both
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, "
                f"but got {name} of shape {found} and input of shape {shape}"
            )


def group_dtypes(x, weight, bias) -> None:
    given = [t for t in (weight, bias) if t is not None]
    _check_mixed(x, given, "group_norm")
    only_floats(x._array, "GroupNormKernelImpl")
    _check_alike(x, given)


def instances(x, running_mean, running_var, own: bool) -> None:
    """Images with more than one place, or statistics that have been found elsewhere."""
    if own and prod(x.shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {size(x)}"
        )
    if not own and (running_mean is None or running_var is None):
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when use_input_stats is false"
        )


def _check_mixed(x, parameters, name) -> None:
    """PyTorch has kernels for half floats beside float parameters, and no other mixed ones."""
    if not parameters or parameters[0].dtype is x.dtype:
        return
    if any(t.dtype is not float32 for t in parameters):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if x.dtype is float16:
        raise NotImplementedError(OF_FLOATS.format(name))
    raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def _check_alike(x, parameters) -> None:
    for t in parameters:
        if t.dtype is not x.dtype:
            kinds = x.dtype.scalar_type, t.dtype.scalar_type
            raise RuntimeError(messages.OTHER_DTYPE.format(*kinds))


def channels(x, training, weight, bias, **own) -> None:
    """Each vector, or None, has one number per channel; `own` are the running statistics."""
    shape = x.shape
    if training and shape[0] * prod(shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size(x)}"
        )
    if not x._array.size:
        return
    lacking = [name for name, t in own.items() if t is None]
    if lacking and not training:
        raise RuntimeError(f"{lacking[0]} must be defined in evaluation mode")
    _one_per_channel(shape[1] if len(shape) > 1 else 0, **own, weight=weight, bias=bias)
    if len(lacking) == 1:
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    axis(x, 1)
    only_floats(x._array, "batch_norm")
    found = [t for t in (weight, bias, *own.values()) if t is not None]
    _check_mixed(x, found, "batch_norm")
    _check_alike(x, found)


def _one_per_channel(count, **vectors) -> None:
    for name, t in vectors.items():
        if t is not None and t.numel() != count:
            raise RuntimeError(f"{name} should contain {count} elements not {t.numel()}")


# -- recurrent layers --


def dimensions(layer: str, x, allowed: tuple, hidden=None, name: str = "input") -> None:
    """So many axes, as the layer says of itself."""
    wanted = " or ".join(f"{n}D" for n in allowed)
    if (found := axes(x)) not in allowed:
        end = "tensor instead" if layer == "RNN" else "instead"
        raise ValueError(f"{layer}: Expected {name} to be {wanted}, got {found}D {end}")
    if hidden is not None:
        dimensions(layer, hidden, allowed, name="hidden")


def cell(x, states, layer) -> None:
    """What goes into one step."""
    if x.shape[1] != layer.input_size:
        raise RuntimeError(
            f"input has inconsistent input_size: got {x.shape[1]} expected {layer.input_size}"
        )
    for i, state in enumerate(states):
        if state.shape[0] != x.shape[0]:
            raise RuntimeError(
                f"Input batch size {x.shape[0]} doesn't match hidden{i} batch size {state.shape[0]}"
            )
        if state.shape[1] != layer.hidden_size:
            raise RuntimeError(
                f"hidden{i} has inconsistent hidden_size: got {state.shape[1]}, "
                f"expected {layer.hidden_size}"
            )


def not_known(what: str, **others) -> None:
    """Refuse what is given where PyTorch has a parameter that minigrad does nothing about."""
    if odd := [name for name, value in others.items() if value]:
        raise NotImplementedError(f"minigrad's {what} does not know {odd[0]}: leave it out")


def recurrent(input_size, hidden_size, num_layers, bias, batch_first, dropout) -> None:
    """What a recurrent layer is made with."""
    if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element "
            "being zeroed"
        )
    for name, value in (("bias", bias), ("batch_first", batch_first)):
        if not isinstance(value, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        if value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")


def sequence(x, given, layer) -> None:
    """A sequence, and the states to begin with, fit a layer."""
    have, want = (f"torch.{t.dtype.name}" for t in (x, layer.weight_ih_l0))
    if have != want:
        raise ValueError(
            f"RNN input dtype ({have}) does not match weight dtype ({want}). Convert input: "
            f"input.to({want}), or convert model: model.to({have})"
        )
    if x.shape[-1] != layer.input_size:
        raise RuntimeError(
            "input.size(-1) must be equal to input_size. "
            f"Expected {layer.input_size}, got {x.shape[-1]}"
        )
    batch = x.shape[0 if layer.batch_first else 1]
    shape = layer.num_layers * (1 + layer.bidirectional), batch, layer.hidden_size
    for i, state in enumerate(given):
        name = "hidden" if len(given) == 1 else f"hidden[{i}]"
        if tuple(state.shape) != shape:
            raise RuntimeError(f"Expected {name} size {shape}, got {list(state.shape)}")
    if not x.shape[1 if layer.batch_first else 0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
