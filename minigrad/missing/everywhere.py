"""Where a name of PyTorch's may be asked for; told once, when minigrad is imported.

What is there is told the name under which it is called, for the errors that it raises.
"""

from __future__ import annotations

import sys

from minigrad import missing, nn, optim
from minigrad.core import words
from minigrad.core.dtypes import dtype
from minigrad.core.function import BackwardCFunction
from minigrad.core.storage import Storage
from minigrad.core.tensor import Tensor
from minigrad.missing.files import FILES, shown
from minigrad.missing.options import teach
from minigrad.missing.parameters import renamed

MODULES = (
    "minigrad", "minigrad.autograd", "minigrad.autograd.function", "minigrad.autograd.graph",
    "minigrad.backends", "minigrad.backends.cudnn", "minigrad.backends.mps", "minigrad.cuda",
    "minigrad.distributions", "minigrad.nn", "minigrad.nn.functional", "minigrad.nn.init",
    "minigrad.nn.utils", "minigrad.nn.utils.rnn",
    "minigrad.optim", "minigrad.optim.lr_scheduler",
    "minigrad.optim.swa_utils", "minigrad.utils",
    "minigrad.utils.checkpoint", "minigrad.utils.data",
)  # fmt: skip
FAST = {Tensor: "torch.Tensor", Storage: "torch.UntypedStorage", dtype: "torch.dtype"}
LAYERS = {getattr(nn, name): f"torch.nn.{name}" for name in nn.__all__ if name[0].isupper()}
OTHERS = {
    BackwardCFunction: "torch.autograd.function.FunctionCtx",
    optim.Optimizer: "torch.optim.SGD",  # PyTorch's own base class makes its attributes late
    **{kind: place for kind, place in LAYERS.items() if issubclass(kind, nn.Module)},
}


# Methods whose errors stand as they are raised: a second call would make them slower.
FAST_METHODS = (
    "sum mean view reshape t transpose size dim numel detach backward item contiguous "
    "requires_grad_ register_hook register_post_accumulate_grad_hook retain_grad"
).split()
ATTRIBUTES = {"norm": "layout", "split": "split", "tensordot": "dim"}  # see words.Asked
TAUGHT = "nn nn.utils utils.data distributions autograd.functional".split()  # by options.txt
NO_TENSORS = "memory_allocated max_memory_allocated reset_peak_memory_stats is_tensor".split()


def name_what_is_there() -> None:
    """Let functions and methods tell their errors under their public names."""
    for module, prefix in ("minigrad", ""), ("minigrad.ops.linalg", "linalg_"):
        place = sys.modules[module]
        names = [name for name in vars(place) if name[0] != "_" and name not in NO_TENSORS]
        words.name_all(place, names, prefix=prefix, attributes=ATTRIBUTES)
    names = [name for name in vars(Tensor) if name[0] != "_" and name not in FAST_METHODS]
    words.name_all(Tensor, names, before=1)
    for module in TAUGHT:
        teach(sys.modules[f"minigrad.{module}"])
    families = {each for kind in LAYERS for each in kind.__mro__}
    families = {each for each in families if each.__name__ != "RMSNorm"}  # x there, too
    for forward in {vars(each)["forward"] for each in families if "forward" in vars(each)}:
        forward.__code__ = renamed(forward.__code__, before=1)


def install() -> None:
    """From here on, whoever asks for what PyTorch has and minigrad lacks is told so."""
    for name in MODULES:
        module = sys.modules[name]
        # by setattr: mypy must go on telling names that are not there
        setattr(module, "__getattr__", missing.of_module(name))  # noqa: B010
        vars(module).setdefault("__path__", [])  # so that Finder is asked for what is below it
    for kind, place in FAST.items():
        missing.stand_in(kind, place)
    for kind in (BackwardCFunction, optim.Optimizer, nn.Module):
        setattr(kind, "__getattr__", missing.of_thing(OTHERS, nn.Module))  # noqa: B010
    sys.meta_path.append(missing.Finder)
    name_what_is_there()
    for place, listed in FILES.items():
        shown(place, listed, vars(sys.modules[place]))
