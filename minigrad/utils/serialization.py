"""save() and load(): states of modules, tensors, and whatever holds them, in one file.

The file is Python's pickle: PyTorch reads none of minigrad's, and minigrad none of PyTorch's.
"""

from __future__ import annotations

import os
import pickle
from typing import Any

from minigrad.core.tensor import Tensor
from minigrad.core.words import kind_of
from minigrad.nn.named import Parameter

OF_WEIGHTS = {  # modules, and what of them a file of weights may name
    "builtins": {"set", "complex", "bytearray"},
    "collections": {"OrderedDict", "Counter"},
    "minigrad": set("Tensor Size device float16 float32 float64 int32 int64 uint8 bool".split()),
    "minigrad.nn.named": {"Parameter"},
    "minigrad.ops.pickling": {"_rebuilt", "_loaded", "_loaded_storage"},
}
NO_FILE = "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
NO_READER = (
    "'{}' object has no attribute 'seek'. You can only torch.load from a file that is seekable. "
    "Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
)
REFUSED = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, "
    "\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. \n\t"
    "(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in "
    "`torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to "
    "`False` will likely succeed, but it can result in arbitrary code execution. Do it only if you "
    "got the file from a trusted source.\n\t(2) Alternatively, to load with `weights_only=True` "
    "please check the recommended steps in the following error message.\n\t"
    "WeightsUnpickler error: Unsupported global: GLOBAL {0} was not an allowed global by default. "
    "Please use `torch.serialization.add_safe_globals([{1}])` or the "
    "`torch.serialization.safe_globals([{1}])` context manager to allowlist this global if you "
    "trust this class/function.\n\nCheck the documentation of torch.load to learn more about types "
    "accepted by default with weights_only https://pytorch.org/docs/stable/generated/torch.load."
    "html."
)
ONE_WAY = "minigrad has no list of what is safe: only the first of the two ways is open."


class Saver(pickle.Pickler):
    """Tensors that share bytes share them in the file, too."""

    def __init__(self, file):
        super().__init__(file, protocol=4)
        self.held: dict = {}  # of each Storage what carries it

    def reducer_override(self, obj):
        if not isinstance(obj, Tensor) or isinstance(obj, Parameter):  # whose data come here next
            return NotImplemented
        parts: Any = obj.__reduce_ex__(4)
        rebuilt, (kind, held, *rest), notes = parts
        return rebuilt, (kind, self.held.setdefault(held.storage, held), *rest), notes


class OfWeights(pickle.Unpickler):
    """Reads tensors and containers of them, and refuses to call anything else."""

    def find_class(self, module, name):
        if name not in OF_WEIGHTS.get(module, ()):
            raise _refusal(module, name)
        return super().find_class(module, name)


def _refusal(module, name) -> pickle.UnpicklingError:
    alone = name if module in ("builtins", "__main__") else f"{module}.{name}"
    error = pickle.UnpicklingError(REFUSED.format(f"{module}.{name}", alone))
    error.add_note(ONE_WAY)
    return error


def save(obj, f) -> None:
    """Write the object into a file: its path, or one that is open for bytes."""
    if not isinstance(f, (str, os.PathLike)):
        if not hasattr(f, "write"):
            raise AttributeError(NO_FILE)
        return Saver(f).dump(obj)
    if not os.path.isdir(folder := os.path.dirname(os.path.abspath(f))):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    with open(f, "wb") as file:
        Saver(file).dump(obj)


def load(f, map_location=None, *, weights_only=True):
    """What was saved: tensors and containers of them; with weights_only=False anything.

    `map_location` is the device to which a tensor, or each in a dict or a list, is brought.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return load(file, map_location, weights_only=weights_only)
    if not hasattr(f, "seek"):
        raise AttributeError(NO_READER.format(kind_of(f)))
    found = (OfWeights if weights_only else pickle.Unpickler)(f).load()
    return found if map_location is None else on_device(found, map_location)


def on_device(thing, device):
    """The thing, its tensors there."""
    if isinstance(thing, Tensor):
        return thing.to(device)
    if isinstance(thing, dict):
        return type(thing)((key, on_device(value, device)) for key, value in thing.items())
    if type(thing) in (list, tuple):
        return type(thing)(on_device(value, device) for value in thing)
    return thing
