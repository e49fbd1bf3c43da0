"""PyTorch's words for what goes wrong, with minigrad's help in the exception's notes.

`str(error)` is PyTorch's text to the letter, `torch.` included, so that a search finds it.
"""

from __future__ import annotations

from minigrad.core.frames import quote

BACKWARD_TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you "
    "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
    "through the graph a second time or if you need to access saved tensors after calling backward."
)
DETACHED_IN_PLACE = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
    "This is not supported, please use out-of-place `.detach()` instead"
)
DIRTY = "mark_dirty can only accept variables, but argument "
MARKED = "mark_non_differentiable only accepts variable arguments, but got "
NOT_SAVED = "save_for_backward can only save variables, but argument {} is of type {}"
hint = (  # that autograd/anomaly.py replaces while it is on
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
    "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter "
    "and its gradient which can cause a memory leak. We recommend using autograd.grad when "
    "creating the graph to avoid this. If you have to use this function, make sure to reset the "
    ".grad fields of your parameters to None after use to break the cycle and avoid the leak."
)
NO_FORWARD = "You must implement the forward function for custom autograd.Function."
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to "
    "use it with backward mode AD."
)
BACKWARD_AND_VJP = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
    "implement one of them."
)
LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
    "autograd function with static forward method. "
    "(Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
NO_INSTANCES = (
    "{} should not be instantiated. Methods on autograd functions are all static, so you should "
    "invoke them on the class itself. Instantiating an autograd function will raise an error in a "
    "future version of PyTorch."
)
DIRTY_LEAF = "a leaf Variable that requires grad has been used in an in-place operation."
DIRTY_NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The "
    "inputs that are modified inplace must all be outputs of the Function."
)
DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function "
    "cannot return more than one Tensor. This is not supported by the current autograd engine. You "
    "should either make sure the input is not a view (using .clone() for example) or make your "
    "Function only return one Tensor (potentially splitting it into two Functions: one doing the "
    "inplace that returns a single Tensor and a second one that does the other operations). You "
    "can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)
DIRTY_VIEW_PLACE = (
    "minigrad wants a view that a Function changes in place to be the first tensor that it is "
    "given; PyTorch takes another, and then its gradient is that of the first one"
)
IN_PLACE_ON_LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
IN_PLACE_ON_LEAF_VIEW = (
    "a view of a leaf Variable that requires grad is being used in an in-place operation."
)
UNTRACKED = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the {} block (if you don't "
    "want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
MODES = {"no_grad": " with grad mode enabled", "inference": " in normal mode"}
VIEW_KINDS = {
    "no_grad": UNTRACKED.format("no_grad"),
    "inference": UNTRACKED.format("inference_mode"),
    "several": (
        "This view is the output of a function that returns multiple views. Such functions do not "
        "allow the output views to be modified inplace. You should replace the inplace operation "
        "by an out-of-place one."
    ),
    "custom": (
        "This view was created inside a custom Function (or because an input was returned as-is) "
        "and the autograd logic to handle view+inplace would override the custom backward "
        "associated with the custom Function, leading to incorrect gradients. This behavior is "
        "forbidden. You can fix this by cloning the output of the custom Function."
    ),
}
NO_ROOM = "output with shape {} doesn't match the broadcast shape {}"
INVALID = (
    "Function {} returned an invalid gradient at index {} - got {} but expected shape compatible "
    "with {}"
)
MOVED_INSIDE = "leaf variable has been moved into the graph interior"
RAW_FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values "
    "of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to "
    "access saved variables after calling backward."
)
RAW_NONE = "Calling register_hooks on a saved tensor with value None is forbidden"
RAW_TWICE = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. "
    "Hint: only one pair of hooks is allowed at a time."
)
PACK_IN_PLACE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
    "hook cannot be modified by in-place operations as this can lead to unexpected side-effects. "
    "Please open an issue if you need to perform in-place operations on the input to a pack hook."
)
CAST = "result type {} can't be cast to the desired output type {}"
UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the graph. Set "
    "allow_unused=True if this is the desired behavior."
)
MATERIALIZE = (
    "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
    "allow_unused=False."
)
INPUTS = "all inputs have to be Tensors or GradientEdges, but got {}"
GRADIENTS = "gradients can be either Tensors or None, but got {}"
NO_GRAD_FN = "element {} of tensors does not require grad and does not have a grad_fn"
REAL_SCALAR = "grad can be implicitly created only for real scalar outputs but got torch.{}"
TWO_DEVICES = (
    "Expected all tensors to be on the same device, but found at least two devices, {} and {}!"
)
UINT64 = (  # what a number of 64 bits without a sign would be
    "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote Bool and "
    "UInt64"
)


class OutOfMemoryError(RuntimeError):
    """An allocation that does not fit, on a GPU or in a `memory.budget`."""


def freed_error(node, freed) -> RuntimeError:
    """M1: the node's saved tensors are gone; who freed them stands in the notes."""
    error = RuntimeError(BACKWARD_TWICE)
    error.add_note(f"minigrad: what {type(node).__name__} saved was freed by {quote(freed.site)}")
    error.add_note("minigrad: lesson 05 shows which operations allow a second backward, and why.")
    return error


def modified_error(node, tensor, version: int, made_by) -> RuntimeError:
    """M2: a saved tensor was written to after it was saved; `made_by` is its own node."""
    origin = f", which is output 0 of {short_name(made_by)}," if made_by else ""
    error = RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kernel_type(tensor)} {list(tensor.shape)}]{origin} is at version "
        f"{tensor._version}; expected version {version} instead. {hint}"
    )
    error.add_note(
        f"minigrad: {type(node).__name__} had saved this tensor for its backward; somebody wrote "
        "to it in place since. Write out of place, or clone() it before."
    )
    return error


def kernel_type(tensor) -> str:
    """tensor.type() as PyTorch's kernels spell it."""
    return tensor.type().replace("torch.BoolTensor", "CPUBoolType")


def short_name(node) -> str:
    """`AddBackward0` -> `Add`, `SumBackward1` -> `Sum1`, as PyTorch's messages shorten it."""
    name = type(node).name(node)  # of the class: a Function may have written `ctx.name = ...`
    head, middle, tail = name.rpartition("Backward")
    numbered = middle and (tail == "" or tail.isdigit())  # CopyBackwards is left as it is
    return head + ("" if tail == "0" else tail) if numbered else name


def view_error(view, what: str) -> RuntimeError:
    """Views that nobody could track; `what` was written to: "is being", or "its base has been"."""
    node, secret = view._node, view._view_kind in MODES
    kind = view._view_kind if secret else "no_grad"
    made = f"created in {kind} mode" * (secret or node is None)
    if node is None:
        words = f"A view was {made}"
    else:
        words = f"Output {view.output_nr} of {short_name(node)} is a view"
        words += " of a view which was " * secret + made
    mode = MODES[kind] if made else ""
    return RuntimeError(f"{words} and {what} modified inplace{mode}. {VIEW_KINDS[view._view_kind]}")


def gradient_shape_error(i: int, gradient, tensor) -> RuntimeError:
    """M6: a starting gradient that does not fit its tensor."""
    return RuntimeError(
        f"Mismatch in shape: grad_output[{i}] has a shape of torch.Size({list(gradient.shape)}) "
        f"and output[{i}] has a shape of torch.Size({list(tensor.shape)})."
    )


def broadcast_error(left: tuple, right: tuple) -> RuntimeError:
    """Shapes that do not broadcast."""
    for back in range(1, min(len(left), len(right)) + 1):
        m, n = left[-back], right[-back]
        if m != n and 1 not in (m, n):
            axis = max(len(left), len(right)) - back
            return RuntimeError(
                f"The size of tensor a ({m}) must match the size of tensor b ({n}) "
                f"at non-singleton dimension {axis}"
            )
    return RuntimeError(f"cannot combine shapes {left} and {right}")


def device_error(devices, error: Exception) -> Exception:
    """Tensors on two devices in one operation; else the error itself."""
    found = list(dict.fromkeys(map(str, devices)))
    return RuntimeError(TWO_DEVICES.format(*found[:2])) if len(found) > 1 else error
