"""PyTorch's words for what goes wrong when a checkpoint computes its segment again."""

from __future__ import annotations

RECOMMENDED = (
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
    "you can pass use_reentrant=True. Refer to docs for more details on the differences between "
    "the two variants."
)
SAY_WHICH = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in "
    f"PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception. {RECOMMENDED}"
)
SAY_WHICH_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed "
    "explicitly. In version 2.9 we will raise an exception if use_reentrant is not passed. "
    f"{RECOMMENDED}"
)
NO_GRAD_INPUT = "None of the inputs have requires_grad=True. Gradients will be None"
NO_GRAD_OUTPUT = "none of output has requires_grad=True, this checkpoint() is not necessary"
PART_OF_THE_WAY = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
    "`inputs` parameter to .backward(). To resolve this error, you can either set "
    "use_reentrant=False, or call .backward() without passing the `inputs` argument."
)
DETERMINISM = "determinism_check should be one of ['default', 'none'], but got {}"
NOT_HERE = "minigrad's checkpoint has no {}=; leave it out"
TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\u2011debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""
MORE = (
    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
    f"original forward pass.\n{TIP}"
)
OTHER_NUMBER = (
    "torch.utils.checkpoint: A different number of tensors was saved during the original forward "
    "and recomputation.\nNumber of tensors saved during forward: {}\n"
    f"Number of tensors saved during recomputation: {{}}.\n{TIP}"
)
OTHER_SHAPE = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata "
    f"than during the forward pass.\n{{}}.\n{TIP}"
)
ONE_SHAPE = "tensor at position {}:\nsaved metadata: {}\nrecomputed metadata: {}\n"
UNPACKED_TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked "
    "once. If you are calling ctx.saved_tensors in backward, make sure to do so only once. "
    "Otherwise please open an issue with details on your use case."
)


def metadata(tensor) -> str:
    """What a recomputed tensor must have in common with the first one, as PyTorch prints it."""
    shape, dtype = list(tensor.shape), tensor.dtype.name
    return f"{{'shape': torch.Size({shape}), 'dtype': torch.{dtype}, 'device': device(type='cpu')}}"
