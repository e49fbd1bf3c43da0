"""Records which public names PyTorch has where minigrad has a face: `python -m
tests.minigrad.torch_names` writes minigrad/missing/names.txt. Needs the torch that
pyproject.toml names.
"""

import importlib
import inspect
import pkgutil
import sys
import textwrap
from pathlib import Path

from tests.twin.golden import VERSION

FILE = Path(__file__).parents[2] / "minigrad" / "missing" / "names.txt"
HEAD = (
    f"# PyTorch {VERSION.rpartition('.')[0]}'s public names, by place; `python -m "
    "tests.minigrad.torch_names` writes them."
)
MODULES = (
    "torch", "torch.autograd", "torch.autograd.function", "torch.autograd.graph",
    "torch.backends", "torch.backends.cudnn", "torch.backends.mps", "torch.cuda",
    "torch.distributions", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils",
    "torch.nn.utils.rnn", "torch.optim", "torch.optim.lr_scheduler",
    "torch.optim.swa_utils", "torch.utils", "torch.utils.checkpoint",
    "torch.utils.data",
)  # fmt: skip
NO_NAMES = "torch", "TYPE_CHECKING", "NoDefault"  # imported, or made, for its own use
LAYERS = {
    "AdaptiveAvgPool1d": (1,), "AvgPool1d": (2,), "GroupNorm": (1, 1), "InstanceNorm1d": (1,),
    "InstanceNorm2d": (1,), "InstanceNorm3d": (1,), "MaxPool1d": (2,), "RMSNorm": (1,),
    "Unflatten": (0, (1,)),
    "AdaptiveAvgPool2d": (1,), "AvgPool2d": (2,), "BatchNorm1d": (1,), "BatchNorm2d": (1,),
    "Conv2d": (1, 1, 1), "Embedding": (1, 1), "GRU": (1, 1), "GRUCell": (1, 1), "LSTM": (1, 1),
    "LSTMCell": (1, 1), "LayerNorm": (1,), "Linear": (1, 1), "MaxPool2d": (2,), "RNN": (1, 1),
    "RNNCell": (1, 1),
    "Threshold": (1, 1),
} | dict.fromkeys(
    "BCELoss BCEWithLogitsLoss CosineSimilarity CrossEntropyLoss Dropout ELU Flatten GELU"
    " Hardtanh HuberLoss Identity KLDivLoss L1Loss LeakyReLU LogSigmoid LogSoftmax MSELoss"
    " Mish Module ModuleDict ModuleList NLLLoss PairwiseDistance ParameterDict ParameterList"
    " ReLU ReLU6 SELU Sequential SiLU Sigmoid SmoothL1Loss Softmax Softmin Softplus Softsign"
    " Tanh Tanhshrink Upsample CosineEmbeddingLoss GaussianNLLLoss HingeEmbeddingLoss"
    " MarginRankingLoss PoissonNLLLoss TripletMarginLoss"
    " GLU Hardsigmoid Hardswish SoftMarginLoss CELU Hardshrink Softshrink".split(), (),
)  # fmt: skip


def things(torch):
    """{place: one thing of that class}."""

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    leaf = torch.ones(1, requires_grad=True)
    found = {
        "torch.Tensor": leaf,
        "torch.Size": leaf.shape,
        "torch.dtype": leaf.dtype,
        "torch.device": leaf.device,
        "torch.UntypedStorage": leaf.untyped_storage(),
        "torch.autograd.Function": torch.autograd.Function,
        "torch.autograd.graph.Node": (leaf * 2).grad_fn,
        "torch.autograd.function.FunctionCtx": Twice.apply(leaf).grad_fn,
    }
    for name, arguments in LAYERS.items():
        found[f"torch.nn.{name}"] = getattr(torch.nn, name)(*arguments)
    for name in ("SGD", "Adam", "AdamW"):
        found[f"torch.optim.{name}"] = getattr(torch.optim, name)([leaf])
    return found


def is_torchs(thing):
    """Not a module, a helper or a constant that torch has from elsewhere for itself."""
    home = thing.__name__ if inspect.ismodule(thing) else getattr(thing, "__module__", None)
    home = home or type(thing).__module__
    root = home.split(".")[0] if isinstance(home, str) else "torch"
    return root == "torch" or (root == "builtins" and not inspect.ismodule(thing))


def of_module(name):
    module = importlib.import_module(name)
    own = {n for n in dir(module) if is_torchs(getattr(module, n))}
    return own | {below.name for below in pkgutil.iter_modules(getattr(module, "__path__", ()))}


def names():
    """{place: its public names, sorted}."""
    import torch

    found = {name: of_module(name) for name in MODULES}
    found |= {place: set(dir(thing)) for place, thing in things(torch).items()}
    for name in LAYERS.keys() - {"Module"}:  # of a layer, what each Module has is not said again
        found[f"torch.nn.{name}"] -= found["torch.nn.Module"]
    return {place: sorted(filter(is_public, found[place])) for place in sorted(found)}


def is_public(name):
    return name[0] != "_" and name.isidentifier() and name not in NO_NAMES


def text(found):
    """The file: a line `[place]`, then its names."""
    lines = [HEAD]
    for place, those in found.items():
        lines += [f"[{place}]", *textwrap.wrap(" ".join(those), 100)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(names()), "utf-8")
    print(f"{FILE.name}: {sum(map(len, names().values()))} names", file=sys.stderr)
